package contract

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word in lower case, a number or a mark of a text.
type token struct {
	s     string
	at    int // offset in the text
	end   int
	kind  tokenKind
	n     float64 // of a number
	glued bool    // nothing stands between it and the token before
	upper bool    // it begins with a capital letter
}

type tokenKind byte

const (
	word tokenKind = iota
	number
	mark
)

// silent are characters that mean nothing to a sentence: quotes, emphasis, back-ticks.
const silent = "`*\"'“”„«»‘’\u200b"

// tokensOf takes a text apart. "don't" is "do" and "not", "owner's" is "owner", words joined by "-" or "/" are words and
// marks, and a point inside of a word or a number is a part of it.
func tokensOf(text string) []token {
	var out []token
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		t := token{at: i, end: i + size, kind: mark, s: text[i : i+size], upper: unicode.IsUpper(r)}
		switch {
		case unicode.IsSpace(r), strings.ContainsRune(silent, r), r == '_' && !joins(text, i, out):
			i += size
			continue
		case r >= '0' && r <= '9':
			t.end, t.kind = i+numberLen(text[i:]), number
			t.s = text[i:t.end]
			t.n, _ = strconv.ParseFloat(strings.ReplaceAll(strings.ReplaceAll(t.s, ",", ""), "_", ""), 64)
		case unicode.IsLetter(r):
			t.end, t.kind = i+lettersLen(text[i:]), word
			if n := len(out); n == 0 || out[n-1].kind != number || out[n-1].end != i { // "1h30m" is four
				t.end = i + wordLen(text[i:])
			}
			t.s = strings.TrimSuffix(strings.ReplaceAll(strings.ToLower(text[i:t.end]), "’", "'"), "'s")
		}
		t.glued = len(out) > 0 && out[len(out)-1].end == i
		i = t.end
		if verb, ok := strings.CutSuffix(t.s, "n't"); ok && t.kind == word {
			t.s = map[string]string{"ca": "can", "wo": "will", "sha": "shall"}[verb]
			if t.s == "" {
				t.s = verb
			}
			out = append(out, t)
			t.s, t.glued = "not", false
		} else if t.s == "cannot" {
			t.s = "can"
			out = append(out, t)
			t.s, t.glued = "not", false
		}
		out = append(out, t)
	}
	return out
}

// joins reports whether a "_" stands between two words; any other is emphasis.
func joins(text string, i int, before []token) bool {
	next, _ := utf8.DecodeRuneInString(text[i+1:])
	return len(before) > 0 && before[len(before)-1].end == i && (unicode.IsLetter(next) || unicode.IsDigit(next))
}

// numberLen is the length of the number that s begins with: digits, in groups of three where "," or "_" stands between
// them, and a fraction.
func numberLen(s string) int {
	i := digits(s)
	for i < len(s) && (s[i] == ',' || s[i] == '_') && digits(s[i+1:]) == 3 {
		i += 4
	}
	if i < len(s) && s[i] == '.' {
		if n := digits(s[i+1:]); n > 0 {
			i += 1 + n
		}
	}
	return i
}

func digits(s string) int { return len(s) - len(strings.TrimLeft(s, "0123456789")) }

func lettersLen(s string) int {
	return len(s) - len(strings.TrimLeftFunc(s, unicode.IsLetter))
}

func wordLen(s string) int {
	end := 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			end = i + size
		case r == '.' || r == '\'' || r == '’':
			if next, _ := utf8.DecodeRuneInString(s[i+size:]); !unicode.IsLetter(next) && !unicode.IsDigit(next) {
				return end
			}
		default:
			return end
		}
		i += size
	}
	return end
}

// abbreviations end a sentence only where a capital letter follows; the first two never do.
var abbreviations = []string{"e.g", "i.e", "etc", "vs", "incl", "excl", "approx", "max", "min", "resp"}

// sentencesOf cuts tokens at full stops, semicolons, question and exclamation marks and dashes.
func sentencesOf(t []token) [][]token {
	var out [][]token
	from := 0
	for i := range t {
		if t[i].kind != mark {
			continue
		}
		switch t[i].s {
		case ".":
			if i > 0 && i+1 < len(t) && (inPath(t, i) || t[i].glued && abbreviates(t[i-1], t[i+1])) {
				continue
			}
		case ";", "!", "?", "—", "|", "→":
		case "-", "–":
			if t[i].glued || i+1 < len(t) && t[i+1].glued {
				continue
			}
		default:
			continue
		}
		if i > from {
			out = append(out, t[from:i])
		}
		from = i + 1
	}
	if from < len(t) {
		out = append(out, t[from:])
	}
	return out
}

func abbreviates(before, after token) bool {
	return isAny(before.s, abbreviations[:2]) || isAny(before.s, abbreviations) && !after.upper
}

// inPath reports whether a point is one of "./x" or "./...".
func inPath(t []token, i int) bool {
	if i+1 < len(t) && t[i+1].glued && t[i+1].s == "/" {
		return true
	}
	for n := 0; n < 3 && i > 0 && t[i].glued && t[i].s == "."; n++ {
		i--
	}
	return t[i].s == "/"
}

func isAny(s string, among []string) bool {
	for _, a := range among {
		if s == a {
			return true
		}
	}
	return false
}
