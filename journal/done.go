package journal

import (
	"bytes"
	"fmt"
)

// Holds evaluates a state of a file over its content. exists is false where there is no such file; content is then
// ignored. got says what was seen, to stand behind the file's name ("has 3 unchecked items"). A missing file meets
// nothing but Absent: a list that is not there is not a list without open items.
func (f FileState) Holds(exists bool, content []byte) (ok bool, got string) {
	if !exists {
		return f.Want == Absent, "does not exist"
	}
	switch f.Want {
	case Exists, Absent:
		return f.Want == Exists, "exists"
	case Empty:
		if len(bytes.TrimSpace(bytes.TrimPrefix(content, []byte("\ufeff")))) == 0 {
			return true, "is empty"
		}
		return false, fmt.Sprintf("holds %d bytes", len(content))
	case NoUnchecked:
		open, all := 0, ParseBacklog(string(content))
		for _, it := range all {
			if !it.Done {
				open++
			}
		}
		return open == 0, fmt.Sprintf("has %s unchecked items of %d", orNo(open), len(all))
	}
	return false, fmt.Sprintf("has a state that nothing can check: %q", string(f.Want))
}

func orNo(n int) string {
	if n == 0 {
		return "no"
	}
	return fmt.Sprint(n)
}
