package native

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"loopd/journal"
)

// How the end of a journal is read.
const (
	recentEntries = 3       // entries that a brief needs
	tailHeadings  = 8       // headings to see, so that a false one among them is known by its number
	tailBlock     = 8 << 10 // bytes of the first look; it doubles
	tailMax       = 8 << 20 // bytes of the last look
	mostHeadings  = 64      // of these the numbers are compared
	greatestGap   = 10      // between two numbers that follow each other: entries get lost, thousands do not
)

// readRecent reads the newest entries of a journal, oldest first, from the file's end: its cost does not grow with the
// file. iteration is the count in state.json, 0 where unknown. cut says that the last 8 MiB hold no entry at all.
func readRecent(f *os.File, iteration int) (entries []journal.Entry, cut bool, err error) {
	return readLast(f, iteration, recentEntries)
}

// LastEntries reads the newest n entries of a journal, oldest first, from the file's end; at most those of its last 8 MiB.
// A journal that is not there has none.
func LastEntries(path string, n int) ([]journal.Entry, error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read journal: %w", err)
	}
	defer f.Close()
	entries, _, err := readLast(f, 0, n)
	if err != nil {
		return nil, fmt.Errorf("read journal %s: %w", path, err)
	}
	return entries, nil
}

func readLast(f *os.File, iteration, most int) (entries []journal.Entry, cut bool, err error) {
	info, err := f.Stat()
	if err != nil {
		return nil, false, err
	}
	size := info.Size()
	for n := int64(tailBlock); ; n *= 2 {
		from := max(0, size-n)
		buf := make([]byte, size-from)
		read, err := f.ReadAt(buf, from)
		if err != nil && err != io.EOF { // shorter than it was: somebody cut it
			return nil, false, err
		}
		text := string(buf[:read])
		if from > 0 {
			_, text, _ = strings.Cut(text, "\n") // a part of a line
		} else {
			text = strings.TrimPrefix(text, bom)
		}
		headings := findHeadings(text)
		headings = headings[max(0, len(headings)-max(mostHeadings, most+recentEntries)):]
		if from == 0 || len(headings) >= max(tailHeadings, most+recentEntries) || n >= tailMax {
			return cutEntries(text, sane(headings, iteration), most), from > 0 && len(headings) == 0, nil
		}
	}
}

// heading is a line of a journal that has the form of an entry's first line.
type heading struct {
	at int // offset in the text
	n  int
}

func findHeadings(text string) []heading {
	var out []heading
	for at := 0; at < len(text); {
		l, _, _ := strings.Cut(text[at:], "\n")
		if strings.HasPrefix(l, "##") {
			if n, _, _, ok := parseHeading(l); ok {
				out = append(out, heading{at, n})
			}
		}
		at += len(l) + 1
	}
	return out
}

// sane keeps the headings whose numbers follow each other: one inside another entry's text has a number out of order.
// Of all sequences that rise in small steps it takes the one that ends at the iteration of state.json, else the longest;
// of two as long, the later one of the same number (a crash of another tool wrote it twice), else the earlier.
func sane(all []heading, iteration int) []heading {
	if len(all) == 0 {
		return nil
	}
	length, before := make([]int, len(all)), make([]int, len(all))
	best := 0
	for i, h := range all {
		length[i], before[i] = 1, -1
		for j := i - 1; j >= 0; j-- {
			if step := h.n - all[j].n; step >= 1 && step <= greatestGap && length[j] >= length[i] {
				length[i], before[i] = length[j]+1, j
			}
		}
		known, bestKnown := h.n == iteration, all[best].n == iteration
		switch {
		case known != bestKnown:
			if known {
				best = i
			}
		case length[i] > length[best], length[i] == length[best] && h.n == all[best].n:
			best = i
		}
	}
	// state.json lags one behind where a supervisor died between the entry and the state: the entry is the evidence.
	for i := best + 1; i < len(all); i++ {
		if all[best].n == iteration && all[i].n == iteration+1 && before[i] == best {
			best = i
			break
		}
	}
	var out []heading
	for i := best; i >= 0; i = before[i] {
		out = append(out, all[i])
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// cutEntries parses the last entries, at most that many. An entry ends at the next one or at a note.
func cutEntries(text string, headings []heading, most int) []journal.Entry {
	var out []journal.Entry
	for i := max(0, len(headings)-most); i < len(headings); i++ {
		end := len(text)
		if i+1 < len(headings) {
			end = headings[i+1].at
		}
		if e, ok := parseEntry(cutNotes(text[headings[i].at:end])); ok {
			out = append(out, e)
		}
	}
	return out
}

// cutNotes drops the notes behind an entry and the blank lines at its end.
func cutNotes(raw string) string {
	at := 0
	for l := range strings.Lines(raw) {
		if note, ok := strings.CutPrefix(l, "> "); ok {
			if word, _, ok := strings.Cut(note, " · "); ok && !strings.Contains(word, " ") {
				break
			}
		}
		at += len(l)
	}
	if raw = strings.TrimRight(raw[:at], " \t\r\n"); raw == "" {
		return ""
	}
	return raw + "\n"
}
