package harness_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"loopd/harness"
)

// flood is a stream of about size bytes in lines of half a kilobyte, with a good answer at its end.
func flood(cli, kind string, size int) []byte {
	pad := strings.Repeat("some text that an agent says, ", 12)
	line := map[string]string{
		"claude assistant": `{"type":"assistant","message":{"content":[{"type":"text","text":"` + pad + `"}],"id":"m","role":"assistant"},"parent_tool_use_id":null,"session_id":"s"}`,
		"claude user":      `{"type":"user","message":{"role":"user","content":[{"tool_use_id":"t","type":"tool_result","content":"` + pad + `"}]},"session_id":"s"}`,
		"codex item":       `{"type":"item.completed","item":{"id":"i","type":"command_execution","command":"ls","aggregated_output":"` + pad + `","exit_code":0,"status":"completed"}}`,
		"codex message":    `{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"` + pad + `"}}`,
	}[cli+" "+kind] + "\n"
	end := `{"type":"result","subtype":"success","is_error":false,"result":"done"}` + "\n"
	if cli == "codex" {
		end = `{"type":"item.completed","item":{"type":"agent_message","text":"done"}}` + "\n" + `{"type":"turn.completed","usage":{}}` + "\n"
	}
	return append(bytes.Repeat([]byte(line), size/len(line)), end...)
}

// BenchmarkFlood compares a fold with the least that any reader of the stream has to do: split it into lines and look up
// one field of each. Must: at most 2.5 times that; wanted: 1.5 times.
func BenchmarkFlood(b *testing.B) {
	for _, cli := range []string{"claude", "codex"} {
		for _, kind := range map[string][]string{"claude": {"assistant", "user"}, "codex": {"item", "message"}}[cli] {
			stream := flood(cli, kind, 64<<20)
			b.Run(fmt.Sprintf("%s %s/bare", cli, kind), func(b *testing.B) {
				b.SetBytes(int64(len(stream)))
				for b.Loop() {
					r := bufio.NewReaderSize(bytes.NewReader(stream), 64<<10)
					for {
						line, err := r.ReadSlice('\n')
						if gjson.GetBytes(line, "type").Str == "never" {
							b.Fatal("never")
						}
						if err != nil {
							break
						}
					}
				}
			})
			b.Run(fmt.Sprintf("%s %s/fold", cli, kind), func(b *testing.B) {
				b.SetBytes(int64(len(stream)))
				h := lookupBench(b, cli)
				for b.Loop() {
					if reply, err := harness.Read(h, bytes.NewReader(stream), harness.Exit{}); err != nil || reply.Stop != harness.Complete {
						b.Fatal(err, reply.Stop)
					}
				}
			})
		}
	}
}

// BenchmarkOneLine is a flood without newlines, against copying it into a buffer of the same size as a pipe read.
func BenchmarkOneLine(b *testing.B) {
	chunk := bytes.Repeat([]byte("x"), 64<<10)
	for _, size := range []int{64 << 20, 1 << 30} {
		b.Run(fmt.Sprintf("%d MB", size>>20), func(b *testing.B) {
			b.SetBytes(int64(size))
			for b.Loop() {
				lines := harness.NewLines(func([]byte) {})
				for left := size; left > 0; left -= len(chunk) {
					lines.Write(chunk)
				}
				lines.Close()
			}
		})
	}
}

func lookupBench(b *testing.B, name string) harness.Harness {
	b.Helper()
	set, err := harness.Named(nil)
	if err != nil {
		b.Fatal(err)
	}
	h, err := set.Lookup(name)
	if err != nil {
		b.Fatal(err)
	}
	return h
}

// What stays in memory does not grow with the output.
func TestFloodMemory(t *testing.T) {
	for _, cli := range []string{"claude", "codex"} {
		kind := map[string]string{"claude": "assistant", "codex": "message"}[cli]
		stream := flood(cli, kind, 32<<20)
		h := named(t, cli)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		fold := h.Fold()
		lines := harness.NewLines(func(line []byte) { fold.Line(line) })
		for r := bytes.NewReader(stream); ; {
			if _, err := io.CopyN(struct{ io.Writer }{lines}, r, 64<<10); err != nil {
				break
			}
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 4<<20 {
			t.Errorf("%s keeps %d KB of 32 MB", cli, grown>>10)
		}
		if got := fold.Reply(harness.Exit{}); got.Stop != harness.Complete || got.Text != "done" {
			t.Errorf("%s: %q %q", cli, got.Stop, got.Text)
		}
		runtime.KeepAlive(stream)
	}
}
