package contract

import (
	"strings"
	"testing"
)

// fields22 is the contract without its heading.
var fields22 = strings.TrimPrefix(whole22, "# Loop Contract\n")

// example has the outline of the seed's worked example: the contract stands in a fence below a heading, and all that
// stands around it speaks of the same things in other words.
const example = "# Worked example\n\n| Question | Answer |\n|---|---|\n| Topology | Maker-checker only if diagnosis is ambiguous; otherwise single-agent. |\n| Mode | Loop |\n\n" +
	"## Loop Contract\n\n```markdown\n" + whole22 + "```\n\nValidate before acting:\n\n```sh\nloopd check --contract c.md --strict\n```\n\n" +
	"## State ledger\n\n```markdown\n# State\n- Evidence:\n  - Before: failed\n- Budget: used 5 of 18\n- Time limit: forever\n```\n\n## Final receipt\n\nEvidence: none\nMax iterations: unlimited\n"

// Only the contract block counts where the file marks one.
func TestBlocks(t *testing.T) {
	const noise = "Mode: whatever\n\n- Max iterations: unlimited\n- Verifier: the same builder\n\n| Topology | swarm |\n"
	fenced := "```text\n" + fields22 + "```\n"
	for name, src := range map[string]string{
		"the seed's example":            example,
		"under its heading":             "# My loop\n\n" + noise + "\n## Loop Contract\n\n" + fields22 + "\n## Notes\n\n" + noise,
		"under Contract":                "# My loop\n\n" + noise + "\n## Contract\n\n" + fields22 + "\n## Notes\n\n" + noise,
		"under a numbered heading":      "# My loop\n\n" + noise + "\n## 2. The loop contract (v3)\n\n" + fields22 + "\n## 3. Notes\n\n" + noise,
		"under an underlined heading":   noise + "\nLoop Contract\n=============\n\n" + fields22 + "\nNotes\n=====\n\n" + noise,
		"under a ruled heading":         noise + "\nLoop Contract\n---\n\n" + fields22 + "\n# Notes\n\n" + noise,
		"under a bold line":             "# My loop\n\n" + noise + "\n**Loop Contract**\n\n" + fields22 + "\n## Notes\n\n" + noise,
		"in tags":                       noise + "<loop_contract>\n" + fields22 + "</loop_contract>\n\n" + noise,
		"in tags with a version":        noise + "<loop-contract version=\"1\">\n" + fields22 + "</loop-contract> and\n\n" + noise,
		"in tags in a fence":            "# My loop\n\n" + noise + "```xml\n<contract>\n" + fields22 + "</contract>\n```\n" + noise,
		"in a fence":                    "# My loop\n\n" + noise + "\n" + fenced + "\n" + noise,
		"in tildes":                     noise + "\n~~~\n" + fields22 + "~~~\n\n" + noise,
		"in a long fence":               noise + "\n````\n" + strings.Replace(fields22, "Fresh", "\n  ```\n  Mode: Loop\n  ```\n  Fresh", 1) + "````\n\n" + noise,
		"in a fence that never ends":    noise + "\n" + strings.TrimSuffix(fenced, "```\n"),
		"in a fence below a heading":    noise + "\n# Loop Contract\n\nSome words.\n\n" + fenced + "\nMode: whatever\n",
		"beside a small fence":          "```sh\nmake\n```\n" + fields22 + "\n```\nMode: Loop\nBudget: 9\n```\n",
		"with a receipt below":          whole22 + "\n## Receipt\n\n- Evidence: unknown\n- Budget: unlimited\n",
		"a heading on another contract": "# My loop\n\n" + fields22 + "\n## Contract tests\n\n- Mode: none\n",
		"a mention in a heading":        "# How to validate the loop contract\n\nWords.\n\n# Fields\n\n" + fields22,
		"after front matter":            "---\nname: x\nmode: y\n---\n\n## Loop Contract\n\n" + fields22,
	} {
		t.Run(name, func(t *testing.T) {
			if c := judged(t, src); c.Mode != Goal || c.Topology != MakerChecker || !strings.Contains(src, "Evidence") {
				t.Errorf("%+v", c)
			}
		})
	}
}

