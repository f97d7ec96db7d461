package supervisor

// Exit codes that a run can end with (spec/cli.md). The program's one table of all of them, with their meanings, is in
// cmd/loopd/exit.go; a test there compares the two.
const (
	CodeOK          = 0
	CodeFault       = 1
	CodeRefused     = 10
	CodeBusy        = 11
	CodeDone        = 12
	CodeHeld        = 13
	CodeFailed      = 14
	CodeUnavailable = 15
	CodeLimited     = 16
	CodeBudget      = 17
	CodeUsage       = 80
	CodeInterrupt   = 130
	CodeTerminated  = 143
	CodeHangup      = 129
)
