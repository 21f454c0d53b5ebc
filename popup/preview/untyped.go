package preview

import (
	"strings"

	"github.com/gomarkdown/markdown/ast"
)

// asItStands draws a preview whose agent names no type. Agents put mock-ups, code
// and prose into these, and their own dialogs show each line as it is, in
// monospace: every line break and every blank counts. Only fenced blocks are read
// as Markdown; one that nothing closes goes on to the end.
func (pg *page) asItStands(content string, width int) []Line {
	var rows []Line
	lines := strings.Split(content, "\n")
	for i := 0; i < len(lines) && len(rows) <= maxRows; i++ {
		fence, info := opens(lines[i])
		if fence == "" {
			rows = append(rows, wrap([]Span{{lines[i], pg.Text}}, width)...)
			continue
		}
		first := i + 1
		for i++; i < len(lines) && !closes(lines[i], fence); i++ {
		}
		block := &ast.CodeBlock{Info: []byte(info)}
		block.Literal = []byte(strings.Join(lines[first:i], "\n"))
		rows = append(rows, pg.fenced(block, width)...)
	}
	return rows
}

// opens is the run of signs with which line opens a fenced block, and what stands
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

// closes reports whether line closes the block that fence opened: by as many of
// its signs or more.
func closes(line, fence string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, fence) && strings.Trim(line, fence[:1]) == ""
}
