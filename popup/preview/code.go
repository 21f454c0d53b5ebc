package preview

import (
	"errors"
	"strings"

	"github.com/alecthomas/chroma/v2"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/cells"
)

// continued stands before each further row of a line of code that is too long.
const continued = "↳ "

// code draws source in the colours of its language, one or more rows a line.
// An empty language is found in the content (detect).
func (pg *page) code(content, language string, width int) []Line {
	if language == "" {
		content, language = detect(content)
	}
	content = strings.TrimRight(content, " \n")
	var rows []Line
	for _, line := range pg.highlight(content, language) {
		rows = append(rows, pg.wrapCode(line, width)...)
		if len(rows) > maxRows {
			break
		}
	}
	return rows
}

// wrapCode cuts one line wherever a row is full: where code is broken says
// nothing, but each sign of it counts.
func (pg *page) wrapCode(line Line, width int) []Line {
	all, _ := split(line)
	var rows []Line
	head := Line(nil)
	for {
		left := width - head.width()
		n := 0
		for n < len(all) {
			if all[n].width > width-cells.Width(continued) && all[n].width > 1 {
				all[n].text, all[n].width = "…", 1
			}
			if left < all[n].width {
				break
			}
			left -= all[n].width
			n++
		}
		rows = append(rows, append(head, join(all[:n])...))
		if all = all[n:]; len(all) == 0 {
			return rows
		}
		head = nil
		if width > 2*cells.Width(continued) {
			head = Line{{continued, pg.Dim}}
		}
	}
}

// highlight splits content into lines in the styles of its language; in one
// style where the language is unknown, the code too long or the time over.
func (pg *page) highlight(content, language string) []Line {
	var rest string
	if len(content) > maxHighlight {
		if cut := strings.LastIndexByte(content[:maxHighlight], '\n'); cut > 0 {
			content, rest = content[:cut], content[cut:]
		} else {
			content, rest = "", content
		}
	}
	spans, read := pg.lex(content, language)
	spans = append(spans, Span{content[read:], pg.Text}, Span{rest, pg.Text})
	lines := []Line{nil}
	for _, s := range spans {
		for i, part := range strings.Split(s.Text, "\n") {
			if i > 0 {
				lines = append(lines, nil)
			}
			if part != "" {
				last := len(lines) - 1
				lines[last] = append(lines[last], Span{part, s.Style})
			}
		}
	}
	return lines
}

// errLate ends the reading of a text that takes too long.
var errLate = errors.New("out of time")

// lex reads content by the lexer of language, as far as it can, and says how
// many bytes that was. A lexer panics on an error in its own rules and when the
// guard ends it; neither may cost the person the preview.
func (pg *page) lex(content, language string) (spans []Span, read int) {
	lexer := lexers().find(language)
	if lexer == nil || content == "" || pg.late() {
		return nil, 0
	}
	defer func() {
		_ = recover() // spans and read hold what was understood so far
	}()
	// Rules that take a line whole want its end, of the last line too.
	next, err := lexer.Tokenise(&chroma.TokeniseOptions{State: "root"}, content+"\n")
	if err != nil {
		return nil, 0
	}
	for t := next(); t != chroma.EOF && read < len(content); t = next() {
		value := t.Value[:min(len(t.Value), len(content)-read)]
		// Every lexer gives back exactly what it read; one that does not is
		// no longer believed.
		if !strings.HasPrefix(content[read:], value) {
			return spans, read
		}
		read += len(value)
		spans = append(spans, Span{value, pg.token(t.Type)})
		if pg.late() {
			return spans, read
		}
	}
	return spans, read
}

// source is content shown as it is, below a remark of ours that says why.
func (pg *page) source(why, content string, width int) []Line {
	rows := pg.remark(why, width)
	for _, line := range strings.Split(text.Visible(content), "\n") {
		rows = append(rows, pg.wrapCode(Line{{line, pg.Text}}, width)...)
	}
	return rows
}
