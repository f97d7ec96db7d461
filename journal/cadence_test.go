package journal

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestParseCadence(t *testing.T) {
	for in, want := range map[string]Cadence{
		"on-demand":             {Kind: OnDemand},
		"On-Demand":             {Kind: OnDemand},
		"auto":                  {Kind: Auto},
		"every 30m":             {Kind: Every, Every: 30 * time.Minute},
		"every 1h30m":           {Kind: Every, Every: 90 * time.Minute},
		"every 2 hours":         {Kind: Every, Every: 2 * time.Hour},
		"Every  90\tmin":        {Kind: Every, Every: 90 * time.Minute},
		"every 1.5 hours":       {Kind: Every, Every: 90 * time.Minute},
		"every 2 days":          {Kind: Every, Every: 48 * time.Hour},
		"daily 09:30":           {Kind: Daily, Hour: 9, Minute: 30},
		"daily 0:05":            {Kind: Daily, Minute: 5},
		"0 9 * * 1-5":           {Kind: Cron, Spec: "0 9 * * 1-5"},
		"`*/15 * * * *`":        {Kind: Cron, Spec: "*/15 * * * *"},
		"0  0 1 JAN mon":        {Kind: Cron, Spec: "0 0 1 JAN mon"},
		"0 0 29 2 *":            {Kind: Cron, Spec: "0 0 29 2 *"},
		"0 0 29 2 1":            {Kind: Cron, Spec: "0 0 29 2 1"},
		"30 4 * * 0,6":          {Kind: Cron, Spec: "30 4 * * 0,6"},
		" every 30m ":           {Kind: Every, Every: 30 * time.Minute},
		"CRON_TZ=UTC 0 0 * * 7": {Kind: Cron, Spec: "CRON_TZ=UTC 0 0 * * 7"},
	} {
		got, err := ParseCadence(in)
		want.Text = strings.Join(strings.Fields(strings.Trim(in, "`")), " ")
		if err != nil || got != want {
			t.Errorf("ParseCadence(%q) = %+v, %v; want %+v", in, got, err, want)
		}
	}
	for in, want := range map[string]string{
		"": "no cadence", "weekly": "want on-demand", "on demand": "want on-demand", "auto please": "words behind",
		"every": "behind every", "every day": "behind every", "every 0m": "one second", "every -5m": "one second", "every 30": "behind every", "every 400 days": "behind every", "every 9000h": "a year",
		"daily": "00:00", "daily 24:00": "00:00", "daily 9:5": "00:00", "daily 09:60": "00:00", "daily 9": "00:00", "daily -1:00": "00:00", "daily 09:00 UTC": "00:00", "daily +9:00": "00:00",
		"* * * *": "4 cron fields", "0 0 0 * * *": "6 cron fields", "60 * * * *": "read cron", "0 25 * * *": "read cron", "0 0 31 2 *": "never comes", "@daily": "cron fields",
		"TZ=0 0 9 * * *": "cron", "CRON_TZ=Nowhere/Land 0 9 * * *": "Nowhere/Land", "5": "1 cron fields",
	} {
		if got, err := ParseCadence(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseCadence(%q) = %+v, %v; want an error with %q", in, got, err, want)
		}
	}
}

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

