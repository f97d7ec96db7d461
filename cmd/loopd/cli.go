package main

import "time"

// cli is the whole grammar: structs and tags only. What a command does stands in its own file, its example in help.go.
// A flag whose command belongs to a later version is not declared.
type cli struct {
	globals

	Init       initCmd       `cmd:"" help:"Write the charter of a new loop."`
	Check      checkCmd      `cmd:"" help:"May these loops start? The loop doctor's D1 to D9, harness and config."`
	Activate   activateCmd   `cmd:"" help:"Confirm a loop and set it active."`
	Run        runCmd        `cmd:"" help:"Run iterations of a loop until something stops it."`
	Loop       loopCmd       `cmd:"" help:"Repeat a task until its objective is met, in a tracking document."`
	Status     statusCmd     `cmd:"" help:"One row a loop; with a name, its page."`
	Log        logCmd        `cmd:"" help:"Journal entries, or the transcript of an iteration."`
	Watch      watchCmd      `cmd:"" help:"All loops on a screen of their own, with keys for what you can do."`
	Serve      serveCmd      `cmd:"" help:"The pages of report, live, on this machine."`
	Report     reportCmd     `cmd:"" help:"What came of the loops: a rollup, or a page."`
	Steer      steerCmd      `cmd:"" help:"Leave steering for the next iteration."`
	Stop       stopCmd       `cmd:"" help:"Hold a loop, or all, by a STOP file."`
	Pause      pauseCmd      `cmd:"" help:"Pause a loop at its next boundary."`
	Resume     resumeCmd     `cmd:"" help:"Let a paused, stalled or blocked loop run again."`
	Retire     retireCmd     `cmd:"" help:"End a loop for good; its files stay."`
	Promote    promoteCmd    `cmd:"" help:"Give a loop that earned it the next promotion mode."`
	Demote     demoteCmd     `cmd:"" help:"Take a loop back to propose-only."`
	Adjudicate adjudicateCmd `cmd:"" help:"Decide on a dirty working tree."`
	Parked     parkedCmd     `cmd:"" help:"Show, apply or drop changes that were put back."`
	Harness    harnessCmd    `cmd:"" help:"Which agent CLIs are here, and how they would be started."`
	Doctor     doctorCmd     `cmd:"" help:"May these loops start (D1 to D9), and are they well (H1 to H9)?"`
	Signs      signsCmd      `cmd:"" help:"The rules that a loop earned, each with the failure that earned it."`
	Replay     replayCmd     `cmd:"" help:"Prove that a contract's receipts give its state."`
	Skills     skillsCmd     `cmd:"" help:"Which iteration skills are here, and where."`
	Classify   classifyCmd   `cmd:"" help:"What loopd makes of a captured output of an agent CLI."`
	Notify     notifyCmd     `cmd:"" help:"The channels by which a person is told, and a test of them."`
	Config     configCmd     `cmd:"" help:"Show each setting and where it came from."`
	Export     exportCmd     `cmd:"" help:"The files by which a scheduler calls run --once --if-due."`
	Selftest   selftestCmd   `cmd:"" help:"Try on this machine what loopd promises, with a scripted agent."`
	Completion completionCmd `cmd:"" help:"The completion script of a shell."`
	Complete   completeCmd   `cmd:"" hidden:"" help:"What may stand in the place of the last word."`
	Man        manCmd        `cmd:"" help:"The manual page, for man -l -."`
	Version    versionCmd    `cmd:"" help:"Show the version of this binary."`
}

// globals stand before or behind every command.
type globals struct {
	Dir       string `short:"C" name:"dir" placeholder:"DIR" help:"Work as if started in DIR."`
	LoopRoot  string `placeholder:"DIR" help:"The folder that holds .loop; else the nearest one upwards, or the repository."`
	Config    string `placeholder:"FILE" help:"Read FILE in place of .loop/config.toml."`
	LogLevel  string `enum:"debug,info,warn,error," default:"" placeholder:"LEVEL" help:"debug, info, warn or error (default info)."`
	LogFormat string `enum:"text,json," default:"" placeholder:"FORMAT" help:"Form of the log on stderr: text or json (default text)."`
	NoColor   bool   `help:"No colour; NO_COLOR does the same."`
	Quiet     bool   `short:"q" help:"Warnings and errors only, on stderr."`
	Verbose   bool   `short:"v" help:"More on stderr, with the causes of errors."`
}

