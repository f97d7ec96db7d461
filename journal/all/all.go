// Package all lists the dialects, in the order in which a name is looked for, and finds a loop by its name.
//
// Only the program imports it: nothing else may know more than one dialect.
package all

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"loopd/journal"
	"loopd/journal/contract"
	"loopd/journal/driver"
	"loopd/journal/markdown"
	"loopd/journal/native"
	"loopd/journal/tracking"
)

// All gives every dialect, in the order in which names are looked for (spec/dialects.md).
func All() []journal.Dialect {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // then only the repository has skills
	}
	return []journal.Dialect{native.Native{}, markdown.Markdown{}, tracking.Tracking{}, driver.Driver{Home: home}, contract.Loops{}}
}

// The ways in which a name fails to lead to one loop. All of them are wrong usage.
var (
	ErrName      = errors.New("not a loop's name")
	ErrUnknown   = errors.New("unknown loop")
	ErrAmbiguous = errors.New("more than one loop has this name")
	ErrDialect   = errors.New("unknown dialect")
)

// usage is an error whose words are its own and whose kind is one of the Err values.
type usage struct {
	kind error
	text string
}

func (u usage) Error() string { return u.text }
func (u usage) Unwrap() error { return u.kind }

// Find looks for the loop of this name below root, in one dialect or, for "", in all of them. Unknown names suggest near
// ones; a name that two dialects have lists both and says --dialect. A charter beside a skill of the same name is one
// native loop (spec/decisions.md 13). Errors that are not one of the Err values come from the disk.
func Find(root, name, dialect string) (journal.Ref, error) { return find(All(), root, name, dialect) }

func find(dialects []journal.Dialect, root, name, dialect string) (journal.Ref, error) {
	if err := journal.CheckName(name); err != nil {
		return journal.Ref{}, usage{ErrName, err.Error()}
	}
	if dialect != "" {
		var names []string
		for _, d := range dialects {
			names = append(names, d.Name())
		}
		i := slices.Index(names, dialect)
		if i < 0 {
			return journal.Ref{}, usage{ErrDialect, fmt.Sprintf("unknown dialect %q: %s", dialect, suggest(dialect, names))}
		}
		dialects = dialects[i : i+1]
	}
	var found []journal.Ref
	var names []string
	for _, d := range dialects {
		refs, err := d.Find(root)
		if err != nil {
			return journal.Ref{}, fmt.Errorf("find loop %s: %w", name, err)
		}
		for _, r := range refs {
			if r.Name == name {
				found = append(found, r)
			}
			names = append(names, r.Name)
		}
	}
	found = withoutSkill(found)
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		if len(names) == 0 {
			return journal.Ref{}, usage{ErrUnknown, fmt.Sprintf("unknown loop %q: there are no loops in %s; loopd init %s writes one", name, root, name)}
		}
		return journal.Ref{}, usage{ErrUnknown, fmt.Sprintf("unknown loop %q in %s: %s", name, root, suggest(name, names))}
	}
	var each []string
	for _, r := range found {
		each = append(each, fmt.Sprintf("%s (--dialect %s)", r.File, r.Dialect))
	}
	return journal.Ref{}, usage{ErrAmbiguous, fmt.Sprintf("more than one loop is named %q: %s", name, strings.Join(each, ", "))}
}

// withoutSkill drops a driver loop that has a native charter of its name.
func withoutSkill(found []journal.Ref) []journal.Ref {
	has := func(dialect string) bool {
		return slices.ContainsFunc(found, func(r journal.Ref) bool { return r.Dialect == dialect })
	}
	if !has("native") || !has("driver") {
		return found
	}
	return slices.DeleteFunc(found, func(r journal.Ref) bool { return r.Dialect == "driver" })
}

// mostNames is how many names an error lists.
const mostNames = 8

// suggest gives the near name where there is one, else the names that there are.
func suggest(name string, names []string) string {
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	if near := journal.Nearest(name, names); near != "" {
		return "did you mean " + near + "?"
	}
	if len(names) > mostNames {
		return "there is " + strings.Join(names[:mostNames], ", ") + " …"
	}
	return "there is " + strings.Join(names, ", ")
}