// TestNextAcrossClockChanges follows a cadence for some starts; the wanted times are moments, with their offset.
func TestNextAcrossClockChanges(t *testing.T) {
	for _, c := range []struct {
		name, cadence, zone, after string
		want                       []string
	}{
		{"plain day", "daily 09:30", "Europe/Berlin", "2026-06-01T09:00:00+02:00", []string{"2026-06-01T09:30:00+02:00", "2026-06-02T09:30:00+02:00"}},
		{"at the time itself", "daily 09:30", "Europe/Berlin", "2026-06-01T09:30:00+02:00", []string{"2026-06-02T09:30:00+02:00"}},
		{"asked from another zone", "daily 09:30", "Europe/Berlin", "2026-06-01T23:00:00Z", []string{"2026-06-02T09:30:00+02:00"}},
		{"skipped", "daily 02:30", "Europe/Berlin", "2026-03-28T12:00:00+01:00", []string{"2026-03-29T03:00:00+02:00", "2026-03-30T02:30:00+02:00"}},
		{"skipped, New York", "daily 02:15", "America/New_York", "2026-03-07T12:00:00-05:00", []string{"2026-03-08T03:00:00-04:00", "2026-03-09T02:15:00-04:00"}},
		{"twice", "daily 02:30", "Europe/Berlin", "2026-10-24T12:00:00+02:00", []string{"2026-10-25T02:30:00+02:00", "2026-10-26T02:30:00+01:00"}},
		{"asked between the two", "daily 02:30", "Europe/Berlin", "2026-10-25T02:10:00+01:00", []string{"2026-10-26T02:30:00+01:00"}},
		{"twice, New York", "daily 01:30", "America/New_York", "2026-10-31T12:00:00-04:00", []string{"2026-11-01T01:30:00-04:00", "2026-11-02T01:30:00-05:00"}},
		{"half an hour", "daily 02:15", "Australia/Lord_Howe", "2026-10-03T12:00:00+10:30", []string{"2026-10-04T02:30:00+11:00", "2026-10-05T02:15:00+11:00"}},
		{"no midnight", "daily 00:30", "America/Havana", "2026-03-07T12:00:00-05:00", []string{"2026-03-08T01:00:00-04:00", "2026-03-09T00:30:00-04:00"}},
		{"no date", "daily 12:00", "Pacific/Apia", "2011-12-29T13:00:00-10:00", []string{"2011-12-31T00:00:00+14:00", "2011-12-31T12:00:00+14:00"}},
		{"every is real time", "every 1h", "Europe/Berlin", "2026-03-29T01:30:00+01:00", []string{"2026-03-29T03:30:00+02:00", "2026-03-29T04:30:00+02:00"}},

		{"cron", "0 9 * * 1-5", "Europe/Berlin", "2026-06-05T10:00:00+02:00", []string{"2026-06-08T09:00:00+02:00", "2026-06-09T09:00:00+02:00"}},
		{"cron, Sunday is 7", "0 9 * * 7", "UTC", "2026-06-05T10:00:00Z", []string{"2026-06-07T09:00:00Z"}},
		{"cron, either day field", "0 0 13 * 5", "UTC", "2026-06-06T00:00:00Z", []string{"2026-06-12T00:00:00Z", "2026-06-13T00:00:00Z", "2026-06-19T00:00:00Z"}},
		{"cron, step over days", "0 0 */10 * 1", "UTC", "2026-06-01T00:00:00Z", []string{"2026-08-31T00:00:00Z", "2026-09-21T00:00:00Z"}},
		{"cron, leap day", "0 0 29 2 *", "UTC", "2026-06-06T00:00:00Z", []string{"2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"}},
		{"cron, skipped hour", "30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00+01:00", []string{"2026-03-29T03:00:00+02:00", "2026-03-30T02:30:00+02:00"}},
		{"cron, hour twice", "30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00+02:00", []string{"2026-10-25T02:30:00+02:00", "2026-10-26T02:30:00+01:00"}},
		{"cron, every half hour, skipped", "*/30 * * * *", "Europe/Berlin", "2026-03-29T01:00:00+01:00", []string{"2026-03-29T01:30:00+01:00", "2026-03-29T03:00:00+02:00", "2026-03-29T03:30:00+02:00"}},
		{"cron, every half hour, twice", "*/30 * * * *", "Europe/Berlin", "2026-10-25T02:00:00+02:00", []string{"2026-10-25T02:30:00+02:00", "2026-10-25T02:00:00+01:00", "2026-10-25T02:30:00+01:00", "2026-10-25T03:00:00+01:00"}},
		{"cron, no midnight", "0 0 * * *", "America/Havana", "2026-03-07T12:00:00-05:00", []string{"2026-03-08T01:00:00-04:00", "2026-03-09T00:00:00-04:00"}},
		{"cron with its own zone", "CRON_TZ=Asia/Tokyo 0 6 * * *", "Europe/Berlin", "2026-06-01T00:00:00+02:00", []string{"2026-06-01T23:00:00+02:00"}},
		{"cron, seconds in after", "*/5 * * * *", "UTC", "2026-06-01T00:04:59Z", []string{"2026-06-01T00:05:00Z"}},
	} {
		cad, err := ParseCadence(c.cadence)
		if err != nil {
			t.Fatal(err)
		}
		after, err := time.Parse(time.RFC3339, c.after)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			got := cad.Next(after, zone(t, c.zone))
			if got.Format(time.RFC3339) != want {
				t.Errorf("%s: %q after %s is %s, want %s", c.name, c.cadence, after.Format(time.RFC3339), got.Format(time.RFC3339), want)
				break
			}
			after = got
		}
	}
	for _, k := range []CadenceKind{OnDemand, Auto, ""} {
		if got := (Cadence{Kind: k}).Next(time.Now(), time.UTC); !got.IsZero() {
			t.Errorf("%q has a next start of its own: %s", k, got)
		}
	}
	if got := (Cadence{Kind: Daily, Hour: 1}).Next(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), nil); got.Hour() != 1 {
		t.Errorf("nil location: %s", got)
	}
}

