package main

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write testdata/help anew")

// helpOf renders the help of a command as a person sees it in 80 columns; "" is the main help. The README's blocks are
// compared with it too.
func helpOf(t *testing.T, command string) string {
	t.Helper()
	t.Setenv("COLUMNS", "80")
	var out bytes.Buffer
	argv := append(strings.Fields(command), "--help")
	if code := run(argv, surroundings{Stdin: strings.NewReader(""), Stdout: &out, Stderr: io.Discard}); code != codeOK {
		t.Fatalf("loopd %s: exit %d", strings.Join(argv, " "), code)
	}
	return out.String()
}

// commands lists every command of the grammar, "" for the program itself.
func commands(t *testing.T) []string {
	t.Helper()
	out := []string{""}
	for _, leaf := range grammarOf(t).Leaves(true) {
		out = append(out, leaf.Path())
	}
	return out
}

func grammarOf(t *testing.T) *kong.Application {
	t.Helper()
	parser, _, err := newParser(&cli{}, surroundings{})
	if err != nil {
		t.Fatal(err)
	}
	return parser.Model
}

func TestHelp(t *testing.T) {
	for _, command := range commands(t) {
		t.Run("loopd "+command, func(t *testing.T) {
			got := helpOf(t, command)
			file := filepath.Join("testdata", "help", strings.ReplaceAll(strings.TrimSpace("loopd "+command), " ", "-")+".txt")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatalf("%v (write it with: go test ./cmd/loopd -run TestHelp -update)", err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("-%s +now\n%s", file, diff)
			}
		})
	}
}

// call is the call of loopd in a line of shell: what a pipe or a substitution around it says is the shell's.
var call = regexp.MustCompile(`\bloopd [^|)]*`)

func TestEveryCommandHasAnExampleThatParses(t *testing.T) {
	for _, command := range commands(t)[1:] {
		example, ok := examples[command]
		if !ok {
			t.Errorf("loopd %s has no example in help.go", command)
			continue
		}
		if !strings.Contains(helpOf(t, command), example) {
			t.Errorf("the help of loopd %s does not show %q", command, example)
		}
		parser, _, err := newParser(&cli{}, surroundings{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parser.Parse(shellWords(call.FindString(example))[1:]); err != nil {
			t.Errorf("%s: %v", example, err)
		}
	}
}

// shellWords splits a line with double quotes.
func shellWords(line string) []string {
	var out []string
	for i, part := range strings.Split(line, `"`) {
		if i%2 == 1 {
			out = append(out, part)
		} else {
			out = append(out, strings.Fields(part)...)
		}
	}
	return out
}

func TestMainHelpHasTheExitCodes(t *testing.T) {
	help := helpOf(t, "")
	for _, row := range exitCodes {
		if !strings.Contains(help, row.Meaning) {
			t.Errorf("the main help lacks %d %q", row.Code, row.Meaning)
		}
	}
	if strings.Contains(helpOf(t, "run"), "Exit codes:") {
		t.Error("the help of a command is short: exit codes stand in the main one")
	}
}
