package proc

import (
	"encoding/binary"
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/sourcegraph/conc"
)

// link is the worker's view of its guard.
type link struct {
	life *os.File // ends when the guard dies; carries one byte for each signal that the guard got
	told *os.File // nil where groups need not be told
	lost bool     // the guard was killed before this process began
}

// takeLink finds the guard that started this process. The variable alone proves nothing: it must name pipes, and our
// parent. Pipes without the parent are those of a guard that was killed while this process was being loaded: then it must
// not become a guard itself and do what nobody waits for.
func takeLink() (*link, bool) {
	value, ok := os.LookupEnv(guardVar)
	if !ok {
		return nil, false
	}
	_ = os.Unsetenv(guardVar)
	fields := strings.Split(value, ":")
	if len(fields) < 2 || len(fields) > 3 {
		return nil, false
	}
	var pipes [2]*os.File
	for i, field := range fields[1:] {
		fd, err := strconv.Atoi(field)
		var st syscall.Stat_t
		if err != nil || fd < 3 || syscall.Fstat(fd, &st) != nil || st.Mode&syscall.S_IFMT != syscall.S_IFIFO {
			return nil, false
		}
		syscall.CloseOnExec(fd)
		_ = syscall.SetNonblock(fd, true)
		pipes[i] = os.NewFile(uintptr(fd), "guard")
	}
	return &link{life: pipes[0], told: pipes[1], lost: fields[0] != strconv.Itoa(os.Getppid())}, true
}

// work is the worker's life.
func (l *link) work(work func(*Host) int) int {
	if l.lost {
		return 1
	}
	nameWorker()
	h := newHost(true, true)
	h.guarded = true
	if l.told != nil {
		h.tell = func(pgid int, begun bool) {
			if !begun {
				pgid = -pgid
			}
			_, _ = l.told.Write(binary.NativeEndian.AppendUint32(nil, uint32(int32(pgid))))
		}
	}
	notices := make(chan syscall.Signal)
	stop := make(chan struct{})
	var reader conc.WaitGroup
	reader.Go(func() {
		defer close(notices)
		var b [1]byte
		for {
			_, err := l.life.Read(b[:])
			if errors.Is(err, os.ErrClosed) {
				<-stop // our own doing: the guard lives
				return
			}
			if err != nil {
				return
			}
			select {
			case notices <- syscall.Signal(b[0]):
			case <-stop:
			}
		}
	})
	defer func() {
		close(stop)
		_ = l.life.Close()
		reader.Wait()
	}()
	return attended(work, h, notices)
}

// lose is the end of a worker whose guard was killed: nobody asked for an orderly end, so nothing more is recorded.
// The mutex is never given back, so no Run returns. It is the one place in a library that exits.
func (h *Host) lose() {
	h.mu.Lock()
	h.endEverything()
	os.Exit(1)
}
