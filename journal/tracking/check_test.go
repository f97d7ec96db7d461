package tracking

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestCheckIsWrittenSoThatItReadsBack(t *testing.T) {
	for command, want := range map[string]string{
		"":                          " (none — the loop agent judges)",
		" \n":                       " (none — the loop agent judges)",
		"make test":                 " make test",
		"  printf 'a  b' | grep b ": " printf 'a  b' | grep b",
		"none":                      " ` none `",
		"(none)":                    " ` (none) `",
		"`cat cmd`":                 " `` `cat cmd` ``",
		"`a` && `b`":                " `a` && `b`",
		"cd x\r\nmake":              "\n  ```sh\n  cd x\n  make\n  ```",
		"cat <<E\n\n```\nE":         "\n  ````sh\n  cat <<E\n\n  ```\n  E\n  ````",
	} {
		if got := renderCheck(command); got != want {
			t.Errorf("%q is written %q, want %q", command, got, want)
		}
		d := shapeDocument()
		d.Check = command
		if got, findings := Read("", New(d)); got.Check != plainCheck(command) {
			t.Errorf("%q reads back as %q, %v", command, got.Check, findings)
		}
	}
}

func TestReadCheckOfOthers(t *testing.T) {
	for value, want := range map[string]string{
		"(none — the loop agent judges)": "", "(None - the agent judges)": "", "none": "", "None": "",
		"`npm test`": "npm test", "`` a `b` ``": "a `b`", "`": "`", "``": "``", "` `": "` `", "`a": "`a", "non": "non",
	} {
		if got := readCheck(value); got != want {
			t.Errorf("%q reads %q, want %q", value, got, want)
		}
	}
}

func TestVisible(t *testing.T) {
	for _, c := range []string{"", "make", "a\tb", "a\nb", "grep '<!--' x", "größe 家"} {
		if !visible(c) {
			t.Errorf("%q is visible", c)
		}
	}
	for _, c := range []string{"a\x00", "\x1b[8mrm", "a\u202eb", "a\u200bb", "a\xff"} {
		if visible(c) {
			t.Errorf("%q is not visible", c)
		}
	}
}

// Another line end in the whole document changes no command.
func TestFencedCheckInCRLF(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := shapeDocument()
		d.Check = rapid.StringMatching("[a`~ |#-]{1,6}(\n[a`~ |#-]{0,6}){1,3}").Draw(t, "check")
		src := crlf(string(New(d)))
		if got, findings := Read("", []byte(src)); got.Check != plainCheck(d.Check) || strings.Contains(got.Check, "\r") {
			t.Fatalf("%q reads back as %q, %v", d.Check, got.Check, findings)
		}
	})
}
