package journal

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ReadNumber reads the value of a ratchet or of a compared check: the last non-empty line must hold exactly one number
// (spec/loop.md, "The ratchet's value"). Words around it do not matter ("Coverage: 81.5 %" is 81.5), digits inside a word
// are no number ("v2", "utf-8", "file2.go"). A percent sign is dropped. Colour codes are stripped first, and a carriage
// return ends a line as a line feed does, so that only the last state of a progress bar counts.
//
// Never a guess: thousands separators ("1,234" and "1_234"), exponents ("1e3"), units that touch the digits ("5ms"),
// versions ("1.2.3"), ranges, "NaN", "inf", approximations ("~5") and numbers too large to be compared exactly are errors.
// The error says what stands there.
func ReadNumber(output []byte) (float64, error) {
	for len(output) > 0 {
		start := bytes.LastIndexAny(output, "\n\r") + 1
		line := strings.TrimSpace(string(stripEscapes(output[start:])))
		if line != "" {
			n, err := readOneNumber(line)
			if err != nil {
				return 0, fmt.Errorf("last line %q: %w", OneLine(line, 80), err)
			}
			return n, nil
		}
		output = output[:max(start-1, 0)]
	}
	return 0, fmt.Errorf("no output, want one number on the last line")
}

// FormatNumber writes a value as a person would: "5", "4.25".
func FormatNumber(v float64) string {
	if v == 0 {
		v = 0 // no "-0"
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// exactly is the largest whole number that a float64 tells from its neighbours.
const exactly = 1 << 53

// around are signs in front of a number that make it a guess.
const around = "~≈±<>≤≥"

func readOneNumber(line string) (float64, error) {
	var numbers []string
	prev := ' '
	for i := 0; i < len(line); {
		r, size := utf8.DecodeRuneInString(line[i:])
		switch {
		case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) && r >= utf8.RuneSelf:
			n := wordLen(line[i:])
			switch strings.ToLower(strings.TrimLeft(line[i:i+n], "_")) {
			case "nan", "inf", "infinity":
				return 0, fmt.Errorf("%s is no number that can be compared", line[i:i+n])
			}
			i, prev = i+n, 'x'
			continue
		case startsNumber(line[i:]):
			n, err := numberLen(line[i:])
			switch {
			case err != nil:
				return 0, err
			case strings.ContainsRune(around, prev):
				return 0, fmt.Errorf("%c%s is an approximation, want exactly one number", prev, line[i:i+n])
			case isSign(r) && isSign(prev):
				return 0, fmt.Errorf("%c%s has two signs", prev, line[i:i+n])
			}
			numbers = append(numbers, line[i:i+n])
			i, prev = i+n, '0'
			continue
		}
		i += size
		prev = r
	}
	switch len(numbers) {
	case 0:
		return 0, fmt.Errorf("no number, want exactly one")
	case 1:
	default:
		return 0, fmt.Errorf("%d numbers (%s), want exactly one", len(numbers), OneLine(strings.Join(numbers, ", "), 60))
	}
	s := strings.TrimSuffix(strings.Replace(numbers[0], "−", "-", 1), "%")
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.Abs(v) > exactly {
		return 0, fmt.Errorf("%s is too large to be compared exactly", OneLine(s, 40))
	}
	return v, nil
}

func isSign(r rune) bool { return r == '-' || r == '+' || r == '−' }

func digitAt(s string, i int) bool { return i < len(s) && s[i] >= '0' && s[i] <= '9' }

func startsNumber(s string) bool {
	r, size := utf8.DecodeRuneInString(s)
	if isSign(r) {
		s = s[size:]
	}
	return digitAt(s, 0) || strings.HasPrefix(s, ".") && digitAt(s, 1)
}

// numberLen is the length of the number that s starts with, or an error where its digits touch something that makes them
// part of something else.
func numberLen(s string) (int, error) {
	i := 0
	if r, size := utf8.DecodeRuneInString(s); isSign(r) {
		i = size
	}
	for digitAt(s, i) {
		i++
	}
	if i < len(s) && s[i] == '.' && digitAt(s, i+1) {
		for i++; digitAt(s, i); {
			i++
		}
	}
	if i < len(s) && s[i] == '%' {
		return i + 1, nil
	}
	word := func() string {
		end := strings.IndexFunc(s, unicode.IsSpace)
		if end < 0 {
			end = len(s)
		}
		return OneLine(s[:end], 40)
	}
	switch r, size := utf8.DecodeRuneInString(s[i:]); {
	case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
		return 0, fmt.Errorf("%s is no plain number", word())
	case r == '.' && digitAt(s, i+1):
		return 0, fmt.Errorf("%s has two points", word())
	case (r == ',' || r == '\'' || r == '’') && digitAt(s, i+size):
		return 0, fmt.Errorf("%s has separators, want a plain number", word())
	}
	return i, nil
}

// wordLen is the length of the word that s starts with: letters, digits and "_", and what joins them.
func wordLen(s string) int {
	end := 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			i += size
			end = i
		case strings.ContainsRune(".-'’", r):
			i += size
			if next, _ := utf8.DecodeRuneInString(s[i:]); next != '_' && !unicode.IsLetter(next) && !unicode.IsDigit(next) {
				return end
			}
		default:
			return end
		}
	}
	return end
}
