package native

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/tidwall/gjson"
)

// The readers below say whether a value has the right type; only then they store it.

func text(to *string, v gjson.Result, null bool) bool {
	if v.Type == gjson.Null {
		return null
	}
	return v.Type == gjson.String && json.Unmarshal([]byte(v.Raw), to) == nil
}

func word[S ~string](to *S, v gjson.Result, words []S) bool {
	var s string
	if !text(&s, v, false) || !slices.Contains(words, S(s)) {
		return false
	}
	*to = S(s)
	return true
}

func number(to *float64, v gjson.Result) bool {
	if v.Type != gjson.Number {
		return false
	}
	n, err := strconv.ParseFloat(v.Raw, 64)
	if err != nil {
		return false
	}
	*to = n
	return true
}

func numberOrNull(to **float64, v gjson.Result) bool {
	var n float64
	if v.Type == gjson.Null {
		return true
	}
	if !number(&n, v) {
		return false
	}
	*to = &n
	return true
}

// whole takes 1e3 and 3.0 as well: they are whole numbers.
func whole(to *int, v gjson.Result) bool {
	var n float64
	if !number(&n, v) || n != math.Trunc(n) || n < 0 || n > 1<<53 {
		return false
	}
	*to = int(n)
	return true
}

func texts(to *[]string, v gjson.Result) bool {
	if v.Type == gjson.Null {
		return true
	}
	if !v.IsArray() {
		return false
	}
	out := []string{}
	for _, e := range v.Array() {
		var s string
		if !text(&s, e, false) {
			return false
		}
		out = append(out, s)
	}
	*to = out
	return true
}

func moment(to *time.Time, v gjson.Result) bool {
	var s string
	if v.Type == gjson.Null {
		return true
	}
	if !text(&s, v, false) {
		return false
	}
	// Unlike time.Parse this takes nothing that could not be written again.
	return to.UnmarshalText([]byte(s)) == nil
}
