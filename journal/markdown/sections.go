package markdown

import "strings"

// isText refuses what no person reads as Markdown: all other findings would be nonsense.
func (r *reader) isText(src []byte) bool {
	if at := r.doc.deep; at >= 0 {
		r.defect("LOOP.md", at, "quotes or lists in each other without end", "a definition that a person can read", "")
		return false
	}
	if at := notText(src); at >= 0 {
		r.doc = &outline{src: src} // as it is, comments too: the finding is about its bytes
		r.defect("LOOP.md", at, "bytes that are no text", "Markdown in UTF-8", "save the file as UTF-8")
		return false
	}
	return true
}

// outline finds the sections, and what is wrong with their headings. Their order does not matter.
func (r *reader) outline() {
	if at := r.doc.unclosed; at >= 0 {
		r.defect("LOOP.md", at, "<!--", "a comment that ends in -->", "close it: it would hide the rest of the definition")
	}
	var unknown []*section
	for _, s := range r.doc.sections {
		name := sectionNamed(s.name)
		switch {
		case name == "":
			unknown = append(unknown, s)
		case r.byName[name] != nil:
			r.defect(name, s.at, "## "+s.name, "each section once", "join the two sections of that name")
		default:
			r.byName[name] = s
		}
	}
	for _, s := range r.doc.strays {
		if name := sectionNamed(s.name); name != "" {
			r.defect(name, s.at, s.name, "## "+name, "write the heading with two #: at another level it is not read")
		} else {
			unknown = append(unknown, s)
		}
	}
	taken := map[string]bool{}
	for _, s := range unknown {
		near := nearestSection(s.name)
		switch {
		case near == "":
		case r.byName[near] == nil && !taken[near]:
			taken[near] = true
			r.defect(near, s.at, s.name, "## "+near, "write the heading so: it is not read otherwise")
		default:
			r.warn(near, s.at, s.name, "## "+near+" once", "this section is only handed to the agent: join it with "+near+" if it belongs there")
		}
	}
}

// nativeNames are sections of loopd's own charters that the protocol does not have.
var nativeNames = []string{"Goal", "Done-when", "Archetype", "Iteration contract", "Guardrails", "Escalation", "Budget", "Promotion"}

// isDefinition tells a definition from another file under its name: one finding says more than a dozen missing sections.
func (r *reader) isDefinition() bool {
	native := 0
	for _, s := range r.doc.sections {
		for _, n := range nativeNames {
			if strings.EqualFold(s.name, n) {
				native++
			}
		}
	}
	const fix = "see the protocol's recommended shape; loopd init --dialect markdown writes one"
	switch {
	case native > 2 && native > len(r.byName):
		r.defect("LOOP.md", r.doc.titleAt, r.doc.title, "a definition of the markdown loop protocol", "this is a native charter: it belongs into .loop/NAME/LOOP.md")
		return false
	case len(r.byName) == 0 && len(r.findings) == 0:
		r.defect("LOOP.md", r.doc.titleAt, r.doc.title, "the protocol's sections: "+strings.Join(sectionNames[:len(sectionNames)-2], ", "), fix)
		return false
	}
	return true
}

// title reads "# <Name> Loop". It binds nothing: a loop is named by its folder.
func (r *reader) title() {
	const form = "# <Name> Loop"
	t := strings.TrimSpace(strings.Trim(r.doc.title, "*_"))
	if r.doc.title == "" {
		r.warn("title", 0, "", form, "begin the file with its name")
		return
	}
	r.def.Name = t
	words := strings.Fields(t)
	if n := len(words) - 1; n > 0 && strings.EqualFold(words[n], "loop") {
		r.def.Name = strings.Join(words[:n], " ")
		return
	}
	r.warn("title", r.doc.titleAt, t, form, "")
}
