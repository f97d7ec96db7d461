package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// soakVar asks for so many iterations; without it a short soak runs.
const soakVar = "LOOPD_SOAK"

// soakFaults are what the agent does in place of its work, in turn.
var soakFaults = []string{
	`echo garbage; exit 1`,
	`touch broken.txt; ` + claims,
	`echo TODO more >>work.txt; ` + claims,
	`setsid sh -c 'echo $$ >>$YARD/pids; exec sleep 600' & ` + honest,
	`p=$PPID; set --; while case "$(cat /proc/$p/comm)" in loopd|guard) true ;; *) false ;; esac; do set -- $p "$@"; p=$(sed 's/.*) [A-Z] //; s/ .*//' /proc/$p/stat); done; sed -i 1d work.txt; kill -9 "$@"; sleep 600`,
	`echo x >>.loop/k/LOOP.md; ` + claims,
	`echo 'I am not sure what to do.'`,
	`sed -i 1d work.txt; kill -9 $PPID; sleep 600`,
	`git commit -q --allow-empty -m mine; git branch -q extra$n; ` + claims,
	`head -c 3000000 /dev/zero | tr '\0' x; echo; ` + honest,
}

// load is what a running loopd holds.
type load struct{ fds, threads, kb int }

func loadOf(pid string) (load, bool) {
	status, err := os.ReadFile("/proc/" + pid + "/status")
	fds, errFD := os.ReadDir("/proc/" + pid + "/fd")
	if err != nil || errFD != nil {
		return load{}, false
	}
	l := load{fds: len(fds)}
	for line := range strings.Lines(string(status)) {
		f := strings.Fields(line)
		if len(f) > 1 && f[0] == "Threads:" {
			l.threads, _ = strconv.Atoi(f[1])
		} else if len(f) > 1 && f[0] == "VmRSS:" {
			l.kb, _ = strconv.Atoi(f[1])
		}
	}
	return l, true
}

// workerOf gives the process that a guard guards, "" while there is none.
func workerOf(guard string) string {
	files, _ := filepath.Glob("/proc/" + guard + "/task/*/children")
	for _, file := range files {
		children, _ := os.ReadFile(file)
		for _, pid := range strings.Fields(string(children)) {
			if comm, err := os.ReadFile("/proc/" + pid + "/comm"); err == nil && strings.TrimSpace(string(comm)) == "loopd" {
				return pid
			}
		}
	}
	return ""
}

// Many iterations with faults between them: journal, state, tree, branch and refs agree, and nothing piles up.
func TestSoak(t *testing.T) {
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skip("SKIPPED: it looks into /proc")
	}
	iterations, every := 38, 4 // each fault but the first, after which it would rest for half a minute
	if text := os.Getenv(soakVar); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		iterations, every = n, 50
	} else {
		t.Parallel()
	}
	y := newYard(t, 2*iterations)
	y.write("repo/.loop/k/LOOP.md", strings.Replace(yardCharter, "on-demand", "every 1s", 1))
	y.git("commit", "-qam", "cadence")
	script := "n=$(($(cat $YARD/n 2>/dev/null || echo 0) + 1)); echo $n >$YARD/n\n"
	script += fmt.Sprintf("if [ $((n %% %d)) -ne 0 ]; then\n%s\nexit 0; fi\ncase $((n / %d %% %d)) in\n", every, honest, every, len(soakFaults))
	for i, f := range soakFaults {
		script += fmt.Sprintf("%d) %s\n;;\n", i, f)
	}
	y.agent(script + "esac\n")

	began, starts := time.Now(), 0
	var first, last, worst load
	for done := 0; done < iterations; done = y.entries() {
		starts++
		if starts > 10+iterations/every*3 {
			t.Fatalf("%d starts for %d iterations", starts, done)
		}
		var out strings.Builder
		c := exec.Command("loopd", "run", "k", "--drain", "--now", "--max", strconv.Itoa(iterations-done), "--harness", "maker")
		c.Dir, c.Env, c.Stdout, c.Stderr = y.repo, y.env, &out, &out
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- c.Wait() }()
		look := time.NewTicker(20 * time.Millisecond)
		samples := 0
		var err error
	running:
		for {
			select {
			case err = <-ended:
				break running
			case <-look.C:
				guard := strconv.Itoa(c.Process.Pid)
				if l, ok := loadOf(workerOf(guard)); ok && l.kb > 0 {
					if samples++; samples == 50 { // a second: it has warmed up
						first = l
					}
					if last = l; samples > 50 {
						worst = load{max(worst.fds, l.fds), max(worst.threads, l.threads), max(worst.kb, l.kb)}
					}
				}
			}
		}
		look.Stop()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		switch code := c.ProcessState.ExitCode(); code {
		case 0, 14, 137, -1:
		case 13:
			if said, code := y.loopd("resume", "k", "--answer", "go on"); code != 0 {
				t.Fatalf("resume ended with %d:\n%s", code, said)
			}
		default:
			t.Fatalf("a run ended with %d:\n%s", code, out.String()[max(0, out.Len()-4000):])
		}
	}
	took := time.Since(began)
	// The last may have died: the next start settles it, and has nothing to do.
	if out, code := y.loopd("stop", "k"); code != 0 {
		t.Fatalf("stop ended with %d:\n%s", code, out)
	}
	if out, code := y.loopd("run", "k", "--once", "--harness", "maker"); code != 10 {
		t.Errorf("the settling run ended with %d:\n%s", code, out)
	}
	y.agree("k", "repo", 2*iterations)
	y.tidy()
	t.Logf("%d iterations, %d starts, %.1f ms each; at first %+v, at last %+v, at most %+v", y.entries(), starts, float64(took.Milliseconds())/float64(y.entries()), first, last, worst)
	// Only a long one tells growth from the ups and downs of an iteration.
	if os.Getenv(soakVar) != "" && first.fds > 0 && (last.fds > first.fds+16 || last.kb > first.kb+16<<10 || last.threads > first.threads+16) {
		t.Errorf("it grows: at first %+v, at last %+v, at most %+v", first, last, worst)
	}
}

