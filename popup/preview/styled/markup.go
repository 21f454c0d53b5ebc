package styled

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// item matches the beginning of a list's item: its rows but the first begin below its text.
var item = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^ *(?:[-*+•]|\d{1,3}[.)]) +`) })

// Block holds a line of an agent's text, or the code in a fence.
type Block struct {
	Lead string // of a list's item: what its further rows begin below
	Line Row
	Code bool // Line is code, of as many lines as it has breaks
}

// Markup reads an agent's text, which Visible has seen, with the little of Markdown in it
// that people write in a question shown as what it means.
func Markup(style Style, said string) (blocks []Block) {
	lines := strings.Split(said, "\n")
	for i := 0; i < len(lines); i++ {
		if end := fenced(lines[i:]); end > 0 {
			code := Span{Text: strings.Join(lines[i+1:i+end], "\n"), Style: Code}
			blocks = append(blocks, Block{Line: Row{code}, Code: true})
			i += end
			continue
		}
		lead := item().FindString(lines[i])
		if len(lead) == len(lines[i]) {
			lead = ""
		}
		blocks = append(blocks, Block{Lead: lead, Line: inline(style, lines[i][len(lead):])})
	}
	return blocks
}

// fenced returns the number of the line that closes the block of code which the first
// opens; 0 where it opens none.
func fenced(lines []string) int {
	if !strings.HasPrefix(lines[0], "```") {
		return 0
	}
	for i, line := range lines[1:] {
		if strings.TrimRight(line, " ") == "```" && i > 0 {
			return i + 1
		}
	}
	return 0
}

// inline splits one line of a text into spans. What has no partner stays as it is. So does
// what may be a glob or a name and not meant as a mark: the stars around one word
// are kept beside its slant, since rm *tmp* is another command without them.
func inline(style Style, line string) (spans Row) {
	plain, marked := 0, strings.ContainsAny(line, "`*")
	for at := 0; marked && at < len(line); {
		mark, n := run(line[at:])
		end := 0
		if mark {
			end = partner(line, at, at+n)
		}
		if end == 0 {
			at += n
			continue
		}
		spans = spans.With(line[plain:at], style)
		span := Span{Text: line[at+n : end], Style: style}
		switch line[at : at+n] {
		case "**":
			span.Bold = true
		case "*":
			span.Text, span.Italic = line[at:end+1], true
		default:
			span.Style, span.Bold = Code, style == Strong
		}
		spans = append(spans, span)
		at = end + n
		plain = at
	}
	return spans.With(line[plain:], style)
}

// run counts the signs like the first that s begins with, and reports whether they may be a mark.
func run(s string) (mark bool, n int) {
	for n < len(s) && s[n] == s[0] {
		n++
	}
	return s[0] == '`' || s[0] == '*' && n <= 2, n
}

// partner returns where the mark begins that closes the one between two places of a line;
// 0 for nowhere.
func partner(line string, at, from int) int {
	mark := line[at:from]
	length := strings.Index(line[from:], mark)
	if length < 1 {
		return 0
	}
	end := from + length
	rest := line[end+len(mark):]
	switch {
	case mark[0] == '`' && strings.TrimSpace(line[from:end]) != "" && !strings.HasPrefix(rest, "`"):
		return end
	case mark[0] == '*' && emphasis(line[:at], line[from:end], rest):
		return end
	}
	return 0
}

// emphasis reports whether stars around said mean that: they stand at the edges of
// words, and not in a path or a product.
func emphasis(before, said, after string) bool {
	was, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(said)
	last, _ := utf8.DecodeLastRuneInString(said)
	next, _ := utf8.DecodeRuneInString(after)
	word := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	return (before == "" || strings.ContainsRune(" (\"'“‘—", was)) && word(first) &&
		!strings.ContainsRune(" /", last) && !word(next) && !strings.ContainsRune("*/_-", next)
}
