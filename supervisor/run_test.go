package supervisor

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"loopd/journal"
	"loopd/supervisor/proc"
)

func has(t *testing.T, text, part string) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Errorf("lacks %q:\n%s", part, text)
	}
}

func TestShips(t *testing.T) {
	b := newBox(t, nil)
	b.agent("maker", ships)
	end := b.want(Options{}, 0)
	if end.Branch != "loop/k" || end.Commits != 1 {
		t.Errorf("work is on %q with %d commits", end.Branch, end.Commits)
	}
	b.clean()
	j := b.read(".loop/k/journal.md")
	for _, part := range []string{"- Unit: TODO one\n", "`sh check.sh` → exit 0 ✅", "- Ratchet: 5 → 4\n", "- Next: the next one\n"} {
		has(t, j, part)
	}
	st := b.state()
	if st.Status != journal.Active || st.Promotion.Clean != 1 || *st.Ratchet.Value != 4 {
		t.Errorf("state is %+v", st)
	}
	has(t, b.read("../maker.prompt"), "No TODO line is left in work.txt")
	if got := b.git("log", "-1", "--format=%(trailers:key=Loop,valueonly)%(trailers:key=Loop-Iteration,valueonly)"); got != "k\n1" {
		t.Errorf("trailers are %q", got)
	}
}

func TestNoGoroutineIsLeft(t *testing.T) {
	b := newBox(t, nil)
	b.agent("maker", ships)
	before := goleak.IgnoreCurrent()
	b.want(Options{}, 0)
	goleak.VerifyNone(t, before)
}

func TestDrainsUntilDone(t *testing.T) {
	b := newBox(t, nil)
	b.agent("maker", ships)
	end, err := b.run(Options{Drain: true})
	if err != nil || end.Code != 0 {
		t.Fatalf("ended with %d (%s), %v", end.Code, end.Why, err)
	}
	if end.Iterations != 5 || end.Commits != 5 || b.state().Status != journal.Done {
		t.Errorf("%d iterations, %d commits, status %s", end.Iterations, end.Commits, b.state().Status)
	}
	has(t, b.read("../inbox.txt"), "done after 5 iterations")
	b.want(Options{}, 12)
}

// What the agent broke is put back, parked whole, and never counted as done.
func TestPutBack(t *testing.T) {
	cases := []struct {
		name, agent string
		code        int
		flag        string // in the entry
	}{
		{"a red check", "sed -i 1d work.txt; touch broken.txt; echo 'LOOP-OUTCOME: shipped'", 14, "→ exit 1"},
		{"a worse ratchet, committed by the agent", "echo TODO six >> work.txt; git add work.txt; git commit -qm mine; echo 'LOOP-OUTCOME: shipped'", 14, "regression reverted"},
		{"a protected path", "echo true > check.sh; sed -i 1d work.txt; echo 'LOOP-OUTCOME: shipped'", 14, "protected path check.sh"},
		{"the charter", "echo '- more' >> .loop/k/LOOP.md; sed -i 1d work.txt; echo 'LOOP-OUTCOME: shipped'", 14, "guardrail: .loop/k/LOOP.md changed"},
		{"a planted hook", "printf '#!/bin/sh\\ntouch /tmp/never\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; sed -i 1d work.txt; echo 'LOOP-OUTCOME: shipped'", 14, "pre-commit created"},
		{"git config", "git config alias.x y; sed -i 1d work.txt; echo 'LOOP-OUTCOME: shipped'", 14, ".git/config changed"},
		{"another branch checked out", "git switch -qc elsewhere; sed -i 1d work.txt; echo 'LOOP-OUTCOME: shipped'", 14, "guardrail"},
		{"main moved", "git branch -qf main HEAD~0; git commit -q --allow-empty -m x; git update-ref refs/heads/main HEAD; echo 'LOOP-OUTCOME: shipped'", 14, "main"},
		{"a question", "sed -i 1d work.txt; echo 'LOOP-OUTCOME: blocked — which one?'", 13, "question"},
		{"a change without a claim", "sed -i 1d work.txt; echo 'LOOP-OUTCOME: empty'", 14, "change without claim"},
		{"no final message", "sed -i 1d work.txt", 14, "no answer"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			// Not in parallel: two hosts in one process would reap each other's children.
			b := newBox(t, nil)
			b.agent("maker", c.agent)
			charter := b.read(".loop/k/LOOP.md")
			main := b.git("rev-parse", "main")
			b.want(Options{}, c.code)
			b.clean()
			if got := strings.Count(b.read("work.txt"), "TODO"); got != 5 {
				t.Errorf("%d TODO lines", got)
			}
			if b.read(".loop/k/LOOP.md") != charter || b.git("rev-parse", "main") != main || b.git("rev-parse", "HEAD") != main || b.git("branch", "--show-current") != "loop/k" {
				t.Error("charter or branches are not what they were")
			}
			has(t, b.read(".loop/k/journal.md"), c.flag)
			if st := b.state(); st.Promotion.Clean != 0 || *st.Ratchet.Value != 5 || len(st.Private.Parked) != 1 {
				t.Errorf("state is %+v", st)
			}
			if _, err := os.Stat(filepath.Join(b.root, ".git/hooks/pre-commit")); err == nil {
				t.Error("a planted hook is left")
			}
		})
	}
}

