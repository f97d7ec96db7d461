package contract

import (
	"strings"
	"sync"

	"loopd/journal"
)

// member is one of a closed set, with the ways in which it is written. "-" between words may be a blank.
type member struct {
	name string
	said table
}

var modes = sync.OnceValue(func() []member {
	return []member{
		{string(Goal), phrases("goal ?- oriented agent", "goal")},
		{string(Loop), phrases("interval ?- loop", "loop")},
		{string(Automation), phrases("scheduled ?- loop", "automation")},
		{string(AutoResearch), phrases("autoresearch", "auto ?- research")},
	}
})

var topologies = sync.OnceValue(func() []member {
	return []member{
		{string(SingleAgent), phrases("single ?-|_ agent")},
		{string(MakerChecker), phrases("maker ?-|_|– checker")},
		{string(ManagerWorkers), phrases("manager ?-|_|– workers")},
	}
})

// joints join two members of a set, so that neither holds: "Goal | Loop", "maker-checker if unclear, otherwise
// single-agent".
var joints = sync.OnceValue(func() table {
	return phrases("?, or|otherwise|else|and|then|plus|/|+|&|→ ?use|a|an|the", "| ?use|a|an|the")
})

func (r *reader) closedSets() {
	r.contract.Mode = Mode(r.member(mode, modes(), "goal, loop, automation or autoresearch"))
	r.contract.Topology = Topology(r.member(topology, topologies(), "single-agent, maker-checker or manager-workers"))
}

// member reads a value that begins with a member of a closed set. What stands behind it is a remark.
func (r *reader) member(field string, set []member, want string) string {
	v, ok := r.values[field]
	if !ok {
		return ""
	}
	t := tokensOf(v.text)
	if len(t) > 0 && isAny(t[0].s, []string{"a", "an", "the", "[", "("}) {
		t = t[1:]
	}
	name, n := memberAt(t, 0, set)
	if name == "" || n < len(t) && t[n].glued && t[n].kind == mark && isAny(t[n].s, []string{"-", "_"}) {
		r.add(field, v.at(0), v.text, want, nearest(v.text, set))
		return ""
	}
	depth := 0
	for i := n; i < len(t); i++ {
		switch t[i].s {
		case "(":
			depth++
		case ")":
			depth--
		}
		other, m := memberAt(t, i, set)
		// A comma joins where nothing else is said of the second: "loop, goal is an empty queue" is a remark.
		listed := t[i-1].s == "," && (i+m == len(t) || t[i+m].kind == mark)
		if depth <= 0 && m > 0 && other != name && (listed || joined(t[:i])) {
			r.add(field, v.at(t[i].at), v.text, "one of "+want, "choose one: "+name+" or "+other)
			return ""
		}
	}
	return name
}

func memberAt(t []token, i int, set []member) (name string, n int) {
	for _, m := range set {
		if k := find(t, i, m.said); k > n {
			name, n = m.name, k
		}
	}
	return name, n
}

// joined reports whether some tokens end in a joint.
func joined(t []token) bool {
	for back := 1; back <= 3 && back <= len(t); back++ {
		if i := len(t) - back; find(t, i, joints()) == back {
			return true
		}
	}
	return false
}

// nearest is the fix that names a near member.
func nearest(text string, set []member) string {
	var known []string
	for _, m := range set {
		known = append(known, m.name)
	}
	head, _, _ := strings.Cut(text+" ", " ")
	for _, word := range []string{text, head} {
		if len(word) < nameMax {
			if n := journal.Nearest(strings.Trim(word, emphasis+".,;:()"), known); n != "" {
				return "did you mean " + n + "?"
			}
		}
	}
	return "choose one"
}
