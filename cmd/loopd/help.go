package main

import (
	"fmt"

	"github.com/alecthomas/kong"
)

const description = "loopd runs agent CLIs through repeated jobs: one fresh iteration after the other, each verified, recorded, " +
	"and put back where it failed.\n\n" +
	"Every flag has an environment variable, LOOPD_ and its name (LOOPD_MAX_COST). Precedence: flag, environment, charter, " +
	".loop/config.toml, the user's config.toml, default; loopd config shows where each value came from."

// examples holds one example a command, by its path.
var examples = map[string]string{
	"init":         "loopd init kaizen --archetype ratchet-climb --goal \"No TODO is left in src.\"",
	"check":        "loopd check kaizen",
	"activate":     "loopd activate kaizen --yes",
	"run":          "loopd run kaizen --drain --max 10 --for 8h",
	"status":       "loopd status kaizen",
	"log":          "loopd log kaizen -n 3 -f",
	"watch":        "loopd watch",
	"serve":        "loopd serve --listen 127.0.0.1:7077",
	"report":       "loopd report kaizen --html kaizen.html",
	"steer":        "loopd steer kaizen \"Leave the parser alone today.\"",
	"stop":         "loopd stop kaizen --now",
	"pause":        "loopd pause kaizen",
	"resume":       "loopd resume kaizen --answer \"Use the second design.\"",
	"retire":       "loopd retire kaizen",
	"promote":      "loopd promote kaizen --by ada",
	"demote":       "loopd demote kaizen",
	"adjudicate":   "loopd adjudicate kaizen --park",
	"parked":       "loopd parked kaizen show 7",
	"harness":      "loopd harness",
	"harness list": "loopd harness list",
	"harness test": "loopd harness test claude --model opus",
	"notify":       "loopd notify",
	"notify list":  "loopd notify list",
	"notify test":  "loopd notify test phone",
	"loop":         `loopd loop "Fix one lint error" --until "the linter is quiet" --check "make lint" --max 10`,
	"doctor":       "loopd doctor kaizen",
	"signs":        "loopd signs kaizen --stale",
	"replay":       "loopd replay ci-repair",
	"skills":       "loopd skills",
	"classify":     "loopd classify out.jsonl --harness claude --exit 1",
	"config":       "loopd config",
	"export":       "loopd export kaizen --for systemd --out units -- --harness claude",
	"selftest":     "loopd selftest",
	"completion":   "source <(loopd completion bash)",
	"man":          "loopd man | man -l -",
	"version":      "loopd version --json",
}

// addExamples puts each command's example into its help.
func addExamples(k *kong.Kong) error {
	var visit func(n *kong.Node)
	visit = func(n *kong.Node) {
		for _, child := range n.Children {
			if example := examples[child.Path()]; example != "" {
				child.Detail = "Example:\n\n    " + example
			}
			visit(child)
		}
	}
	visit(k.Model.Node)
	return nil
}

// printHelp is kong's own help; a command's leaves out the global flags, the main one adds the exit codes.
func printHelp(options kong.HelpOptions, ctx *kong.Context) error {
	if ctx.Selected() == nil {
		if err := kong.DefaultHelpPrinter(options, ctx); err != nil {
			return err
		}
		_, err := fmt.Fprint(ctx.Stdout, "\n"+exitHelp())
		return err
	}
	for _, flag := range ctx.Model.Flags {
		flag.Hidden = true
	}
	if err := kong.DefaultHelpPrinter(options, ctx); err != nil {
		return err
	}
	_, err := fmt.Fprintln(ctx.Stdout, "\nGlobal flags and exit codes: loopd --help")
	return err
}
