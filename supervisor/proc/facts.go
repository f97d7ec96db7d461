package proc

import "os"

// Fact is something about the machine that decides how sure loopd can be of what it ends and keeps.
type Fact struct {
	Name string
	// Good: it is as it should be. Says is what was found, and what follows where it is not good.
	Good bool
	Says string
}

// Facts looks at the machine: how process trees are held together, and which sandboxes there are. env is the environment
// whose PATH has bwrap.
func Facts(env []string) []Fact {
	out := []Fact{subreaperFact(), cgroupFact()}
	for _, f := range Facilities(env) {
		fact := Fact{Name: "sandbox " + string(f.Kind), Good: f.Missing == "", Says: f.Fact}
		if !fact.Good {
			fact.Says = f.Missing
		}
		out = append(out, fact)
	}
	return out
}

func subreaperFact() Fact {
	f := Fact{Name: "subreaper", Good: haveSubreaper, Says: "orphans of an agent come back to loopd, whatever session they made"}
	if !f.Good {
		f.Says = "not on this system: what leaves an agent's session is found by its environment alone"
	}
	return f
}

func cgroupFact() Fact {
	c := newCgroups()
	g := c.acquire()
	f := Fact{Name: "cgroup delegation", Good: g != nil, Says: "each exec gets a control group of its own, which is killed whole"}
	if !f.Good {
		f.Says = "our own control group cannot be written (systemd: Delegate=yes): trees are swept by subreaper and tag"
		return f
	}
	c.release(g)
	c.close()
	return f
}

// FileSystem names the file system that a path lies on, "unknown" where the system does not tell.
func FileSystem(path string) string {
	if _, err := os.Stat(path); err != nil {
		return "unknown"
	}
	return fileSystem(path)
}
