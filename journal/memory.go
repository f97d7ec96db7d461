package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// MemoryFile holds, beside the files of a convention that has no room for it, what loopd has to remember of a loop.
const MemoryFile = "loopd.json"

// Memory is the content of a memory file.
type Memory struct {
	Status  Status  `json:"status,omitempty"` // where the convention has no word for it
	Private Private `json:"loopd,omitzero"`
}

// ReadMemory reads the memory file of a folder; one that is not there is an empty memory. shown is the folder as a person
// is told of it. What cannot be read is a finding.
func ReadMemory(dir, shown string) (Memory, *Finding) {
	var m Memory
	raw, err := os.ReadFile(filepath.Join(dir, MemoryFile))
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err == nil {
		err = json.Unmarshal(raw, &m)
	}
	if err != nil {
		return Memory{}, &Finding{File: filepath.Join(shown, MemoryFile), Line: 1, Field: MemoryFile, Read: err.Error(), Want: "what loopd writes there",
			Fix: "take the file away: limits and questions are forgotten, everything else stays"}
	}
	return m, nil
}

// Write renders the memory for a folder.
func (m Memory) Write(dir string) (Write, error) {
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return Write{}, fmt.Errorf("render memory: %w", err)
	}
	return Write{Label: "state", Path: filepath.Join(dir, MemoryFile), Kind: WriteReplace, Data: append(data, '\n')}, nil
}
