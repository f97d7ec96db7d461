package supervisor

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/gofrs/flock"

	"loopd/journal"
	"loopd/supervisor/proc"
	"loopd/supervisor/worktree"
)

// guardPatience is how long a start waits for a dead holder's worker to clean up (decision 36).
const guardPatience = 2 * time.Second

// ErrBusy says that another loopd holds the lease.
type ErrBusy struct {
	Path   string
	Holder Holder
	Step   string
}

func (e *ErrBusy) Error() string {
	return fmt.Sprintf("another loopd holds %s: loop %s, pid %d on %s, since %s, step %s", e.Path, e.Holder.Loop, e.Holder.PID, e.Holder.Host, e.Holder.Since.Local().Format(time.DateTime), e.Step)
}

// Holder says who holds a lease.
type Holder struct {
	PID      int         `json:"pid"`
	Identity string      `json:"identity"` // of that pid: it is not trusted alone
	Host     string      `json:"host"`
	Since    time.Time   `json:"since"`
	Run      string      `json:"run"` // marker of everything that the run starts
	Loop     string      `json:"loop"`
	Ref      journal.Ref `json:"ref"`
}

// leaseRecord is one line of a lease file. The first line is the holder, the others are the steps of the iteration under
// way; a torn last line is no line.
type leaseRecord struct {
	Holder *Holder     `json:"holder,omitempty"`
	Step   string      `json:"step,omitempty"`
	Pin    *pinRecord  `json:"pin,omitempty"`
	Plan   *recordPlan `json:"plan,omitempty"`
}

// pinRecord is what recovery needs to put an iteration back.
type pinRecord struct {
	Iteration int           `json:"iteration"`
	Mark      worktree.Mark `json:"mark"`
	Work      string        `json:"work"` // the folder of the work
	NoGit     bool          `json:"no_git,omitempty"`
}

// recordPlan is what recovery needs to roll an iteration forward: everything rendered, nothing decided again.
type recordPlan struct {
	Iteration int                `json:"iteration"`
	Writes    []journal.Write    `json:"writes"`
	Commit    *worktree.Prepared `json:"commit,omitempty"`
	// Evidence is the index of the journal entry among the writes: it is the commit point.
	Evidence int `json:"evidence"`
}

// lease is the exclusive right to a working tree or a loop. The kernel drops it with the process; the file stays.
type lease struct {
	path  string
	lock  *flock.Flock
	file  *os.File
	dead  []leaseRecord // what an earlier holder left behind
	first int64         // size of the holder line
	fault func(op, label string) error
}

// takeLease takes the lease at path, or says who has it. Where the holder's process is gone but the lock is not (its
// worker still ends the agent's tree), it waits up to two seconds.
func takeLease(path string, h Holder, fault func(op, label string) error) (*lease, error) {
	l := &lease{path: path, lock: flock.New(path), fault: fault}
	for start := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		ok, err := l.lock.TryLock()
		if err != nil {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		if ok {
			break
		}
		old, step := readHolder(path)
		if time.Since(start) > guardPatience || (old.PID != 0 && alive(old)) {
			return nil, &ErrBusy{Path: path, Holder: old, Step: step}
		}
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		l.lock.Close()
		return nil, fmt.Errorf("open lease: %w", err)
	}
	l.file = f
	l.dead = readRecords(f)
	if len(l.dead) > 0 && l.dead[len(l.dead)-1].Step == "" && len(l.dead) == 1 {
		l.dead = nil // a holder that ended between iterations
	}
	if len(l.dead) == 0 {
		if err := l.begin(h); err != nil {
			l.release()
			return nil, err
		}
	}
	return l, nil
}

// begin writes the holder's line; what an earlier holder left is gone then.
func (l *lease) begin(h Holder) error {
	l.dead = nil
	if err := l.file.Truncate(0); err != nil {
		return fmt.Errorf("write lease: %w", err)
	}
	n, err := l.append(leaseRecord{Holder: &h}, false)
	l.first = int64(n)
	return err
}

