package disk

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"loopd/journal"
)

// Standing says how much of a rendered write is on disk: what a start needs to know after a supervisor died in between.
type Standing string

// The standings. Only an append can be torn: a power loss kept its first bytes.
const (
	Absent Standing = "absent"
	Torn   Standing = "torn"
	Whole  Standing = "whole"
)

// after is how many bytes may follow an append before it is no longer found: the notes of later refusals. An entry that
// stands deeper was recorded long ago.
const after = 64 << 10

// Stands looks for a write on disk. An append counts as whole where exactly its bytes begin a line near the end of the
// file; its cost does not grow with the file.
func Stands(w journal.Write) (Standing, error) {
	s, _, err := stands(w)
	return s, err
}

// stands gives for a torn append also how many of its bytes are there.
func stands(w journal.Write) (Standing, int, error) {
	real, err := target(w.Path)
	if err != nil {
		return Absent, 0, fmt.Errorf("look for %s in %s: %w", w.Label, w.Path, plain(err))
	}
	f, err := os.Open(real)
	if errors.Is(err, fs.ErrNotExist) {
		if w.Kind == journal.WriteRemove {
			return Whole, 0, nil
		}
		return Absent, 0, nil
	}
	if err != nil {
		return Absent, 0, fmt.Errorf("look for %s: %w", w.Label, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Absent, 0, fmt.Errorf("look for %s: %w", w.Label, err)
	}
	from := int64(0)
	if w.Kind == journal.WriteAppend {
		from = max(0, info.Size()-int64(len(w.Data))-after)
	} else if info.Size() != int64(len(w.Data)) {
		return Absent, 0, nil
	}
	tail, err := io.ReadAll(io.NewSectionReader(f, from, info.Size()-from))
	if err != nil {
		return Absent, 0, fmt.Errorf("look for %s in %s: %w", w.Label, w.Path, err)
	}
	switch same := bytes.Equal(tail, w.Data); {
	case w.Kind == journal.WriteAppend:
		s, n := appended(tail, w.Data, from == 0)
		return s, n, nil
	case same != (w.Kind == journal.WriteReplace):
		return Absent, 0, nil // not replaced yet, or the file to remove still says the same
	}
	return Whole, 0, nil
}

// appended finds data in the tail of a file, at the start of a line; whole says that the tail is the whole file.
func appended(tail, data []byte, whole bool) (Standing, int) {
	begins := func(i int) bool { return i > 0 && tail[i-1] == '\n' || i == 0 && whole }
	if len(data) == 0 {
		return Whole, 0
	}
	for end := len(tail); ; {
		i := bytes.LastIndex(tail[:end], data)
		if i < 0 {
			break
		}
		if begins(i) {
			return Whole, 0
		}
		end = i + len(data) - 1
	}
	for n := min(len(data)-1, len(tail)); n > 0; n-- {
		if i := len(tail) - n; begins(i) && bytes.Equal(tail[i:], data[:n]) {
			return Torn, n
		}
	}
	return Absent, 0
}

// Redo carries out a write that may have happened already: what stands is left alone, a torn append is completed with the
// bytes that are missing. Doing it twice is doing it once. The temporary file that a killed Replace left goes too: the
// caller holds the loop's lease, so nobody else is in the middle of one.
func (d Disk) Redo(w journal.Write) error {
	if w.Kind == journal.WriteReplace {
		sweep(w.Path)
	}
	switch s, n, err := stands(w); {
	case err != nil:
		return err
	case s == Whole:
		return nil
	case s == Torn:
		return d.extend(w.Label, w.Path, w.Data[n:], false)
	}
	return d.Do(w)
}

// Retract cuts a torn append off the end of its file. Whole and absent ones are left as they are: what was recorded is
// never taken back.
func (d Disk) Retract(w journal.Write) error {
	standing, n, err := stands(w)
	if err != nil || standing != Torn {
		return err
	}
	real, err := target(w.Path)
	if err != nil {
		return fmt.Errorf("look for %s in %s: %w", w.Label, w.Path, plain(err))
	}
	s := step{disk: d, label: w.Label, path: real}
	return s.try(OpTruncate, "the torn end stays", func() error {
		f, err := os.OpenFile(real, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return err
		}
		return errors.Join(f.Truncate(info.Size()-int64(n)), f.Sync())
	})
}

// sweep removes what killed replacements of this file left behind. A leftover that cannot be removed harms nobody.
func sweep(path string) {
	real, err := target(path)
	if err != nil {
		return
	}
	prefix := "." + filepath.Base(real)
	names, _ := os.ReadDir(filepath.Dir(real))
	for _, n := range names {
		number, ok := strings.CutPrefix(n.Name(), prefix)
		if ok && number != "" && strings.Trim(number, "0123456789") == "" && n.Type().IsRegular() {
			os.Remove(filepath.Join(filepath.Dir(real), n.Name()))
		}
	}
}
