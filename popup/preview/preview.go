// Package preview draws the longer material beside an option (form.Preview) as
// rows of styled text for a terminal: markdown, code, plain text and mermaid
// diagrams; svg and html as their source.
//
// It knows nothing of the form it is shown in, holds no state but a cache of
// compiled lexers, and starts no goroutine. The rule that must hold here: the
// content comes from outside, so whatever it is, Render returns, soon, rows of
// at most the asked width in which nothing can act on a terminal.
//
// Importing the package must cost next to nothing when a form opens, and Go runs
// the start-up work of all that is linked. That is why markdown is parsed by
// gomarkdown and not by goldmark, and why the lexers are files embedded here and
// not chroma's package lexers: those two took 1.5 and 10 ms more to start when
// measured, what is used here 0.4 ms. All else is done when a preview is shown.
package preview

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/cells"
)

// Span is a piece of text in one style; the text is safe to draw and has no
// line break.
type Span struct {
	Text  string
	Style tcell.Style
}

// Line is one row.
type Line []Span

// The bounds of what is drawn. A preview is looked at beside a question: what
// goes beyond them is better read elsewhere, and Render says so.
const (
	maxContent   = 64 << 10 // bytes of content
	maxRows      = 2000     // rows of a result
	maxHighlight = 24 << 10 // bytes of one piece of code that get colours
	maxTime      = 80 * time.Millisecond
)

// Render draws p in rows of at most width cells. A width below 1 counts as 1.
// A type it does not know is drawn as plain text.
func Render(p form.Preview, width int, st Styles) []Line {
	return render(p, width, st, maxTime)
}

// page is one rendering: the styles it draws in and how long it may still
// take for what can be left out (colours, markdown's structure).
type page struct {
	Styles
	deadline time.Time
}

func render(p form.Preview, width int, st Styles, most time.Duration) []Line {
	width = max(1, width)
	pg := &page{Styles: st, deadline: time.Now().Add(most)}
	content, cut := upTo(p.Content, maxContent)
	content, more := upTo(text.Bare(text.Visible(content)), 2*maxContent) // an unprintable byte becomes many
	content, cut = strings.TrimRight(content, " \n"), cut || more
	rows := pg.body(p.Type, content, width)
	if len(rows) > maxRows {
		rows, cut = rows[:maxRows], true
	}
	if cut {
		rows = append(rows, pg.remark("The rest is too long to be shown here.", width)...)
	}
	return fit(rows, width)
}

// upTo is the first most bytes of s, or a few less so that no character is cut.
func upTo(s string, most int) (head string, cut bool) {
	if len(s) <= most {
		return s, false
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most], true
}

func (pg *page) body(kind, content string, width int) []Line {
	switch kind {
	case "":
		return pg.asItStands(content, width)
	case "markdown":
		return pg.markdown(content, width)
	case "code":
		return pg.code(content, "", width)
	case "mermaid":
		return pg.mermaid(content, width)
	case "svg":
		return append(pg.remark("An SVG picture: a browser shows it. Its source:", width), pg.code(content, "xml", width)...)
	case "html":
		return append(pg.remark("An HTML page: a browser shows it. Its source:", width), pg.code(content, "html", width)...)
	}
	return wrap([]Span{{content, pg.Text}}, width)
}

// late reports whether the time for niceties is over.
func (pg *page) late() bool { return time.Now().After(pg.deadline) }

// remark is a sentence of ours, set apart from the agent's text by its style.
func (pg *page) remark(sentence string, width int) []Line {
	return wrap([]Span{{sentence, pg.Dim}}, width)
}

// fit is the last line of defence: it makes every text safe once more, since an
// entity such as &#27; only becomes a character while markdown is read, and
// cuts what a renderer made too wide.
func fit(rows []Line, width int) []Line {
	for i, row := range rows {
		left := width
		for j := range row {
			shown := row[j].Text
			if safe := text.Visible(shown); safe != shown || strings.Contains(shown, "\n") {
				shown = strings.ReplaceAll(safe, "\n", " ")
			}
			if w := cells.Width(shown); w > left {
				shown = cells.Shorten(shown, left)
			}
			row[j].Text = shown
			left -= cells.Width(shown)
		}
		rows[i] = row
	}
	return rows
}
