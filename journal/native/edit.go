package native

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"loopd/journal"
)

// EditState gives the bytes of state.json after the state went from old to new: raw, edited by byte range. Only what
// differs between old and new changes; everything else stays byte for byte: unknown fields, order, spacing, the way in
// which numbers and strings are written, line ends, a byte order mark. A field that the file lacks is added at the end of
// its object in the style of its neighbours. raw must be a file that Load took without a defect.
func EditState(raw []byte, old, new journal.State) ([]byte, error) {
	was, err := canonical(old)
	if err != nil {
		return nil, fmt.Errorf("edit state: %w", err)
	}
	is, err := canonical(new)
	if err != nil {
		return nil, fmt.Errorf("edit state: %w", err)
	}
	if bytes.Equal(was, is) {
		return raw, nil
	}
	body := strings.TrimPrefix(string(raw), bom)
	if !json.Valid([]byte(body)) || !gjson.Parse(body).IsObject() {
		return nil, fmt.Errorf("edit state: the file is not a JSON object")
	}
	lead := raw[:len(raw)-len(body)]
	for _, e := range differences(nil, gjson.ParseBytes(was), gjson.ParseBytes(is)) {
		body = e.apply(body)
	}
	return append(append(make([]byte, 0, len(lead)+len(body)), lead...), body...), nil
}

// edit sets one field, or removes it where value is "".
type edit struct {
	path  []string // keys, decoded
	value string   // compact JSON
}

// differences compares two objects as loopd renders them.
func differences(path []string, was, is gjson.Result) []edit {
	var out []edit
	old := map[string]gjson.Result{}
	for _, m := range fields(was) {
		old[m.key] = m.value
	}
	for _, m := range fields(is) {
		before, had := old[m.key]
		delete(old, m.key)
		at := append(append([]string(nil), path...), m.key)
		switch {
		case had && before.Raw == m.value.Raw:
		case had && before.IsObject() && m.value.IsObject():
			out = append(out, differences(at, before, m.value)...)
		default:
			out = append(out, edit{at, m.value.Raw})
		}
	}
	for _, m := range fields(was) {
		if _, gone := old[m.key]; gone {
			out = append(out, edit{append(append([]string(nil), path...), m.key), ""})
		}
	}
	return out
}

// field is one member of an object with its place in the text.
type field struct {
	key                  string // decoded: "\u0073" is "s"
	start                int    // of the key
	keyEnd               int
	valueStart, valueEnd int
	value                gjson.Result
}

func fields(object gjson.Result) []field {
	var out []field
	object.ForEach(func(key, value gjson.Result) bool {
		out = append(out, field{keyText(key), key.Index, key.Index + len(key.Raw), value.Index, value.Index + len(value.Raw), value})
		return true
	})
	return out
}

// keyText decodes a key as encoding/json does.
func keyText(key gjson.Result) string {
	s := key.Str
	if strings.Contains(key.Raw, `\`) {
		_ = json.Unmarshal([]byte(key.Raw), &s)
	}
	return s
}

// apply carries out one edit. Keys are compared, never used as gjson paths: a dot in one means nothing.
func (e edit) apply(body string) string {
	object := gjson.Parse(body)
	object.Raw = strings.TrimRight(object.Raw, " \t\r\n")
	for i, key := range e.path {
		members := fields(object)
		found := -1
		for j, m := range members {
			if m.key == key {
				found = j
			}
		}
		last := i == len(e.path)-1
		switch {
		case found < 0 && e.value == "":
			return body
		case found < 0:
			return insert(body, object, members, key, nested(e.path[i+1:], e.value))
		case last && e.value == "":
			return remove(body, members, found)
		case last || !members[found].value.IsObject():
			if !last && e.value == "" {
				return body
			}
			m := members[found]
			return body[:m.valueStart] + styled(body, m, nested(e.path[i+1:], e.value)) + body[m.valueEnd:]
		}
		object = members[found].value
	}
	return body
}

// nested wraps a value in objects, where the file lacks those that the path leads through.
func nested(path []string, value string) string {
	for i := len(path) - 1; i >= 0; i-- {
		key, _ := encode(path[i])
		value = "{" + string(key) + ":" + value + "}"
	}
	return value
}

// styled writes a new value where an old one stood: with a space after colons and commas if the file has one.
func styled(body string, m field, value string) string {
	if strings.HasSuffix(body[m.keyEnd:m.valueStart], ":") {
		return value
	}
	return spaced(value)
}

// remove takes a member and the comma that belonged to it out.
func remove(body string, members []field, i int) string {
	switch {
	case i > 0:
		return body[:members[i-1].valueEnd] + body[members[i].valueEnd:]
	case len(members) > 1:
		return body[:members[0].start] + body[members[1].start:]
	}
	return body[:members[0].start] + body[members[0].valueEnd:]
}

// insert adds a member at the end of an object, separated as the last two are.
func insert(body string, object gjson.Result, members []field, key, value string) string {
	name, _ := encode(key)
	open, end := object.Index, object.Index+len(object.Raw)-1
	if len(members) == 0 {
		return body[:open+1] + string(name) + ": " + spaced(value) + body[open+1:]
	}
	last := members[len(members)-1]
	colon := body[last.keyEnd:last.valueStart]
	tight := strings.HasSuffix(colon, ":")
	var between string
	if len(members) > 1 {
		between = body[members[len(members)-2].valueEnd:last.start]
	} else if between = "," + body[open+1:last.start]; between == "," && !tight {
		between = ", "
	}
	switch _, indent, lines := cutLast(between, "\n"); {
	case tight:
	case lines && strings.HasPrefix(value, "{"):
		newline := "\n"
		if strings.Contains(between, "\r\n") {
			newline = "\r\n"
		}
		indent = indent[:len(indent)-len(strings.TrimLeft(indent, " \t"))]
		value = spread(value, newline, indent, indentUnit(body[open:end], indent))
	default:
		value = spaced(value)
	}
	return body[:last.valueEnd] + between + string(name) + colon + value + body[last.valueEnd:]
}

// indentUnit is by how much the members of an object stand deeper than its closing brace.
func indentUnit(object, indent string) string {
	_, closing, ok := cutLast(object, "\n")
	if unit, deeper := strings.CutPrefix(indent, closing); ok && deeper && unit != "" && strings.Trim(closing, " \t") == "" {
		return unit
	}
	return "  "
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// spread writes an object with one member a line; what is deeper stays on its line.
func spread(object, newline, indent, unit string) string {
	members := fields(gjson.Parse(object))
	if len(members) == 0 {
		return object
	}
	var b strings.Builder
	b.WriteByte('{')
	for i, m := range members {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(newline + indent + unit + object[m.start:m.keyEnd] + ": " + spaced(object[m.valueStart:m.valueEnd]))
	}
	b.WriteString(newline + indent + "}")
	return b.String()
}

// spaced puts a space behind each colon and comma of compact JSON.
func spaced(compact string) string {
	var b strings.Builder
	quoted := false
	for i := 0; i < len(compact); i++ {
		c := compact[i]
		b.WriteByte(c)
		switch {
		case c == '\\' && quoted:
			i++
			b.WriteByte(compact[i])
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ':' || c == ','):
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// encode renders compact JSON without the escapes that only HTML needs.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
