package journal

import "strings"

// askWords are the words by which a message without an outcome line turns out to be a question, a request for a
// permission, or a refusal (decision 5). They are looked for in the last paragraph only, in lower case, and are few on
// purpose: a miss is still held as a contract violation, a false hit would hide one.
var askWords = []struct{ words, kind string }{
	{"should i ", "question"},
	{"shall i ", "question"},
	{"do you want me to", "question"},
	{"would you like me to", "question"},
	{"how would you like", "question"},
	{"how should i ", "question"},
	{"which option", "question"},
	{"which one would you", "question"},
	{"please confirm", "question"},
	{"can you confirm", "question"},
	{"could you confirm", "question"},
	{"can you clarify", "question"},
	{"could you clarify", "question"},
	{"please clarify", "question"},
	{"let me know whether", "question"},
	{"let me know which", "question"},
	{"let me know how you", "question"},
	{"let me know if you want me to", "question"},
	{"let me know if you'd like me to", "question"},
	{"waiting for your", "question"},
	{"awaiting your", "question"},
	{"need your decision", "question"},
	{"need your input", "question"},
	{"need your confirmation", "question"},

	{"may i ", "permission"},
	{"need your permission", "permission"},
	{"need your approval", "permission"},
	{"need permission", "permission"},
	{"needs your approval", "permission"},
	{"requires your approval", "permission"},
	{"requires approval", "permission"},
	{"please approve", "permission"},
	{"please grant", "permission"},
	{"grant me", "permission"},
	{"grant permission", "permission"},
	{"haven't granted", "permission"},
	{"have not granted", "permission"},
	{"permission was denied", "permission"},
	{"permissions were denied", "permission"},

	{"i can't help", "refusal"},
	{"i cannot help", "refusal"},
	{"i can't assist", "refusal"},
	{"i cannot assist", "refusal"},
	{"i'm not able to help", "refusal"},
	{"i am not able to help", "refusal"},
	{"i'm unable to proceed", "refusal"},
	{"i am unable to proceed", "refusal"},
	{"i can't proceed", "refusal"},
	{"i cannot proceed", "refusal"},
	{"i can't comply", "refusal"},
	{"i cannot comply", "refusal"},
	{"i must decline", "refusal"},
	{"i have to decline", "refusal"},
	{"i decline to", "refusal"},
	{"i won't be able to", "refusal"},
	{"i refuse to", "refusal"},
}

// lastParagraphMax bounds how much of the last paragraph is searched, in bytes.
const lastParagraphMax = 4096

// asks gives the sentence in which the last paragraph asks or refuses, "" where it does neither.
func asks(lines []string) string {
	end := len(lines)
	for end > 0 && blank(lines[end-1]) {
		end--
	}
	p := strings.Join(lines[paragraphStart(lines, max(end-1, 0)):end], "\n")
	if len(p) > lastParagraphMax {
		p = p[len(p)-lastParagraphMax:]
	}
	p = strings.ReplaceAll(p, "’", "'")
	for _, sentence := range sentences(p) {
		low := lowerASCII(sentence)
		for _, a := range askWords {
			if i := strings.Index(low, a.words); i >= 0 && (i == 0 || !wordByte(low[i-1])) {
				return OneLine(sentence[max(0, i-200):], 300)
			}
		}
	}
	return ""
}

func wordByte(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' }

// lowerASCII keeps every byte's place, so that an index into the lower-case text is one into the text.
func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// sentences cuts a paragraph at its line ends and behind ". ", "! " and "? ".
func sentences(p string) []string {
	var out []string
	for l := range strings.SplitSeq(p, "\n") {
		start := 0
		for i := 0; i+1 < len(l); i++ {
			if strings.IndexByte(".!?", l[i]) >= 0 && l[i+1] == ' ' {
				out = append(out, l[start:i+1])
				start = i + 1
			}
		}
		out = append(out, l[start:])
	}
	return out
}
