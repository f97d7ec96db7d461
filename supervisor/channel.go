package supervisor

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"loopd/journal"
	"loopd/supervisor/proc"
)

// The events of which a human is told.
const (
	EventStalled      = "stalled"
	EventBlocked      = "blocked"
	EventDone         = "done"
	EventReport       = "report" // the finding of a watch loop
	EventBudget       = "budget"
	EventUnavailable  = "unavailable"
	EventPromoted     = "promoted" // it may be, or was
	EventDemoted      = "demoted"
	EventCharter      = "charter defect"
	EventIrreversible = "irreversible" // the agent pushed
	EventFailed       = "failed"       // one iteration
	EventLimited      = "limited"      // the vendor's usage limit
	EventDaily        = "daily"        // the rollup of the day before
)

// onRequest are events that need nobody: a channel has them only where it names them. Silence is the contract.
var onRequest = map[string]bool{EventFailed: true, EventLimited: true, EventDaily: true}

// NoticeEvents lists the events that a channel of config.toml can be limited to.
func NoticeEvents() []string {
	return []string{EventStalled, EventBlocked, EventDone, EventReport, EventBudget, EventUnavailable, EventPromoted, EventDemoted, EventCharter, EventIrreversible,
		EventFailed, EventLimited, EventDaily}
}

// Channel is a [channel.NAME] of config.toml.
type Channel struct {
	To      journal.Channel
	Desktop bool     // a notice of the desktop in place of To
	Events  []string // only these; where empty all that need somebody
	Quiet   string   // "22:00-07:00", local time: what falls into it is sent afterwards, as one message; "" for never
	Most    int      // messages a day of one loop, what is over is sent the next day as one message; 0 for no bound
}

// wants says whether the channel takes an event.
func (c Channel) wants(event string) bool {
	if len(c.Events) == 0 {
		return !onRequest[event]
	}
	return slices.Contains(c.Events, event)
}

// quietAt says whether a time of day lies in the quiet hours, which may cross midnight.
func (c Channel) quietAt(now time.Time) bool {
	from, to, ok := strings.Cut(c.Quiet, "-")
	if !ok {
		return false
	}
	at := now.Format("15:04")
	from, to = strings.TrimSpace(from), strings.TrimSpace(to)
	if from <= to {
		return at >= from && at < to
	}
	return at >= from || at < to
}

// spent says whether the day has had its messages.
func (c Channel) spent(told journal.Told, now time.Time) bool {
	return c.Most > 0 && told.Day == now.Format(time.DateOnly) && told.N >= c.Most
}

// opens is when a message may be sent: after the quiet hours, and on another day where this one has had its messages.
func (c Channel) opens(now time.Time, told journal.Told) time.Time {
	if c.spent(told, now) {
		y, m, d := now.Date()
		now = time.Date(y, m, d+1, 0, 0, 0, 0, now.Location())
	}
	for minutes := 0; c.quietAt(now) && minutes < 24*60; minutes++ {
		now = now.Truncate(time.Minute).Add(time.Minute)
	}
	return now
}

// send brings one message to a channel. Its error says what went wrong, in the channel's own words where it has some.
func (r *run) send(ctx context.Context, c journal.Channel, title, body string) error {
	ctx, cancel := context.WithTimeout(ctx, channelLimit)
	defer cancel()
	switch {
	case c.Name != "":
		named, ok := r.s.Channels[c.Name]
		switch {
		case !ok:
			return fmt.Errorf("no [channel.%s] in config.toml", c.Name)
		case named.Desktop:
			return r.sendBy(ctx, desktopArgv(runtime.GOOS, title, body), "")
		case named.To.Name != "":
			return fmt.Errorf("[channel.%s] names another channel", c.Name)
		}
		return r.send(ctx, named.To, title, body)
	case c.File != "":
		path := c.File
		if !filepath.IsAbs(path) {
			path = filepath.Join(r.s.Ref.Root, path)
		}
		return r.s.Disk.Append("notice", path, []byte(time.Now().Format(time.RFC3339)+" "+strings.ReplaceAll(strings.TrimSpace(body), "\n", " · ")+"\n"))
	case c.URL != "":
		if r.s.Send == nil {
			return errors.New("notification URLs are not available here")
		}
		return r.s.Send(ctx, c.URL, title, body)
	}
	return r.sendBy(ctx, []string{"sh", "-c", c.Command}, body)
}

// sendBy runs a program that delivers a message.
func (r *run) sendBy(ctx context.Context, argv []string, body string) error {
	errs := &tail{max: 4 << 10}
	res, err := r.s.Host.Run(ctx, proc.Spec{Argv: argv, Dir: r.s.Ref.Root, Env: r.checkEnv(), Stdin: []byte(body),
		Stderr: errs, Wall: channelLimit, Grace: time.Second, Marker: r.marker})
	switch {
	case err != nil:
		return err
	case res.Stopped != "":
		return fmt.Errorf("no end within %s", channelLimit)
	case res.Exit != 0:
		return fmt.Errorf("exit %d: %s", res.Exit, lastLine(string(errs.buf)))
	}
	return nil
}

// desktopArgv is the program that shows a notice on the desktop of a system.
func desktopArgv(system, title, body string) []string {
	if system == "darwin" {
		// The texts are arguments, not parts of the script.
		return []string{"osascript", "-e", "on run {title, body}", "-e", "display notification body with title title", "-e", "end run", title, body}
	}
	return []string{"notify-send", "--app-name=loopd", "--", title, body}
}

// TryChannel sends a test message to a channel, whatever its events, quiet hours and bounds.
func (s *Supervisor) TryChannel(ctx context.Context, c journal.Channel) error {
	r := &run{s: s, redact: newRedactor(s.Env, s.Known), marker: "LOOPD_RUN=" + newRunID()}
	if err := r.send(ctx, c, "loopd: test", "This is a test of the channel "+c.String()+".\n"); err != nil {
		return errors.New(r.redact.String(err.Error()))
	}
	return nil
}
