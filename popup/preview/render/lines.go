package render

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/yuin/goldmark/ast"
	source "github.com/yuin/goldmark/text"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/preview"
	"github.com/askpane/askpane/popup/preview/styled"
)

// inLines makes a document whose rows say from which line of its source they come.
func inLines(content string) document {
	d := document{source: []byte(content), starts: []int{0}}
	for i, b := range d.source {
		if b == '\n' {
			d.starts = append(d.starts, i+1)
		}
	}
	return d
}

// line returns the number of the line that a byte of the source is on, counted from 1; 0 where nobody asks.
func (d document) line(at int) int {
	i, found := slices.BinarySearch(d.starts, at)
	if found {
		i++
	}
	return i
}

// numbered has the rows of a block of code, or of HTML, say from which lines they come.
func (d document) numbered(n ast.Node, rows []styled.Row) []styled.Row {
	if d.starts == nil || n.Lines().Len() == 0 {
		return rows
	}
	code := n.Lines().Value(d.source)
	first := d.line(n.Lines().At(0).Start) + len(code) - len(bytes.TrimLeft(code, "\n"))
	last, at := first+bytes.Count(bytes.Trim(code, "\n"), []byte("\n")), first-1
	for i, row := range rows {
		if _, margin := n.(*ast.HTMLBlock); margin || !slices.ContainsFunc(row, func(s styled.Span) bool { return styled.Row{s}.Continues() }) {
			at = min(at+1, last)
		}
		rows[i] = append(styled.Row{{Line: at}}, row...)
	}
	return rows
}

// parts writes Markdown as the HTML of its blocks and of the items of its lists, each with
// the line that it begins at.
func (p page) parts(content string) (all []preview.Part) {
	d, md := inLines(content), p.goldmark(content)
	root := md.Parser().Parse(source.NewReader(d.source))
	add := func(n ast.Node, begin, end string) {
		var b bytes.Buffer
		if err := md.Renderer().Render(&b, d.source, n); err == nil { // a buffer takes all
			all = append(all, preview.Part{Line: d.begins(n), HTML: text.Visible(begin + scrolling.Replace(b.String()) + end)})
		}
	}
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		list, is := n.(*ast.List)
		if !is {
			add(n, "", "")
			continue
		}
		begin, end, number := "<ul>", "</ul>", list.Start
		for item := n.FirstChild(); item != nil; item = item.NextSibling() {
			if list.IsOrdered() {
				begin, end = fmt.Sprintf(`<ol start="%d">`, number), "</ol>"
				number++
			}
			add(item, begin, end)
		}
	}
	return all
}

// begins returns the line where a block begins; 0 where it shows nothing of the source.
func (d document) begins(n ast.Node) (line int) {
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if n.Type() == ast.TypeBlock && n.Lines().Len() > 0 {
			line = d.line(n.Lines().At(0).Start)
			return ast.WalkStop, nil
		}
		return ast.WalkContinue, nil
	})
	return line
}
