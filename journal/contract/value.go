package contract

import (
	"sort"
	"strings"
)

// value is a text on one line that knows where each part of it stands in the source.
type value struct {
	text   string
	pieces []piece
}

// piece says that the text from an offset on stands at another one in the source.
type piece struct{ in, at int }

// at is the offset in the source of an offset in the text.
func (v value) at(i int) int {
	n := sort.Search(len(v.pieces), func(n int) bool { return v.pieces[n].in > i })
	if n == 0 {
		return 0
	}
	return v.pieces[n-1].at + i - v.pieces[n-1].in
}

// part is one line of a field's value, or one item of the list below it.
type part struct {
	text   string
	at     int
	indent int
	item   bool
	// name is the key of an item that has one.
	name   string
	field  string
	nameAt int
	rest   int // offset in text behind that key
}

// valueOf joins the parts of a value. Items of a list are clauses of their own, unless what stands before them says that
// the whole list is denied ("Never:").
func valueOf(parts []part) value {
	var v value
	var b strings.Builder
	denied := false
	for _, p := range parts {
		text := strings.TrimSpace(p.text)
		if text == "" {
			continue
		}
		if b.Len() > 0 {
			switch last := b.String()[b.Len()-1]; {
			case p.item && last == ':':
				denied = deniesAll(b.String())
				b.WriteString(" ")
			case p.item && denied && !strings.ContainsRune(".;!?", rune(last)):
				b.WriteString(", ")
			case p.item && !strings.ContainsRune(".;!?", rune(last)):
				b.WriteString("; ")
			default:
				b.WriteString(" ")
			}
		}
		v.pieces = append(v.pieces, piece{b.Len(), p.at + strings.Index(p.text, text)})
		b.WriteString(text)
	}
	v.text = b.String()
	return v
}

// deniesAll reports whether the head of a list, such as "Never:", denies what is in the list.
func deniesAll(head string) bool {
	t := tokensOf(head[max(0, len(head)-200):])
	for i := len(t) - 1; i >= 0 && i >= len(t)-6; i-- {
		if _, n := negatorAt(t, i); n > 0 {
			return true
		}
	}
	return false
}
