package supervisor

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"loopd/journal"
)

const (
	maxWaiting = 20 // notices of a loop that wait for a channel
	// A channel that failed is tried again after a minute, then after twice as long each time.
	retryFirst, retryMost = time.Minute, time.Hour
)

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

// tell sends a notice through the channels of the loop that want its event, and shows it to whoever watches. What could not
// be delivered, or may not be yet, waits in p, which has then to be saved: changed says so.
func (r *run) tell(ctx context.Context, l journal.Loop, p *journal.Private, n notice) (changed bool) {
	n.Text = r.redact.String(n.Text)
	now := time.Now()
	wanted := false
	for _, c := range l.Charter.Escalation.Channels {
		if r.settings(c).wants(n.Event) {
			wanted = true
			changed = r.post(ctx, p, c, journal.Notice{To: c.String(), Event: n.Event, Title: n.title(), Body: n.body(), At: now}, now) || changed
		}
	}
	switch {
	case !wanted && onRequest[n.Event]: // nobody asked for it
	case r.s.Terminal != nil:
		r.s.Terminal.Tell(n.body())
	default:
		r.emit(Event{Kind: EventWarning, Text: n.title() + ": " + n.Text})
	}
	return changed
}

// settings are what config.toml says about a channel; nothing for one that a charter names by itself.
func (r *run) settings(c journal.Channel) Channel {
	if named, ok := r.s.Channels[c.Name]; c.Name != "" && ok {
		return named
	}
	return Channel{}
}

// post sends a notice now, or lets it wait: in quiet hours, after as many as the day may have, after a failure.
func (r *run) post(ctx context.Context, p *journal.Private, c journal.Channel, n journal.Notice, now time.Time) (changed bool) {
	set := r.settings(c)
	if set.quietAt(now) || set.spent(p.Told[n.To], now) {
		n.Next = set.opens(now, p.Told[n.To])
		r.wait(p, n)
		return true
	}
	if err := r.send(context.WithoutCancel(ctx), c, n.Title, n.Body); err != nil {
		n.Tries++
		n.Next, n.Why = now.Add(doubling(retryFirst, retryMost, n.Tries)), journal.OneLine(r.redact.String(err.Error()), 200)
		r.emit(Event{Kind: EventWarning, Text: fmt.Sprintf("notice through %s failed: %s; it is kept and sent again after %s", c, n.Why, n.Next.Sub(now).Round(time.Second))})
		r.wait(p, n)
		return true
	}
	if set.Most == 0 {
		return false
	}
	p.Told = maps.Clone(p.Told)
	if p.Told == nil {
		p.Told = map[string]journal.Told{}
	}
	p.Told[n.To] = p.Told[n.To].Add(now)
	return true
}

// wait keeps a notice for later. Where too many wait the oldest goes, and that is said.
func (r *run) wait(p *journal.Private, n journal.Notice) {
	p.Notices = append(slices.Clone(p.Notices), n)
	if over := len(p.Notices) - maxWaiting; over > 0 {
		r.emit(Event{Kind: EventWarning, Text: fmt.Sprintf("%d notices wait for their channels, the oldest is dropped: %s", len(p.Notices), journal.OneLine(p.Notices[0].Body, 200))})
		p.Notices = p.Notices[over:]
	}
}

// due reports whether a waiting notice may be tried again.
func due(notices []journal.Notice, now time.Time) bool {
	return slices.ContainsFunc(notices, func(n journal.Notice) bool { return !n.Next.After(now) })
}

// postWaiting tries those notices again whose time has come: several for one channel are one message. One for a channel that
// the loop no longer has goes to all that it has.
func (r *run) postWaiting(ctx context.Context, l journal.Loop, p *journal.Private, now time.Time) (changed bool) {
	if !due(p.Notices, now) || len(l.Charter.Escalation.Channels) == 0 {
		return false
	}
	waiting := p.Notices
	p.Notices = nil
	batch := map[string][]journal.Notice{}
	for _, n := range waiting {
		switch to := n.To; {
		case n.Next.After(now):
			p.Notices = append(p.Notices, n)
		case slices.ContainsFunc(l.Charter.Escalation.Channels, func(c journal.Channel) bool { return c.String() == to }):
			batch[to] = append(batch[to], n)
		default:
			for _, c := range l.Charter.Escalation.Channels {
				batch[c.String()] = append(batch[c.String()], n)
			}
		}
	}
	for _, c := range l.Charter.Escalation.Channels {
		if all := batch[c.String()]; len(all) > 0 {
			delete(batch, c.String()) // a channel that is named twice is told once
			one := all[0]
			one.To = c.String()
			for _, n := range all[1:] {
				one.Title = "loopd: " + l.Name + ", " + fmt.Sprintf("%d notices", len(all))
				one.Body, one.Tries = strings.TrimRight(one.Body, "\n")+"\n\n"+n.Body, max(one.Tries, n.Tries)
			}
			r.post(ctx, p, c, one, now)
		}
	}
	return true
}

// resend tries waiting notices again, and tells of the day before where a channel wants that. At a start those that failed
// are tried at once: whoever started it may have mended the channel.
func (r *run) resend(ctx context.Context, start bool) error {
	l, err := r.s.Dialect.Load(r.s.Ref)
	if err != nil || len(l.Defects()) > 0 {
		return err // defects are the gate's matter
	}
	next, now := l.State, time.Now()
	if start {
		next.Private.Notices = slices.Clone(next.Private.Notices)
		for i, n := range next.Private.Notices {
			if n.Tries > 0 {
				next.Private.Notices[i].Next = now
			}
		}
	}
	changed := r.postWaiting(ctx, l, &next.Private, now)
	rolled, err := r.rollUp(ctx, l, &next.Private, now)
	if err != nil {
		return err
	}
	r.nextNotice = earliest(next.Private.Notices)
	if !changed && !rolled {
		return nil
	}
	return r.saveState(l, next)
}

// noticesDue reports, without a look at the disk, whether resend has something to do: a notice may be tried again, or a day
// is over.
func (r *run) noticesDue(now time.Time) bool {
	return !r.nextNotice.IsZero() && !r.nextNotice.After(now) || r.looked != "" && r.looked != now.Format(time.DateOnly)
}

// earliest is when the first of the waiting notices may be tried again; zero where none waits.
func earliest(notices []journal.Notice) time.Time {
	var at time.Time
	for _, n := range notices {
		if at.IsZero() || n.Next.Before(at) {
			at = n.Next
		}
	}
	return at
}
