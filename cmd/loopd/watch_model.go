package main

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
)

// watchEvery is how often the loops are read again.
const watchEvery = time.Second

// watchModel is the state of the watch. Update and View are pure but for the commands that they give back.
type watchModel struct {
	watcher
	width, height int
	plain         bool // no colour

	loops    []watched
	loaded   bool
	selected int
	open     bool // the page of the selected loop
	page     watchedPage
	scroll   int
	help     bool
	filter   string
	said     string // what the last command said

	asks  *watchKey // a key that waits for a text or a yes
	input string
}

// watchKey is what a key does.
type watchKey struct {
	key, name string
	// text asks for a line first; "" for none. Without one a yes is asked for where sure says what will happen.
	text string
	sure string
	argv func(name, text string) []string
	// goesOn: the command is started and goes on by itself.
	goesOn bool
}

// watchKeys are the keys of a loop, in the order of the help.
var watchKeys = []watchKey{
	{key: "s", name: "steer", text: "steer the next iteration", argv: func(n, t string) []string { return []string{"steer", n, t} }},
	{key: "p", name: "pause", sure: "pause it at its next boundary", argv: func(n, _ string) []string { return []string{"pause", n} }},
	{key: "r", name: "resume", text: "resume, with an answer or none", argv: func(n, t string) []string {
		if t == "" {
			return []string{"resume", n}
		}
		return []string{"resume", n, "--answer", t}
	}},
	{key: "x", name: "stop", sure: "hold it by a STOP file", argv: func(n, _ string) []string { return []string{"stop", n} }},
	{key: "X", name: "stop now", sure: "end its agent now; the change is parked and put back", argv: func(n, _ string) []string { return []string{"stop", n, "--now"} }},
	{key: "c", name: "clear STOP", sure: "take its STOP file away", argv: func(n, _ string) []string { return []string{"stop", n, "--clear"} }},
	{key: "n", name: "run now", sure: "start one iteration now, in the background", goesOn: true, argv: func(n, _ string) []string { return []string{"run", n, "--once", "--now"} }},
	{key: "P", name: "promote", text: "promote; who allows it?", argv: func(n, t string) []string { return []string{"promote", n, "--by", t} }},
	{key: "a", name: "adjudicate", text: "a dirty tree: park, keep or backlog?", argv: func(n, t string) []string { return []string{"adjudicate", n, "--" + t} }},
}

type (
	watchTick   struct{}
	watchLoaded struct {
		loops []watched
		page  watchedPage
		name  string // of the page
	}
	watchSaid struct{ text string }
)

func newWatch(w watcher) watchModel { return watchModel{watcher: w, width: 80, height: 24} }

// Init reads the loops.
func (m watchModel) Init() tea.Cmd { return m.load() }

// load reads the loops, and the page that is open.
func (m watchModel) load() tea.Cmd {
	w, current := m.watcher, m.current()
	open := m.open && current != nil
	return func() tea.Msg {
		out := watchLoaded{loops: w.loops()}
		if open {
			out.page, out.name = w.page(*current), current.Name
		}
		return out
	}
}

func tick() tea.Cmd { return tea.Tick(watchEvery, func(time.Time) tea.Msg { return watchTick{} }) }

// shown are the loops that the filter lets through.
func (m watchModel) shown() []watched {
	var out []watched
	for _, l := range m.loops {
		if m.filter == "" || strings.Contains(strings.ToLower(l.Name), strings.ToLower(m.filter)) {
			out = append(out, l)
		}
	}
	return out
}

// current is the selected loop, nil where there is none.
func (m watchModel) current() *watched {
	shown := m.shown()
	if m.selected < 0 || m.selected >= len(shown) {
		return nil
	}
	return &shown[m.selected]
}

// Update takes one message.
func (m watchModel) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case watchTick:
		return m, m.load()
	case watchLoaded:
		m.loops, m.loaded = msg.loops, true
		m.selected = max(0, min(m.selected, len(m.shown())-1))
		if c := m.current(); c != nil && msg.name == c.Name {
			m.page = msg.page
		}
		return m, tick()
	case watchSaid:
		m.said = msg.text
		return m, m.load()
	case tea.KeyPressMsg:
		return m.key(msg)
	}
	return m, nil
}

func (m watchModel) key(msg tea.KeyPressMsg) (tea.Model, tea.Cmd) {
	key := msg.String()
	if key == "ctrl+c" {
		return m, tea.Quit
	}
	if m.asks != nil {
		return m.answer(msg)
	}
	m.said = ""
	switch key {
	case "q":
		return m, tea.Quit
	case "esc", "left", "backspace":
		switch {
		case m.help:
			m.help = false
		case m.open:
			m.open, m.scroll = false, 0
		default:
			m.filter = ""
		}
	case "?":
		m.help = !m.help
	case "/":
		m.asks, m.input = &watchKey{key: "/", name: "filter", text: "show only names with"}, m.filter
	case "up", "k":
		m.move(-1)
	case "down", "j":
		m.move(1)
	case "pgup":
		m.move(-m.height / 2)
	case "pgdown", "space":
		m.move(m.height / 2)
	case "enter", "right":
		if m.current() != nil && !m.open {
			m.open, m.scroll, m.page = true, 0, watchedPage{report: m.current().reportJSON}
			return m, m.load()
		}
	default:
		for _, k := range watchKeys {
			if k.key == key && m.current() != nil {
				m.asks, m.input = &k, ""
			}
		}
	}
	return m, nil
}

// move moves the selection, or scrolls the page.
func (m *watchModel) move(by int) {
	if m.open {
		m.scroll = max(0, m.scroll+by)
		return
	}
	m.selected = max(0, min(m.selected+by, len(m.shown())-1))
}

// answer takes keys while a text or a yes is asked for.
func (m watchModel) answer(msg tea.KeyPressMsg) (tea.Model, tea.Cmd) {
	k := *m.asks
	switch key := msg.String(); {
	case key == "esc":
		m.asks = nil
	case k.text == "" && (key == "y" || key == "Y"):
		return m.does(k, "")
	case k.text == "":
		m.asks = nil
	case key == "enter" && k.key == "/":
		m.asks, m.filter, m.selected = nil, m.input, 0
	case key == "enter":
		return m.does(k, strings.TrimSpace(m.input))
	case key == "backspace":
		if r := []rune(m.input); len(r) > 0 {
			m.input = string(r[:len(r)-1])
		}
	case msg.Key().Text != "":
		m.input += printable(msg.Key().Text)
	}
	return m, nil
}

// does runs a key's command.
func (m watchModel) does(k watchKey, text string) (tea.Model, tea.Cmd) {
	m.asks, m.input = nil, ""
	c := m.current()
	if c == nil || k.argv == nil {
		return m, nil
	}
	loop, argv, run := *c, k.argv(c.Name, text), m.act
	if k.goesOn {
		run = m.start
	}
	m.said = fmt.Sprintf("loopd %s …", strings.Join(argv, " "))
	return m, func() tea.Msg { return watchSaid{run(loop, argv...)} }
}