// What is wrong with a file as such is one finding.
func TestNoContract(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"nothing":             {"", "1 contract: no field"},
		"blanks":              {"\n\n \n", "1 contract: no field"},
		"prose":               {"# A loop\n\nIt runs every day. Keep it going.\n", "1 contract: no field"},
		"another language":    {"# Vertrag\n\n- Ziel: Alle Tests bestehen.\n- Modus: Schleife\n- Umfang: parser/\n", "1 contract: English names"},
		"JSON":                {"{\n  \"objective\": \"x\",\n  \"mode\": \"goal\"\n}\n", "1 contract: no field"},
		"another tool's":      {"---\nname: x\ndescription: y\n---\n\nUse it when needed.\n", "1 contract: no field"},
		"a program":           {"package main\n\nfunc main() {\n\tprintln(\"a: b\")\n}\n", "1 contract: no field"},
		"UTF-16":              {"\xff\xfeM\x00o\x00d\x00e\x00", "1 contract: UTF-8"},
		"Latin-1":             {strings.Replace(whole22, "build team", "caf\xe9", 1), "7 contract: UTF-8"},
		"binary":              {whole22 + "\x00", "24 contract: UTF-8"},
		"a comment left open": {strings.Replace(whole22, "- Owner", "<!-- x\n- Owner", 1), "7 contract: ends in -->"},
		"two contracts":       {"## Loop Contract\n" + fields22 + "## Loop Contract\n" + fields22, "24 contract: one contract in a file"},
		"two fences":          {"```\n" + fields22 + "```\n```\n" + fields22 + "```\n", "25 contract: one contract in a file"},
		"two pairs of tags":   {"<contract>\n" + fields22 + "</contract>\n<contract>\n" + fields22 + "</contract>\n", "25 contract: one contract in a file"},
		"a tag in a tag":      {"<contract>\n" + fields22 + "<contract>\n" + fields22 + "</contract>\n", "24 contract: one contract in a file"},
		"tags left open":      {"<loop_contract>\n" + fields22, "1 contract: </loop_contract>"},
	} {
		t.Run(name, func(t *testing.T) { judged(t, c.src, c.want) })
	}
}

