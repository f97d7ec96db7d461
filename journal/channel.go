package journal

import (
	"net/url"
	"strings"
)

// ParseChannel reads one way to reach a person (spec/loop.md, "Escalation"): a back-ticked command, file:PATH, a
// notification URL with its scheme, or a bare name from config.toml. What stands in back-ticks and begins like one of the
// other two is that. ok is false for anything else, prose above all.
func ParseChannel(text string) (c Channel, ok bool) {
	s := strings.TrimSpace(text)
	inner := strings.TrimSpace(strings.Trim(s, "`"))
	ticked := len(s) > 2 && s[0] == '`' && s[len(s)-1] == '`'
	bare := strings.TrimRight(s, ".,;")
	if ticked {
		bare = inner
	}
	switch {
	case inner == "":
		return Channel{}, false
	case strings.HasPrefix(bare, "file:"):
		path := bare[len("file:"):]
		if strings.HasPrefix(path, "///") { // a file URL without a host
			path = path[2:]
		}
		return Channel{File: path}, path != ""
	case isURL(bare):
		return Channel{URL: bare}, true
	case ticked:
		return Channel{Command: inner}, true
	case isName(bare):
		return Channel{Name: bare}, true
	}
	return Channel{}, false
}

func isURL(s string) bool {
	scheme, rest, ok := strings.Cut(s, "://")
	if !ok || scheme == "" || rest == "" || strings.ContainsAny(s, " \t`") {
		return false
	}
	for i, r := range strings.ToLower(scheme) {
		if (r < 'a' || r > 'z') && (i == 0 || !strings.ContainsRune("0123456789+-.", r)) {
			return false
		}
	}
	return true
}

func isName(s string) bool {
	return s != "" && strings.Trim(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz0123456789-_.") == "" && strings.Trim(s, "-_.") != ""
}

// String names the channel for a message. Of a URL only the scheme is shown: host, user and path of a notification URL
// are where its secrets stand.
func (c Channel) String() string {
	switch {
	case c.Command != "":
		return "`" + c.Command + "`"
	case c.File != "":
		return "file:" + c.File
	case c.URL != "":
		if u, err := url.Parse(c.URL); err == nil && u.Scheme != "" {
			return u.Scheme + "://…"
		}
		return "a notification URL"
	case c.Name != "":
		return c.Name
	}
	return "no channel"
}
