package supervisor

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// place is where loopd keeps what is private to it: under the repository's git directory, so that it never dirties the
// tree and survives a clean, else under the XDG state folder (decision 30).
type place struct {
	tree string // the lease of a working tree lies here
	loop string // transcripts, guarded copies, requests and the lease of the loop
}

func placeOf(gitDir, commonDir, stateHome, root, name string) place {
	if gitDir == "" {
		sum := sha256.Sum256([]byte(root))
		base := filepath.Join(stateHome, hex.EncodeToString(sum[:8]))
		return place{tree: base, loop: filepath.Join(base, name)}
	}
	return place{tree: filepath.Join(gitDir, "loopd"), loop: filepath.Join(commonDir, "loopd", name)}
}

// of is the place of another loop beside this one.
func (p place) of(name string) place {
	return place{tree: p.tree, loop: filepath.Join(filepath.Dir(p.loop), name)}
}

func (p place) transcripts() string { return filepath.Join(p.loop, "transcripts") }
func (p place) guarded() string     { return filepath.Join(p.loop, "guarded") }
func (p place) requests() string    { return filepath.Join(p.loop, "requests") }
func (p place) treeLease() string   { return filepath.Join(p.tree, "lease") }
func (p place) loopLease() string   { return filepath.Join(p.loop, "lease") }

// make creates the folders. It is also the first test of whether the disk can be written.
func (p place) make() error {
	for _, d := range []string{p.tree, p.loop, p.transcripts(), p.guarded(), p.requests()} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return fmt.Errorf("make folder of loopd: %w", err)
		}
	}
	return nil
}

// writable reports whether a folder can be written, before an agent is started on the hope that it can.
func writable(dir string) error {
	f, err := os.CreateTemp(dir, ".loopd-*")
	if err != nil {
		return fmt.Errorf("write in %s: %w", dir, err)
	}
	name := f.Name()
	_, err = f.Write([]byte("x"))
	return errors.Join(err, f.Close(), os.Remove(name))
}
