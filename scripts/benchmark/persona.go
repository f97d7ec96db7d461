package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/tidwall/gjson"
)

// The variables that tell a persona what to do. Checks see them too: no name looks like a secret.
const (
	envDir  = "BENCH_DIR"  // where events go
	envAct  = "BENCH_ACT"  // what the agent does: see acts
	envSize = "BENCH_SIZE" // how much, in the act's own unit
)

// pose acts as the program that this binary is called by (a symbolic link on PATH) and reports whether it did.
func pose() bool {
	switch filepath.Base(os.Args[0]) {
	case "claude":
		agent()
	case "bench-check":
		mark("check")
	case "bench-gjson":
		gjsonLoop()
	case "bench-stubborn":
		stubborn()
	case "bench-hold":
		time.Sleep(20 * time.Second) // it holds the agent's stdout, and ends by itself if nobody ends it
	case "git":
		gitShim()
	default:
		return false
	}
	return true
}

// mark appends an event to the fixture's log: kind, nanoseconds, pid.
func mark(kind string) {
	f, err := os.OpenFile(filepath.Join(os.Getenv(envDir), "events"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench persona:", err)
		os.Exit(3)
	}
	fmt.Fprintf(f, "%s %d %d\n", kind, time.Now().UnixNano(), os.Getpid())
	f.Close()
}

// agent poses as Claude Code: it reads its prompt, does one act, and prints the answer as stream-json.
func agent() {
	for _, a := range os.Args[1:] {
		if a == "--version" {
			fmt.Println("2.1.332 (Claude Code)")
			return
		}
	}
	mark("start")
	act := os.Getenv(envAct)
	if act == "talkfirst" {
		writeLines(sizeOf(), 64<<10) // before one byte of the prompt is read
	}
	prompt, _ := io.ReadAll(os.Stdin)
	if act != "idle" {
		move()
	}
	fmt.Println(`{"type":"system","subtype":"init","session_id":"s"}`)
	switch act {
	case "flood":
		writeLines(sizeOf(), 512)
	case "longline":
		writeLines(64<<20, 64<<20)
		writeLines(sizeOf(), sizeOf())
	case "hold":
		spawn("bench-hold", 1, true)
	case "stubborn":
		signal.Ignore(syscall.SIGHUP, syscall.SIGINT)
		spawn("bench-stubborn", sizeOf(), true)
		terms := make(chan os.Signal, 1)
		signal.Notify(terms, syscall.SIGTERM)
		mark("ready")
		for range terms { // for ever: only KILL ends it
			mark("term")
		}
	case "wait":
		mark("ready")
		for i := 0; i < 6000; i++ { // at most a minute
			if _, err := os.Stat(filepath.Join(os.Getenv(envDir), "go")); err == nil {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	text := `LOOP-OUTCOME: shipped — ok\n- Unit: one step\n- Did: counted down, prompt of ` + strconv.Itoa(len(prompt)) + ` bytes\n- Next: the next step\n`
	mark("end")
	fmt.Println(`{"type":"result","subtype":"success","is_error":false,"num_turns":1,"session_id":"s","total_cost_usd":0.01,"usage":{"input_tokens":10,"output_tokens":5},"result":"` + text + `"}`)
}

func sizeOf() int {
	n, _ := strconv.Atoi(os.Getenv(envSize))
	return n
}

// move counts the number in n.txt down by one, which is the ratchet of every fixture.
func move() {
	raw, _ := os.ReadFile("n.txt")
	n, _ := strconv.Atoi(strings.TrimSpace(string(raw)))
	_ = os.WriteFile("n.txt", []byte(strconv.Itoa(n-1)+"\n"), 0o644)
}

// writeLines prints total bytes of stream-json in lines of the given length.
func writeLines(total, line int) {
	const head, tail = `{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"`, `"}]},"session_id":"s"}` + "\n"
	if line >= 1<<20 { // one long line at a time, without holding it
		pad := bytes.Repeat([]byte("x"), 1<<20)
		for ; total >= line; total -= line {
			os.Stdout.WriteString(head)
			for left := line - len(head) - len(tail); left > 0; left -= len(pad) {
				os.Stdout.Write(pad[:min(left, len(pad))])
			}
			os.Stdout.WriteString(tail)
		}
		return
	}
	one := []byte(head + strings.Repeat("x", line-len(head)-len(tail)) + tail)
	chunk := bytes.Repeat(one, max(1, (1<<20)/line))
	for ; total > 0; total -= len(chunk) {
		os.Stdout.Write(chunk[:min(len(chunk), (total+line-1)/line*line)])
	}
}

// spawn starts n children that share the agent's stdout, each in a session of its own, and notes their pids.
func spawn(name string, n int, session bool) {
	pids, err := os.Create(filepath.Join(os.Getenv(envDir), "pids"))
	if err != nil {
		os.Exit(3)
	}
	defer pids.Close()
	fmt.Fprintln(pids, os.Getpid())
	for range n {
		cmd := exec.Command(name)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: session}
		if err := cmd.Start(); err != nil {
			os.Exit(3)
		}
		fmt.Fprintln(pids, cmd.Process.Pid)
	}
}

// stubborn ignores every signal that can be ignored, for a minute.
func stubborn() {
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	time.Sleep(time.Minute)
}

// gjsonLoop is the least that a reader of stream-json can do: it looks at the type of every line and keeps the result.
func gjsonLoop() {
	r := bufio.NewReaderSize(os.Stdin, 256<<10)
	result := ""
	for {
		line, err := r.ReadSlice('\n')
		if gjson.GetBytes(line, "type").Str == "result" {
			result = gjson.GetBytes(line, "result").Str
		}
		if err != nil && err != bufio.ErrBufferFull {
			break
		}
	}
	fmt.Println(len(result))
}

// gitShim runs the real git, which BENCH_GIT names, and logs its arguments with the time it took in nanoseconds.
func gitShim() {
	began := time.Now()
	cmd := exec.Command(os.Getenv("BENCH_GIT"), os.Args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	_ = cmd.Run()
	f, err := os.OpenFile(filepath.Join(os.Getenv(envDir), "git"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		fmt.Fprintf(f, "%d %s\n", time.Since(began).Nanoseconds(), strings.Join(os.Args[1:], " "))
		f.Close()
	}
	os.Exit(cmd.ProcessState.ExitCode())
}