type initCmd struct {
	Name      string `arg:"" help:"Name of the new loop."`
	Archetype string `placeholder:"A" help:"Kind of the loop; a native one must name it: backlog-drain, ratchet-climb, red-green, watch-and-report, evaluate-optimize, babysitter or pipeline."`
	Goal      string `placeholder:"TEXT" help:"The goal in one sentence."`
	Dialect   string `default:"native" placeholder:"D" help:"On-disk convention: native, markdown, driver or contract (default native)."`
	Interview bool   `help:"Ask, on this terminal, what only you can say."`
	From      string `placeholder:"TEXT" help:"Let an agent draft it from the goal in these words; the draft has to pass check."`
	Harness   string `placeholder:"H" help:"Agent CLI that drafts with --from."`
}

type checkCmd struct {
	Names    []string `arg:"" optional:"" name:"name" help:"Loops to check; all where none is named."`
	Contract string   `placeholder:"FILE" help:"Check a loop contract in place of loops."`
	Strict   bool     `help:"With --contract: also what must hold before it is run."`
	JSON     bool     `help:"One JSON object a loop, or the contract's."`
}

type activateCmd struct {
	Name            string   `arg:"" help:"The loop."`
	Yes             bool     `xor:"answer" help:"Confirm without asking."`
	Wait            bool     `xor:"answer" help:"Of a markdown loop: confirm, and let it wait for a later tick."`
	Max             int      `xor:"bound" placeholder:"N" help:"Of a markdown loop: at most N iterations."`
	UntilQueueEmpty bool     `xor:"bound" help:"Of a markdown loop: until its conditions end it."`
	UntilCheck      string   `xor:"bound" placeholder:"CMD" help:"Of a markdown loop: until the command succeeds."`
	Gate            bool     `xor:"bound" help:"Of a markdown loop: to the next gate."`
	Detail          []string `sep:"none" placeholder:"K=V" help:"Of a markdown loop: one of its Required Activation Details."`
	Gitignore       string   `enum:"add,leave," default:"" placeholder:"WAY" help:"Of a markdown loop: add its runtime files to .gitignore, or leave it as it is."`
}

// runCmd holds the settings of a run. Once settle has been called its fields hold what is in force.
type runCmd struct {
	Name  string   `arg:"" optional:"" help:"The loop; none with --contract."`
	Flags []string `arg:"" optional:"" help:"After --: flags of an iteration skill, passed on as they are."`

	Once      bool `help:"One iteration, now."`
	IfDue     bool `help:"Only if its time has come; else exit 10 at once. For schedulers."`
	PrintWake bool `help:"At the end print the command of the next wake."`
	Now       bool `help:"Start even before a usage limit's reset time."`
	Drain     bool `help:"Back to back while iterations are productive."`

	Max   int           `placeholder:"N" help:"At most N iterations in this run."`
	For   time.Duration `placeholder:"DURATION" help:"At most so long, e.g. 8h."`
	Until string        `placeholder:"CMD" help:"End when this command succeeds."`

	Harness  string `placeholder:"H" help:"Agent CLI that does the work."`
	Model    string `placeholder:"M" help:"Model that it shall use."`
	Fallback string `placeholder:"H,H" help:"Agent CLIs that take over, in order, while the first is limited or unavailable."`
	Escalate string `placeholder:"H" help:"Agent CLI that is asked once when the loop stalls; H:MODEL names a model."`
	Checker  string `placeholder:"H" help:"Agent CLI that judges each change, without write tools; H:MODEL names a model."`

	Judge string `placeholder:"H" help:"Agent CLI that weighs conditions in prose, without write tools; else the one that works."`

	UntilQueueEmpty bool     `xor:"bound" help:"Of a markdown loop: this activation goes on until its conditions end it."`
	UntilCheck      string   `xor:"bound" placeholder:"CMD" help:"Of a markdown loop: this activation goes on until the command succeeds."`
	Gate            bool     `xor:"bound" help:"Of a markdown loop: this activation goes to the next gate."`
	Detail          []string `sep:"none" placeholder:"K=V" help:"Of a markdown loop: one of its Required Activation Details."`

	Worktree  bool   `help:"Work in a git worktree of its own."`
	Protect   bool   `help:"In a loop that leaves git to the agent: want a clean tree, put back what fails, commit what ships."`
	Sandbox   string `placeholder:"KIND" help:"Bound what the agent can write: landlock, bwrap or none."`
	NoGit     bool   `help:"Work outside git: nothing can be put back."`
	Baseline  bool   `help:"Run the checks before the iteration too, to tell what was red before."`
	IdleCount int    `placeholder:"N" help:"Of an iteration skill: start with N idle iterations in a row."`

	Timeout     time.Duration `placeholder:"D" help:"Wall clock of one iteration, e.g. 45m."`
	IdleTimeout time.Duration `placeholder:"D" help:"End an agent that shows no life for so long (default 20m)."`
	Grace       time.Duration `placeholder:"D" help:"Between the stop signal and KILL (default 10s)."`
	MaxCost     float64       `placeholder:"USD" help:"Stop before the loop has cost more."`

	Contract string `placeholder:"FILE" help:"Run a loop contract, after the checks of check --contract --strict."`
	Workers  int    `placeholder:"N" help:"Of a contract with manager-workers: at most N workers at once (default 2)."`

	DryRun  bool   `help:"Show gate, prompt, argv and plan; change nothing."`
	Yes     bool   `help:"Answer yes to the questions before the start."`
	Dialect string `placeholder:"D" help:"Where two conventions have a loop of this name."`
	JSON    bool   `help:"One JSON object an iteration on stdout."`
}

