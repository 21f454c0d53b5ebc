// Package render turns Markdown, code and diagrams into styled rows, and Markdown into HTML.
//
// It is for cmd/askpane-preview alone, which is a program of its own: reading all
// of chroma's languages takes longer than to open a form. Whatever the content is
// made to do, to take for ever or to panic, ends with that program, which whoever
// started it gives little time.
package render

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/askpane/askpane/popup/preview/diagram"
	"github.com/askpane/askpane/popup/preview/styled"
)

// Rows renders content, which text.Visible has seen, in rows of at most width cells. Kind is the type of a form's
// preview; of one that it does not know, and of text, the rows are the content as it is.
func Rows(kind, content string, width int) []styled.Row {
	switch kind {
	case "markdown":
		return document{source: []byte(content)}.rows(width)
	case styled.Document:
		return inLines(content).rows(width)
	case "code":
		source, language := detect(content)
		return code(source, language, width)
	case "command", "diff", "json":
		return code(content, languages[kind], width)
	case "mermaid":
		return mermaid(content, width)
	case "svg", "html":
		what := map[string]string{"svg": "An SVG picture", "html": "An HTML page"}[kind]
		return append(remark(what+": a browser shows it. Its source:", width), code(content, languages[kind], width)...)
	}
	var rows []styled.Row
	for _, p := range fencedIn(content) {
		if p.fenced {
			rows = append(rows, block(p.text, p.info, width)...)
		} else {
			rows = append(rows, styled.Wrap([]styled.Span{{Text: p.text}}, width)...)
		}
	}
	return rows
}

// languages has those of pictures that only a browser shows, and of what permissions are asked for.
var languages = map[string]string{"svg": "xml", "html": "html", "command": "bash", "diff": "diff", "json": "json"}

// remark sets a sentence of ours apart from the agent's text by its style.
func remark(sentence string, width int) []styled.Row {
	return styled.Wrap([]styled.Span{{Text: sentence, Style: styled.Dim}}, width)
}

// mermaid draws a diagram, or shows the source of one that cannot be drawn.
func mermaid(source string, width int) []styled.Row {
	rows, err := diagram.Draw(source, width)
	if err != nil {
		return append(remark(undrawn(err), width), code(source, "", width)...)
	}
	return append(rows, unsaid(source, rows, width)...)
}

// unsaid returns the lines of a diagram's source that a drawing lacks: those of undrawable, and of which it has not all words.
func unsaid(source string, drawn []styled.Row, width int) (rows []styled.Row) {
	all := strings.ToLower(fmt.Sprint(drawn)) + keywords
	lacks := func(word string) bool {
		return !strings.Contains(all, word) && strings.Trim(word, "0123456789abcdefpx") != ""
	}
	for line := range strings.Lines(source) {
		if undrawable.MatchString(line) || slices.ContainsFunc(words.FindAllString(strings.ToLower(line), -1), lacks) {
			rows = append(rows, remark(strings.TrimSpace(line), width)...)
		}
	}
	return rows
}

// undrawable matches lines that say something and are never drawn, whatever their words.
var undrawable = regexp.MustCompile(`(?i)^\s*%%|(?:^|;)\s*(?:click|title|acctitle|accdescr|links?|box)\b`)

var words = regexp.MustCompile(`[\p{L}\d]{2,}|[^\x00-\x7f]`)

// keywords are words of Mermaid's own, and what gives a diagram its colours; other colours and sizes are of a few signs.
const keywords = "sequencediagram flowchart-elk graph td tb bt lr rl subgraph end as direction participant actor create destroy activate deactivate autonumber note over left right of box rect style linkstyle classdef class fill stroke width color dasharray"

func undrawn(err error) string { return fmt.Sprintf("This diagram is shown as its source: %v.", err) }

// languageOf returns the language that stands after the opening fence of a block.
func languageOf(info string) string {
	language, _, _ := strings.Cut(strings.TrimSpace(info), " ")
	return language
}

func isMermaid(language string) bool { return strings.EqualFold(language, "mermaid") }

// block draws a fenced block: a Mermaid one as its diagram, others highlighted.
func block(source, info string, width int) []styled.Row {
	source = strings.Trim(source, "\n")
	language := languageOf(info)
	if isMermaid(language) {
		return mermaid(source, width)
	}
	if width < 12 {
		return code(source, language, width)
	}
	margin := styled.Span{Text: "  "}
	return styled.Indent(code(source, language, width-2), margin, margin)
}

// piece holds lines of a preview, or a block that stands in fences there.
type piece struct {
	text, info string
	fenced     bool
}

// fencedIn divides a preview whose agent names no type. Agents put mock-ups, code and prose into these, and their
// own dialogs show each line as it is, in monospace: every line break and every blank counts. Only fenced blocks are
// rendered; one that nothing closes goes on to the end.
func fencedIn(content string) (pieces []piece) {
	lines := strings.Split(content, "\n")
	for len(lines) > 0 {
		fence, info := opens(lines[0])
		n := 1
		for n < len(lines) && (fence == "" && !isFence(lines[n]) || fence != "" && !closes(lines[n], fence)) {
			n++
		}
		if fence == "" {
			pieces, lines = append(pieces, piece{text: strings.Join(lines[:n], "\n")}), lines[n:]
		} else {
			pieces, lines = append(pieces, piece{strings.Join(lines[1:n], "\n"), info, true}), lines[min(n+1, len(lines)):]
		}
	}
	return pieces
}

func isFence(line string) bool {
	fence, _ := opens(line)
	return fence != ""
}

// opens returns the run of signs with which line opens a fenced block, and what stands
// after it; empty where it opens none.
func opens(line string) (fence, info string) {
	line = strings.TrimLeft(line, " ")
	for _, sign := range []string{"`", "~"} {
		info = strings.TrimLeft(line, sign)
		if fence = line[:len(line)-len(info)]; len(fence) >= 3 && !strings.Contains(info, sign) {
			return fence, info
		}
	}
	return "", ""
}

// closes reports whether line closes the block that fence opened: by as many of its
// signs or more.
func closes(line, fence string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, fence) && strings.Trim(line, fence[:1]) == ""
}
