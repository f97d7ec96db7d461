package supervisor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"loopd/journal"
	"loopd/journal/disk"
)

// noteAdjudicated is the word of a ruling in the journal.
const noteAdjudicated = "adjudicated"

// Acted says what an operator's command did.
type Acted struct {
	Text string
	Next string // what to type next, "" for nothing
}

// Steer leaves text for the next iteration; what was there already stays above it.
func Steer(d disk.Disk, ref journal.Ref, text string) error {
	path := filepath.Join(ref.Dir, "STEER.md")
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("read steering: %w", err)
	}
	if len(old) > 0 && !bytes.HasSuffix(old, []byte("\n")) {
		old = append(old, '\n')
	}
	if err := d.Replace("steer", path, append(old, strings.TrimSpace(text)+"\n"...)); err != nil {
		return fmt.Errorf("write steering: %w", err)
	}
	return nil
}

// StopFile gives the path of a loop's STOP file, or of the whole fleet's for an empty name.
func StopFile(root, name string) string { return filepath.Join(root, ".loop", name, "STOP") }

// SetStatus pauses, retires, resumes or activates a loop. On a running loop it leaves a request for the next boundary.
func (s *Supervisor) SetStatus(ctx context.Context, status journal.Status, answer string) (Acted, error) {
	name := s.Ref.Name
	r, l, err := s.ours(ctx)
	if busy := (*ErrBusy)(nil); errors.As(err, &busy) {
		if answer != "" {
			if err := Steer(s.Disk, s.Ref, answer); err != nil {
				return Acted{}, err
			}
		}
		r, err := s.open(ctx)
		if err != nil {
			return Acted{}, err
		}
		return Acted{Text: fmt.Sprintf("%s runs (pid %d, step %s): it becomes %s at the next boundary", name, busy.Holder.PID, busy.Step, status)}, leave(r.place, "status-"+string(status), "")
	}
	if err != nil {
		return Acted{}, err
	}
	defer r.letGo()
	for _, q := range pendingRequests(r.place) { // what was asked before is overtaken
		if err := os.Remove(q.file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return Acted{}, fmt.Errorf("take back what was asked: %w", err)
		}
	}
	was := orElse(string(l.State.Status), string(journal.Designed))
	next := l.State
	next.Status = status
	if status == journal.Active {
		next = resumed(next, answer)
	}
	if err := r.saveState(l, next); err != nil {
		return Acted{}, err
	}
	a := Acted{Text: fmt.Sprintf("%s: %s → %s", name, was, status)}
	if status == journal.Active {
		a.Next = "loopd run " + name
		if f := r.stopFile(); f != "" {
			a.Next = "loopd stop " + name + " --clear (" + f + " still holds it)"
		}
	}
	return a, nil
}

// Approve gives a person's leave for the action that a contract's agent proposed, and lets the loop run again. The rollback
// command that Recovery names must be there first (the seed: "require approval and verified rollback before crossing the
// boundary"): it is looked up, not run, since running it could do harm.
func (s *Supervisor) Approve(ctx context.Context, by, answer string) (Acted, error) {
	r, l, err := s.still(ctx)
	if err != nil {
		return Acted{}, err
	}
	defer r.letGo()
	p, proposed := l.Charter.Protocol, l.State.Private.Proposed
	name := s.Ref.Name
	switch {
	case p == nil:
		return Acted{}, &UsageError{Err: fmt.Errorf("%s is a %s loop: only contracts ask for leave", name, l.Dialect), Fix: "loopd resume " + name + ", or loopd promote for the mode of a loop"}
	case l.State.Status != journal.Blocked || proposed == "":
		return Acted{}, &UsageError{Err: fmt.Errorf("%s asks for no leave (status %s)", name, l.State.Status), Fix: "loopd status " + name}
	case len(p.Rollback) == 0:
		return Acted{}, &HeldError{Err: fmt.Errorf("%s: Recovery names no rollback command, so %q may not be approved", l.Charter.File, proposed), Fix: "write one in back-ticks into Recovery"}
	}
	for _, command := range p.Rollback {
		if why, err := r.rollbackMissing(ctx, command); err != nil {
			return Acted{}, err
		} else if why != "" {
			return Acted{}, &HeldError{Err: fmt.Errorf("the rollback command `%s` of Recovery cannot run here: %s", command, why), Fix: "mend it in " + l.Charter.File}
		}
	}
	next := resumed(l.State, answer)
	next.Private.Proposed = ""
	next.Private.Approval = &journal.Approval{What: proposed, By: by, At: time.Now(), Rollback: p.Rollback}
	if err := r.saveState(l, next); err != nil {
		return Acted{}, err
	}
	return Acted{Text: fmt.Sprintf("%s: %s allows, for one iteration: %s", name, by, proposed), Next: "loopd run " + name}, nil
}

