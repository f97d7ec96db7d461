package tracking

import (
	"strconv"
	"strings"
	"unicode"
)

// slugMax is how long a slug may be, in characters.
const slugMax = 50

// noSlug is the slug of a task that has no letter or digit for one, such as one in another script.
const noSlug = "loop"

// mostSlugs is how many loops of one task may stand beside each other.
const mostSlugs = 9999

// Slug makes the folder's name of a task: lower case, a-z, 0-9 and single hyphens, at most 50 characters, never empty.
// Blanks become hyphens, and so does punctuation, which parts words as a blank does ("src/a_b.go" is "src-a-b-go");
// apostrophes and letters beyond ASCII are dropped. A task of nothing else is "loop".
func Slug(task string) string {
	var b strings.Builder
	gap := false
	for _, r := range task {
		switch {
		case r >= 'A' && r <= 'Z':
			r += 'a' - 'A'
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
		case r == '\'' || r == '’' || unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r):
			continue
		default:
			gap = b.Len() > 0
			continue
		}
		if gap {
			b.WriteByte('-')
			gap = false
		}
		if b.Len() >= slugMax {
			break
		}
		b.WriteRune(r)
	}
	return cutSlug(b.String(), slugMax)
}

// Free gives the slug, or with -2, -3 … behind it the first one that is not taken, still at most 50 characters: the text
// in front gets shorter. It gives "" after 9999, which a taken that fails for every name would ask for.
func Free(slug string, taken func(string) bool) string {
	slug = cutSlug(slug, slugMax)
	if !taken(slug) {
		return slug
	}
	for n := 2; n <= mostSlugs; n++ {
		suffix := "-" + strconv.Itoa(n)
		if next := cutSlug(slug, slugMax-len(suffix)) + suffix; !taken(next) {
			return next
		}
	}
	return ""
}

// Path is where the document of a loop stands: below the repository, with slashes.
func Path(slug string) string { return ".codevoyant/loops/" + slug + "/loop.md" }

func cutSlug(s string, room int) string {
	s = strings.Trim(s[:min(len(s), room)], "-")
	if s == "" {
		return noSlug
	}
	return s
}
