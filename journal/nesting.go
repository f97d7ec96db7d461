package journal

import (
	"bytes"
	"strings"
)

// depthMax is how deep quotes and lists may nest on one line. Nobody means more, and a Markdown parser takes the square of
// it.
const depthMax = 50

// TooDeep gives the offset, in bytes, of the first line that nests deeper, or -1.
func TooDeep(src []byte) int {
	at := 0
	for line := range bytes.Lines(src) {
		marks := 0
		for _, c := range line {
			if strings.IndexByte(">-*+.)", c) >= 0 {
				marks++
			} else if strings.IndexByte(" \t0123456789", c) < 0 {
				break
			}
		}
		if marks > depthMax && len(bytes.Trim(line, "-*. \t\n")) > 0 {
			return at
		}
		at += len(line)
	}
	return -1
}
