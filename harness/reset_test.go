package harness_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"loopd/harness"
)

func zone(t interface{ Fatal(...any) }, name string) *time.Location {
	loc, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

func TestParseReset(t *testing.T) {
	berlin := zone(t, "Europe/Berlin")
	at := func(s string) time.Time {
		v, err := time.ParseInLocation("2006-01-02 15:04:05", s, berlin)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, tt := range []struct {
		said, now, want string // local time in Berlin; want "" is unknown
	}{
		// A clock is rounded up by the minute that CLIs cut off.
		{"You've hit your limit · resets 5:44am (UTC)", "2026-11-30 05:43:14", "2026-11-30 06:45:00"},
		{"You've hit your limit · resets 5:44am (UTC)", "2026-11-30 06:44:30", "2026-11-30 06:45:00"},
		{"You've hit your limit · resets 5:44am (UTC)", "2026-11-30 06:46:00", "2026-11-30 06:45:00"},
		// A minute that has just passed is meant, one that passed before that is tomorrow's.
		{"resets 6:03am (UTC)", "2026-11-30 07:04:59", "2026-11-30 07:04:00"},
		{"resets 6:03am (UTC)", "2026-11-30 07:06:01", "2026-12-01 07:04:00"},
		// A clock is no number of seconds.
		{"usage limit. Please retry after 3:45 PM", "2026-11-30 05:43:14", "2026-11-30 15:46:00"},
		{"usage limit. Retry after 15:00 UTC", "2026-11-30 05:43:14", "2026-11-30 16:01:00"},
		{"usage limit. retry after 3 pm", "2026-11-30 05:43:14", "2026-11-30 15:01:00"},
		{"usage limit. retry after 2026-12-05 10:00", "2026-11-30 05:43:14", ""},
		{"retry after 20, please", "2026-11-30 05:43:14", "2026-11-30 05:43:34"},
		{"Your quota will reset after 3h5m2s.", "2026-11-30 05:43:14", "2026-11-30 08:48:16"},
		// What stands behind the clock and would move it is not guessed.
		{"try again at 9:04 AM tomorrow", "2026-11-30 05:43:14", ""},
		{"resets at 9:04 AM on Friday", "2026-11-30 05:43:14", ""},
		{"resets 9:04 AM Dec 9", "2026-11-30 05:43:14", ""},
		{"try again at 9:04 AM GMT+8", "2026-11-30 05:43:14", ""},
		{"try again at 9:04 AM UTC-7", "2026-11-30 05:43:14", ""},
		{"try again at 9:04 AM CST", "2026-11-30 05:43:14", ""},
		{"try again at 9:04 AM +0800", "2026-11-30 05:43:14", ""},
		{"try again at 9:04 AM, or upgrade", "2026-11-30 05:43:14", "2026-11-30 09:05:00"},
		// Behind "in" stands a span or nothing.
		{"resets in 4:59", "2026-11-30 05:43:14", ""},
		{"try again in 1:30:00", "2026-11-30 05:43:14", ""},
		{"available again in 2:30 hours", "2026-11-30 05:43:14", ""},
		{"or try again at 5:56 AM.", "2026-11-30 05:43:14", "2026-11-30 05:57:00"},
		{"or try again at 5:56 a.m.", "2026-11-30 05:43:14", "2026-11-30 05:57:00"},
		{"or try again at 5:56 AM.", "2026-11-30 23:43:14", "2026-12-01 05:57:00"},
		{"You've hit your session limit · resets 3pm (America/Bogota)", "2026-08-10 12:00:00", "2026-08-10 22:01:00"},
		{"Weekly limit reached · resets 10am (Asia/Seoul) · /upgrade to Max", "2026-08-10 12:00:00", "2026-08-11 03:01:00"},
		{"Claude usage limit reached. Your limit will reset at 1pm (Etc/GMT+5).", "2026-06-14 12:00:00", "2026-06-14 20:01:00"},
		{"resets 12am", "2026-06-14 12:00:00", "2026-06-15 00:01:00"},
		{"resets 12pm", "2026-06-14 11:00:00", "2026-06-14 12:01:00"},
		{"resets 12:55", "2026-06-14 12:00:00", "2026-06-14 12:56:00"},
		{"resets 9am PST", "2026-12-14 12:00:00", "2026-12-14 18:01:00"},
		{"resets tomorrow at 9am", "2026-06-14 08:00:00", "2026-06-15 09:01:00"},
		// With a date or weekday.
		{"resets Oct 9, 3pm", "2026-10-05 12:00:00", "2026-10-09 15:01:00"},
		{"resets Oct 9 at 3:30pm (UTC)", "2026-10-05 12:00:00", "2026-10-09 17:31:00"},
		{"try again at Aug 20, 2026, 7:38 AM", "2026-08-18 12:00:00", "2026-08-20 07:39:00"},
		{"try again at Oct 9th, 2026 3:05 PM.", "2026-10-05 12:00:00", "2026-10-09 15:06:00"},
		{"resets 9 October 15:00", "2026-10-05 12:00:00", "2026-10-09 15:01:00"},
		{"resets Jan 2, 3pm", "2026-12-31 12:00:00", "2027-01-02 15:01:00"},
		{"resets Mon 9am", "2026-11-27 12:00:00", "2026-11-30 09:01:00"},
		{"resets Monday at 9:00 AM", "2026-11-30 08:00:00", "2026-11-30 09:01:00"},
		{"resets Monday at 9:00 AM", "2026-11-30 10:00:00", "2026-12-07 09:01:00"},
		{"resets Mon, Nov 30, 9am", "2026-11-27 12:00:00", "2026-11-30 09:01:00"},
		// Spans.
		{"try again in 2h 15m", "2026-06-14 12:00:00", "2026-06-14 14:16:00"},
		{"try again in 5 days 22 hours 11 minutes.", "2026-06-14 12:00:00", "2026-06-20 10:12:00"},
		{"Resets in 4d 6h", "2026-06-14 12:00:00", "2026-06-18 18:01:00"},
		{"Please try again in 2s.", "2026-06-14 12:00:00", "2026-06-14 12:00:02"},
		{"try again in 1 hour and 5 minutes", "2026-06-14 12:00:00", "2026-06-14 13:06:00"},
		{"retry-after: 3600", "2026-06-14 12:00:00", "2026-06-14 13:00:00"},
		{"Retry after 90 seconds", "2026-06-14 12:00:00", "2026-06-14 12:01:30"},
		// Exact forms.
		{"Claude AI usage limit reached|1781440000", "2026-06-14 12:00:00", "2026-06-14 14:26:40"},
		{"limit reached|1781440000000", "2026-06-14 12:00:00", "2026-06-14 14:26:40"},
		{"resets at 2026-06-14T13:30:00Z", "2026-06-14 12:00:00", "2026-06-14 15:30:00"},
		{"resets at 2026-06-14 13:30:00 UTC", "2026-06-14 12:00:00", "2026-06-14 15:30:00"},
		{"resets at 2026-06-14T13:30:00.250+05:00, sorry", "2026-06-14 10:00:00", "2026-06-14 10:30:00.25"},
		// Summer time: 02:30 does not exist on March 29 and comes twice on October 25.
		{"resets 2:30am", "2026-03-29 01:00:00", "2026-03-29 03:31:00"},
		{"resets 8am", "2026-10-24 23:00:00", "2026-10-25 08:01:00"},
		{"resets 2:30am (America/New_York)", "2026-03-08 06:00:00", "2026-03-08 08:31:00"}, // 02:30 is jumped over
		{"resets 1:30am (America/New_York)", "2026-11-01 00:00:00", "2026-11-01 07:31:00"}, // the second 01:30
		{"resets 1:45am (Australia/Lord_Howe)", "2026-04-04 12:00:00", "2026-04-04 17:16:00"},
		// The first words are no time, the second are.
		{"The limit resets soon; try again in 3 minutes", "2026-06-14 12:00:00", "2026-06-14 12:04:00"},

		{"", "2026-06-14 12:00:00", ""},
		{"Please try again later.", "2026-06-14 12:00:00", ""},
		{"Resets Aug 15", "2026-08-14 12:00:00", ""},
		{"try again at 10 de jul. de 2026, 11:52", "2026-06-13 12:00:00", ""},
		{"try again at Aug 20, 2026, 7:38 AM", "2026-08-27 12:00:00", ""}, // has passed
		{"resets Aug 20, 7:38 AM", "2026-08-27 12:00:00", ""},
		{"usage limit reached|1749924000", "2026-06-14 12:00:00", ""},
		{"resets 3pm (Nowhere/Land)", "2026-06-14 12:00:00", ""},
		{"resets 3pm (local)", "2026-06-14 12:00:00", ""},
		{"resets 13pm", "2026-06-14 12:00:00", ""},
		{"resets 25:00", "2026-06-14 12:00:00", ""},
		{"resets 5", "2026-06-14 12:00:00", ""},
		{"resets at 2026-06-14 13:30:00 XYZ", "2026-06-14 12:00:00", ""},
		{"try again in 99999 days", "2026-06-14 12:00:00", ""},
		{"it was at 5:44am", "2026-06-14 12:00:00", ""},
	} {
		t.Run(tt.said+" at "+tt.now, func(t *testing.T) {
			got, ok := harness.ParseReset(tt.said, at(tt.now))
			switch {
			case tt.want == "" && ok:
				t.Errorf("%v, want unknown", got)
			case tt.want != "" && (!ok || got.In(berlin).Format("2006-01-02 15:04:05.999") != tt.want):
				t.Errorf("%v %v, want %s", got, ok, tt.want)
			}
		})
	}
}

// Written the way a CLI writes it, with the seconds cut off, a reset within a day is never tried too early and at most a
// minute late (two hours of the same name are told apart by nobody: an hour there).
func TestParseResetProperty(t *testing.T) {
	zones := []*time.Location{time.UTC, zone(t, "Europe/Berlin"), zone(t, "America/New_York"), zone(t, "Asia/Kolkata"), zone(t, "Australia/Lord_Howe"), zone(t, "America/Santiago")}
	rapid.Check(t, func(rt *rapid.T) {
		now := time.Unix(rapid.Int64Range(1780000000, 1820000000).Draw(rt, "now"), 0).In(rapid.SampledFrom(zones).Draw(rt, "here"))
		there := rapid.SampledFrom(zones).Draw(rt, "there")
		reset := now.Add(time.Duration(rapid.Int64Range(1, 23*3600-1).Draw(rt, "in")) * time.Second).In(there)
		margin := time.Minute
		for _, turned := range []time.Duration{30 * time.Minute, time.Hour} {
			if reset.Add(turned).Format("15:04") == reset.Format("15:04") {
				margin += turned
			}
		}
		form := rapid.SampledFrom([]string{"3:04pm", "15:04", "Jan 2, 3:04pm", "Jan 2, 2006 3:04 PM", "Mon 15:04"}).Draw(rt, "form")
		said := fmt.Sprintf("limit · resets %s (%s)", reset.Format(form), there)
		got, ok := harness.ParseReset(said, now)
		if !ok || got.Before(reset) || got.After(reset.Add(margin)) {
			rt.Fatalf("%q at %s: %v %v, want %s to +%s", said, now, got, ok, reset, margin)
		}
	})
}

func FuzzParseReset(f *testing.F) {
	for _, s := range []string{"resets 5:44am (UTC)", "try again at Oct 9th, 2026 3:05 PM", "try again in 2h 15m", "limit reached|1781440000", "resets Mon 9am", "resets at 2026-06-14T13:30:00Z", "retry-after: 9e9", "resets İ 5am"} {
		f.Add(s)
	}
	now := time.Date(2026, 6, 14, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, said string) {
		got, ok := harness.ParseReset(said, now)
		if ok && (got.Before(now.Add(-2*time.Minute)) || got.After(now.Add(35*24*time.Hour))) {
			t.Errorf("%q: %v", said, got)
		}
	})
}
