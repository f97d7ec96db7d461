package native

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"loopd/journal"
)

// How large the files may be, in bytes. Whatever is larger was not written by a person or by loopd.
const (
	charterMax = 1 << 20
	stateMax   = 8 << 20
	steerMax   = 1 << 20
	textMax    = 64 << 20 // signs.md, backlog.md
)

// signsMax is how many rules a loop may have before they stop being read (spec/loop.md "signs.md").
const signsMax = 40

// reading reads the files of one loop. The first file that cannot be read at all ends it.
type reading struct {
	loop *journal.Loop
	err  error
}

// shown is a file of the loop as a person is told of it: relative to the root where it lies below.
func (r *reading) shown(name string) string {
	path := filepath.Join(r.loop.Dir, name)
	if rel, err := filepath.Rel(r.loop.Root, path); err == nil && rel != ".." && !strings.HasPrefix(rel, "../") {
		return rel
	}
	return path
}

// check says whether there is a file at path that may be read. A pipe or a device in its place would block the reader, or
// never end: it is a defect.
func (r *reading) check(path string, most int64) bool {
	if r.err != nil {
		return false
	}
	info, err := os.Stat(path)
	name := filepath.Base(path)
	bad := func(read, want string) {
		r.loop.Findings = append(r.loop.Findings, journal.Finding{File: r.shown(name), Line: 1, Field: name, Read: read, Want: want, Fix: "look at it, and move it away"})
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if to, linkErr := os.Readlink(path); linkErr == nil && name == charterFile {
			bad("a link to "+to+", which is not there", "a charter")
		}
		return false
	case err != nil:
		r.err = err
		return false
	case !info.Mode().IsRegular():
		bad(kindOf(info.Mode()), "a regular file")
		return false
	case most > 0 && info.Size() > most:
		bad(fmt.Sprintf("%d bytes", info.Size()), fmt.Sprintf("at most %d bytes", most))
		return false
	}
	return true
}

func kindOf(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a folder"
	case m&fs.ModeNamedPipe != 0:
		return "a pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	}
	return "a device"
}

func (r *reading) read(path string, most int64) ([]byte, bool) {
	if !r.check(path, most) {
		return nil, false
	}
	b, err := os.ReadFile(path)
	if err != nil {
		r.err = err
		return nil, false
	}
	return b, true
}

// recent reads the end of the journal.
func (r *reading) recent() {
	path := filepath.Join(r.loop.Dir, journalFile)
	if !r.check(path, 0) {
		return
	}
	f, err := os.Open(path)
	if err != nil {
		r.err = err
		return
	}
	defer f.Close()
	iteration := 0
	if r.loop.HasState {
		iteration = r.loop.State.Iteration
	}
	entries, cut, err := readRecent(f, iteration)
	if err != nil {
		r.err = err
		return
	}
	r.loop.Recent = entries
	if n := len(entries); n > 0 {
		r.loop.Entries = entries[n-1].N
	}
	if cut {
		r.loop.Findings = append(r.loop.Findings, journal.Finding{File: r.shown(journalFile), Field: journalFile, Read: fmt.Sprintf("no entry in the last %d bytes", tailMax),
			Want: "entries that begin with \"## <N> · <time> · <agent>\"", Fix: "look at what was appended to it", Warning: true})
	}
}

func (r *reading) countSigns() {
	n, line, over := 0, 0, 0
	for l := range strings.Lines(r.loop.Signs) {
		line++
		if strings.TrimSpace(l) == "" {
			continue
		}
		if n++; n == signsMax+1 {
			over = line
		}
	}
	if n > signsMax {
		r.loop.Findings = append(r.loop.Findings, journal.Finding{File: r.shown(signsFile), Line: over, Field: signsFile, Read: fmt.Sprintf("%d lines", n),
			Want: fmt.Sprintf("at most %d: all of them stand in every brief", signsMax), Fix: "drop the rules that no longer matter", Warning: true})
	}
}
