// Package driver drives a single-iteration skill as a loop: /kaizen --auto, again and again, until there is nothing to do
// (spec/dialects.md "driver"; the loop driver seed).
//
// Here live where skills are found, what the prompt of one iteration is, and how flags are carried from wake to wake. The
// memory of such a loop is that of the native format, and package native reads and writes it. The skill alone touches the
// repository: what it means by a flag nobody here knows.
package driver
