package proc

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
)

// landlockLeast is the ABI that is asked for: with an older one files of other folders can be cut short (3), or nothing can
// be moved between folders, which git does all the time (2). It is never entered half (libraries.md: "it degrades silently").
const landlockLeast = 3

// scopesSignals is the ABI from which on a tree cannot send signals out of its sandbox: it cannot kill loopd.
const scopesSignals = 6

// devices are what any program may write to.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx"}

// EnterSandbox is the shim's work: it gives up the right to write anywhere but to the given paths, for good, and becomes the
// program behind "--". It returns only with an error, and the program was not started then.
func EnterSandbox(args []string) error {
	at := slices.Index(args, "--")
	if at < 0 || len(args) < at+3 {
		return errors.New("enter sandbox: no program")
	}
	var dirs, files []string
	for _, p := range args[:at] {
		info, err := os.Stat(p)
		switch {
		case err != nil:
			continue // gone since
		case info.IsDir():
			dirs = append(dirs, p)
		default:
			files = append(files, p)
		}
	}
	err := landlock.V3.RestrictPaths(landlock.RODirs("/"), landlock.RWDirs(dirs...).WithRefer(), landlock.RWFiles(files...),
		landlock.RWFiles(devices...).IgnoreIfMissing(), landlock.RWDirs("/dev/pts").IgnoreIfMissing())
	if err != nil {
		return fmt.Errorf("enter sandbox: %w", err)
	}
	if abi, _ := ll.LandlockGetABIVersion(); abi >= scopesSignals {
		if err := (landlock.Config{Scoped: ll.ScopeSignal}).RestrictScoped(); err != nil {
			return fmt.Errorf("enter sandbox: %w", err)
		}
	}
	path, argv := args[at+1], args[at+2:]
	return fmt.Errorf("start %s in the sandbox: %w", path, syscall.Exec(path, argv, os.Environ()))
}

// Facilities says what each kind of sandbox can do here. env is the environment whose PATH has bwrap.
func Facilities(env []string) []Facility {
	return []Facility{landlockHere(), bubblewrapHere(env)}
}

func landlockHere() Facility {
	f := Facility{Kind: Landlock}
	abi, err := ll.LandlockGetABIVersion()
	switch {
	case err != nil || abi <= 0:
		f.Missing = "the kernel has no Landlock, or it is switched off (lsm=)"
		return f
	case abi < landlockLeast:
		f.Missing = fmt.Sprintf("the kernel's Landlock has ABI %d, 3 (Linux 6.2) is needed", abi)
	}
	f.Fact = fmt.Sprintf("ABI %d", abi)
	if abi >= scopesSignals {
		f.Fact += ", no signals to processes outside"
	}
	return f
}

func bubblewrapHere(env []string) Facility {
	f := Facility{Kind: Bubblewrap}
	path, err := lookUp(string(Bubblewrap), env)
	if err != nil {
		f.Missing = "bwrap is not on PATH (package bubblewrap)"
		return f
	}
	version, err := exec.Command(path, "--version").Output()
	if err == nil {
		err = exec.Command(path, "--ro-bind", "/", "/", "--dev-bind", "/dev", "/dev", "true").Run()
	}
	if err != nil {
		f.Missing = fmt.Sprintf("bwrap cannot make namespaces here (%v)", err)
		return f
	}
	f.Fact = strings.TrimSpace(string(version))
	return f
}
