package proc

import "testing"

// hosts are Hosts with fewer and fewer nets: here there is one kind.
func hosts(t *testing.T) map[string]func() *Host {
	return map[string]func() *Host{"all nets": func() *Host { return newTestHost(t) }}
}