// Fields that are not read are named where they stand.
func TestBadShapes(t *testing.T) {
	edit := func(old, new string) string {
		if !strings.Contains(whole22, old) {
			t.Fatalf("the contract lacks %q", old)
		}
		return strings.Replace(whole22, old, new, 1)
	}
	for name, c := range map[string]struct {
		src  string
		want []string
	}{
		"doubled":                  {edit("- Owner", "- Mode: Loop\n- Owner"), []string{"7 mode: line 3 has it already"}},
		"doubled, the same":        {edit("- Owner", "- Mode: Goal\n- Owner"), []string{"7 mode: the field once"}},
		"doubled by an alias":      {edit("- Owner", "- Change budget: 9 lines\n- Owner"), []string{"20 review budget: line 7 has it already"}},
		"doubled in a table":       {edit("- Owner", "| Mode | Loop |\n\n- Owner"), []string{"7 mode: the field once"}},
		"doubled on one line":      {edit("- Mode: Goal", "- Mode: Goal  Mode: Loop"), []string{"3 mode: the field once"}},
		"misspelt":                 {edit("- Budget", "- Budjet"), []string{"18 budget: did you mean Budget?"}},
		"misspelt caps":            {edit("Max iterations", "MAX ITERATION"), []string{"16 max iterations: did you mean Max iterations?"}},
		"misspelt, one word":       {edit("Write-back", "Writeback"), []string{"21 write-back: did you mean Write-back?"}},
		"misspelt alias":           {edit("Review budget", "Review bandwith"), []string{"19 review budget: did you mean Review bandwidth?"}},
		"misspelt in the template": {strings.Replace(template, "Scope:", "Scop:", 1), []string{"2 scope: did you mean Scope?"}},
		"misspelt in a table":      {edit("- Mode: Goal", "\n| Mdoe | Goal |\n"), []string{"4 mode: did you mean Mode?"}},
		"in another language":      {edit("- Budget: 20 tool calls", "- Бюджет: 20 вызовов"), []string{"19 budget: add the field"}},
		"as a heading":             {strings.Replace(whole22, "- Recovery: Put", "## Recovery\n\nPut", 1), []string{"23 recovery: line of its own"}},
		"one blank apart":          {edit("\n- Scope: parser/", " Scope: parser/"), []string{"4 scope: two blanks before it"}},
		"three columns":            {edit("- Mode: Goal", "\n| Mode | Goal | until met |\n"), []string{"4 mode: two cells"}},
		"a table on its side":      {edit("- Mode: Goal\n", "\n| Mode | Version |\n|---|---|\n| Goal | 3 |\n\n"), []string{"4 mode: read \"Version\""}},
		"a table of names":         {edit("- Mode: Goal\n- Trigger: Manual start.\n", "\n| Mode | Trigger |\n|---|---|\n| Goal | Manual start. |\n\n"), []string{"4 mode: two cells", "4 trigger: two cells"}},
		"a quoted field":           {edit("- Mode: Goal", "> - Mode: Goal"), []string{"3 mode: line of its own"}},
		"an assignment":            {edit("- Mode: Goal", "- Mode = Goal"), []string{"4 mode: add the field"}},
		"the bare template": {"Objective:                 Mode: Goal | Loop | Automation | AutoResearch\nTrigger:                   Scope:                 Non-goals:\nOwner:                     Inputs:\nArtifacts path:            State path:            Work clock:\nSuccess metric:            Evidence:              Verifier:\n" +
			"Topology: single-agent | maker-checker | manager-workers\nMax iterations:            Time limit:            Budget:\nReview budget:             Stop condition:\nWrite-back:                Permission boundary:   Recovery:\n\nValidate it.\n",
			[]string{"1 objective: fill it in", "1 mode: choose one", "2 trigger: fill it in", "2 scope: fill it in", "2 non-goals: fill it in", "3 owner: fill it in", "3 inputs: fill it in", "4 artifacts path: fill it in", "4 state path: fill it in", "4 work clock: fill it in",
				"5 success metric: fill it in", "5 evidence: fill it in", "5 verifier: fill it in", "6 topology: choose one", "7 max iterations: fill it in", "7 time limit: fill it in", "7 budget: fill it in", "8 review budget: fill it in", "8 stop condition: fill it in", "9 write-back: fill it in", "9 permission boundary: fill it in", "9 recovery: fill it in"}},
	} {
		t.Run(name, func(t *testing.T) { judged(t, c.src, c.want...) })
	}
}

// Positions are those of the file, whatever stands before them; a finding about a word points at it.
func TestPositions(t *testing.T) {
	bad := strings.Replace(whole22, "no push and no deploy", "no push;\n  may deploy", 1)
	for name, src := range map[string]string{
		"plain": bad, "BOM": bom + bad, "CRLF": strings.ReplaceAll(bad, "\n", "\r\n"), "BOM and CRLF": bom + strings.ReplaceAll(bad, "\n", "\r\n"), "CR": strings.ReplaceAll(bad, "\n", "\r"),
		"comment": strings.Replace(bad, "# Loop Contract\n", "<!-- Mode: x -->\n", 1),
	} {
		_, findings := Read("c.md", []byte(src), true)
		if len(findings) != 1 || findings[0].Line != 23 || findings[0].Column != 7 {
			t.Errorf("%s: %v", name, findings)
		}
	}
}

// Findings come in the order of the file.
func TestOrder(t *testing.T) {
	_, findings := Read("c.md", []byte(strings.NewReplacer("Max iterations: 4", "Max iterations: 0", "go test on self-hosted CI", "the agent", "Mode: Goal", "Mode: x").Replace(whole22)), true)
	var got []string
	for _, f := range findings {
		got = append(got, f.Field)
	}
	if strings.Join(got, ", ") != "mode, verifier, max iterations" {
		t.Errorf("%v", got)
	}
}