type loopCmd struct {
	Task    string        `arg:"" optional:"" help:"What to repeat."`
	Until   string        `placeholder:"OBJECTIVE" help:"The condition that ends it, as an outcome."`
	Max     int           `placeholder:"N" help:"At most N iterations, those of earlier runs included (default 3)."`
	Check   string        `placeholder:"CMD" help:"The command that decides: exit 0 is met, whatever the agent says."`
	Resume  string        `placeholder:"SLUG" help:"Go on with a loop that is there; --max raises its bound."`
	Judge   string        `placeholder:"H" help:"Agent CLI that says whether the objective is met, without write tools."`
	Answer  string        `placeholder:"TEXT" help:"With --resume: the answer to its question."`
	Harness string        `placeholder:"H" help:"Agent CLI that does the work."`
	Model   string        `placeholder:"M" help:"Model that it shall use."`
	Timeout time.Duration `placeholder:"D" help:"Wall clock of one iteration, e.g. 45m."`
	Yes     bool          `help:"Answer yes to the questions before the start."`
}

type doctorCmd struct {
	Names []string `arg:"" optional:"" name:"name" help:"Loops to examine; all where none is named."`
	JSON  bool     `help:"One JSON object a loop."`
}

type signsCmd struct {
	Name  string `arg:"" help:"The loop."`
	Stale bool   `help:"Only those that no failure has matched for long."`
	For   int    `default:"20" placeholder:"N" help:"How many iterations that is (default 20)."`
	JSON  bool   `help:"One JSON object a rule."`
}

type replayCmd struct {
	Name    string `arg:"" help:"The loop of the contract."`
	Restore bool   `help:"Write the state that the receipts give."`
	JSON    bool   `help:"One JSON object."`
}

type skillsCmd struct {
	JSON bool `help:"One JSON object a skill."`
}

type statusCmd struct {
	Name string `arg:"" optional:"" help:"The loop; all where none is named."`
	JSON bool   `help:"One JSON object a loop."`
	// Watch is of spec/cli.md; for keys there is the command watch.
	Watch bool `help:"Show it again every second, until Ctrl-C."`
}

type logCmd struct {
	Name       string `arg:"" help:"The loop."`
	Entries    int    `short:"n" default:"10" placeholder:"N" help:"The last N entries (default 10)."`
	Follow     bool   `short:"f" help:"Go on as entries are added."`
	Transcript int    `placeholder:"N" help:"The transcript of iteration N."`
	JSON       bool   `help:"One JSON object an entry."`
}

type watchCmd struct {
	Root []string `arg:"" optional:"" name:"root" help:"Folders whose loops are shown; this one where none is named."`
}

type serveCmd struct {
	Listen       string `default:"127.0.0.1:7077" placeholder:"HOST:PORT" help:"Where to listen (default 127.0.0.1:7077; port 0 takes a free one)."`
	AllowControl bool   `help:"Let requests with the printed token steer, pause, resume, stop and clear."`
	IKnow        bool   `name:"i-know" help:"Listen on an address that others reach; the token is needed for reading too."`
}

type reportCmd struct {
	Name string `arg:"" optional:"" help:"The loop; all where none is named."`
	HTML string `name:"html" xor:"form" placeholder:"FILE" help:"Write one page that needs nothing else."`
	JSON bool   `xor:"form" help:"One JSON object a loop."`
}

type steerCmd struct {
	Name string   `arg:"" help:"The loop."`
	Text []string `arg:"" help:"The steering; - reads it from stdin."`
}

