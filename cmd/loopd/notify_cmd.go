package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"loopd/journal"
	"loopd/supervisor"
)

// Run shows the channels of config.toml and the notices that wait for theirs. Addresses keep their secrets.
func (c *notifyListCmd) Run(a *app) error {
	conf, err := a.loadConfig()
	if err != nil {
		return err
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	if len(conf.Channels) > 0 {
		fmt.Fprintln(w, "CHANNEL\tBY\tEVENTS\tQUIET\tA DAY")
	}
	for _, name := range slices.Sorted(maps.Keys(conf.Channels)) {
		ch := conf.Channels[name]
		events, most := "what needs somebody", "-"
		if len(ch.Events) > 0 {
			events = strings.Join(ch.Events, ", ")
		}
		if ch.Most > 0 {
			most = strconv.Itoa(ch.Most)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", name, wayOf(ch), events, orDash(ch.Quiet), most)
	}
	_ = w.Flush() // into memory
	if len(conf.Channels) == 0 {
		b.WriteString("config.toml names no channel: [channel.phone] with url, command, file or desktop = true\n")
	}
	refs, err := a.loops()
	if err != nil {
		return err
	}
	for _, ref := range refs {
		d, _ := dialect(ref.Dialect)
		l, err := d.Load(ref)
		if err != nil {
			a.Print.Warn("cannot be read", "loop", ref.Name, "why", err)
			continue
		}
		for _, n := range l.State.Private.Notices {
			fmt.Fprintf(&b, "waits: %s\n", waiting(l.Name, n))
		}
	}
	return a.Print.Result("%s", a.hide(strings.TrimRight(b.String(), "\n")))
}

// waiting says in a line what waits for which channel, until when and why.
func waiting(loop string, n journal.Notice) string {
	text := fmt.Sprintf("%s of %s for %s, not before %s", n.Event, loop, n.To, n.Next.Local().Format("2006-01-02 15:04"))
	if n.Why != "" {
		text += fmt.Sprintf(" (failed %d times: %s)", n.Tries, n.Why)
	}
	return text
}

func wayOf(c supervisor.Channel) string {
	if c.Desktop {
		return "the desktop"
	}
	return c.To.String()
}

// Run sends a test message through each channel and says what came of it; one that failed makes the exit code 1.
func (c *notifyTestCmd) Run(a *app) error {
	conf, err := a.loadConfig()
	if err != nil {
		return err
	}
	ref := journal.Ref{Name: "notify", Dialect: "native", Root: a.Root, Dir: a.Root}
	var channels []journal.Channel
	switch {
	case c.Loop != "":
		if ref, err = a.find(c.Loop, ""); err != nil {
			return err
		}
		d, _ := dialect(ref.Dialect)
		l, err := d.Load(ref)
		if err != nil {
			return err
		}
		channels = l.Charter.Escalation.Channels
	case len(c.Channels) == 0:
		c.Channels = slices.Sorted(maps.Keys(conf.Channels))
	}
	for _, name := range c.Channels {
		if _, ok := conf.Channels[name]; !ok {
			known := slices.Sorted(maps.Keys(conf.Channels))
			return usagef("loopd notify list", "config.toml has no channel %s%s", quoted(name), suggest(name, known))
		}
		channels = append(channels, journal.Channel{Name: name})
	}
	if len(channels) == 0 {
		return usagef("add [channel.phone] to .loop/config.toml with url, command, file or desktop = true", "there is no channel to test")
	}
	s, done, err := a.operator(ref)
	if err != nil {
		return err
	}
	defer done()
	failed := 0
	for _, ch := range channels {
		text := ch.String() + ": sent"
		if err := s.TryChannel(context.Background(), ch); err != nil {
			failed++
			text = ch.String() + ": failed: " + err.Error()
		}
		if err := a.Print.Result("%s", a.hide(text)); err != nil {
			return err
		}
	}
	if failed > 0 {
		return &exitError{Code: codeFault, What: fmt.Sprintf("%d of %d failed", failed, len(channels)), Next: "mend them, then: loopd notify test"}
	}
	return nil
}
