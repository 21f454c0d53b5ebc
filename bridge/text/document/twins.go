package document

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode"
)

var (
	// twins matches the letters of other alphabets that nobody can tell from Latin ones.
	twins = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`[аеорсухіјѕһԁԛԝӏАВЕКМНОРСТХІЈЅԌονΑΒΕΖΗΙΚΜΝΟΡΤΥΧ]`)
	})
	// word matches what is read as one: a name, a host, a file.
	word = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[\pL\pN._-]+`) })
)

// CodePoint names a sign that looks like another one: ⟨U+0456⟩.
func CodePoint(sign string) string { return fmt.Sprintf("⟨U+%04X⟩", []rune(sign)[0]) }

// NameTwins puts its code point in the place of each twin of Latin letters in each word that would be read as a Latin one.
func NameTwins(said string) string {
	if !strings.ContainsFunc(said, func(r rune) bool { return unicode.In(r, unicode.Cyrillic, unicode.Greek) }) {
		return said
	}
	return word().ReplaceAllStringFunc(said, func(one string) string {
		if latin := twins().ReplaceAllString(one, ""); !strings.ContainsFunc(latin, unicode.IsLetter) || strings.ContainsFunc(latin, func(r rune) bool { return r > unicode.MaxASCII }) {
			return one
		}
		return twins().ReplaceAllStringFunc(one, CodePoint)
	})
}
