package contract

import "strings"

// entry is one key of the block with what belongs to it.
type entry struct {
	field  string // "" for a key that is none of the 22
	name   string // as written
	nameAt int
	list   bool // it is an item of a list
	bold   bool
	indent int
	parts  []part
}

// section is what stands between two headings of the block.
type section struct {
	entries []entry
	// unsure are fields in rows of tables that could mean more than one thing.
	unsure map[string]int
}

// collector reads the lines of the block in their order.
type collector struct {
	sections []section
	open     *entry // the key whose value goes on
	blank    bool   // the last line was empty
}

// sectionsOf reads the block.
func sectionsOf(lines []line) []section {
	c := &collector{sections: []section{{unsure: map[string]int{}}}}
	fences := fencesOf(lines)
	for i := 0; i < len(lines); i++ {
		if len(fences) > 0 && fences[0].open == i {
			c.fence(fences[0], lines)
			i = fences[0].close
			fences = fences[1:]
			continue
		}
		l := lines[i]
		level, _ := headingAt(lines, i)
		cells := cellsOf(l.text)
		switch {
		case strings.TrimSpace(l.text) == "":
			c.blank = true
			continue
		case level > 0:
			c.close()
			c.sections = append(c.sections, section{unsure: map[string]int{}})
		case cells != nil:
			c.close()
			c.row(l, cells, i+1 < len(lines) && ruled(lines[i+1].text))
		case underline(l.text), strings.HasPrefix(strings.TrimSpace(l.text), ">"), strings.HasPrefix(strings.TrimSpace(l.text), "|"):
			c.close()
		default:
			c.line(l)
		}
		c.blank = false
	}
	c.close()
	return c.sections
}

func (c *collector) now() *section { return &c.sections[len(c.sections)-1] }

func (c *collector) close() {
	if c.open != nil {
		c.now().entries = append(c.now().entries, *c.open)
		c.open = nil
	}
}

// line reads a line that is no heading, no row and not empty.
func (c *collector) line(l line) {
	s := startOf(l.text)
	if c.goesOn(s) {
		p := part{text: l.text[s.nameAt:], at: l.at + s.nameAt, indent: s.indent, item: s.list}
		if s.list {
			p.name, p.field, p.nameAt, p.rest = s.name, s.field, l.at+s.nameAt, s.valueAt-s.nameAt
		}
		c.open.parts = append(c.open.parts, p)
		return
	}
	c.close()
	if s.name == "" {
		return // prose
	}
	starts := startsOf(l.text)
	for i, s := range starts {
		end := len(l.text)
		if i+1 < len(starts) {
			end = starts[i+1].nameAt
		}
		c.close()
		c.open = &entry{field: s.field, name: s.name, nameAt: l.at + s.nameAt, list: s.list, bold: s.bold, indent: s.indent,
			parts: []part{{text: l.text[s.valueAt:end], at: l.at + s.valueAt}}}
	}
}

// goesOn reports whether a line belongs to the value that is open.
func (c *collector) goesOn(s start) bool {
	o := c.open
	switch {
	case o == nil:
		return false
	case s.list && o.field != "" && (o.list && s.indent > o.indent || !o.list && s.field == ""):
		return !c.blank || s.indent > o.indent || c.empty() || o.parts[len(o.parts)-1].item
	case s.list:
		return o.field == "" && s.field == "" && s.indent > o.indent
	case s.field != "":
		return false
	case c.blank:
		return s.indent > o.indent || o.bold && !o.list && c.empty()
	}
	return s.name == "" || s.indent > o.indent
}

// empty reports whether nothing stands behind the open key yet.
func (c *collector) empty() bool {
	for _, p := range c.open.parts {
		if strings.TrimSpace(p.text) != "" {
			return false
		}
	}
	return true
}

// row reads a row of a table: two cells are key and value. With more of them, or with a second key as its value, a row is
// not understood. The head of a table is a row as well where it begins with a field.
func (c *collector) row(l line, cells []cell, head bool) {
	name := cellName(cells[0])
	field := fieldOf(name)
	filled := 0
	for _, x := range cells[1:] {
		if x.text != "" {
			filled++
		}
	}
	switch {
	case len(cells) < 2, name == "", head && field == "":
	case field != "" && (filled > 1 || len(cells) > 2 && cells[1].text == "" || fieldOf(cellName(cells[1])) != ""):
		for _, x := range cells {
			if f := fieldOf(cellName(x)); f != "" {
				if _, ok := c.now().unsure[f]; !ok {
					c.now().unsure[f] = l.at + x.at
				}
			}
		}
	default:
		c.now().entries = append(c.now().entries, entry{field: field, name: name, nameAt: l.at + cells[0].at,
			parts: []part{{text: cells[1].text, at: l.at + cells[1].at}}})
	}
}

// fence takes the lines of a fence as commands of the value that is open; any other fence is prose.
func (c *collector) fence(f fence, lines []line) {
	indent := startOf(lines[f.open].text).indent
	o := c.open
	if o == nil || o.field == "" || indent <= o.indent && (c.blank || o.list && !c.empty()) {
		c.close()
		c.blank = false
		return
	}
	for _, l := range f.inside(lines) {
		if code := strings.TrimSpace(l.text); code != "" {
			o.parts = append(o.parts, part{text: ticked(code), at: l.at + strings.Index(l.text, code), item: true})
		}
	}
	c.blank = false
}
