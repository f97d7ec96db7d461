package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"loopd/journal"
)

// commandInText is a call of loopd in a text: between back-ticks, or a line of a code block up to its comment.
var commandInText = regexp.MustCompile("(?m)(?:^ *|`)(loopd [^`\n#]*)")

// What the skill teaches is what loopd takes: its commands parse, and its archetypes and sections are all there are.
func TestSkill(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "examples", "skill", "SKILL.md"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	calls := 0
	for _, m := range commandInText.FindAllStringSubmatch(text, -1) {
		words := shellWords(strings.TrimSpace(m[1]))
		if !slices.Contains(commands(t), words[1]) {
			continue // prose that begins with the name
		}
		calls++
		parser, _, err := newParser(&cli{}, surroundings{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parser.Parse(words[1:]); err != nil {
			t.Errorf("%s: %v", m[1], err)
		}
	}
	if calls < 15 {
		t.Errorf("only %d commands were found", calls)
	}
	for _, a := range journal.Archetypes() {
		if !strings.Contains(text, "| "+string(a)+" |") {
			t.Errorf("it does not know the archetype %s", a)
		}
	}
	if !strings.Contains(strings.Join(strings.Fields(text), " "), "Goal, Done-when, Archetype, Iteration contract, Verification, Ratchet, Guardrails, Escalation, Budget, Promotion") {
		t.Error("it does not name the sections in their order")
	}
}
