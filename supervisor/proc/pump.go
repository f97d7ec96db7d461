package proc

import (
	"errors"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/sourcegraph/conc"
	"github.com/sourcegraph/conc/panics"
)

// bufferSize is what one read takes, and the size of a pipe where it can be chosen: with the default of 64 KiB reader and
// writer wake each other so often that a flood takes twice as long.
const bufferSize = 256 << 10

// outlet is one pipe and who gets what comes out of it.
type outlet struct {
	from   *os.File
	to     io.Writer
	err    error
	caught panics.Catcher
}

// begin starts one goroutine for each stream.
func (io *streams) begin(wg *conc.WaitGroup, h *Host, x *execution, input []byte) {
	if io.stdin != nil {
		wg.Go(func() {
			_, _ = io.stdin.Write(input) // EPIPE, or closed by end: the child's choice
			_ = io.stdin.Close()
		})
	}
	for _, o := range io.outs {
		wg.Go(func() { o.pump(h, x) })
	}
}

// end is called when the tree is dead. It makes the pumps take what is in the pipes and return, whoever holds the other
// end.
func (io *streams) end() {
	if io.stdin != nil {
		_ = io.stdin.Close()
	}
	for _, o := range io.outs {
		_ = o.from.SetReadDeadline(time.Unix(1, 0))
	}
}

// failure is the first error of a Writer. A Writer's panic goes on here, in the goroutine of Run's caller.
func (io *streams) failure() error {
	for _, o := range io.outs {
		o.caught.Repanic()
	}
	for _, o := range io.outs {
		if o.err != nil {
			return o.err
		}
	}
	return nil
}

func (o *outlet) pump(h *Host, x *execution) {
	buf := h.buffers.Get().(*[]byte)
	defer h.buffers.Put(buf)
	defer o.from.Close()
	for {
		n, err := o.from.Read(*buf)
		if n > 0 {
			x.last.Store(int64(h.clock.now()))
			o.write((*buf)[:n])
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			o.drain(*buf)
			return
		}
		if err != nil { // io.EOF; EIO is the end of a terminal
			return
		}
	}
}

// drain takes what is in the pipe without waiting. Nobody fills it any more, so that is the rest.
func (o *outlet) drain(buf []byte) {
	_ = o.from.SetReadDeadline(time.Time{})
	raw, err := o.from.SyscallConn()
	if err != nil {
		return
	}
	for {
		n := 0
		_ = raw.Read(func(fd uintptr) bool {
			n, err = syscall.Read(int(fd), buf)
			return true
		})
		if err == syscall.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			return
		}
		o.write(buf[:n])
	}
}

func (o *outlet) write(p []byte) {
	if o.to == nil || o.err != nil {
		return
	}
	o.caught.Try(func() {
		n, err := o.to.Write(p)
		if err == nil && n < len(p) {
			err = io.ErrShortWrite
		}
		o.err = err
	})
	if o.caught.Recovered() != nil {
		o.to = nil
	}
}
