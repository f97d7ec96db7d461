package driver

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"loopd/journal"
	"loopd/journal/journaltest"
)

const skillOfK = "---\nname: k\ndescription: Removes one TODO.\n---\nRemove one TODO line, then stop.\n"

const stateOfK = `{"name": "k", "archetype": "", "status": "active", "iteration": 1, "loopd": {"flags": ["--auto"], "carry_add": ["--skip-audit"]}, "other_tool": {"z": 1}}
`

const journalOfK = "## 1 · 2026-11-02T10:00:00Z · claude\n- Unit: TODO one\n- Did: removed it\n- Next: the next one\n- Flags: none\n\n"

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func makeLoop(t *testing.T, root string) string {
	t.Helper()
	put(t, filepath.Join(root, ".claude/skills/k/SKILL.md"), skillOfK)
	put(t, filepath.Join(root, ".loop/k/state.json"), stateOfK)
	put(t, filepath.Join(root, ".loop/k/journal.md"), journalOfK)
	return "k"
}

func TestSuite(t *testing.T) {
	const fine = `{"name": "k", "status": "active", "iteration": 1`
	journaltest.Suite{
		Dialect: Driver{},
		Make:    makeLoop,
		Text:    []string{"state.json", "journal.md"},
		Ships:   []string{"It is merged.\n\nLOOP-OUTCOME: shipped — merged #42", "LOOP-OUTCOME: shipped"},
		Broken: []journaltest.Broken{
			{Name: "truncated state", File: "state.json", Data: fine, Field: "JSON"},
			{Name: "another loop's state", File: "state.json", Data: strings.Replace(fine, `"k"`, `"other"`, 1) + "}", Field: "name"},
			{Name: "flags that are no list", File: "state.json", Data: fine + `, "loopd": {"flags": "--auto"}}`, Field: "loopd.flags"},
		},
	}.Run(t)
}

