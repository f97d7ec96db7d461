package supervisor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"loopd/journal"
)

// board is a loop with one channel whose deliveries a test sees; the clock is synctest's, which begins at midnight UTC.
type board struct {
	r     *run
	l     journal.Loop
	sent  []string
	fails int // so many deliveries from now on
	warns []string
}

func newBoard(set Channel) *board {
	b := &board{}
	set.To = journal.Channel{URL: "ntfy://x/y"}
	s := &Supervisor{Channels: map[string]Channel{"phone": set}, Emit: func(e Event) { b.warns = append(b.warns, e.Text) }}
	s.Send = func(_ context.Context, _, title, body string) error {
		if b.fails > 0 {
			b.fails--
			return errors.New("no route")
		}
		b.sent = append(b.sent, fmt.Sprintf("%s %s: %s", time.Now().UTC().Format("02 15:04"), strings.TrimPrefix(title, "loopd: "), strings.Join(strings.Fields(body), " ")))
		return nil
	}
	b.r = &run{s: s, redact: newRedactor(nil, nil)}
	b.l = journal.Loop{Name: "k", Charter: journal.Charter{Escalation: journal.Escalation{Channels: []journal.Channel{{Name: "phone"}}}}}
	return b
}

func (b *board) tell(event, text string) {
	b.r.tell(context.Background(), b.l, &b.l.State.Private, notice{Loop: "k", Event: event, Text: text})
}

// until lets time go by in steps of a minute, trying again what waits.
func (b *board) until(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(time.Minute) {
		b.r.postWaiting(context.Background(), b.l, &b.l.State.Private, time.Now())
	}
}

func TestNotices(t *testing.T) {
	for _, c := range []struct {
		name string
		set  Channel
		do   func(b *board)
		want []string
		left int
	}{
		{"delivered at once", Channel{}, func(b *board) { b.tell(EventBlocked, "why") }, []string{"01 00:00 k blocked: loopd: k blocked why"}, 0},
		{"what needs nobody is for those who ask", Channel{}, func(b *board) { b.tell(EventFailed, "x"); b.tell(EventDaily, "x"); b.tell(EventLimited, "x") }, nil, 0},
		{"asked for", Channel{Events: []string{EventFailed}}, func(b *board) { b.tell(EventFailed, "x"); b.tell(EventBlocked, "x") }, []string{"01 00:00 k failed: loopd: k failed x"}, 0},
		{"a failure is tried again after one, two and four minutes", Channel{}, func(b *board) { b.fails = 3; b.tell(EventDone, "x"); b.until(time.Hour) },
			[]string{"01 00:07 k done: loopd: k done x"}, 0},
		{"a channel that stays away", Channel{}, func(b *board) { b.fails = 1000; b.tell(EventDone, "x"); b.until(48 * time.Hour) }, nil, 1},
		{"quiet hours end in one message", Channel{Quiet: "22:00-07:00"}, func(b *board) { b.tell(EventBlocked, "a"); b.tell(EventStalled, "b"); b.until(8 * time.Hour) },
			[]string{"01 07:00 k, 2 notices: loopd: k blocked a loopd: k stalled b"}, 0},
		{"two a day, the rest on the next", Channel{Most: 2}, func(b *board) {
			for _, x := range []string{"a", "b", "c", "d"} {
				b.tell(EventBlocked, x)
			}
			b.until(25 * time.Hour)
		}, []string{"01 00:00 k blocked: loopd: k blocked a", "01 00:00 k blocked: loopd: k blocked b", "02 00:00 k, 2 notices: loopd: k blocked c loopd: k blocked d"}, 0},
		{"bound and quiet hours", Channel{Most: 1, Quiet: "00:00-06:30"}, func(b *board) {
			b.until(7 * time.Hour)
			b.tell(EventBlocked, "a")
			b.tell(EventBlocked, "b")
			b.until(48 * time.Hour)
		}, []string{"01 07:00 k blocked: loopd: k blocked a", "02 06:30 k blocked: loopd: k blocked b"}, 0},
		{"a channel that was renamed", Channel{}, func(b *board) {
			b.fails = 1
			b.tell(EventDone, "x")
			b.r.s.Channels["mail"] = b.r.s.Channels["phone"]
			b.l.Charter.Escalation.Channels = []journal.Channel{{Name: "mail"}}
			b.until(2 * time.Minute)
		}, []string{"01 00:01 k done: loopd: k done x"}, 0},
		{"too many wait", Channel{}, func(b *board) {
			b.fails = 1000
			for range maxWaiting + 3 {
				b.tell(EventBlocked, "x")
			}
		}, nil, maxWaiting},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				defer func(l *time.Location) { time.Local = l }(time.Local)
				time.Local = time.UTC
				b := newBoard(c.set)
				c.do(b)
				if diff := cmp.Diff(c.want, b.sent); diff != "" {
					t.Errorf("-want +sent\n%s", diff)
				}
				if got := len(b.l.State.Private.Notices); got != c.left {
					t.Errorf("%d wait, want %d", got, c.left)
				}
			})
		})
	}
}

// A failure is seen, and what it says keeps no secret.
func TestNoticeFailureIsSaid(t *testing.T) {
	b := newBoard(Channel{})
	b.fails = 1
	b.tell(EventBlocked, "why")
	n := b.l.State.Private.Notices
	if len(n) != 1 || n[0].Why != "no route" || n[0].Tries != 1 || !strings.Contains(strings.Join(b.warns, "\n"), "notice through phone failed: no route") {
		t.Errorf("%+v, said %q", n, b.warns)
	}
}

func TestRollup(t *testing.T) {
	at := func(day int) time.Time { return time.Date(2026, 11, day, 12, 0, 0, 0, time.Local) }
	three, two := 3.0, 2.0
	past := []Past{
		{Result: Result{Outcome: journal.Shipped, Counted: true, Cost: 9, CostKnown: true}, At: at(28)},
		{Result: Result{Outcome: journal.Shipped, Counted: true, Cost: 1, CostKnown: true}, At: at(29), Value: &three},
		{Result: Result{Outcome: journal.Failed, Counted: true, PutBack: true, Cost: 0.5, CostKnown: true}, At: at(29), Value: &three},
		{Result: Result{Outcome: journal.Limited, CostKnown: true}, At: at(29)},
		{Result: Result{Outcome: journal.Shipped, Counted: true, Cost: 1, CostKnown: true}, At: at(30), Value: &two},
		{Result: Result{Outcome: journal.Shipped, Counted: true, Cost: 7, CostKnown: true}, At: at(31)},
	}
	got := rollup(past, "2026-11-29", "2026-12-01", journal.State{Status: journal.Active})
	if want := "since 2026-11-29: 3 iterations, 2 verified, 1 put back, $2.50, ratchet 3→2, now active"; got != want {
		t.Errorf("%q\nwant %q", got, want)
	}
}
