package supervisor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"loopd/journal"
	"loopd/supervisor/proc"
)

// maxUnsent bounds the notices that wait for a channel.
const maxUnsent = 20

// notice is one message to a human: it must leave the loop directory, or the failure to do so is shown.
type notice struct {
	Loop  string
	Event string // one of NoticeEvents
	Text  string
	Fix   string
}

func (n notice) title() string { return "loopd: " + n.Loop + " " + n.Event }

func (n notice) body() string {
	s := n.title() + "\n" + n.Text + "\n"
	if n.Fix != "" {
		s += "Next: " + n.Fix + "\n"
	}
	return s
}

// tell sends a notice through every channel of the loop and shows it to whoever watches. What could not be delivered is
// returned, to be kept in the state and sent again at the next start.
func (r *run) tell(ctx context.Context, l journal.Loop, n notice) (unsent []string) {
	n.Text = r.redact.String(n.Text)
	if r.s.Terminal != nil {
		r.s.Terminal.Tell(n.body())
	} else {
		r.emit(Event{Kind: EventWarning, Text: n.title() + ": " + n.Text})
	}
	return r.deliver(ctx, l, n.Event, n.title(), n.body())
}

// deliver sends a message; event "" is one that was held back before and goes to every channel.
func (r *run) deliver(ctx context.Context, l journal.Loop, event, title, body string) (unsent []string) {
	for _, c := range l.Charter.Escalation.Channels {
		if named, ok := r.s.Channels[c.Name]; c.Name != "" && ok {
			if event != "" && !named.wants(event) {
				continue
			}
			if named.quietAt(time.Now()) {
				unsent = []string{body}
				continue
			}
		}
		if err := r.send(context.WithoutCancel(ctx), c, title, body); err != nil {
			r.emit(Event{Kind: EventWarning, Text: fmt.Sprintf("escalation through %s failed: %v; it is kept and sent again at the next start", c, err)})
			unsent = []string{body}
		}
	}
	return unsent
}

func (r *run) send(ctx context.Context, c journal.Channel, title, body string) error {
	ctx, cancel := context.WithTimeout(ctx, channelLimit)
	defer cancel()
	switch {
	case c.Name != "":
		named, ok := r.s.Channels[c.Name]
		if !ok {
			return fmt.Errorf("no [channel.%s] in config.toml", c.Name)
		}
		if named.To.Name != "" {
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
	errs := &tail{max: 4 << 10}
	res, err := r.s.Host.Run(ctx, proc.Spec{Argv: []string{"sh", "-c", c.Command}, Dir: r.s.Ref.Root, Env: r.checkEnv(), Stdin: []byte(body),
		Stderr: errs, Wall: channelLimit, Grace: time.Second, Marker: r.marker})
	if err != nil {
		return err
	}
	if res.Stopped != "" {
		return fmt.Errorf("no end within %s", channelLimit)
	}
	if res.Exit != 0 {
		return fmt.Errorf("exit %d: %s", res.Exit, lastLine(string(errs.buf)))
	}
	return nil
}

// resend tries notices again that an earlier run could not deliver.
func (r *run) resend(ctx context.Context) error {
	l, err := r.s.Dialect.Load(r.s.Ref)
	if err != nil || len(l.Defects()) > 0 || len(l.State.Private.Unsent) == 0 {
		return err // defects are the gate's matter
	}
	var left []string
	for _, body := range l.State.Private.Unsent {
		left = append(left, r.deliver(ctx, l, "", "loopd: "+l.Name, body)...)
	}
	next := l.State
	next.Private.Unsent = left
	return r.saveState(l, next)
}

func appendUnsent(have, more []string) []string {
	have = append(append([]string(nil), have...), more...)
	if len(have) > maxUnsent {
		have = have[len(have)-maxUnsent:]
	}
	return have
}

// writable reports whether a folder can be written, before an agent is started on the hope that it can.
func writable(dir string) error {
	f, err := os.CreateTemp(dir, ".loopd-*")
	if err != nil {
		return fmt.Errorf("write in %s: %w", dir, err)
	}
	name := f.Name()
	_, err = f.Write([]byte("x"))
	return errors.Join(err, f.Close(), os.Remove(name))
}
