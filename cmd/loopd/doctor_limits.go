package main

import (
	"strconv"
	"strings"

	"loopd/harness"
	"loopd/journal"
	"loopd/supervisor/proc"
)

// startsProposeOnly (D8): write access is earned and then allowed by a person, it does not stand in a fresh charter.
func startsProposeOnly(p *patient) ([]journal.Finding, error) {
	const section = "Promotion"
	var out []journal.Finding
	approved := p.Loop.State.Private.Approved
	if mode := p.Loop.Charter.Promotion.Mode; mode.Wider(journal.ProposeOnly) && mode.Wider(approved) {
		out = append(out, p.at(0, section, string(mode), "Current mode: propose-only", "start there; loopd promote "+p.Loop.Name+" --by WHO widens it once it is earned"))
	}
	if mode := p.Loop.State.Promotion.Mode; p.Loop.HasState && mode.Wider(journal.ProposeOnly) && mode.Wider(approved) {
		out = append(out, p.at(0, section, "promotion.mode "+string(mode)+" in state.json", "no wider mode than a person approved", "loopd demote "+p.Loop.Name))
	}
	return out, nil
}

// budgetCanBeKept (D9): the reader saw to it that iterations, time and cadence are bounded; here a bound on cost must be
// one that somebody counts.
func budgetCanBeKept(p *patient) ([]journal.Finding, error) {
	limit := value(p.Settings, "max-cost")
	if cost, err := strconv.ParseFloat(limit, 64); err != nil || cost <= 0 {
		return nil, nil
	}
	h, err := p.Harnesses.Lookup(value(p.Settings, "harness"))
	if err != nil || h.Caps().ReportsCost {
		return nil, nil
	}
	model := value(p.Settings, "model")
	if _, ok := p.Config.Prices[model]; ok {
		return nil, nil
	}
	fix := "add [price." + strconv.Quote(model) + "] to config.toml"
	if model == "" {
		fix = "name a model and add its [price.\"MODEL\"] to config.toml"
	}
	return []journal.Finding{p.at(0, "Budget", "Max cost "+limit, "a cost that can be counted: "+h.Name()+" reports none", fix)}, nil
}

func configIsValid(p *patient) ([]journal.Finding, error) { return p.ConfigFindings, nil }

// harnessIsHere: each harness that the loop would use is known, installed, and able to do its part.
func harnessIsHere(p *patient) ([]journal.Finding, error) {
	var out []journal.Finding
	bad := func(setting, read, want, fix string) {
		out = append(out, journal.Finding{File: origin(p.Settings, setting), Field: setting, Read: read, Want: want, Fix: fix})
	}
	for _, part := range []struct {
		setting  string
		readOnly bool
	}{{"harness", false}, {"checker", true}, {"escalate", true}} {
		name := value(p.Settings, part.setting)
		if part.setting == "escalate" {
			name, _, _ = strings.Cut(name, ":") // H:MODEL
		}
		if name == "" {
			if part.setting == "harness" {
				bad("harness", "", "an agent CLI", "install claude or codex, or describe another under [harness.NAME] in config.toml")
			}
			continue
		}
		h, err := p.Harnesses.Lookup(name)
		if err != nil {
			bad(part.setting, name, "a known harness", err.Error())
			continue
		}
		inv, err := h.Invoke(harness.Request{ReadOnly: part.readOnly, Dir: p.Loop.Root, ScratchDir: scratchWord})
		if err != nil {
			bad(part.setting, name, "a harness that can do this part", err.Error())
			continue
		}
		if _, err := proc.Find(inv.Argv[0], p.Loop.Root, p.Env); err != nil {
			bad(part.setting, name, "a program that is here", err.Error())
		}
	}
	return out, nil
}

func origin(settings []Setting, name string) string {
	for _, s := range settings {
		if s.Name == name {
			return s.Origin
		}
	}
	return "default"
}

// gitCanPutBack: there is a repository, and its commits have an author.
func gitCanPutBack(p *patient) ([]journal.Finding, error) {
	at := func(read, want, fix string, warn bool) []journal.Finding {
		return []journal.Finding{{File: p.Show(p.Loop.Root), Field: "git", Read: read, Want: want, Fix: fix, Warning: warn}}
	}
	if value(p.Settings, "no-git") == "true" {
		return at("--no-git", "a repository", "nothing can be put back: a failed iteration is flagged \"not reverted\"", true), nil
	}
	got, err := p.Shell("git rev-parse --is-inside-work-tree")
	if err != nil {
		return nil, err
	}
	if got.Exit != 0 {
		return at("no repository", "a git repository", "git init, or run with --no-git: then nothing can be put back", false), nil
	}
	got, err = p.Shell("git rev-parse --verify -q HEAD")
	if err != nil {
		return nil, err
	}
	if got.Exit != 0 {
		return at("no commit yet", "a first commit to put back to", "git commit", false), nil
	}
	got, err = p.Shell("git -c user.useConfigOnly=true var GIT_COMMITTER_IDENT")
	if err != nil {
		return nil, err
	}
	if got.Exit != 0 {
		return at("no identity", "user.name and user.email", "git config user.name NAME; git config user.email ADDRESS", false), nil
	}
	return nil, nil
}
