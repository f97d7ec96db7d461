package proc

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestStreams(t *testing.T) {
	h := newTestHost(t)
	big := bytes.Repeat([]byte("x"), 1<<20)
	for _, c := range []struct {
		name string
		argv []string
		in   []byte
		want string // the end of stdout
	}{
		{"no input is the end of it", persona("count"), nil, "0\n"},
		{"input", persona("count"), []byte("12345"), "5\n"},
		{"1 MiB in", persona("count"), big, "1048576\n"},
		{"1 MiB never read", persona("exit", "0"), big, ""},
		{"1 MiB out before it reads 1 MiB", persona("talk"), big, "1048576\n"},
		{"stdin closed", []string{"sh", "-c", "exec <&-; echo done"}, big, "done\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			res := run(t, h, context.Background(), Spec{Argv: c.argv, Stdin: c.in, Stdout: &out})
			if res.Exit != 0 || !strings.HasSuffix(out.String(), c.want) || c.want == "" && out.Len() > 0 {
				t.Errorf("exit %d, stdout ends in %q", res.Exit, out.String()[max(0, out.Len()-40):])
			}
		})
	}
}

func TestOneWriterForBothStreams(t *testing.T) {
	var both bytes.Buffer // the race detector would see two writers
	run(t, newTestHost(t), context.Background(), Spec{
		Argv: []string{"sh", "-c", "for i in 1 2 3 4 5 6 7 8 9; do echo out; echo err >&2; done"}, Stdout: &both, Stderr: &both,
	})
	if got, want := both.String(), strings.Repeat("out\nerr\n", 9); got != want {
		t.Errorf("got %q", got)
	}
}

func TestTerminalOnStderr(t *testing.T) {
	var out, errs bytes.Buffer
	run(t, newTestHost(t), context.Background(), Spec{Argv: persona("terminal"), Stdout: &out, Stderr: &errs, TTYStderr: true})
	if got, want := out.String(), "device=true controlling=true\n"; got != want {
		t.Errorf("stdout %q, want %q", got, want)
	}
	if got, want := errs.String(), "to the terminal\r\n"; got != want {
		t.Errorf("stderr %q, want %q", got, want)
	}
}

func TestFloodInBoundedMemory(t *testing.T) {
	h := newTestHost(t)
	var before, after runtime.MemStats
	var n counter
	runtime.ReadMemStats(&before)
	res := run(t, h, context.Background(), Spec{Argv: persona("flood", "200"), Stdout: &n})
	runtime.ReadMemStats(&after)
	if res.Exit != 0 || n != 200<<20 {
		t.Errorf("%d bytes, %+v", n, res)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 4<<20 {
		t.Errorf("allocated %d bytes", used)
	}
}

type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// What the tree printed before it died is all there, however slow the reader is.
func TestSlowWriterLosesNothing(t *testing.T) {
	var got bytes.Buffer
	slow := writerFunc(func(p []byte) (int, error) {
		time.Sleep(20 * time.Millisecond)
		return got.Write(p)
	})
	res := run(t, newTestHost(t), context.Background(), Spec{Argv: persona("flood", "1"), Stdout: slow})
	if res.Exit != 0 || got.Len() != 1<<20 {
		t.Errorf("%d bytes, %+v", got.Len(), res)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestWriterThatFailsDoesNotBlockTheTree(t *testing.T) {
	full := errors.New("disk full")
	res := run(t, newTestHost(t), context.Background(), Spec{
		Argv: persona("flood", "5"), Stdout: writerFunc(func([]byte) (int, error) { return 0, full }),
	})
	if res.Exit != 0 || !errors.Is(res.Dropped, full) {
		t.Errorf("got %+v", res)
	}
}

func TestWriterThatPanics(t *testing.T) {
	h := newTestHost(t)
	defer func() {
		if recover() == nil {
			t.Error("the panic is lost")
		}
		if len(h.execs) != 0 {
			t.Error("the exec is still in flight")
		}
	}()
	_, _ = h.Run(context.Background(), Spec{
		Argv: persona("flood", "5"), Stdout: writerFunc(func([]byte) (int, error) { panic("a fault of the reader") }),
	})
}