func load(t *testing.T, root, home, name string) journal.Loop {
	t.Helper()
	refs, err := Driver{Home: home}.Find(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range refs {
		if r.Name == name {
			l, err := Driver{Home: home}.Load(r)
			if err != nil {
				t.Fatal(err)
			}
			return l
		}
	}
	t.Fatalf("no %s in %v", name, refs)
	return journal.Loop{}
}

// Where skills lie: each CLI's folder, the repository before the home, plugins last; the first of a name counts.
func TestSkills(t *testing.T) {
	root, home := filepath.Join(t.TempDir(), "re[po"), t.TempDir()
	for path, text := range map[string]string{
		filepath.Join(root, ".claude/skills/k/SKILL.md"):             skillOfK,
		filepath.Join(root, ".gemini/skills/g/SKILL.md"):             "no front matter\n",
		filepath.Join(root, ".agents/skills/-odd/SKILL.md"):          skillOfK,
		filepath.Join(root, ".claude/skills/empty/README.md"):        "no skill",
		filepath.Join(home, ".codex/skills/k/SKILL.md"):              skillOfK,
		filepath.Join(home, ".claude/plugins/p/skills/x/SKILL.md"):   "---\ndescription: [\n---\nx\n",
		filepath.Join(home, ".claude/skills/folder/SKILL.md/x.text"): "a folder of that name",
	} {
		put(t, path, text)
	}
	var got []string
	for _, s := range Skills(root, home) {
		rel, err := filepath.Rel(map[bool]string{true: root, false: home}[strings.HasPrefix(s.File, root)], s.File)
		if err != nil {
			t.Fatal(err)
		}
		line := s.Name + " " + rel + " " + s.Description
		if s.Hidden {
			line += " hidden"
		}
		got = append(got, line)
	}
	want := []string{
		"k .claude/skills/k/SKILL.md Removes one TODO.", "g .gemini/skills/g/SKILL.md ",
		"k .codex/skills/k/SKILL.md Removes one TODO. hidden", "x .claude/plugins/p/skills/x/SKILL.md ",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// Claude Code knows a skill by its name; another CLI gets the text and the contract.
func TestBrief(t *testing.T) {
	root := t.TempDir()
	makeLoop(t, root)
	l := load(t, root, "", "k")
	flags := []string{"--auto", "--note=it's here"}
	if got := (Driver{}).Brief(l, journal.Brief{Harness: "claude", Flags: flags}); got != "/k --auto '--note=it'\\''s here'\n" {
		t.Errorf("%q", got)
	}
	got := Driver{}.Brief(l, journal.Brief{Harness: "codex", Flags: flags, Answer: "go on"})
	for _, want := range []string{"`/k --auto", "Remove one TODO line, then stop.", "LOOP-OUTCOME: <shipped | ", "go on"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in:\n%s", want, got)
		}
	}
	if strings.Contains(got, "description:") {
		t.Error("the front matter is in the prompt")
	}
	if r := (Driver{}).Parse(l, got, got); r.Status != "" {
		t.Errorf("the prompt, said back, is %q", r.Status)
	}
}

// The outcome lines of public iteration skills.
func TestOutcomeLines(t *testing.T) {
	for line, want := range map[string]journal.Report{
		"LOOP-OUTCOME: gate_killed": {Status: journal.ReportGateKilled},
		"LOOP-OUTCOME: empty — queue empty, audit found nothing · carry-add: --skip-audit":    {Status: journal.ReportEmpty, Detail: "queue empty, audit found nothing", CarryAdd: []string{"--skip-audit"}},
		"LOOP-OUTCOME: shipped — fixed #42  ·  carry-drop: --skip-audit":                      {Status: journal.ReportShipped, Detail: "fixed #42", CarryDrop: []string{"--skip-audit"}},
		"LOOP-OUTCOME: filed - an issue · carry-add: --a --b=c · carry-drop: --d":             {Status: journal.ReportFiled, Detail: "an issue", CarryAdd: []string{"--a", "--b=c"}, CarryDrop: []string{"--d"}},
		"**LOOP-OUTCOME: rejected — closed unmerged**":                                        {Status: journal.ReportRejected, Detail: "closed unmerged"},
		"The skill ends with `LOOP-OUTCOME: shipped — x` where a change merged; nothing did.": {},
		"LOOP-OUTCOME: done — all of it":                                                      {},
		"LOOP-OUTCOME: Shipped — big letters":                                                 {},
	} {
		got := Driver{}.Parse(journal.Loop{}, "Some words.\n\n"+line+"\n", "/k\n")
		if got.Status != want.Status || want.Status != "" && got.Detail != want.Detail || cmp.Diff(want.CarryAdd, got.CarryAdd) != "" || cmp.Diff(want.CarryDrop, got.CarryDrop) != "" {
			t.Errorf("%s: %+v", line, got)
		}
		if (got.Status == "") != (got.Violation != "") {
			t.Errorf("%s: violation %q", line, got.Violation)
		}
	}
}

func TestBadSkills(t *testing.T) {
	for name, text := range map[string]string{"nothing": "---\nname: k\n---\n \n", "binary": "a\x00b", "Latin-1": "caf\xe9", "flood": strings.Repeat("x\n", skillMax)} {
		root := t.TempDir()
		put(t, filepath.Join(root, ".claude/skills/k/SKILL.md"), text)
		if d := load(t, root, "", "k").Defects(); len(d) != 1 || d[0].Line != 1 || !strings.HasSuffix(d[0].File, "SKILL.md") {
			t.Errorf("%s: %v", name, d)
		}
	}
	root := t.TempDir()
	put(t, filepath.Join(root, ".claude/skills/k/SKILL.md"), "\ufeff---\r\ndescription: d\r\n---\r\nDo it.\r\n")
	if l := load(t, root, "", "k"); len(l.Findings) > 0 || l.Charter.Goal != "d" || l.State.Status != journal.Active {
		t.Errorf("%+v", l)
	}
}

func FuzzSkill(f *testing.F) {
	f.Add([]byte(skillOfK))
	f.Add([]byte("---\n---\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		front, body := frontMatter(src)
		if len(front)+len(body) > len(src) {
			t.Error("more than there was")
		}
	})
}