// step notes where the iteration is. Only pins and plans have to survive a power loss.
func (l *lease) step(r leaseRecord) error {
	_, err := l.append(r, r.Pin != nil || r.Plan != nil)
	return err
}

func (l *lease) append(r leaseRecord, sync bool) (int, error) {
	b, err := json.Marshal(r)
	if err != nil {
		return 0, fmt.Errorf("write lease: %w", err)
	}
	b = append(b, '\n')
	if l.fault != nil {
		if err := l.fault("write", "lease "+r.Step); err != nil {
			return 0, fmt.Errorf("write lease: %w", err)
		}
	}
	if _, err := l.file.Seek(0, io.SeekEnd); err != nil {
		return 0, fmt.Errorf("write lease: %w", err)
	}
	if _, err := l.file.Write(b); err != nil {
		return 0, fmt.Errorf("write lease: %w", err)
	}
	if sync {
		if err := l.file.Sync(); err != nil {
			return 0, fmt.Errorf("sync lease: %w", err)
		}
	}
	return len(b), nil
}

// clear ends the iteration: only the holder's line stays.
func (l *lease) clear() error {
	if l.fault != nil {
		if err := l.fault("truncate", "lease"); err != nil {
			return fmt.Errorf("write lease: %w", err)
		}
	}
	if err := l.file.Truncate(l.first); err != nil {
		return fmt.Errorf("write lease: %w", err)
	}
	return nil
}

// again takes the lease anew where its file was removed under our hands: without it another loopd would take the tree for
// free, and a recovery would find nothing. What was written stands in the new file too.
func (l *lease) again() error {
	held, err := l.file.Stat()
	if err != nil {
		return fmt.Errorf("look at lease: %w", err)
	}
	if is, err := os.Stat(l.path); err == nil && os.SameFile(held, is) {
		return nil
	}
	lock := flock.New(l.path)
	if ok, err := lock.TryLock(); err != nil || !ok {
		return fmt.Errorf("%s was removed, and another loopd has it now: %w", l.path, errors.Join(err, lock.Close()))
	}
	f, err := os.OpenFile(l.path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return fmt.Errorf("open lease: %w", errors.Join(err, lock.Close()))
	}
	if _, err := io.Copy(f, io.NewSectionReader(l.file, 0, held.Size())); err != nil {
		return fmt.Errorf("write lease: %w", errors.Join(err, f.Close(), lock.Close()))
	}
	l.release()
	l.file, l.lock = f, lock
	return nil
}

func (l *lease) release() {
	if l.file != nil {
		l.file.Close()
	}
	l.lock.Close()
}

func readRecords(r io.Reader) []leaseRecord {
	var out []leaseRecord
	br := bufio.NewReader(r)
	for {
		line, err := br.ReadBytes('\n')
		if err != nil {
			return out // without its newline a line was never finished
		}
		var rec leaseRecord
		if json.Unmarshal(bytes.TrimSpace(line), &rec) != nil {
			return out
		}
		out = append(out, rec)
	}
}

func readHolder(path string) (Holder, string) {
	f, err := os.Open(path)
	if err != nil {
		return Holder{}, ""
	}
	defer f.Close()
	var h Holder
	step := "between iterations"
	for _, r := range readRecords(f) {
		if r.Holder != nil {
			h = *r.Holder
		}
		if r.Step != "" {
			step = r.Step
		}
	}
	return h, step
}

func alive(h Holder) bool {
	id, err := proc.StartTime(h.PID)
	return err == nil && id == h.Identity
}

// running reports who runs the loop now, and at which step; ok is false where nobody does.
func running(path string) (Holder, string, bool) {
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return Holder{}, "", false
	}
	l := flock.New(path, flock.SetFlag(os.O_RDONLY))
	ok, err := l.TryRLock() // shared: two that look at the same moment must not take each other for a runner
	if err != nil {
		return Holder{}, "", false
	}
	defer l.Close()
	if ok {
		return Holder{}, "", false
	}
	h, step := readHolder(path)
	return h, step, true
}
