package main

import "testing"

func TestSuggest(t *testing.T) {
	known := []string{"kaizen", "triage", "coverage", "model"}
	for typed, want := range map[string]string{
		"kaizne": ", did you mean kaizen?", "modle": ", did you mean model?", "cov": ", did you mean coverage?", "co": "", "zzz": "", "": "", "kaizen": "",
	} {
		if got := suggest(typed, known); got != want {
			t.Errorf("%q gives %q, want %q", typed, got, want)
		}
	}
}

func TestBadName(t *testing.T) {
	for _, good := range []string{"kaizen", "k", "fix-2.0", "a_b", "Übung", "7"} {
		if why := badName(good); why != "" {
			t.Errorf("%q: %s", good, why)
		}
	}
	for _, bad := range []string{"", "a/b", `a\b`, "..", "a..b", ".hidden", "-x", "a b", "x.lock", "x.", "STOP", "config.toml", "lease", "a\nb", "a:b", "a~", string(make([]byte, 65))} {
		if badName(bad) == "" {
			t.Errorf("%q passes", bad)
		}
	}
}
