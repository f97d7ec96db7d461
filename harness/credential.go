package harness

import (
	"path/filepath"
	"strings"
)

// CredentialKind is how an agent pays for its work.
type CredentialKind string

// The kinds. Unknown: it may log in by a way that cannot be seen from outside (a keychain, a helper, its own config).
const (
	Subscription CredentialKind = "subscription"
	APIKey       CredentialKind = "API key"
	Cloud        CredentialKind = "cloud"
	StoredLogin  CredentialKind = "stored login" // a subscription or a key, the file does not say which from outside
	Unknown      CredentialKind = "unknown"
)

// CredentialRule is one way in which a CLI logs in. A rule names a variable or a file.
type CredentialRule struct {
	Kind CredentialKind
	Env  string // holds where this variable is set and not empty
	File string // holds where this file is there, in the folder that Home or Default names
	Home string // a variable that names the folder of File, e.g. CLAUDE_CONFIG_DIR
	// Default is the folder below $HOME where Home is not set.
	Default string
}

// Credential is what a harness will use, for the line that is said before the first exec of a run.
type Credential struct {
	Kind   CredentialKind
	Source string // the variable or the file
	// Warning is one sentence where a key in the environment silently replaces a subscription; "" otherwise.
	Warning string
}

// WhichCredential applies the harness's rules to the environment that its agent will get (Environ). exists answers
// whether a file is there. The first rule that holds is the one that the CLI uses.
func WhichCredential(h Harness, environ []string, exists func(path string) bool) Credential {
	var first, login *Credential
	for _, rule := range h.Credentials() {
		source, ok := rule.holds(environ, exists)
		if !ok {
			continue
		}
		found := &Credential{Kind: rule.Kind, Source: source}
		if first == nil {
			first = found
		}
		if login == nil && (rule.Kind == Subscription || rule.Kind == StoredLogin) {
			login = found
		}
	}
	if first == nil {
		return Credential{Kind: Unknown}
	}
	if login != nil && first.Kind == APIKey {
		first.Warning = first.Source + " is set: " + h.Name() + " bills that key and not the login in " + login.Source +
			"; unset it where that is not meant"
	}
	return *first
}

func (r CredentialRule) holds(environ []string, exists func(string) bool) (string, bool) {
	if r.Env != "" {
		value, _ := lookup(environ, r.Env)
		return r.Env, value != ""
	}
	folder, ok := lookup(environ, r.Home)
	if !ok || folder == "" {
		home, ok := lookup(environ, "HOME")
		if !ok || home == "" {
			return "", false
		}
		folder = filepath.Join(home, r.Default)
	}
	path := filepath.Join(folder, r.File)
	return path, exists(path)
}

// lookup finds a variable; the last one counts, as in a shell.
func lookup(environ []string, name string) (string, bool) {
	if name == "" {
		return "", false
	}
	for i := len(environ) - 1; i >= 0; i-- {
		if k, v, ok := strings.Cut(environ[i], "="); ok && k == name {
			return v, true
		}
	}
	return "", false
}