func TestNearMissIsUndone(t *testing.T) {
	b := newBox(t, nil)
	b.write(".loop/k/backlog.md", "- [ ] TODO one\n")
	b.git("add", "-A")
	b.git("commit", "-qm", "backlog")
	b.agent("maker", "echo '- [x] all done' > .loop/k/backlog.md\n"+ships)
	b.want(Options{}, 0)
	if got := b.read(".loop/k/backlog.md"); got != "- [x] ~~TODO one~~\n" {
		t.Errorf("backlog is %q", got)
	}
	has(t, b.read(".loop/k/journal.md"), "near-miss")
	if st := b.state(); st.Promotion.Clean != 0 {
		t.Errorf("%d clean cycles", st.Promotion.Clean)
	}
	b.clean()
}

func TestSignOfTheNextReply(t *testing.T) {
	b := newBox(t, nil)
	b.agent("maker", "if [ -e ../second.call ]; then "+strings.TrimSpace(ships)+"; echo '- Sign: never touch broken.txt'; else touch ../second.call broken.txt; echo 'LOOP-OUTCOME: shipped'; fi\n")
	b.want(Options{}, 14)
	has(t, b.state().Private.Failure.Output, "sh check.sh")
	b.want(Options{}, 0)
	has(t, b.read(".loop/k/signs.md"), "never touch broken.txt")
	has(t, b.read(".loop/k/signs.md"), "it.1)")
	has(t, b.read("../maker.prompt"), "check.sh")
}

