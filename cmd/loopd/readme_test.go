package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// helpBlock is where the README shows the help of the program and of run.
var helpBlock = regexp.MustCompile(`(?s)<!-- help:begin -->\n.*?<!-- help:end -->`)

func TestReadmeShowsTheHelp(t *testing.T) {
	path := filepath.Join("..", "..", "README.md")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	want.WriteString("<!-- help:begin -->\n")
	for _, c := range []string{"", "run"} {
		want.WriteString("```\n$ " + strings.TrimSpace("loopd "+c) + " --help\n" + strings.TrimRight(helpOf(t, c), "\n") + "\n```\n")
	}
	want.WriteString("<!-- help:end -->")
	got := helpBlock.FindString(string(data))
	if got == want.String() {
		return
	}
	if *update {
		if err := os.WriteFile(path, helpBlock.ReplaceAllLiteral(data, []byte(want.String())), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Error("README.md and --help differ: go test ./cmd/loopd -run 'Readme|Help' -update")
}

// Every exit code of the table stands in the README by way of the help; every command has its place in the map.
func TestReadmeNamesTheCommands(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range exitCodes {
		if !strings.Contains(string(data), row.Meaning) {
			t.Errorf("the README lacks exit code %d: %s", row.Code, row.Meaning)
		}
	}
}
