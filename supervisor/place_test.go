package supervisor

import "testing"

func TestPlaceOfAnother(t *testing.T) {
	for _, git := range []string{"", "/r/.git"} {
		if got, want := placeOf(git, git, "/state", "/r", "a").of("b"), placeOf(git, git, "/state", "/r", "b"); got != want {
			t.Errorf("beside a loop in %q: %+v, want %+v", git, got, want)
		}
	}
}
