package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"loopd/journal"
	"loopd/journal/disk"
)

// unit is one scheduled loop, for whatever scheduler.
type unit struct {
	Name  string   // of the loop
	ID    string   // of the unit: letters, digits and dashes
	Root  string   // where loopd is called
	Argv  []string // the whole command, the binary absolute
	Every time.Duration
	Image string // kubernetes
}

// unitFile is one file of an export.
type unitFile struct {
	Name string
	Text string
}

// scheduler is one kind of export: its files, and what a person types to put them in force.
type scheduler struct {
	name  string
	files func(u unit) []unitFile
	next  func(u unit, dir string) []string
}

// schedulers are the kinds, in the order of the help.
var schedulers = []scheduler{
	{"systemd", systemdFiles, func(u unit, dir string) []string {
		return []string{fmt.Sprintf("cp %s/loopd-%s.* ~/.config/systemd/user/ && systemctl --user daemon-reload && systemctl --user enable --now loopd-%s.timer", dir, u.ID, u.ID), "loginctl enable-linger lets it run while nobody is logged in"}
	}},
	{"cron", cronFiles, func(u unit, dir string) []string {
		return []string{fmt.Sprintf("(crontab -l 2>/dev/null; cat %s/loopd-%s.cron) | crontab -", dir, u.ID)}
	}},
	{"launchd", launchdFiles, func(u unit, dir string) []string {
		return []string{fmt.Sprintf("cp %s/loopd.%s.plist ~/Library/LaunchAgents/ && launchctl bootstrap gui/$(id -u) ~/Library/LaunchAgents/loopd.%s.plist", dir, u.ID, u.ID)}
	}},
	{"github-actions", actionsFiles, func(u unit, dir string) []string {
		return []string{fmt.Sprintf("mkdir -p .github/workflows && cp %s/loopd-%s.yml .github/workflows/, and put the agent's key into the repository's secrets", dir, u.ID)}
	}},
	{"kubernetes", kubernetesFiles, func(u unit, dir string) []string {
		return []string{fmt.Sprintf("kubectl apply -f %s/loopd-%s.yaml, once the claim %s-work and the secret loopd-keys are there", dir, u.ID, u.ID)}
	}},
}

// Run writes the files by which a scheduler calls `run --once --if-due`. Nothing is installed or enabled: what to type for
// that is said.
func (c *exportCmd) Run(a *app) error {
	i := slices.IndexFunc(schedulers, func(s scheduler) bool { return s.name == c.For })
	if i < 0 {
		var known []string
		for _, s := range schedulers {
			known = append(known, s.name)
		}
		return usagef("loopd export "+c.Name+" --for systemd", "unknown scheduler %s%s; known: %s", quoted(c.For), suggest(c.For, known), strings.Join(known, ", "))
	}
	ref, err := a.find(c.Name, "")
	if err != nil {
		return err
	}
	d, _ := dialect(ref.Dialect)
	l, err := d.Load(ref)
	if err != nil {
		return &exitError{Code: codeUsage, What: "cannot read loop " + c.Name, Why: err, Next: "make it readable"}
	}
	if defects := l.Defects(); len(defects) > 0 {
		return usagef("loopd check "+c.Name, "%s", defects[0])
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this binary: %w", err)
	}
	if c.Binary != "" {
		self = c.Binary
	}
	if c.For == "kubernetes" && c.Image == "" {
		return usagef("loopd export "+c.Name+" --for kubernetes --image REGISTRY/IMAGE:TAG", "a pod needs an image with loopd, git and the agent CLI in it")
	}
	u := unit{Name: c.Name, ID: unitID(c.Name), Root: a.Root, Image: c.Image, Every: pollEvery(l.Charter.Budget.Cadence)}
	u.Argv = append([]string{self, "run", c.Name, "--once", "--if-due"}, c.Flags...)
	files := schedulers[i].files(u)
	if c.Out == "" {
		for _, f := range files {
			if err := a.Print.Result("# %s\n%s", f.Name, trimEnd(f.Text)); err != nil {
				return err
			}
		}
		return nil
	}
	dir := a.abs(c.Out)
	for _, f := range files {
		if _, err := os.Lstat(filepath.Join(dir, f.Name)); !errors.Is(err, fs.ErrNotExist) {
			return usagef("choose another folder, or take the file away", "%s is there already; nothing was written", a.show(filepath.Join(dir, f.Name)))
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return &exitError{Code: codeUsage, What: "cannot make the folder", Where: c.Out, Why: err, Next: "choose another one"}
	}
	for _, f := range files {
		if err := (disk.Disk{}).Replace("export", filepath.Join(dir, f.Name), []byte(f.Text)); err != nil {
			return &exitError{Code: codeFault, What: "cannot write the unit", Where: c.Out, Why: err, Next: repair(err)}
		}
		if err := a.Print.Result("wrote %s", a.show(filepath.Join(dir, f.Name))); err != nil {
			return err
		}
	}
	for _, n := range schedulers[i].next(u, c.Out) {
		a.Print.Notice("next: " + n)
	}
	return nil
}

// unitID is a name that every scheduler takes: lower case letters, digits and single dashes.
func unitID(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			b.WriteRune(r)
		} else if !strings.HasSuffix(b.String(), "-") {
			b.WriteByte('-')
		}
	}
	if id := strings.Trim(b.String(), "-"); id != "" {
		return id[:min(len(id), 40)]
	}
	return "loop"
}

// pollEvery is how often a scheduler asks whether the loop is due. loopd decides by the cadence, and answers at once where
// it is not: asking costs a few milliseconds.
func pollEvery(c journal.Cadence) time.Duration {
	switch c.Kind {
	case journal.Daily, journal.Cron:
		return 5 * time.Minute
	case journal.Every:
		return min(max(c.Every.Truncate(time.Minute), time.Minute), 15*time.Minute)
	}
	return 15 * time.Minute
}