type stopCmd struct {
	Name  string `arg:"" optional:"" help:"The loop."`
	All   bool   `help:"Every loop here."`
	Now   bool   `xor:"stop" help:"End a running iteration at once; its change is parked and put back."`
	Clear bool   `xor:"stop" help:"Take the STOP file away."`
}

type pauseCmd struct {
	Name string `arg:"" help:"The loop."`
}

type resumeCmd struct {
	Name    string `arg:"" help:"The loop."`
	Answer  string `placeholder:"TEXT" help:"The answer to its question; it becomes steering."`
	Approve bool   `help:"Of a contract: allow the action that it asks for, once."`
	By      string `placeholder:"WHO" help:"With --approve: the person who allows it."`
}

type retireCmd struct {
	Name string `arg:"" help:"The loop."`
}

type promoteCmd struct {
	Name string `arg:"" help:"The loop."`
	By   string `required:"" placeholder:"WHO" help:"The person who allows it."`
}

type demoteCmd struct {
	Name string `arg:"" help:"The loop."`
}

type adjudicateCmd struct {
	Name    string `arg:"" help:"The loop."`
	Park    bool   `xor:"answer" required:"" help:"Keep the change under a ref and put the tree back."`
	Keep    bool   `xor:"answer" required:"" help:"Commit the change and let the loop run."`
	Backlog bool   `xor:"answer" required:"" help:"Park it and add a backlog item for it."`
}

type parkedCmd struct {
	Name   string `arg:"" help:"The loop."`
	Action string `arg:"" optional:"" enum:"list,show,apply,drop" default:"list" help:"show, apply or drop; else the list."`
	N      int    `arg:"" optional:"" help:"Number of the iteration."`
}

type notifyCmd struct {
	List notifyListCmd `cmd:"" default:"1" help:"The channels of config.toml, and what waits for them."`
	Test notifyTestCmd `cmd:"" help:"Send a test message, and say whether it left."`
}

type notifyListCmd struct{}

type notifyTestCmd struct {
	Channels []string `arg:"" optional:"" name:"channel" help:"Names from config.toml; without one, all of them."`
	Loop     string   `placeholder:"NAME" help:"The channels that this loop's charter names."`
}

type harnessCmd struct {
	List harnessListCmd `cmd:"" default:"1" help:"Which agent CLIs are here, their version and login."`
	Test harnessTestCmd `cmd:"" help:"The exact argv and environment of one, and a run of one turn."`
}

type harnessListCmd struct{}

type harnessTestCmd struct {
	Name        string        `arg:"" help:"The harness."`
	Model       string        `placeholder:"M" help:"Model to ask for."`
	ReadOnly    bool          `help:"Run it as a checker or second vendor would run."`
	NoRun       bool          `help:"Only show how it would be started; ask no model."`
	Timeout     time.Duration `default:"3m" placeholder:"D" help:"Wall clock of the run (default 3m)."`
	IdleTimeout time.Duration `default:"2m" placeholder:"D" help:"End it when it shows no life for so long (default 2m)."`
	JSON        bool          `help:"As one JSON object."`
}

type classifyCmd struct {
	File    string `arg:"" help:"What the CLI printed on stdout; - reads it from stdin."`
	Harness string `required:"" placeholder:"H" help:"Which CLI printed it."`
	Exit    int    `placeholder:"N" help:"Its exit code (default 0)."`
	Stderr  string `placeholder:"FILE" help:"What it printed on stderr."`
	JSON    bool   `help:"As one JSON object."`
}

type configCmd struct {
	JSON bool `help:"One JSON object a setting."`
}

type exportCmd struct {
	Name   string   `arg:"" help:"The loop."`
	Flags  []string `arg:"" optional:"" help:"After --: flags of run, passed on as they are."`
	For    string   `required:"" placeholder:"S" help:"systemd, cron, launchd, github-actions or kubernetes."`
	Out    string   `placeholder:"DIR" help:"Write the files into DIR; else they are shown."`
	Binary string   `placeholder:"PATH" help:"The loopd that is called; else this one."`
	Image  string   `placeholder:"IMAGE" help:"Of kubernetes: an image with loopd, git and the agent CLI."`
}

type selftestCmd struct {
	JSON bool `help:"One JSON object a line."`
}

type completionCmd struct {
	Shell string `arg:"" help:"bash, zsh or fish."`
}

type completeCmd struct {
	Words []string `arg:"" optional:"" passthrough:""`
}

type manCmd struct{}

type versionCmd struct {
	JSON bool `help:"As one JSON object."`
}
