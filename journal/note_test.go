package journal

import (
	"strings"
	"testing"
	"time"
)

func TestNote(t *testing.T) {
	at := time.Date(2026, 11, 2, 12, 0, 0, 5, time.FixedZone("", -3600))
	if got := Note(NoteRefused, at, "STOP\n## 9 · 2026-11-02T12:00:00Z · x"); got != "refused · 2026-11-02T12:00:00-01:00 · STOP ## 9 · 2026-11-02T12:00:00Z · x" {
		t.Errorf("%q", got)
	}
	if got := Note(NoteDone, at, strings.Repeat("x", 9000)); len(got) > 700 {
		t.Errorf("%d bytes", len(got))
	}
}

func TestWider(t *testing.T) {
	modes := []Mode{"", ProposeOnly, WriteScoped, WriteFull}
	for i, a := range modes {
		for j, b := range modes {
			if a.Wider(b) != (i > j) {
				t.Errorf("%q wider than %q: %v", a, b, a.Wider(b))
			}
		}
	}
	if Mode("root").Wider(ProposeOnly) {
		t.Error("a word that is no mode allows something")
	}
}

func TestCheckName(t *testing.T) {
	for _, good := range []string{"k", "kaizen-2", "a b", "Ünï.cøde", "_x", "CON"} {
		if err := CheckName(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, bad := range []string{"", ".", "..", ".x", "-x", "a/b", `a\b`, "a\nb", " a", "a ", "\x00", "\xff", strings.Repeat("x", 201)} {
		if CheckName(bad) == nil {
			t.Errorf("%q may be a loop's name", bad)
		}
	}
}
