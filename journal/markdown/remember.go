package markdown

import (
	"bytes"
	"encoding/json"
	"fmt"

	"loopd/journal"
)

// What loopd has to remember of a loop beside the protocol's fields (limits, spending) stands in state.md as one comment
// behind all else: a file of its own would be one more that git must not see.
const (
	memoryOpen  = "<!-- loopd: "
	memoryClose = " -->"
)

// remembered reads the comment; one that cannot be read is no memory.
func remembered(src []byte) journal.Private {
	var p journal.Private
	for line := range bytes.Lines(src) {
		text, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte(memoryOpen))
		if !ok {
			continue
		}
		if err := json.Unmarshal(bytes.TrimSuffix(text, []byte(memoryClose)), &p); err != nil {
			p = journal.Private{}
		}
	}
	return p
}

// remember gives the bytes of state.md with the comment for p, in place of an older one; without one where p is empty. The
// question and the answer stand in fields of their own.
func remember(src []byte, p journal.Private) ([]byte, error) {
	p.Question, p.Answer = "", ""
	data, err := json.Marshal(p) // it writes ">" as an escape: the text cannot end the comment
	if err != nil {
		return nil, fmt.Errorf("render memory: %w", err)
	}
	newline := "\n"
	if bytes.Contains(src, []byte("\r\n")) {
		newline = "\r\n"
	}
	var out []byte
	for line := range bytes.Lines(src) {
		if !bytes.HasPrefix(bytes.TrimSpace(line), []byte(memoryOpen)) {
			out = append(out, line...)
		}
	}
	if string(data) == "{}" {
		return out, nil
	}
	if n := len(out); n > 0 && out[n-1] != '\n' {
		out = append(out, newline...)
	}
	return append(out, memoryOpen+string(data)+memoryClose+newline...), nil
}
