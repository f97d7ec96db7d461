package proc

import (
	"errors"
	"io"
	"os"
	"reflect"
	"syscall"
	"time"

	"github.com/creack/pty"
	"github.com/sourcegraph/conc"
	"github.com/sourcegraph/conc/panics"
)

// bufferSize is a Linux pipe's default size: one read empties it.
const bufferSize = 64 << 10

// streams are the pipes of one exec: our ends and the child's.
type streams struct {
	stdin *os.File // nil where the input is empty
	outs  []*outlet
	files [3]*os.File // the child's
	null  *os.File
}

// outlet is one pipe and who gets what comes out of it.
type outlet struct {
	from   *os.File
	to     io.Writer
	err    error
	caught panics.Catcher
}

func openStreams(s *Spec) (*streams, error) {
	io := &streams{}
	if err := io.open(s); err != nil {
		io.close()
		return nil, err
	}
	return io, nil
}

func (io *streams) open(s *Spec) (err error) {
	if io.null, err = os.OpenFile(os.DevNull, os.O_RDWR, 0); err != nil {
		return err
	}
	io.files = [3]*os.File{io.null, io.null, io.null}
	if len(s.Stdin) > 0 {
		if io.files[0], io.stdin, err = os.Pipe(); err != nil {
			return err
		}
	}
	if s.Stdout != nil {
		if err = io.pipe(1, s.Stdout); err != nil {
			return err
		}
	}
	switch {
	case s.TTYStderr:
		return io.terminal(2, s.Stderr)
	case s.Stderr == nil:
		return nil
	case same(s.Stdout, s.Stderr):
		io.files[2] = io.files[1]
		return nil
	}
	return io.pipe(2, s.Stderr)
}

func (io *streams) pipe(fd int, to io.Writer) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	io.files[fd] = w
	io.outs = append(io.outs, &outlet{from: r, to: to})
	return nil
}

// terminal opens a pty. Read deadlines work on its master only after it is duplicated, made non-blocking and wrapped
// again.
func (io *streams) terminal(fd int, to io.Writer) error {
	master, slave, err := pty.Open()
	if err != nil {
		return err
	}
	defer master.Close()
	io.files[fd] = slave
	_ = pty.Setsize(slave, &pty.Winsize{Rows: 24, Cols: 80})
	dup, err := duplicate(master)
	if err != nil {
		return err
	}
	io.outs = append(io.outs, &outlet{from: dup, to: to})
	return nil
}

func duplicate(f *os.File) (*os.File, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fd, err := syscall.Dup(int(f.Fd()))
	if err != nil {
		return nil, err
	}
	syscall.CloseOnExec(fd)
	if err := syscall.SetNonblock(fd, true); err != nil {
		_ = syscall.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}

func (io *streams) child() []uintptr {
	return []uintptr{io.files[0].Fd(), io.files[1].Fd(), io.files[2].Fd()}
}

func (io *streams) closeChild() {
	for _, f := range io.files {
		if f != nil {
			_ = f.Close() // the same file may stand there twice: the second Close is refused
		}
	}
	if io.null != nil {
		_ = io.null.Close()
	}
}

func (io *streams) close() {
	io.closeChild()
	if io.stdin != nil {
		_ = io.stdin.Close()
	}
	for _, o := range io.outs {
		_ = o.from.Close()
	}
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

// same says whether both are one Writer. Writers that cannot be compared are two.
func same(a, b io.Writer) bool {
	return a != nil && b != nil && reflect.TypeOf(a) == reflect.TypeOf(b) && reflect.TypeOf(a).Comparable() && comparableEqual(a, b)
}

func comparableEqual(a, b io.Writer) (equal bool) {
	defer func() { _ = recover() }() // a comparable type may hold an interface with one that is not
	return a == b
}
