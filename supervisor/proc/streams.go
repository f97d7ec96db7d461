package proc

import (
	"io"
	"os"
	"reflect"
	"syscall"

	"github.com/creack/pty"
)

// streams are the pipes of one exec: our ends and the child's.
type streams struct {
	stdin *os.File // nil where the input is empty
	outs  []*outlet
	files [3]*os.File // the child's
	null  *os.File
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
	widen(w, bufferSize)
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

// same says whether both are one Writer. Writers that cannot be compared are two.
func same(a, b io.Writer) bool {
	return a != nil && b != nil && reflect.TypeOf(a) == reflect.TypeOf(b) && reflect.TypeOf(a).Comparable() && comparableEqual(a, b)
}

func comparableEqual(a, b io.Writer) (equal bool) {
	defer func() { _ = recover() }() // a comparable type may hold an interface with one that is not
	return a == b
}
