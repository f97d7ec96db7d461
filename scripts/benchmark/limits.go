package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// limits are what the machine itself takes, medians in milliseconds.
type limits struct {
	Exec    sample `json:"fork_exec_wait"`
	Append  sample `json:"append_fsync"`
	Replace sample `json:"atomic_replace_folder_fsync"`
}

func (b *bench) measureLimits() (limits, error) {
	dir, err := os.MkdirTemp(b.dir, "limits.")
	if err != nil {
		return limits{}, err
	}
	log, err := os.OpenFile(filepath.Join(dir, "log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return limits{}, err
	}
	defer log.Close()
	folder, err := os.Open(dir)
	if err != nil {
		return limits{}, err
	}
	defer folder.Close()
	line := make([]byte, 400)
	l := limits{}
	for _, m := range []struct {
		into *sample
		what string
		once func() error
	}{
		{&l.Exec, "fork+exec+wait", func() error { return exec.Command("/bin/true").Run() }},
		{&l.Append, "append+fsync", func() error {
			if _, err := log.Write(line); err != nil {
				return err
			}
			return log.Sync()
		}},
		{&l.Replace, "atomic replace", func() error {
			name := filepath.Join(dir, "new")
			f, err := os.Create(name)
			if err != nil {
				return err
			}
			defer f.Close()
			if _, err := f.Write(line); err != nil {
				return err
			}
			if err := f.Sync(); err != nil {
				return err
			}
			if err := os.Rename(name, filepath.Join(dir, "state")); err != nil {
				return err
			}
			return folder.Sync()
		}},
	} {
		var times []float64
		for range 100 {
			began := time.Now()
			if err := m.once(); err != nil {
				return l, fmt.Errorf("%s: %w", m.what, err)
			}
			times = append(times, ms(time.Since(began)))
		}
		*m.into = sampleOf(m.what, times)
	}
	return l, nil
}

func (l limits) print(out io.Writer) {
	fmt.Fprintln(out, "This machine by itself (ms, median):")
	for _, s := range []sample{l.Exec, l.Append, l.Replace} {
		fmt.Fprintf(out, "  %-16s %s (%s to %s)\n", s.What, number(s.Median), number(s.Low), number(s.High))
	}
}
