package journal

import "testing"

func TestChannels(t *testing.T) {
	for in, want := range map[string]struct {
		c    Channel
		ok   bool
		show string
	}{
		"`cat >> inbox`":                    {Channel{Command: "cat >> inbox"}, true, "`cat >> inbox`"},
		"file:inbox.md":                     {Channel{File: "inbox.md"}, true, "file:inbox.md"},
		"`file:a b.md`":                     {Channel{File: "a b.md"}, true, "file:a b.md"},
		"file:///var/inbox.":                {Channel{File: "/var/inbox"}, true, "file:/var/inbox"},
		"file:":                             {Channel{}, false, "no channel"},
		"ntfy://ntfy.sh/topic":              {Channel{URL: "ntfy://ntfy.sh/topic"}, true, "ntfy://…"},
		"`slack://xoxb:TOKEN@C1`":           {Channel{URL: "slack://xoxb:TOKEN@C1"}, true, "slack://…"},
		"generic+https://h/p?x=1,2":         {Channel{URL: "generic+https://h/p?x=1,2"}, true, "generic+https://…"},
		"://x":                              {Channel{}, false, "no channel"},
		"team":                              {Channel{Name: "team"}, true, "team"},
		"on-call.":                          {Channel{Name: "on-call"}, true, "on-call"},
		"tell the owner":                    {Channel{}, false, "no channel"},
		"``":                                {Channel{}, false, "no channel"},
		"":                                  {Channel{}, false, "no channel"},
		"-":                                 {Channel{}, false, "no channel"},
		"`team`":                            {Channel{Command: "team"}, true, "`team`"},
		"`curl -d @- https://example.test`": {Channel{Command: "curl -d @- https://example.test"}, true, "`curl -d @- https://example.test`"},
	} {
		c, ok := ParseChannel(in)
		if c != want.c && want.ok || ok != want.ok {
			t.Errorf("ParseChannel(%q) = %+v, %v", in, c, ok)
		}
		if ok && c.String() != want.show {
			t.Errorf("ParseChannel(%q) shows as %q, want %q", in, c, want.show)
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"Goal", "Done-when", "Archetype", "Iteration contract", "Verification"}
	for in, want := range map[string]string{
		"goal": "Goal", "Goals": "Goal", "Goal:": "Goal", "1. Goal": "Goal", "Done when": "Done-when", "Donewhen": "Done-when",
		"Verfication": "Verification", "Verificaiton": "Verification", "Iteration Contract": "Iteration contract",
		"Notes": "", "": "", "Gaol": "Goal", "Grail": "", "***": "",
	} {
		if got := Nearest(in, names); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", in, got, want)
		}
	}
}
