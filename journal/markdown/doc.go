// Package markdown reads and writes the files of the markdown loop protocol: loops/<name>/LOOP.md, state.md and record.md.
//
// A definition says what a loop is for and when it continues, stops or asks; the state says where it stands, one field a
// line; the record is its history and only ever grows. The package turns bytes into data and data into bytes. It reads no
// file, asks no clock and starts nothing: what a condition's command does, and what follows from it, others decide.
//
// People and agents write these files by hand. So headings and keys are found whatever their case and order, a value may
// be a bullet, a paragraph or indented lines, and what cannot be read is a finding with its place, never left out.
package markdown