func TestCommitHookRefuses(t *testing.T) {
	b := newBox(t, nil)
	hook := filepath.Join(b.root, ".git/hooks/pre-commit")
	if err := os.WriteFile(hook, []byte("#!/bin/sh\necho 'no commits on a Sunday' >&2\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	b.agent("maker", ships)
	b.want(Options{}, 14)
	has(t, b.read(".loop/k/journal.md"), "no commits on a Sunday")
	b.clean()
	if got := strings.Count(b.read("work.txt"), "TODO"); got != 5 {
		t.Errorf("%d TODO lines", got)
	}
	if got := b.state(); got.Iteration != 1 || len(got.Private.Parked) != 1 {
		t.Errorf("state is %+v", got)
	}
}

func TestChecksThatCannotRun(t *testing.T) {
	b := newBox(t, func(c string) string { return strings.Replace(c, "`sh check.sh`", "`no-such-tool --all`", 1) })
	b.agent("maker", ships)
	b.want(Options{}, 13)
	st := b.state()
	if st.Status != journal.Blocked {
		t.Errorf("status is %s", st.Status)
	}
	b.clean()
	if data, err := os.ReadFile(filepath.Join(b.root, ".loop/k/signs.md")); err == nil && len(data) > 0 {
		t.Errorf("a sign was written: %s", data)
	}
}

func TestCheckThatHangs(t *testing.T) {
	b := newBox(t, func(c string) string { return strings.Replace(c, "`sh check.sh`", "`sleep 100`", 1) })
	b.agent("maker", ships)
	b.want(Options{Timeout: 3 * time.Second}, 14)
	has(t, b.read(".loop/k/journal.md"), "gate timeout")
}

func TestUnreadableRatchetBeforeLaunch(t *testing.T) {
	b := newBox(t, func(c string) string {
		return strings.Replace(c, "grep -c TODO work.txt || true", "echo no number here", 1)
	})
	b.agent("maker", ships)
	b.want(Options{}, 13)
	if _, err := os.Stat(filepath.Join(b.root, "../maker.prompt")); err == nil {
		t.Error("the agent was launched")
	}
}

func TestChecker(t *testing.T) {
	b := newBox(t, nil)
	b.agent("maker", ships)
	b.agent("second", "echo 'Looked at it.'; echo 'NEEDS_WORK: remove the blank line too'")
	b.want(Options{Checker: "second"}, 14)
	b.clean()
	has(t, b.read("../second.prompt"), "-TODO one")
	has(t, b.read(".loop/k/journal.md"), "remove the blank line too")
	b.agent("second", "echo PASS")
	b.want(Options{Checker: "second"}, 0)
	has(t, b.read("../maker.prompt"), "remove the blank line too")
	if st := b.state(); st.Promotion.Clean != 1 {
		t.Errorf("%d clean cycles", st.Promotion.Clean)
	}
}

func TestCheckerThatWritesIsAViolation(t *testing.T) {
	b := newBox(t, nil)
	b.agent("maker", ships)
	b.agent("second", "echo mine > checker.txt; echo PASS")
	b.want(Options{Checker: "second"}, 14)
	b.clean()
	has(t, b.read(".loop/k/journal.md"), "the checker changed the tree")
}

func TestSecondVendorGetsTheStall(t *testing.T) {
	b := newBox(t, func(c string) string { return strings.Replace(c, "Stalled: 3", "Stalled: 1", 1) })
	b.agent("maker", "echo 'LOOP-OUTCOME: shipped — nothing'; echo '- Unit: TODO one'; echo '- Did: approach 7'")
	b.agent("second", "echo 'HYPOTHESIS: it is generated'")
	b.want(Options{EscalateTo: "second"}, 0)
	has(t, b.read("../second.prompt"), "approach 7")
	b.want(Options{EscalateTo: "second"}, 13)
	has(t, b.read("../maker.prompt"), "HYPOTHESIS: it is generated")
	if st := b.state(); st.Status != journal.Stalled {
		t.Errorf("status is %s", st.Status)
	}
	has(t, b.read("../inbox.txt"), "stalled")
}

// An operator's interrupt ends the agent, puts the tree back, and counts nothing.
func TestInterrupt(t *testing.T) {
	b := newBox(t, nil)
	b.agent("maker", "echo half >> work.txt; touch ../ready; exec sleep 100\n")
	host := proc.NewHost()
	defer host.Close()
	ctx, cancel := context.WithCancelCause(context.Background())
	go func() {
		for !exists(filepath.Join(b.root, "../ready")) && ctx.Err() == nil {
			time.Sleep(5 * time.Millisecond)
		}
		cancel(InterruptedBy{syscall.SIGTERM})
	}()
	end, err := b.supervisor(host, Options{Once: true}).Run(ctx)
	if err != nil || end.Code != 143 {
		t.Fatalf("ended with %d (%s), %v", end.Code, end.Why, err)
	}
	b.clean()
	if got := b.read("work.txt"); strings.Contains(got, "half") {
		t.Errorf("work.txt is %q", got)
	}
	if st := b.state(); st.Iteration != 0 || len(st.Private.Parked) != 1 {
		t.Errorf("state is %+v", st)
	}
}

func TestBusy(t *testing.T) {
	b := newBox(t, nil)
	b.agent("maker", "touch ../ready; while [ ! -e ../go ]; do sleep 0.01; done\n"+ships)
	ended := make(chan error, 1)
	go func() {
		_, err := b.run(Options{Once: true})
		ended <- err
	}()
	for !exists(filepath.Join(b.root, "../ready")) {
		time.Sleep(5 * time.Millisecond)
	}
	_, err := b.run(Options{Once: true})
	var busy *ErrBusy
	if !errors.As(err, &busy) || busy.Holder.PID != os.Getpid() || busy.Holder.Loop != "k" {
		t.Errorf("got %v", err)
	}
	b.write("../go", "")
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}

func TestSecretsDoNotGetOut(t *testing.T) {
	b := newBox(t, func(c string) string {
		return strings.Replace(c, "- `sh check.sh` → exits 0", "- `echo key=$SOME_API_KEY; sh check.sh` → exits 0", 1)
	})
	b.env = append(b.env, "SOME_API_KEY=hunter2-very-secret")
	b.agent("maker", "touch broken.txt; echo \"LOOP-OUTCOME: shipped — used $SOME_API_KEY\"; echo \"- Did: printed $SOME_API_KEY\"\n")
	b.want(Options{}, 14)
	for _, f := range []string{".loop/k/journal.md", ".loop/k/state.json"} {
		if strings.Contains(b.read(f), "hunter2") {
			t.Errorf("%s holds the secret:\n%s", f, b.read(f))
		}
	}
	has(t, b.read(".loop/k/journal.md"), redacted)
	found, err := filepath.Glob(filepath.Join(b.root, ".git/loopd/k/transcripts/*"))
	if err != nil || len(found) != 1 {
		t.Fatalf("transcripts: %v, %v", found, err) // nothing was printed on stderr
	}
	if data, _ := os.ReadFile(found[0]); strings.Contains(string(data), "hunter2") || !strings.Contains(string(data), redacted) {
		t.Errorf("transcript is %q", data)
	}
}

func TestWorktreeMode(t *testing.T) {
	b := newBox(t, nil)
	b.agent("maker", ships)
	b.write("mine.txt", "a person is at work here\n")
	b.want(Options{Worktree: true}, 0)
	if got := b.git("branch", "--show-current"); got != "main" {
		t.Errorf("the person's checkout is on %s", got)
	}
	if got := b.git("rev-list", "--count", "main..loop/k"); got != "1" {
		t.Errorf("%s commits on loop/k", got)
	}
	if got := b.read("mine.txt"); got != "a person is at work here\n" {
		t.Errorf("mine.txt is %q", got)
	}
	b.want(Options{Worktree: true}, 0)
	if st := b.state(); st.Iteration != 2 || *st.Ratchet.Value != 3 {
		t.Errorf("state is %+v", st)
	}
}

func TestDryRunChangesNoByte(t *testing.T) {
	b := newBox(t, nil)
	b.agent("maker", ships)
	end, err := b.run(Options{DryRun: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"gate: go", "argv: maker", "No TODO line is left"} {
		has(t, end.Text, part)
	}
	if got := b.git("status", "--porcelain"); got != "" {
		t.Errorf("the tree changed: %s", got)
	}
	if exists(filepath.Join(b.root, ".git/loopd")) || exists(filepath.Join(b.root, ".loop/k/state.json")) {
		t.Error("files were made")
	}
}

func TestOperatorActs(t *testing.T) {
	b := newBox(t, nil)
	b.agent("maker", ships)
	b.want(Options{}, 0)
	host := proc.NewHost()
	defer host.Close()
	s := b.supervisor(host, Options{})
	ctx := context.Background()
	if _, err := s.SetStatus(ctx, journal.Paused, ""); err != nil {
		t.Fatal(err)
	}
	b.want(Options{}, 10)
	if _, err := s.SetStatus(ctx, journal.Active, "go on with two"); err != nil {
		t.Fatal(err)
	}
	b.want(Options{}, 0)
	has(t, b.read("../maker.prompt"), "go on with two")
	var held *HeldError
	if _, err := s.Promote(ctx, "me"); !errors.As(err, &held) {
		t.Fatalf("promoted with two clean cycles: %v", err)
	}
	b.want(Options{}, 0)
	if _, err := s.Promote(ctx, "me"); err != nil {
		t.Fatal(err)
	}
	if st := b.state(); st.Promotion.Mode != journal.WriteScoped || st.Private.ApprovedBy != "me" {
		t.Errorf("state is %+v", st.Promotion)
	}
	has(t, b.read(".loop/k/journal.md"), "> promoted · ")
	b.agent("maker", "echo x > elsewhere.txt\n"+ships)
	b.want(Options{}, 14)
	has(t, b.read(".loop/k/journal.md"), "outside the write scope: elsewhere.txt")
	if st := b.state(); st.Promotion.Mode != journal.ProposeOnly {
		t.Errorf("mode is %s after a violation", st.Promotion.Mode)
	}
}

func TestAdjudicateAndParked(t *testing.T) {
	b := newBox(t, nil)
	b.agent("maker", ships)
	b.write("mine.txt", "mine\n")
	b.want(Options{}, 13)
	host := proc.NewHost()
	defer host.Close()
	s := b.supervisor(host, Options{})
	ctx := context.Background()
	did, err := s.Adjudicate(ctx, RulePark)
	if err != nil {
		t.Fatal(err)
	}
	has(t, did.Text, "refs/loopd/k/found-")
	b.clean()
	if exists(filepath.Join(b.root, "mine.txt")) {
		t.Error("mine.txt is still there")
	}
	parked := b.state().Private.Parked
	if len(parked) != 1 {
		t.Fatalf("parked: %+v", parked)
	}
	if _, err := s.ParkedAct(ctx, "apply", parked[0].N); err != nil {
		t.Fatal(err)
	}
	if b.read("mine.txt") != "mine\n" {
		t.Error("mine.txt did not come back")
	}
	if _, err := s.Adjudicate(ctx, RuleKeep); err != nil {
		t.Fatal(err)
	}
	b.clean()
	b.want(Options{}, 0)
}

// An agent that deletes .git leaves nothing to put back with: it is said, journaled, and a person is asked.
func TestGitDeleted(t *testing.T) {
	b := newBox(t, nil)
	b.agent("maker", "rm -rf .git; sed -i 1d work.txt; echo 'LOOP-OUTCOME: shipped'")
	end := b.want(Options{}, 13)
	has(t, end.Why, "nothing could be put back")
	has(t, b.read(".loop/k/journal.md"), "not reverted")
	if st := b.state(); st.Status != journal.Blocked || st.Iteration != 1 {
		t.Errorf("state is %+v", st)
	}
	has(t, b.read("../inbox.txt"), "blocked")
}

// What only moved HEAD or the index is put back too, though no file changed.
func TestStrayedIndex(t *testing.T) {
	b := newBox(t, nil)
	b.agent("maker", "git update-index --force-remove work.txt; echo 'LOOP-OUTCOME: empty'")
	b.want(Options{}, 0)
	b.clean()
	b.want(Options{}, 0)
}

// An agent that shows no sign of life is ended by the idle limit; one that only waits for its network shows none.
func TestIdleLimit(t *testing.T) {
	b := newBox(t, nil)
	b.agent("maker", "echo half >> work.txt; exec sleep 100\n")
	b.want(Options{Idle: time.Second, Grace: time.Second}, 14)
	b.clean()
	has(t, b.read(".loop/k/journal.md"), "idle limit")
}

// Hooks get no secrets, and the agent gets those of its own vendor only.
// codex keeps no limit of its own: loopd counts its turns, and what a charter's budget of tool calls leaves is the most.
func TestTurnLimit(t *testing.T) {
	b := newBox(t, func(charter string) string {
		return strings.Replace(charter, "- Cadence:", "- Max tool calls: 3\n- Cadence:", 1)
	})
	b.agent("codex", `echo '{"type":"thread.started","thread_id":"t"}'; echo half >half.txt
while :; do echo '{"type":"item.completed","item":{"type":"command_execution","command":"true"}}'; sleep 0.05; done
`)
	b.want(Options{Maker: "codex"}, 14)
	b.clean()
	if text := b.read(".loop/k/journal.md"); !strings.Contains(text, "turn limit") {
		t.Errorf("journal:\n%s", text)
	}
	if spent := b.state().Private.Spent.ToolCalls; spent < 3 {
		t.Errorf("%d tool calls", spent)
	}
}

func TestWhatIsLeft(t *testing.T) {
	l := journal.Loop{}
	if turnsLeft(l) != 0 || costLeft(l, 0) != 0 {
		t.Error("a limit without a budget")
	}
	l.Charter.Budget = journal.Budget{ToolCalls: 10, Cost: 5}
	l.State.Private.Spent = journal.Spent{ToolCalls: 4, Cost: 2}
	if n := turnsLeft(l); n != 7 {
		t.Errorf("%d turns", n)
	}
	for run, want := range map[float64]float64{0: 3, 2.5: 0.5, 10: 3} {
		if got := costLeft(l, run); got != want {
			t.Errorf("with %v: %v, want %v", run, got, want)
		}
	}
}

func TestHookEnvironment(t *testing.T) {
	b := newBox(t, nil)
	b.env = append(b.env, "SOME_API_KEY=hunter2-very-secret")
	hook := filepath.Join(b.root, ".git/hooks/pre-commit")
	if err := os.WriteFile(hook, []byte("#!/bin/sh\nenv > ../hook.env\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	b.agent("maker", ships)
	b.want(Options{}, 0)
	if strings.Contains(b.read("../hook.env"), "hunter2") {
		t.Error("the hook saw a secret")
	}
}

// The agent's git refuses to push, without looking a host up.
func TestPushIsRefused(t *testing.T) {
	b := newBox(t, nil)
	b.git("init", "-q", "--bare", "../bare")
	b.git("remote", "add", "origin", "../bare")
	b.agent("maker", "git push origin HEAD:main 2> ../push.err; "+ships)
	b.want(Options{}, 0)
	has(t, b.read("../push.err"), "loopd-refuses-to-push")
	if got := b.git("ls-remote", "origin"); got != "" {
		t.Errorf("pushed: %s", got)
	}
}

// Both streams of an agent are kept, and of old ones only the newest.
func TestTranscripts(t *testing.T) {
	b := newBox(t, nil)
	b.agent("maker", "echo 'a warning' >&2; "+ships)
	for range 3 {
		b.want(Options{KeepTranscripts: 2}, 0)
	}
	found, err := filepath.Glob(filepath.Join(b.root, ".git/loopd/k/transcripts/*"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range found {
		names = append(names, filepath.Base(f))
	}
	if got := strings.Join(names, " "); got != "000002.jsonl 000002.stderr 000003.jsonl 000003.stderr" {
		t.Errorf("kept: %s", got)
	}
	if got := b.read(".git/loopd/k/transcripts/000003.stderr"); got != "a warning\n" {
		t.Errorf("stderr is %q", got)
	}
}

// A checker that can only be asked with write tools is refused before anything is spent.
func TestCheckerWithoutReadOnlyMode(t *testing.T) {
	b := newBox(t, nil)
	b.agent("maker", ships)
	_, err := b.run(Options{Once: true, Checker: "writer"})
	var usage *UsageError
	if !errors.As(err, &usage) {
		t.Fatalf("got %v", err)
	}
	has(t, err.Error(), "readonly_argv")
	if exists(filepath.Join(b.root, "../maker.prompt")) {
		t.Error("the maker was launched")
	}
}

// A git gc in the background, as any commit of many files starts one, neither holds a loop nor fails an iteration.
func TestBackgroundGC(t *testing.T) {
	b := newBox(t, nil)
	lock := ": > .git/gc.log.lock; touch -d '1 hour ago' .git/gc.log.lock\n"
	b.agent("maker", "rm -f .git/gc.log.lock; "+lock+ships) // its own commit started one
	b.write(".git/gc.log.lock", "")                         // and so did the person's
	b.want(Options{}, 0)
	b.want(Options{}, 0)
	b.clean()
}
