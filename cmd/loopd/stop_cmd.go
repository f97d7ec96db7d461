package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"loopd/journal"
	"loopd/journal/disk"
	"loopd/supervisor"
)

// Run puts STOP files, or takes them away. Neither loopd run nor an agent ever does the latter.
func (c *stopCmd) Run(a *app) error {
	if (c.Name == "") != c.All {
		return usagef("loopd stop NAME, or loopd stop --all", "name one loop, or --all")
	}
	if c.All {
		return c.all(a)
	}
	ref, err := a.find(c.Name, "")
	if err != nil {
		return err
	}
	own, fleet := filepath.Join(ref.Dir, "STOP"), supervisor.StopFile(a.Root, "")
	if c.Clear {
		if err := clearStop(a, own); err != nil {
			return err
		}
		if _, err := os.Lstat(fleet); err == nil {
			a.Print.Warn(a.show(fleet)+" still holds every loop here", "next", "loopd stop --all --clear")
		}
		return nil
	}
	if err := putStop(a, own); err != nil {
		return err
	}
	if c.Now {
		return stopNow(a, ref)
	}
	return nil
}

func (c *stopCmd) all(a *app) error {
	path := supervisor.StopFile(a.Root, "")
	if c.Clear {
		return clearStop(a, path)
	}
	if err := putStop(a, path); err != nil {
		return err
	}
	if !c.Now {
		return nil
	}
	refs, err := a.loops()
	if err != nil {
		return err
	}
	for _, ref := range refs {
		if err := stopNow(a, ref); err != nil {
			return err
		}
	}
	return nil
}

func stopNow(a *app, ref journal.Ref) error {
	s, done, err := a.operator(ref)
	if err != nil {
		return err
	}
	defer done()
	runs, err := s.StopNow(context.Background())
	if err != nil || !runs {
		return err
	}
	return a.Print.Result("%s: its agent is ended now; the change is parked and put back", ref.Name)
}

func putStop(a *app, path string) error {
	if _, err := os.Lstat(path); err == nil {
		return a.Print.Result("%s is there already", a.show(path))
	}
	text := "stopped by the operator " + time.Now().Format(time.RFC3339) + "\n"
	if err := (disk.Disk{}).Replace("stop", path, []byte(text)); err != nil {
		return fmt.Errorf("write STOP file: %w", err)
	}
	return a.Print.Result("%s written: held at the next boundary", a.show(path))
}

func clearStop(a *app, path string) error {
	err := os.Remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		return a.Print.Result("there is no %s", a.show(path))
	}
	if err != nil {
		return fmt.Errorf("take STOP file away: %w", err)
	}
	return a.Print.Result("%s taken away", a.show(path))
}
