package proc

import (
	"strings"
	"time"
)

// EndMarked kills the processes of this user that carry marker (the Marker of a Spec, whatever the number of the exec)
// in the environment that they were started with, again and again until none is found, and says how many it killed. It
// is for recovery: what a supervisor left whose guard was killed with it. A process that scrubbed its environment is
// not found. It gives up after two seconds.
func EndMarked(marker string) int {
	if !strings.Contains(marker, "=") {
		return 0
	}
	match := func(entry string) bool {
		rest, ok := strings.CutPrefix(entry, marker)
		return ok && (rest == "" || rest[0] == '.' && strings.Trim(rest[1:], "0123456789") == "")
	}
	killed := map[int]bool{}
	began := time.Now()
	for time.Since(began) < sweepLimit {
		found := false
		for _, pid := range processes() {
			if killIf(pid, match) {
				killed[pid], found = true, true
			}
		}
		if !found {
			break
		}
		time.Sleep(time.Millisecond)
	}
	return len(killed)
}