var entryHead = regexp.MustCompile(`(?m)^## (\d+) · `)

// entries counts the journal's of loop k.
func (y *yard) entries() int {
	return len(entryHead.FindAllString(y.read("repo/.loop/k/journal.md"), -1))
}

// agree is the oracle: what the journal of a loop, its state, its tree (a folder of the yard), its branch and its refs say of
// one another.
func (y *yard) agree(name, tree string, todo int) {
	y.t.Helper()
	heads := entryHead.FindAllStringSubmatch(y.read("repo/.loop/"+name+"/journal.md"), -1)
	for i, h := range heads {
		if h[1] != strconv.Itoa(i+1) {
			y.t.Fatalf("%s: entry %d has number %s", name, i+1, h[1])
		}
	}
	state := y.read("repo/.loop/" + name + "/state.json")
	if n := gjson.Get(state, "iteration").Int(); int(n) != len(heads) {
		y.t.Errorf("%s: the state says %d iterations, the journal %d", name, n, len(heads))
	}
	// A loop that began on another's branch has its commits too.
	commits, err := strconv.Atoi(y.git("rev-list", "--count", "--grep=^Loop: ", "main..loop/"+name))
	if err != nil {
		y.t.Fatal(err)
	}
	if left := strings.Count(y.read(tree+"/work.txt"), "TODO"); left != todo-commits {
		y.t.Errorf("%s: %d of %d lines are left after %d commits", name, left, todo, commits)
	}
	if s := y.git("-C", y.path(tree), "status", "--porcelain", "--", ".", ":(exclude).loop"); s != "" {
		y.t.Errorf("%s: the tree is not clean: %s", name, s)
	}
	var refs []string
	for ref := range strings.Lines(y.git("for-each-ref", "--format=%(refname)", "refs/loopd/"+name)) {
		refs = append(refs, strings.TrimSpace(ref))
	}
	known := map[string]bool{}
	for _, p := range gjson.Get(state, "loopd.parked.#.ref").Array() {
		known[p.String()] = true
	}
	for _, ref := range refs {
		if !known[ref] {
			y.t.Errorf("%s is in no list", ref)
		}
	}
	if len(known) != len(refs) {
		y.t.Errorf("%s: %d parked changes, %d refs", name, len(known), len(refs))
	}
	y.git("fsck", "--no-dangling", "--connectivity-only")
}

// tidy looks for what piles up: processes, locks, temporary files, transcripts.
func (y *yard) tidy() {
	y.t.Helper()
	if left := y.alive(); len(left) > 0 {
		y.t.Errorf("alive: %v", left)
	}
	all, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		y.t.Fatal(err)
	}
	for _, file := range all {
		if b, err := os.ReadFile(file); err == nil && strings.Contains(string(b), "YARD="+y.dir+"\x00") {
			cmdline, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
			y.t.Errorf("%s is alive: %q", filepath.Dir(file), cmdline)
		}
	}
	transcripts := 0
	err = filepath.WalkDir(y.repo, func(path string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case strings.HasSuffix(name, ".lock"), strings.HasSuffix(name, ".loopd"), strings.HasPrefix(name, ".tmp"), strings.HasPrefix(name, ".loopd-"):
			y.t.Errorf("left over: %s", path)
		case strings.Contains(path, "/transcripts/") && !d.IsDir():
			transcripts++
		}
		return nil
	})
	if err != nil {
		y.t.Error(err)
	}
	if transcripts > 3*60 {
		y.t.Errorf("%d transcripts are kept", transcripts)
	}
}
