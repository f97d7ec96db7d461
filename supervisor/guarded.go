package supervisor

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// guarded keeps copies of the files that an agent must not touch: charters, states, journals, STOP files, hooks, git's
// config (spec/iteration.md "Conclude", decision 4). Copies are made before the exec and renewed only for files whose
// stamp changed, so that a long journal costs nothing; after the exec what differs is put back. What was found in its
// place is kept under rejected/: it may have been a person's edit.
//
// The copies lie where an agent could reach them too. So this process keeps small files in memory, and of the others what
// their copies must add up to.
type guarded struct {
	dir   string // copies and their index
	index map[string]stamp
	small map[string][]byte    // contents, by path
	sums  map[string]hash.Hash // of the copies, by path
}

// smallFile is the size, in bytes, up to which a guarded file is kept in memory.
const smallFile = 64 << 10

// errCopyLost is a guarded file that cannot be put back: its copy was changed or removed as well.
var errCopyLost = errors.New("its copy was changed too")

// stamp identifies one content of a file without reading it. The change time cannot be set back by touch.
type stamp struct {
	Dev, Ino, Size   int64
	Mtime, Ctime     int64 // ns
	Mode             uint32
	Link             string `json:",omitempty"` // target of a symbolic link
	Copy             string `json:",omitempty"` // file name under dir
	Missing, Nonfile bool   `json:",omitempty"`
	Dir              bool   `json:",omitempty"` // a folder: only that it is one counts
}

func (s stamp) same(o stamp) bool {
	s.Copy, o.Copy = "", ""
	return s == o
}

// touched is one guarded file that is not what it was.
type touched struct {
	Path string
	What string // changed, removed, created, replaced
	Lost bool   // it could not be put back: a person has to look
}

func openGuarded(dir string) *guarded {
	g := &guarded{dir: dir, index: map[string]stamp{}, small: map[string][]byte{}, sums: map[string]hash.Hash{}}
	if b, err := os.ReadFile(filepath.Join(dir, "index.json")); err == nil {
		// A torn index only costs fresh copies.
		_ = json.Unmarshal(b, &g.index)
	}
	return g
}

func (g *guarded) indexFile() string { return filepath.Join(g.dir, "index.json") }

