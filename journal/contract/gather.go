package contract

// gathered is the block taken apart: each field once.
type gathered struct {
	fields map[string]entry
	others []entry // keys that are no fields
	// doubled are further entries of a field that is there already.
	doubled []entry
	unsure  map[string]int
}

// gather joins the sections of a block. A section below a later heading that repeats fields and brings no new one is
// something else, such as a receipt: it is left out.
func gather(sections []section) gathered {
	g := gathered{fields: map[string]entry{}, unsure: map[string]int{}}
	for _, s := range sections {
		fresh, stale := false, false
		for _, e := range s.entries {
			if _, ok := g.fields[e.field]; e.field != "" && !ok {
				fresh = true
			} else if e.field != "" {
				stale = true
			}
		}
		if stale && !fresh {
			continue
		}
		for _, e := range s.entries {
			switch _, ok := g.fields[e.field]; {
			case e.field == "":
				g.others = append(g.others, e)
			case ok:
				g.doubled = append(g.doubled, e)
			default:
				g.fields[e.field] = e
			}
		}
		for f, at := range s.unsure {
			if _, ok := g.unsure[f]; !ok {
				g.unsure[f] = at
			}
		}
	}
	g.promote()
	return g
}

// promote makes fields of items that are nested in another field and have the name of one that stands nowhere else, as in
// a list of caps below Budget. An item whose name is that of a field elsewhere is part of the value that it stands in.
func (g *gathered) promote() {
	for _, f := range required {
		parent, ok := g.fields[f.name]
		if !ok {
			continue
		}
		var kept []part
		for i := 0; i < len(parent.parts); i++ {
			p := parent.parts[i]
			if _, there := g.fields[p.field]; p.field == "" || there {
				kept = append(kept, p)
				continue
			}
			e := entry{field: p.field, name: p.name, nameAt: p.nameAt, list: true, indent: p.indent,
				parts: []part{{text: p.text[p.rest:], at: p.at + p.rest}}}
			for i+1 < len(parent.parts) && (!parent.parts[i+1].item || parent.parts[i+1].indent > p.indent) {
				i++
				e.parts = append(e.parts, parent.parts[i])
			}
			g.fields[e.field] = e
		}
		parent.parts = kept
		g.fields[f.name] = parent
	}
}
