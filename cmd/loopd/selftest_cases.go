package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"loopd/supervisor/proc"
)

// selftest is one promise, tried. What it says begins with "skipped" where the machine has nothing to try.
type selftest struct {
	name string
	run  func(b *selftestBox) (string, error)
}

// leftBehind is an agent's child in a session of its own, with stdout held open; its pid goes into $SELFTEST/pid.
const leftBehind = `setsid sh -c 'trap "" TERM; echo $$ >"$SELFTEST/pid"; while :; do sleep 1; done' & while [ ! -s "$SELFTEST/pid" ]; do sleep 0.01; done; `

// hanging is an agent that says that it has begun, and stays.
const hanging = `echo half >half.txt; ` + leftBehind + `cp "$SELFTEST/pid" "$SELFTEST/begun"; while :; do sleep 1; done; `

// selftests are the chaos cases, in the order in which a person would ask.
var selftests = []selftest{
	{"a unit is verified, recorded and committed", func(b *selftestBox) (string, error) {
		if _, err := b.once(codeOK, ""); err != nil {
			return "", err
		}
		if err := b.is(2, 1); err != nil {
			return "", err
		}
		n, err := b.git("rev-list", "--count", "main..loop/k")
		if err == nil && n != "1" {
			err = fmt.Errorf("%s commits on loop/k, want 1", n)
		}
		return "one entry, one commit on loop/k", err
	}},
	{"a regression is put back, and kept", func(b *selftestBox) (string, error) {
		if _, err := b.once(codeFailed, "echo x >broken.txt; "); err != nil {
			return "", err
		}
		if err := b.is(3, 1); err != nil {
			return "", err
		}
		kept, err := b.git("show", "refs/loopd/k/1:broken.txt")
		if err == nil && kept != "x" {
			err = fmt.Errorf("the parked change holds %q", kept)
		}
		return "the tree is what it was, the change is under refs/loopd/k/1", err
	}},
	{"what the agent did to the loop's files and git's hooks is undone", func(b *selftestBox) (string, error) {
		hook := filepath.Join(b.repo(), ".git", "hooks", "pre-commit")
		if _, err := b.once(codeFailed, `echo "- Never stop" >>.loop/k/LOOP.md; echo x >.git/hooks/pre-commit; `); err != nil {
			return "", err
		}
		charter, err := os.ReadFile(filepath.Join(b.repo(), ".loop", "k", "LOOP.md"))
		if err == nil && string(charter) != selftestCharter {
			err = errors.New("the charter is still changed")
		}
		if _, there := os.Lstat(hook); err == nil && there == nil {
			err = errors.New("the hook is still there")
		}
		if err == nil {
			err = b.is(3, 1)
		}
		return "charter and hooks are what they were, the iteration failed", err
	}},
	{"a child that holds stdout in a session of its own is ended", func(b *selftestBox) (string, error) {
		begin := time.Now()
		if _, err := b.once(codeOK, leftBehind); err != nil {
			return "", err
		}
		took := time.Since(begin)
		pid, err := b.await("pid")
		if err == nil {
			_, err = b.gone(pid)
		}
		return fmt.Sprintf("nothing is alive after an iteration of %.1f s", took.Seconds()), err
	}},
	{"kill -9 of loopd in the middle of an iteration", func(b *selftestBox) (string, error) {
		cmd, _, err := b.start(hanging, "run", "k", "--once", "--harness", "scripted")
		if err != nil {
			return "", err
		}
		defer func() { _ = cmd.Wait() }()
		pid, err := b.await("begun")
		if err != nil {
			_ = cmd.Process.Kill()
			return "", err
		}
		if err := cmd.Process.Kill(); err != nil {
			return "", err
		}
		took, err := b.gone(pid)
		if err != nil {
			return "", err
		}
		_ = cmd.Wait()
		if _, err := b.once(codeOK, ""); err != nil {
			return "", err
		}
		return fmt.Sprintf("its tree was gone after %d ms, the next start put the half done work back and went on", took.Milliseconds()), b.is(2, 1)
	}},
	{"an interrupt ends everything and puts the tree back", func(b *selftestBox) (string, error) {
		cmd, _, err := b.start(hanging, "run", "k", "--once", "--harness", "scripted", "--grace", "200ms")
		if err != nil {
			return "", err
		}
		defer func() { _ = cmd.Wait() }()
		pid, err := b.await("begun")
		if err == nil {
			err = cmd.Process.Signal(os.Interrupt)
		}
		if err != nil {
			_ = cmd.Process.Kill()
			return "", err
		}
		_ = cmd.Wait()
		if got := cmd.ProcessState.ExitCode(); got != 128+int(syscall.SIGINT) {
			return "", fmt.Errorf("ended with %d, want 130", got)
		}
		if _, err = b.gone(pid); err != nil {
			return "", err
		}
		return "exit 130, nothing alive, no entry", b.is(3, 0)
	}},
	{"a time limit ends an agent that ignores the signal", func(b *selftestBox) (string, error) {
		if _, err := b.once(codeFailed, "trap '' TERM; "+hanging, "--timeout", "1s", "--grace", "200ms"); err != nil {
			return "", err
		}
		pid, err := b.await("pid")
		if err == nil {
			_, err = b.gone(pid)
		}
		if err == nil {
			err = b.is(3, 1)
		}
		return "ended, put back, recorded as overrun", err
	}},
	{"two loopds in one tree", func(b *selftestBox) (string, error) {
		cmd, _, err := b.start(hanging, "run", "k", "--once", "--harness", "scripted", "--grace", "200ms")
		if err != nil {
			return "", err
		}
		defer func() { _ = cmd.Wait() }()
		_, err = b.await("begun")
		if err == nil {
			_, err = b.once(codeBusy, "")
		}
		_ = cmd.Process.Signal(syscall.SIGTERM)
		return "the second is refused and says who holds the tree", err
	}},
	{"a STOP file holds the loop", func(b *selftestBox) (string, error) {
		if _, err := b.loopd(codeOK, "", "stop", "k"); err != nil {
			return "", err
		}
		if _, err := b.once(codeRefused, ""); err != nil {
			return "", err
		}
		if _, err := b.loopd(codeOK, "", "stop", "k", "--clear"); err != nil {
			return "", err
		}
		_, err := b.once(codeOK, "")
		return "held with it, runs without it", err
	}},
	sandboxTest(proc.Landlock),
	sandboxTest(proc.Bubblewrap),
}

// sandboxTest tries that an agent in a sandbox cannot write outside.
func sandboxTest(k proc.Kind) selftest {
	return selftest{"the sandbox " + string(k) + " bounds what the agent writes", func(b *selftestBox) (string, error) {
		for _, f := range proc.Facilities(b.env) {
			if f.Kind == k && f.Missing != "" {
				return "skipped: " + f.Missing, nil
			}
		}
		if !filepath.IsAbs(b.home) || strings.HasPrefix(b.home+"/", os.TempDir()+"/") || strings.HasPrefix(b.home, "/tmp/") {
			return "skipped: your home is in a temporary folder, which any agent may write to", nil
		}
		probe := filepath.Join(b.home, fmt.Sprintf(".loopd-selftest-%d", os.Getpid()))
		defer os.Remove(probe)
		if _, err := b.once(codeOK, "echo x >"+probe+" 2>/dev/null; ", "--sandbox", string(k)); err != nil {
			return "", err
		}
		if _, err := os.Lstat(probe); err == nil {
			return "", errors.New("it wrote " + probe)
		}
		return "a write outside was refused, the unit was done", b.is(2, 1)
	}}
}
