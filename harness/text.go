package harness

import (
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/tidwall/gjson"
)

// field reads one value of a JSON line without copying the line. The result points into the line: what is kept longer
// than the line must be cloned.
func field(line []byte, path string) gjson.Result {
	return gjson.Get(unsafe.String(unsafe.SliceData(line), len(line)), path)
}

// isObject says whether the line could be one JSON object. It is the cheap test that is made for every line.
func isObject(line []byte) bool {
	return len(line) > 1 && line[0] == '{' && line[len(line)-1] == '}'
}

// note joins a tool's name with the start of what it works on.
func note(tool, what string) string {
	if len(what) > 8*noteMax {
		what = what[:8*noteMax]
	}
	switch {
	case tool == "":
		return what
	case what == "":
		return tool
	default:
		return tool + ": " + what
	}
}

// clip makes text one short line of at most max bytes, cut at a character's border.
func clip(text string, max int) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, text)
	if len(text) <= max {
		return text
	}
	cut := max - len("…")
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return strings.TrimSpace(text[:cut]) + "…"
}

// appendTail appends more to kept and lets only the last max bytes stay. It moves bytes once per max, not per call.
func appendTail(kept, more []byte, max int) []byte {
	if len(more) >= max {
		return append(kept[:0], more[len(more)-max:]...)
	}
	if len(kept)+len(more) > 2*max {
		n := copy(kept, kept[len(kept)+len(more)-max:])
		kept = kept[:n]
	}
	return append(kept, more...)
}

func itoa(n int) string { return strconv.Itoa(n) }
