package supervisor

import "testing"

func TestObjectiveOf(t *testing.T) {
	for text, want := range map[string]struct {
		met bool
		why string
	}{
		"I looked.\nMET: none left": {true, "none left"}, "**MET**": {true, "met"}, "NOT_MET: two left": {false, "two left"}, "MET.": {true, "met"},
		"It is MET": {false, `the verdict cannot be read: "It is MET"`}, "": {false, `the verdict cannot be read: ""`}, "MET: x\nbut I am not sure": {false, `the verdict cannot be read: "but I am not sure"`},
		"met: x": {false, `the verdict cannot be read: "met: x"`},
	} {
		if met, why := objectiveOf(text); met != want.met || why != want.why {
			t.Errorf("%q: %v, %q; want %v, %q", text, met, why, want.met, want.why)
		}
	}
}