// pinned is when the last pin was made.
func (g *guarded) pinned() time.Time {
	info, err := os.Stat(g.indexFile())
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// pin copies what is new since the last pin. paths may name files that do not exist: their appearance is seen then.
func (g *guarded) pin(paths []string) error {
	fresh := make(map[string]stamp, len(paths))
	for _, p := range paths {
		s, err := stampOf(p)
		if err != nil {
			return fmt.Errorf("guard %s: %w", p, err)
		}
		old, known := g.index[p]
		switch {
		case s.Missing || s.Nonfile || s.Link != "":
		case known && old.same(s) && old.Copy != "" && g.vouched(p):
			s.Copy = old.Copy
		default:
			if s.Copy, err = g.copyOf(p); err != nil {
				return fmt.Errorf("guard %s: %w", p, err)
			}
		}
		fresh[p] = s
	}
	g.index = fresh
	b, err := json.Marshal(g.index)
	if err != nil {
		return fmt.Errorf("guard files: %w", err)
	}
	if err := os.WriteFile(g.indexFile(), b, 0o600); err != nil {
		return fmt.Errorf("guard files: %w", err)
	}
	return nil
}

// vouched reports whether this process knows what the copy of a file must be.
func (g *guarded) vouched(path string) bool {
	_, small := g.small[path]
	_, sum := g.sums[path]
	return small || sum
}

// appended keeps the copy of a file in step with loopd's own append, without reading the file again.
func (g *guarded) appended(path string, data []byte) {
	s, known := g.index[path]
	if !known || s.Copy == "" {
		return
	}
	now, err := stampOf(path)
	if err != nil || now.Size != s.Size+int64(len(data)) || now.Ino != s.Ino {
		delete(g.index, path) // somebody else wrote too: the next pin copies it whole
		return
	}
	f, err := os.OpenFile(filepath.Join(g.dir, s.Copy), os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.Write(data)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		delete(g.index, path)
		return
	}
	now.Copy = s.Copy
	g.index[path] = now
	if b, ok := g.small[path]; ok {
		g.small[path] = append(b, data...)
	} else if h, ok := g.sums[path]; ok {
		h.Write(data)
	}
}

// compare finds what was touched since the pin, in the order of the paths.
func (g *guarded) compare() ([]touched, error) {
	var out []touched
	for p, was := range g.index {
		is, err := stampOf(p)
		if err != nil {
			return nil, fmt.Errorf("guard %s: %w", p, err)
		}
		switch {
		case was.same(is):
		case was.Missing:
			out = append(out, touched{Path: p, What: "created"})
		case is.Missing:
			out = append(out, touched{Path: p, What: "removed"})
		case is.Link != was.Link || is.Dir != was.Dir || is.Nonfile != was.Nonfile || was.Copy == "" || is.Mode != was.Mode || !g.equal(p, was):
			out = append(out, touched{Path: p, What: "changed"})
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Path < out[j].Path })
	return out, nil
}

// straighten puts folders back that became something else, a link above all: through it every file below looks as it
// was. It goes before compare.
func (g *guarded) straighten(rejected string) ([]touched, error) {
	var out []touched
	for p, was := range g.index {
		if !was.Dir {
			continue
		}
		is, err := stampOf(p)
		if err != nil {
			return nil, fmt.Errorf("guard %s: %w", p, err)
		}
		if !is.Dir && !is.Missing {
			out = append(out, touched{Path: p, What: "replaced"})
		}
	}
	// The upper ones first: below a link nothing is what it seems.
	sort.Slice(out, func(i, j int) bool { return out[i].Path < out[j].Path })
	for _, t := range out {
		if err := g.restore(t, rejected); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// restore puts one file back to its pinned content. What stood there is kept under rejected.
func (g *guarded) restore(t touched, rejected string) error {
	was := g.index[t.Path]
	if t.What != "removed" {
		if err := keepRejected(t.Path, rejected); err != nil {
			return fmt.Errorf("keep the touched %s: %w", t.Path, err)
		}
	}
	if was.Missing || was.Link != "" || was.Copy != "" {
		if err := os.RemoveAll(t.Path + ".loopd"); err != nil {
			return err
		}
		if is, err := stampOf(t.Path); err == nil && (was.Missing || is.Link != "" || is.Nonfile) {
			if err := os.RemoveAll(t.Path); err != nil {
				return fmt.Errorf("put back %s: %w", t.Path, err)
			}
		}
	}
	switch {
	case was.Missing:
		return nil
	case was.Dir:
		if err := os.Remove(t.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("put back %s: %w", t.Path, err)
		}
		return os.MkdirAll(t.Path, 0o755)
	case was.Link != "":
		os.Remove(t.Path)
		return os.Symlink(was.Link, t.Path)
	case was.Copy == "":
		return nil // a folder or device: only its disappearance is seen, and told
	}
	b, err := g.content(t.Path, was)
	if err != nil {
		return fmt.Errorf("put back %s: %w", t.Path, err)
	}
	if err := os.MkdirAll(filepath.Dir(t.Path), 0o755); err != nil {
		return fmt.Errorf("put back %s: %w", t.Path, err)
	}
	tmp := t.Path + ".loopd"
	if err := os.WriteFile(tmp, b, fs.FileMode(was.Mode).Perm()); err != nil {
		return fmt.Errorf("put back %s: %w", t.Path, err)
	}
	if err := os.Chmod(tmp, fs.FileMode(was.Mode).Perm()); err != nil {
		return fmt.Errorf("put back %s: %w", t.Path, err)
	}
	if err := os.Rename(tmp, t.Path); err != nil {
		return fmt.Errorf("put back %s: %w", t.Path, err)
	}
	s, err := stampOf(t.Path)
	if err == nil {
		s.Copy = was.Copy
		g.index[t.Path] = s
	}
	return err
}

func (g *guarded) copyOf(path string) (string, error) {
	src, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer src.Close()
	place := sha256.Sum256([]byte(path))
	name := hex.EncodeToString(place[:10])
	dst, err := os.OpenFile(filepath.Join(g.dir, name), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	sum, content := sha256.New(), &head{w: &bytes.Buffer{}, left: smallFile + 1}
	_, err = io.Copy(io.MultiWriter(dst, sum, content), src)
	delete(g.small, path)
	delete(g.sums, path)
	if b := content.w.(*bytes.Buffer).Bytes(); len(b) <= smallFile {
		g.small[path] = b
	} else {
		g.sums[path] = sum
	}
	return name, errors.Join(err, dst.Close())
}

// content gives what a guarded file held at the pin; errCopyLost where nobody can vouch for it.
func (g *guarded) content(path string, was stamp) ([]byte, error) {
	if b, ok := g.small[path]; ok {
		return b, nil
	}
	b, err := os.ReadFile(filepath.Join(g.dir, was.Copy))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errCopyLost
	}
	if err != nil {
		return nil, err
	}
	// After a crash nothing is known of the copy but that it is there.
	if sum, ok := g.sums[path]; ok {
		if now := sha256.Sum256(b); !bytes.Equal(now[:], sum.Sum(nil)) {
			return nil, errCopyLost
		}
	}
	return b, nil
}

// equal compares content: a file may be rewritten with what it held.
func (g *guarded) equal(path string, was stamp) bool {
	a, err := os.ReadFile(path)
	if err != nil || int64(len(a)) != was.Size {
		return false
	}
	b, err := g.content(path, was)
	return err == nil && bytes.Equal(a, b)
}

func stampOf(path string) (stamp, error) {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR) {
			return stamp{Missing: true}, nil
		}
		return stamp{}, &fs.PathError{Op: "lstat", Path: path, Err: err}
	}
	s := stamp{Dev: int64(st.Dev), Ino: int64(st.Ino), Size: st.Size, Mtime: st.Mtim.Nano(), Ctime: st.Ctim.Nano(), Mode: uint32(st.Mode) & 0o7777}
	switch uint32(st.Mode) & unix.S_IFMT {
	case unix.S_IFREG:
	case unix.S_IFLNK:
		target, err := os.Readlink(path)
		if err != nil {
			return stamp{}, err
		}
		s.Link = target
	case unix.S_IFDIR:
		s = stamp{Nonfile: true, Dir: true}
	default:
		s = stamp{Nonfile: true}
	}
	return s, nil
}

// keepRejected saves what an agent (or a person) put in a guarded file's place.
func keepRejected(path, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	name := strings.ReplaceAll(strings.TrimPrefix(path, "/"), "/", "!")
	if target, err := os.Readlink(path); err == nil {
		return os.WriteFile(filepath.Join(dir, name), []byte("symbolic link to "+target+"\n"), 0o600)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil // a folder in a file's place holds nothing that the guard could keep
	}
	return os.WriteFile(filepath.Join(dir, name), b, 0o600)
}
