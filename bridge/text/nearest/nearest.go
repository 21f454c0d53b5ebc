// Package nearest guesses which name was meant.
package nearest

import (
	"math"
	"strings"

	"github.com/hbollon/go-edlib"
)

// Name returns the one of names that somebody who wrote name may have meant; empty
// where none is near.
func Name(name string, names []string) (best string) {
	if len(name) > 64 { // the distance of two texts costs the product of their lengths
		return ""
	}
	least := math.MaxInt
	for _, n := range names {
		d := edlib.OSADamerauLevenshteinDistance(strings.ToLower(name), strings.ToLower(n))
		if len(name) > 1 && strings.HasPrefix(n, name) {
			d = min(d, 1)
		}
		if d <= (max(len(name), len(n))+1)/3 && d < least {
			best, least = n, d
		}
	}
	return best
}

// DidYouMean ends a sentence that something is not known; it is empty without a name
// to offer.
func DidYouMean(name string) string {
	if name == "" {
		return ""
	}
	return " (did you mean " + name + "?)"
}
