package harness

import (
	"bytes"
	"io"
)

// MaxLine is the longest line, in bytes, that is read whole. A longer one is dropped and flagged: an agent's tool may
// print 1 GiB without a newline, and the answer behind it still counts.
const MaxLine = 16 << 20

// Lines splits what is written to it into lines and hands each to a function, without the line end (\n or \r\n) and
// without a byte order mark at the very start. A line inside one Write is not copied. Memory stays below about two
// MaxLine, and below 64 KiB while lines are short.
type Lines struct {
	each    func(line []byte)
	pending []byte // the start of a line whose end has not come yet
	skip    bool   // inside a line that was dropped
	dropped bool
	begun   bool
}

// keepPending is the size of the buffer that is kept between lines; a larger one is given back.
const keepPending = 64 << 10

// NewLines returns a splitter that calls each for every line. The bytes are each's until it returns.
func NewLines(each func(line []byte)) *Lines { return &Lines{each: each} }

// Write takes the next piece of output. It never fails.
func (l *Lines) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			l.hold(p)
			break
		}
		switch {
		case l.skip:
			l.skip = false
		case len(l.pending) == 0:
			l.emit(p[:end])
		default:
			l.hold(p[:end])
			if !l.skip {
				l.emit(l.pending)
			}
			l.skip = false
			l.release()
		}
		p = p[end+1:]
	}
	return n, nil
}

// Close hands over a last line that has no end. It never fails.
func (l *Lines) Close() error {
	if len(l.pending) > 0 {
		l.emit(l.pending)
	}
	l.pending, l.skip = nil, false
	return nil
}

// Dropped says whether a line was longer than MaxLine and is lost.
func (l *Lines) Dropped() bool { return l.dropped }

func (l *Lines) hold(p []byte) {
	if l.skip {
		return
	}
	if len(l.pending)+len(p) > MaxLine {
		l.skip, l.dropped, l.begun = true, true, true
		l.pending = nil
		return
	}
	if need := len(l.pending) + len(p); need > cap(l.pending) {
		// Growing by four keeps the sum of the outgrown buffers, which live until the next collection, at a third.
		grown := make([]byte, len(l.pending), min(max(4*cap(l.pending), need, keepPending), MaxLine))
		copy(grown, l.pending)
		l.pending = grown
	}
	l.pending = append(l.pending, p...)
}

func (l *Lines) release() {
	if cap(l.pending) > keepPending {
		l.pending = nil
	}
	l.pending = l.pending[:0]
}

func (l *Lines) emit(line []byte) {
	if !l.begun {
		l.begun = true
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	l.each(line)
}

// Read folds a whole output at once. It is for captured output and for tests; a supervisor writes to Lines as it comes.
func Read(h Harness, stdout io.Reader, exit Exit) (Reply, error) {
	fold := h.Fold()
	lines := NewLines(func(line []byte) { fold.Line(line) })
	if _, err := io.CopyBuffer(struct{ io.Writer }{lines}, struct{ io.Reader }{stdout}, make([]byte, 64<<10)); err != nil {
		return Reply{}, err
	}
	_ = lines.Close() // cannot fail
	exit.Dropped = exit.Dropped || lines.Dropped()
	return fold.Reply(exit), nil
}
