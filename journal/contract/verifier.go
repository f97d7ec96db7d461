package contract

import "sync"

var (
	// builders are words for the one who did the work.
	builders = sync.OnceValue(func() table {
		return phrases(
			"builder|builders", "maker|makers", "agent|agents", "model|models", "llm|ai|assistant|bot",
			"author|authors", "implementer|implementor|coder|programmer", "worker|workers",
			"itself|himself|herself|myself|yourself|themselves|me|i|you|nobody|noone", "no one", "self only|alone",
			"same one|person|people|session|context|process|developer|engineer|human",
			"self ?- review*|check*|verif*|assess*|evaluat*|certif*|report*|judg*|approv*|inspect*|grad*|"+
				"critique*|confiden*|reflect*|test*",
			"selfreview|selfcheck",
		)
	})
	// people judge with eyes of their own, unless they are the same.
	people = sync.OnceValue(func() table {
		return phrases(
			"human|humans|person|people|owner|operator|maintainer|maintainers|user|users|customer|customers|lead|" +
				"colleague|teammate|team|expert|engineer|developer|developers|peer|peers|qa",
		)
	})
	// instruments judge by themselves.
	instruments = sync.OnceValue(func() table {
		return phrases(
			"checker|checkers", "reviewer|reviewers",
			"judge|referee|auditor|inspector|tester|testers|evaluator|critic|verifier",
			"independent|independently|external|separate|second|another|different|third", "other than",
			"fresh|new|clean|dedicated agent|model|instance|llm",
			"pytest|unittest|testsuite|suite|suites|e2e|fuzz*|benchmark*|coverage|jest|playwright|cypress|rspec",
			"ci|pipeline|pipelines|workflow|workflows|github|jenkins|buildkite|gitlab|circleci",
			"command|commands|script|scripts|lint|linter|linters|typecheck*|typechecker|staticcheck|compiler|"+
				"schema|validator|validators|checksum|hash|oracle|deterministic*",
			"type ?- check*", "harness|evals", "held - out", "golden|snapshot|snapshots|baseline|fixture|fixtures",
			"exit ?- code", "manager|supervisor|loopd|npm|pnpm|yarn|cargo|gradle|mvn|bazel|tox|curl|grep|jq",
			"go|unit|integration|regression|acceptance|smoke|property|load test|tests|vet|build",
			"make check|test|lint|verify",
		)
	})
	// deeds are checks as nouns, and what a builder does as verbs.
	deeds = sync.OnceValue(func() table {
		return phrases(
			"check|checks|test|tests|testing|build|builds|compiles|judges|query|queries|probe|probes|metric|metrics",
		)
	})
	// own makes a deed, or a judge, the builder's.
	own = sync.OnceValue(func() table { return phrases("own", "self -", "double -", "sanity") })
	// objects behind a deed make a verb of it: "checks its work". "By the builder" makes it the builder's.
	objects = sync.OnceValue(func() table {
		return phrases(
			"it|its|that|whether|everything|the|their|own|all|if|work",
			"by|from ?the|a|an ?same builder|maker|agent|model|author|worker|coder|llm|ai",
		)
	})
)

// verifier refuses the builder alone: "the same builder", "self-review", "the agent". Who names anything that judges by
// itself names a verifier, and so does who names no builder.
func (r *reader) verifier() {
	v, ok := r.values[verifier]
	if !ok {
		return
	}
	for _, c := range r.contract.VerifierChecks {
		if at, _ := first(tokensOf(c.Command), builders()); at < 0 {
			return
		}
	}
	t := tokensOf(v.text)
	by, length := -1, 0
	for i := 0; i < len(t); i++ {
		if judges(t, i) && !deniedBefore(t, i) {
			return
		}
		n := find(t, i, builders())
		if t[i].s == "self" && (i+1 == len(t) || t[i+1].kind == mark && t[i+1].s != "-") {
			n = 1
		}
		if n > 0 {
			if by < 0 && !deniedBefore(t, i) {
				by, length = i, n
			}
			i += n - 1
		}
	}
	if by < 0 {
		return
	}
	r.add(verifier, v.at(t[by].at), v.text, "a check or a checker besides the builder, such as `go test ./...` exits 0",
		"\""+v.text[t[by].at:t[by+length-1].end]+"\" is the one who did the work: its opinion is no evidence")
}

// judges reports whether a token names a judge that is not the builder.
func judges(t []token, i int) bool {
	behind := func(rows table) bool {
		return i > 0 && find(t, i-1, rows) == 1 || i > 1 && find(t, i-2, rows) == 2
	}
	switch {
	case find(t, i, instruments()) > 0:
		return !behind(own())
	case find(t, i, people()) > 0:
		return i == 0 || t[i-1].s != "same"
	}
	n := find(t, i, deeds())
	return n > 0 && !behind(builders()) && !behind(own()) && find(t, i+n, objects()) == 0
}
