package proc

import (
	"bytes"
	"context"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// BenchmarkStart compares Run with os/exec, turn by turn in one run. "ratio" is what a no-op exec costs against os/exec.
func BenchmarkStart(b *testing.B) {
	for _, c := range []struct {
		name   string
		stdout bool
	}{{"silent", false}, {"piped", true}} {
		b.Run(c.name, func(b *testing.B) {
			h := newTestHost(b)
			path, err := exec.LookPath("true")
			if err != nil {
				b.Fatal(err)
			}
			var ours, theirs time.Duration
			for b.Loop() {
				var out bytes.Buffer
				s, cmd := Spec{Argv: []string{path}, Marker: "LOOPD_RUN=b"}, exec.Command(path)
				cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
				if c.stdout {
					s.Stdout, cmd.Stdout = &out, &out
				}
				began := time.Now()
				if _, err := h.Run(context.Background(), s); err != nil {
					b.Fatal(err)
				}
				ours += time.Since(began)
				began = time.Now()
				if err := cmd.Run(); err != nil {
					b.Fatal(err)
				}
				theirs += time.Since(began)
			}
			b.ReportMetric(float64(ours)/float64(theirs), "ratio")
			b.ReportMetric(float64(ours.Microseconds())/float64(b.N), "µs/Run")
		})
	}
}

// BenchmarkFlood compares what comes through Run with what comes through a bare pipe and cat.
func BenchmarkFlood(b *testing.B) {
	const mib = 256
	h := newTestHost(b)
	argv := persona("flood", "256")
	var ours, theirs time.Duration
	for b.Loop() {
		began := time.Now()
		var n counter
		if res, err := h.Run(context.Background(), Spec{Argv: argv, Stdout: &n}); err != nil || n != mib<<20 {
			b.Fatal(res, err)
		}
		ours += time.Since(began)
		began = time.Now()
		if err := exec.Command("sh", append([]string{"-c", `"$0" "$@" | cat >/dev/null`}, argv...)...).Run(); err != nil {
			b.Fatal(err)
		}
		theirs += time.Since(began)
	}
	b.ReportMetric(float64(ours)/float64(theirs), "ratio")
	b.ReportMetric(mib*float64(b.N)/ours.Seconds(), "MiB/s")
}

// BenchmarkStubbornTree is how long 50 processes that ignore TERM, in sessions of their own, live after the grace.
func BenchmarkStubbornTree(b *testing.B) {
	h := newTestHost(b)
	const tree = `trap "" TERM; i=0; while [ $i -lt 50 ]; do setsid sh -c 'trap "" TERM; sleep 60; :' & i=$((i+1)); done; echo ready; wait`
	var sum time.Duration
	for b.Loop() {
		ctx, cancel := context.WithCancel(context.Background())
		var asked time.Time
		r, err := h.Run(ctx, Spec{Argv: []string{"sh", "-c", tree}, Grace: -1, Stdout: writerFunc(func(p []byte) (int, error) {
			time.Sleep(150 * time.Millisecond) // until the last of them has called setsid
			asked = time.Now()
			cancel()
			return len(p), nil
		})})
		if err != nil {
			b.Fatal(err)
		}
		if asked.IsZero() {
			b.Fatal("x", r)
		}
		sum += time.Since(asked)
	}
	b.ReportMetric(float64(sum.Microseconds())/float64(b.N), "µs/kill")
}
