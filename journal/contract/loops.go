package contract

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"loopd/journal"
)

// Loops is the dialect of contracts. A contract stands in a file anywhere below the root; .loop/<name>/contract is one
// line with its path, so that the loop has a name, and STOP and STEER.md lie beside it. Everything else is where the
// contract says: the state in State path, the receipts in Artifacts path.
type Loops struct{}

var _ journal.Dialect = Loops{}

// Name is "contract".
func (Loops) Name() string { return "contract" }

const (
	folder       = ".loop"
	pointerFile  = "contract"
	receiptsFile = "receipts.jsonl"
	steerFile    = "STEER.md"
	contractMost = 4 << 20  // bytes
	stateMost    = 8 << 20  // bytes
	steerMost    = 64 << 10 // bytes
)

// Find lists the contracts that were run below root.
func (d Loops) Find(root string) ([]journal.Ref, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("find loops: %w", err)
	}
	dirs, err := os.ReadDir(filepath.Join(root, folder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find loops: %w", err)
	}
	var out []journal.Ref
	for _, e := range dirs {
		dir := filepath.Join(root, folder, e.Name())
		b, err := os.ReadFile(filepath.Join(dir, pointerFile))
		if err != nil || journal.CheckName(e.Name()) != nil {
			continue
		}
		file := strings.TrimSpace(strings.TrimPrefix(string(b), bom))
		if file == "" || strings.ContainsAny(file, "\n\r\x00") {
			continue // another tool's
		}
		if !filepath.IsAbs(file) {
			file = filepath.Join(root, file)
		}
		out = append(out, journal.Ref{Name: e.Name(), Dialect: d.Name(), Root: root, Dir: dir, File: filepath.Clean(file)})
	}
	return out, nil
}

// RefOf is the loop of a contract file below root. Its name is the file's, or its folder's where the file is only called
// a contract.
func RefOf(root, file string) (journal.Ref, error) {
	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	if slices.Contains([]string{"contract", "loop-contract", "loop_contract", "readme"}, strings.ToLower(name)) {
		if dir := filepath.Dir(file); dir != root && dir != filepath.Dir(dir) {
			name = filepath.Base(dir)
		}
	}
	name = strings.TrimLeft(strings.Join(strings.Fields(name), "-"), ".-")
	if err := journal.CheckName(name); err != nil {
		return journal.Ref{}, err
	}
	return journal.Ref{Name: name, Dialect: Loops{}.Name(), Root: root, Dir: filepath.Join(root, folder, name), File: file}, nil
}

// Pointer renders the line that gives a contract its name.
func Pointer(ref journal.Ref) journal.Write {
	shown := ref.File
	if rel, err := filepath.Rel(ref.Root, ref.File); err == nil && filepath.IsLocal(rel) {
		shown = filepath.ToSlash(rel)
	}
	return journal.Write{Label: "contract", Path: filepath.Join(ref.Dir, pointerFile), Kind: journal.WriteReplace, Data: []byte(shown + "\n")}
}

// Load reads the contract, as strictly as before a run, and what its runs left. Every finding is NEEDS_INPUT.
func (d Loops) Load(ref journal.Ref) (journal.Loop, error) {
	l := journal.Loop{Name: ref.Name, Dialect: d.Name(), Root: ref.Root, Dir: ref.Dir, Charter: journal.Charter{File: ref.File}}
	shown := ref.File
	if rel, err := filepath.Rel(ref.Root, ref.File); err == nil && filepath.IsLocal(rel) {
		shown = rel
	}
	src, err := readFile(ref.File, contractMost)
	if err != nil {
		return l, fmt.Errorf("read contract of %s: %w", ref.Name, err)
	}
	if len(src) > contractMost {
		l.Findings = append(l.Findings, journal.Finding{File: shown, Line: 1, Field: whole, Read: "more than 4 MiB", Want: "a contract"})
		return l, nil
	}
	c, findings := Read(shown, src, true)
	findings = append(findings, uncounted(c, shown)...)
	l.Findings = findings
	l.Charter = charterOf(c, ref, src)
	if len(findings) > 0 {
		l.State.Name, l.State.Status = ref.Name, journal.Active
		return l, nil
	}
	if err := loadMemory(&l, c); err != nil {
		return l, err
	}
	steer, err := readFile(filepath.Join(ref.Dir, steerFile), steerMost)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return l, fmt.Errorf("read steering of %s: %w", ref.Name, err)
	}
	if strings.TrimSpace(strings.TrimPrefix(string(steer), bom)) != "" {
		l.Steer = string(steer[:min(len(steer), steerMost)])
	}
	return l, nil
}

// readFile reads at most one byte more than most.
func readFile(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most+1))
}

// Files gives the paths of a contract's receipts and of its state, absolute. The contract must be a good one.
func Files(ref journal.Ref) (receipts, state string, err error) {
	l, err := Loops{}.Load(ref)
	if err != nil {
		return "", "", err
	}
	for _, d := range l.Defects() {
		if d.Field != statePath { // a bad state file is what the paths are asked for
			return "", "", errors.New(d.String())
		}
	}
	return filepath.Join(l.Charter.Protocol.Artifacts, receiptsFile), l.Charter.Guarded[1], nil
}

// Render gives the bytes of a state file.
func Render(s State) ([]byte, error) { return encode(s, "  ") }

// Own lists the paths of all contracts below root, absolute: they are no debris of another loop.
func Own(root string) ([]string, error) {
	refs, err := Loops{}.Find(root)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, ref := range refs {
		if src, err := readFile(ref.File, contractMost); err == nil && len(src) <= contractMost {
			if c, findings := Read(ref.File, src, true); len(findings) == 0 {
				out = append(out, charterOf(c, ref, src).Own...)
			}
		}
	}
	return out, nil
}
