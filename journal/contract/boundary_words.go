package contract

import "sync"

var (
	// risks are what the seed calls external or consequential; the list is that of spec/dialects.md, in every form of its
	// words.
	risks = sync.OnceValue(func() table {
		return phrases(
			"production|productions|prod",
			"deploy|deploys|deployed|deploying|deployment|deployments|deployable|redeploy*|deploy.*",
			"publish|publishes|published|publishing|publication|publications|republish*|publish.*",
			"external|externally|externals", "shared|share|shares|sharing",
		)
	})
	// harmless are things that have such a word in their name.
	harmless = sync.OnceValue(func() table {
		return phrases(
			"production code|source|sources|module|modules|class|classes|file|files",
			"production - like|style|grade|quality|ready", "production ready", "share|shares of",
		)
	})
	// approval are words for a person's yes.
	approval = sync.OnceValue(func() table {
		return phrases(
			"approv*", "unapproved", "sign|signed|signs ?- off", "signoff",
			"authorization|authorisation|authorized|authorised|authorizes|authorises", "unauthorized|unauthorised",
			"confirmation", "confirmed by|with ?the|a|an owner|operator|human|user|person|maintainer|lead|reviewer",
			"unconfirmed", "consent*", "go ?- ahead", "permission from|of|by", "ask|asks|asking",
			"okay|ok from|of|by",
		)
	})
	// asked are words behind which "without" states a condition: "without explicit approval".
	asked = sync.OnceValue(func() table {
		return phrases(
			"?a|an|any|the|prior|explicit|his|her|their|its ?human|explicit|prior|owner|operator|user|recorded|" +
				"written|fresh|verified|maintainer|green|passing|second approv*|asking|permission|consent*|confirm*|" +
				"authori*|review*|sign*|rollback|roll|notice|being|verif*|test|tests|check|checks|green|ci|backup|" +
				"ticket|plan|ok|okay|human|owner",
		)
	})
	// rollback are words for the way back.
	rollback = sync.OnceValue(func() table {
		return phrases(
			"rollback*",
			"roll|rolls|rolled|rolling ?it|them|the ?change|changes|deploy|deployment|release ?- back*", "revert*",
			"restor*", "undo|undoes|undone|undoing", "back|backs|backed ?- out",
		)
	})
	// waived are words behind an approval or a rollback that take it back.
	waived = sync.OnceValue(func() table {
		return phrases(
			"?is|are|was ?not|never needed|required|necessary|possible|available|planned|wanted",
			"?is|are optional|unnecessary|waived|impossible|unavailable|skipped|disabled|off", "?is|are not|never",
			": no|none|never",
		)
	})
	// grants allow what follows, or what they are said of.
	grants = sync.OnceValue(func() table {
		return phrases(
			"allow|allows|allowed|permitted|permits|permit|okay|fine|enabled|welcome|granted|possible|expected|"+
				"automatic|automatically|required|needed",
			"free|able to",
		)
	})
	// modals begin a statement of their own.
	modals = sync.OnceValue(func() table { return phrases("may|can|could|might|will|would|shall|should|must") })
	// copulas join a subject to what is said of it.
	copulas = sync.OnceValue(func() table {
		return phrases(
			"is|are|was|were|be|stay|stays|remain|remains|must|may|shall|should|can|will|does|do|did|has|have|" +
				"happens|happen|runs|run|goes|go|needs|need",
		)
	})
	// openers begin a statement of their own behind a comma or "and": "no push, no deploy unless approved" is two.
	openers = sync.OnceValue(func() table {
		return phrases(
			"no|never|not|nothing|neither|zero", "if|when|once|whenever",
			"ask*|stop|stops|escalat*|hold|holds|pause*|checkpoint*|request*|report*", "it|they|you|we", "only",
			"then|instead|otherwise", "allow*|permit*",
			"?the agent|loop|bot|owner|operator|maker|runner|checker|team|user|maintainer|human may|can|must|"+
				"will|should|is|does|deploys|publishes|asks|stops|approves",
		)
	})
	// thirdPersons go on with a subject that "does not" do something else: "does not push and deploys".
	thirdPersons = sync.OnceValue(func() table { return phrases("deploys|redeploys|publishes|shares") })
	// turns begin a statement of their own wherever they stand.
	turns = sync.OnceValue(func() table {
		return phrases(
			"but", "however|yet|although|though|whereas|nevertheless|otherwise",
		)
	})
	// answers deny what a label names: "Production: none".
	answers = sync.OnceValue(func() table {
		return phrases(
			": none|never|nothing|denied|forbidden|off|prohibited|disabled|blocked",
			": no access|writes|write|changes|change|calls|call|use|deploys", ": not allowed|permitted",
		)
	})
	// nothingElse denies the verb before it: "publishes nothing".
	nothingElse = sync.OnceValue(func() table {
		return phrases(
			"nothing",
			"no package|packages|artifact|artifacts|release|releases|image|images|code|change|changes|build|"+
				"builds|data|service|services",
		)
	})
)
