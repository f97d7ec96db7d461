package worktree

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"
)

// Runner runs one git command. It returns an error only where git could not run to its end (not installed, killed, over
// its limit: then Exit is -1); an exit code is data. It must give git an environment made by Environ plus c.Env.
type Runner interface {
	Git(ctx context.Context, c Command) (Output, error)
}

// Command is one git command: Args follow the word git.
type Command struct {
	Args  []string
	Dir   string
	Env   []string // additions, such as GIT_INDEX_FILE=…
	Stdin []byte
	Limit time.Duration // wall clock; 0 is the Runner's own limit
	Most  int           // bytes of stdout that are wanted, what follows is dropped; 0 for all
}

// Output is what a git command printed and its exit code.
type Output struct {
	Stdout, Stderr []byte
	Exit           int
}

// GitError is a git command that failed: which, how, and its first words.
type GitError struct {
	Args   []string // without the -c settings that every call has
	Exit   int      // -1: it did not run to its end
	Stderr string   // the first line that says something
	Err    error    // from the Runner; nil where git ended by itself
}

func (e *GitError) Error() string {
	s := "git " + strings.Join(shortArgs(e.Args), " ")
	if e.Err != nil {
		return s + ": " + e.Err.Error()
	}
	s += fmt.Sprintf(": exit %d", e.Exit)
	if e.Stderr != "" {
		s += ": " + e.Stderr
	}
	return s
}

func (e *GitError) Unwrap() error { return e.Err }

func shortArgs(args []string) []string {
	const most = 8
	if len(args) <= most {
		return args
	}
	return append(append([]string(nil), args[:most]...), "…")
}

// kept are the variables of the caller that say who the person is and where the person's settings lie. Every other GIT_*
// variable would point git at another repository, index or behaviour.
var kept = map[string]bool{
	"GIT_CONFIG_GLOBAL": true, "GIT_CONFIG_SYSTEM": true, "GIT_CONFIG_NOSYSTEM": true, "GIT_EXEC_PATH": true,
	"GIT_AUTHOR_NAME": true, "GIT_AUTHOR_EMAIL": true, "GIT_COMMITTER_NAME": true, "GIT_COMMITTER_EMAIL": true,
}

// Environ gives the environment for git: base without the caller's GIT_* variables (but for identity and the places of the
// settings), messages in English, no prompt, no editor, no pager, and no index rewritten by a command that only reads.
func Environ(base []string) []string {
	out := make([]string, 0, len(base)+8)
	for _, kv := range base {
		name, _, _ := strings.Cut(kv, "=")
		if strings.HasPrefix(name, "GIT_") && !kept[name] || name == "LC_ALL" || name == "LANGUAGE" || name == "SSH_ASKPASS" {
			continue
		}
		out = append(out, kv)
	}
	return append(out, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_EDITOR=:", "GIT_SEQUENCE_EDITOR=:", "GIT_PAGER=cat", "GIT_ASKPASS=true")
}

// settings stand before every command. They switch off whatever could run a program, rewrite the repository in the
// background, or hide a change; fsync is on, because an object that a ref names must survive a power loss.
var settings = []string{
	"core.hooksPath=/dev/null", "core.fsmonitor=false", "core.untrackedCache=false", "core.splitIndex=false", "gc.auto=0", "maintenance.auto=false",
	"commit.gpgSign=false", "submodule.recurse=false", "core.trustctime=true", "core.checkStat=default", "core.safecrlf=false", "core.quotePath=false",
	"core.fsync=committed,loose-object,reference", "core.fsyncMethod=batch", "advice.addEmbeddedRepo=false",
}

func withSettings(args []string) []string {
	out := make([]string, 0, 2*len(settings)+len(args))
	for _, s := range settings {
		out = append(out, "-c", s)
	}
	return append(out, args...)
}

// call is a git command of this tree. The repository is named, never searched for: with .git gone, git would find the one
// of a folder above.
type call struct {
	index string // private index; "" is the real one
	stdin []byte
	env   []string
	limit time.Duration
	most  int // bytes of stdout; 0 for all
}

// ask runs git; an exit code that is not 0 is the caller's to judge.
func (t *Tree) ask(ctx context.Context, c call, args ...string) (Output, error) {
	env := []string{"GIT_DIR=" + t.gitDir, "GIT_WORK_TREE=" + t.root}
	if c.index != "" {
		env = append(env, "GIT_INDEX_FILE="+c.index)
	}
	out, err := t.run.Git(ctx, Command{Args: withSettings(args), Dir: t.root, Env: append(env, c.env...), Stdin: c.stdin, Limit: c.limit, Most: c.most})
	if err != nil {
		return out, &GitError{Args: args, Exit: -1, Stderr: firstLine(out.Stderr), Err: err}
	}
	return out, nil
}

// git runs git and wants exit 0.
func (t *Tree) git(ctx context.Context, c call, args ...string) ([]byte, error) {
	out, err := t.ask(ctx, c, args...)
	if err != nil {
		return nil, err
	}
	if out.Exit != 0 {
		return nil, failed(args, out)
	}
	return out.Stdout, nil
}

func failed(args []string, out Output) *GitError {
	return &GitError{Args: args, Exit: out.Exit, Stderr: firstLine(out.Stderr)}
}

// firstLine prefers git's own verdict to the hints and warnings around it.
func firstLine(b []byte) string {
	first := ""
	for line := range strings.SplitSeq(string(b), "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "fatal:") || strings.HasPrefix(line, "error:") {
			return line
		}
		if first == "" && line != "" {
			first = line
		}
	}
	return first
}

// zero splits -z output.
func zero(b []byte) []string {
	b = bytes.TrimSuffix(b, []byte{0})
	if len(b) == 0 {
		return nil
	}
	return strings.Split(string(b), "\x00")
}

// joinZero makes -z input.
func joinZero(items []string) []byte {
	var b bytes.Buffer
	for _, s := range items {
		b.WriteString(s)
		b.WriteByte(0)
	}
	return b.Bytes()
}

func oid(b []byte) string { return strings.TrimSpace(string(b)) }