var changingZones = []string{"UTC", "Europe/Berlin", "Europe/Dublin", "America/New_York", "America/Havana", "America/Sao_Paulo", "Australia/Lord_Howe", "Asia/Kathmandu", "Asia/Beirut", "Pacific/Apia", "Africa/Casablanca", "Antarctica/Troll"}

// drawTime draws moments close to clock changes often.
func drawTime(t *rapid.T, loc *time.Location) time.Time {
	at := time.Unix(rapid.Int64Range(1_000_000_000, 2_500_000_000).Draw(t, "unix"), 0).In(loc)
	if _, end := at.ZoneBounds(); !end.IsZero() && rapid.Bool().Draw(t, "near a change") {
		at = end.Add(time.Duration(rapid.Int64Range(-172_800, 172_800).Draw(t, "off")) * time.Second)
	}
	return at
}

func TestDailyLosesNoDayAndDoublesNone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		loc, err := time.LoadLocation(rapid.SampledFrom(changingZones).Draw(t, "zone"))
		if err != nil {
			t.Fatal(err)
		}
		c := Cadence{Kind: Daily, Hour: rapid.IntRange(0, 23).Draw(t, "hour"), Minute: rapid.IntRange(0, 59).Draw(t, "minute")}
		after := drawTime(t, loc)
		seen := map[string]bool{}
		for range 5 {
			next := c.Next(after, loc)
			if !next.After(after) {
				t.Fatalf("%s is not after %s", next, after)
			}
			// A day has at most 26 hours, but the one that a zone left out has 24 more.
			if d := next.Sub(after); d > 26*time.Hour && loc.String() != "Pacific/Apia" {
				t.Fatalf("%s to %s: a day is lost", after, next)
			}
			if next.Hour()*60+next.Minute() != c.Hour*60+c.Minute {
				if start, _ := next.ZoneBounds(); !start.Equal(next) {
					t.Fatalf("%s is neither the time nor a clock change", next)
				}
			}
			if day := next.Format(time.DateOnly); seen[day] && loc.String() != "Pacific/Apia" {
				t.Fatalf("%s comes twice", day)
			} else {
				seen[day] = true
			}
			after = next
		}
	})
}

func TestCronIsDailyToo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		loc, err := time.LoadLocation(rapid.SampledFrom(changingZones).Draw(t, "zone"))
		if err != nil {
			t.Fatal(err)
		}
		d := Cadence{Kind: Daily, Hour: rapid.IntRange(0, 23).Draw(t, "hour"), Minute: rapid.IntRange(0, 59).Draw(t, "minute")}
		c := Cadence{Kind: Cron, Spec: FormatNumber(float64(d.Minute)) + " " + FormatNumber(float64(d.Hour)) + " * * *"}
		after := drawTime(t, loc)
		if got, want := c.Next(after, loc), d.Next(after, loc); !got.Equal(want) {
			t.Fatalf("cron %q after %s is %s, daily is %s", c.Spec, after, got, want)
		}
	})
}

func FuzzParseCadence(f *testing.F) {
	for _, s := range []string{"every 30m", "daily 02:30", "*/5 * * * *", "TZ=0 * * * * *", "0 0 L * *", "H H * * *", "0 0 ? * 1#2"} {
		f.Add(s)
	}
	now := time.Date(2026, 3, 29, 0, 30, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, s string) {
		c, err := ParseCadence(s)
		if err != nil || c.Kind == OnDemand || c.Kind == Auto {
			return
		}
		if next := c.Next(now, time.UTC); !next.After(now) {
			t.Fatalf("%q: next is %s", s, next)
		}
	})
}
