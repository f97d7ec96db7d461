package supervisor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"loopd/harness"
	"loopd/supervisor/proc"
)

// TrialPrompt asks for the smallest answer that there is.
const TrialPrompt = "This is a trial of whether you can be started and answer. Use no tool and change nothing. Answer with the one word READY.\n"

// Trial is one run of an agent CLI outside of any loop, in an empty folder of its own or in a given one, with everything else as in an
// iteration: the same arguments, environment, limits and process tree.
type Trial struct {
	Harness    harness.Harness
	Known      []harness.Harness
	Host       *proc.Host
	Env        []string
	Prompt     string
	Dir        string // where it works; "" is an empty folder of its own
	Model      string
	ReadOnly   bool
	Wall, Idle time.Duration
	Told       func(string) // what the agent does, in short lines; nil for nobody
}

// Tried is what a trial came to.
type Tried struct {
	Reply  harness.Reply
	Exit   int    // its exit code, -1 where a signal ended it
	Swept  int    // processes that it left behind, ended
	Stderr string // the end of what it printed there, without secrets
	Took   time.Duration
	// NotStarted is why it could not be started; Reply is empty then.
	NotStarted string
	Files      []string // what it left in the folder, by name
}

// Try runs a trial. The error is a fault of loopd or of the machine, or the context's end.
func Try(ctx context.Context, t Trial) (Tried, error) {
	dir, err := os.MkdirTemp("", "loopd-trial-")
	if err != nil {
		return Tried{}, fmt.Errorf("make folder: %w", err)
	}
	defer os.RemoveAll(dir)
	if dir, err = filepath.EvalSymlinks(dir); err != nil { // macOS: /var is a link, and CLIs compare
		return Tried{}, fmt.Errorf("find folder: %w", err)
	}
	begin, work := time.Now(), orElse(t.Dir, dir)
	end, err := agent{
		harness: t.Harness, request: harness.Request{Prompt: t.Prompt, Model: t.Model, ReadOnly: t.ReadOnly, Dir: work},
		host: t.Host, known: t.Known, env: t.Env, wall: t.Wall, idle: t.Idle, grace: proc.DefaultGrace, marker: "LOOPD_RUN=trial-" + filepath.Base(dir),
		stdout: io.Discard, stderr: io.Discard, told: t.Told,
	}.run(ctx, newRedactor(t.Env, t.Known))
	if err != nil {
		return Tried{}, err
	}
	if len(end.result.Alive) > 0 {
		return Tried{}, fmt.Errorf("end process tree of %s: still alive: %v", t.Harness.Name(), end.result.Alive)
	}
	out := Tried{Reply: end.reply, Exit: end.result.Exit, Swept: end.result.Swept, Stderr: end.stderr, Took: time.Since(begin), NotStarted: end.notStarted}
	if end.result.Signal != 0 {
		out.Exit = -1
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // an agent may take its folder away
		return Tried{}, fmt.Errorf("look into folder: %w", err)
	}
	for _, e := range entries {
		out.Files = append(out.Files, e.Name())
	}
	return out, nil
}
