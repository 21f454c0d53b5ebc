package render

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// whole puts into the tree of a document what Markdown has and does not show: the words behind a fence, and
// cells beyond a table's columns. A model reads them, and so does who approves.
type whole struct{}

// Transform implements parser.ASTTransformer.
func (whole) Transform(root *ast.Document, r text.Reader, _ parser.Context) {
	source := r.Source()
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.FencedCodeBlock:
			if n.Info != nil && !namesLanguage(string(n.Info.Value(source))) {
				above := ast.NewParagraph()
				above.AppendChild(above, ast.NewTextSegment(n.Info.Segment))
				n.Parent().InsertBefore(n.Parent(), n, above)
			}
		case *tables.TableRow:
			if last := n.LastChild(); last != nil && last.Lines().Len() > 0 {
				end := last.Lines().At(0).Stop
				if rest, _, _ := bytes.Cut(source[end:], []byte("\n")); len(bytes.Trim(rest, " |")) > 0 {
					last.AppendChild(last, ast.NewTextSegment(text.NewSegment(end, end+len(rest))))
				}
			}
		}
		return ast.WalkContinue, nil
	})
}

// namesLanguage reports whether what stands behind a fence is the name of a language, which the colours say.
func namesLanguage(info string) bool {
	return !strings.ContainsAny(info, " ./") && (isMermaid(info) || lexerOf(info) != nil)
}
