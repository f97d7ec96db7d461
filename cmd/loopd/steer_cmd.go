package main

import (
	"fmt"
	"io"
	"strings"

	"loopd/journal/disk"
	"loopd/supervisor"
)

// Run leaves steering for the next iteration of a loop; "-" reads it from stdin.
func (c *steerCmd) Run(a *app) error {
	ref, err := a.find(c.Name, "")
	if err != nil {
		return err
	}
	text := strings.Join(c.Text, " ")
	if text == "-" {
		b, err := io.ReadAll(io.LimitReader(a.Stdin, 64<<10))
		if err != nil {
			return fmt.Errorf("read steering from stdin: %w", err)
		}
		text = string(b)
	}
	if strings.TrimSpace(text) == "" {
		return usagef("loopd steer "+c.Name+" TEXT", "the steering is empty")
	}
	if err := supervisor.Steer(disk.Disk{}, ref, text); err != nil {
		return err
	}
	return a.Print.Result("%s: steering left for the next iteration", c.Name)
}
