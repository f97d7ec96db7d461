package proc

import "errors"

// EnterSandbox is for Linux.
func EnterSandbox([]string) error { return errors.New("enter sandbox: there is none on this system") }

// Facilities says what each kind of sandbox can do here: nothing.
func Facilities([]string) []Facility {
	var out []Facility
	for _, k := range Kinds() {
		out = append(out, Facility{Kind: k, Missing: "it is for Linux"})
	}
	return out
}
