package supervisor

import (
	"testing"
	"time"
)

func TestQuietHours(t *testing.T) {
	for _, c := range []struct {
		quiet, at string
		want      bool
	}{
		{"22:00-07:00", "23:30", true},
		{"22:00-07:00", "06:59", true},
		{"22:00-07:00", "07:00", false},
		{"22:00-07:00", "12:00", false},
		{"12:00 - 13:00", "12:30", true},
		{"12:00-13:00", "13:00", false},
		{"", "03:00", false},
	} {
		at, err := time.Parse("15:04", c.at)
		if err != nil {
			t.Fatal(err)
		}
		if got := (Channel{Quiet: c.quiet}).quietAt(at); got != c.want {
			t.Errorf("%q at %s: %v", c.quiet, c.at, got)
		}
	}
}

func TestChannelTakesItsEvents(t *testing.T) {
	c := Channel{Events: []string{EventStalled}}
	if !c.wants(EventStalled) || c.wants(EventDone) || !(Channel{}).wants(EventDone) {
		t.Error("a channel takes what it should not, or not what it should")
	}
}
