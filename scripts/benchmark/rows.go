package main

// rows are the rows of the limits page that concern the engine, what a person notices first standing first.
var rows = []row{
	one("held stdout: exit to next step", heldStdout),
	one("stubborn tree of 50: dead after the grace", stubbornTree),
	one("kill -9 of loopd: tree gone", killedSupervisor),
	{"1 GiB of stream-json in 2 M lines", flood},
	{"a line of 64 MB, then one of 1 GiB", longLine},
	one("gap: 100,000 entries against 10", history),
	one("gap: no git, no checks, against the least", plainGap),
	one("gap: full protocol against its own costs", fullProtocol),
	one("gap: full protocol against a bare loop", againstShell),
	one("gap: 50,000 files against one git status", manyFiles),
	one("cold start, outside git", coldStart(true)),
	one("cold start, in git", coldStart(false)),
	one("memory while an agent runs", memoryRunning),
	one("memory while it sleeps", memoryAsleep),
	{"asleep for 60 s", asleep},
	{"100 loops at once", hundred},
	one("prompt of 1 MB, agent writes 1 MB first", bigPrompt),
	one("binary", binarySize),
	one("loopd version", versionTime),
}
