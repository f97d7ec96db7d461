package main

import (
	"io"
	"strings"
	"testing"
)

// BenchmarkVersion is the time from main to the end of the smallest command; the whole start must stay under 10 ms.
func BenchmarkVersion(b *testing.B) {
	for b.Loop() {
		if code := run([]string{"version"}, surroundings{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard}); code != codeOK {
			b.Fatal(code)
		}
	}
}