// rollbackMissing says why a command could not be run: its syntax, or its program.
func (r *run) rollbackMissing(ctx context.Context, command string) (string, error) {
	quoted := "'" + strings.ReplaceAll(command, "'", `'\''`) + "'"
	c, err := r.command(ctx, "sh -n -c "+quoted, r.work, r.checkEnv(), channelLimit)
	if err != nil || c.Exit != 0 {
		return orElse(lastLine(c.Tail), c.Got), err
	}
	program := ""
	for _, w := range strings.Fields(command) {
		if !strings.Contains(w, "=") {
			program = strings.Trim(w, `"'`)
			break
		}
	}
	c, err = r.command(ctx, "command -v '"+strings.ReplaceAll(program, "'", "")+"'", r.work, r.checkEnv(), channelLimit)
	if err != nil || c.Exit != 0 {
		return "no such command: " + program, err
	}
	return "", nil
}

// resumed clears what held a loop: idle, stall, escalation, signature, deaths, refusal. An answer becomes steering
// (decisions 22 and 36).
func resumed(s journal.State, answer string) journal.State {
	s.Status = journal.Active
	s.Ratchet.StallCount = 0
	p := &s.Private
	p.Idle, p.Deaths, p.UnavailableRow = 0, 0, 0
	p.Escalated, p.Hypothesis, p.HypothesisBy = "", "", ""
	p.Refusal, p.Question, p.Fix = nil, "", ""
	if p.Failure != nil {
		f := *p.Failure
		f.Row, f.Signature, f.Approaches = 0, "", nil
		p.Failure = &f
	}
	if answer != "" {
		p.Answer = answer
	}
	return s
}

// StopNow asks a running loopd to end the agent at once; false where nobody runs the loop.
func (s *Supervisor) StopNow(ctx context.Context) (bool, error) {
	r, err := s.open(ctx)
	if err != nil {
		return false, err
	}
	if _, _, is := running(r.place.loopLease()); !is {
		return false, nil
	}
	return true, leave(r.place, requestNow, time.Now().Format(time.RFC3339))
}

// ours is still, but for a working tree that another loop has: there is nothing of this one to recover in it then, and its
// own lease will do.
func (s *Supervisor) ours(ctx context.Context) (*run, journal.Loop, error) {
	r, l, err := s.still(ctx)
	busy := (*ErrBusy)(nil)
	if !errors.As(err, &busy) {
		return r, l, err
	}
	r, again := s.open(ctx)
	if again != nil || busy.Path == r.place.loopLease() {
		return nil, l, err
	}
	if r.loopLease, err = takeLease(r.place.loopLease(), r.holder(), s.Fault); err != nil {
		return nil, l, err
	}
	l, err = s.Dialect.Load(s.Ref)
	if err != nil {
		r.letGo()
		return nil, l, fmt.Errorf("load loop %s: %w", s.Ref.Name, err)
	}
	return r, l, nil
}

// still opens a loop that nobody runs, with its leases held, for an operator's act.
func (s *Supervisor) still(ctx context.Context) (*run, journal.Loop, error) {
	r, err := s.open(ctx)
	if err != nil {
		return nil, journal.Loop{}, err
	}
	if err := r.refuseDefects(); err != nil {
		return nil, journal.Loop{}, err
	}
	if err := r.take(); err != nil {
		return nil, journal.Loop{}, err
	}
	if err := r.recover(ctx); err != nil {
		r.letGo()
		return nil, journal.Loop{}, fmt.Errorf("recover the dead iteration: %w", err)
	}
	l, err := s.Dialect.Load(s.Ref)
	if err != nil {
		r.letGo()
		return nil, journal.Loop{}, fmt.Errorf("load loop %s: %w", s.Ref.Name, err)
	}
	return r, l, nil
}
