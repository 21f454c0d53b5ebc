package preview

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/askpane/askpane/bridge/form"
)

// plain is what rows say, without styles, blanks at the ends or empty rows.
func plain(rows []Line) string {
	var out []string
	for _, row := range rows {
		var b strings.Builder
		for _, s := range row {
			b.WriteString(s.Text)
		}
		if line := strings.TrimRight(b.String(), " "); line != "" {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

func TestDetect(t *testing.T) {
	for _, tt := range []struct{ content, language string }{
		{"```go\nx := 1\n```", "go"},
		{"~~~{.python}\nx\n~~~", "python"},
		{"#!/usr/bin/env python3\nx", "python"},
		{"#!/bin/sh -e\necho", "sh"},
		{"// cmd/askpane/main.go\nx", "cmd/askpane/main.go"},
		{"# Makefile\nx:", "Makefile"},
		{"<!-- index.html -->\nx", "index.html"},
		{"# just a remark\nhello", ""},
		{"// nothing.known-here\nhello", ""},
		{`{"a": [1, 2]}`, "json"},
		{`{a: 1`, ""},
		{"package main\n\nfunc main() {\n}", "go"},
		{"def f(x):\n    return x\n\nclass A:\n    pass\nimport os", "python"},
		{"fn main() {\n    let mut x = 1;\n}", "rust"},
		{"SELECT a\nFROM b;", "sql"},
		{"FROM alpine\nRUN apk add git", "docker"},
		{"name: x\non:\n  push:\n    branches: [main]", "yaml"},
		{"diff --git a/x b/x\n@@ -1 +1 @@", "diff"},
		{"npm ci\nnpm run build\ngit push", "bash"},
		{"interface A { b: string; }\nconst x: A = y", "typescript"},
		{"#include <vector>\nint main() { std::cout << 1; }", "c++"},
		{"Only some prose here, nothing else.", ""},
		{"", ""},
	} {
		if _, got := detect(tt.content); got != tt.language {
			t.Errorf("detect(%q) = %q, want %q", tt.content, got, tt.language)
		}
		if _, got := detect(tt.content); got != "" && lexers().find(got) == nil {
			t.Errorf("detect(%q) = %q, which no lexer reads", tt.content, got)
		}
	}
}

// TestEveryLexerReads finds a lexer file that lacks another lexer it uses, or
// whose rules the guard breaks.
func TestEveryLexerReads(t *testing.T) {
	const sample = "class A { f(x: \"text\", 'c', 12.5) } // c\n# remark\n<a b=\"c\">é</a>\n"
	for _, lexer := range lexers().Lexers {
		pg := &page{Styles: Mono(), deadline: time.Now().Add(patient)}
		name := lexer.Config().Name
		spans, read := pg.lex(sample, name)
		if len(spans) == 0 || read < len(sample)-1 {
			t.Errorf("%s read %d of %d bytes", name, read, len(sample))
		}
	}
}

// TestLexersAreChromas holds the files in lexers/ to the version of chroma that
// go.mod asks for; go generate brings them up to it.
func TestLexersAreChromas(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/alecthomas/chroma/v2").Output()
	if err != nil {
		t.Fatalf("find chroma's files: %v", err)
	}
	chroma := strings.TrimSpace(string(out))
	files, err := filepath.Glob("lexers/*.xml")
	if err != nil || len(files) < 50 {
		t.Fatalf("%d lexers (%v)", len(files), err)
	}
	for _, file := range files {
		ours, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := os.ReadFile(filepath.Join(chroma, "lexers", "embedded", filepath.Base(file)))
		if err != nil || !bytes.Equal(ours, theirs) {
			t.Errorf("%s is not chroma's (%v): run go generate", file, err)
		}
	}
}

// TestStyles looks for a word of each kind and the style it has.
func TestStyles(t *testing.T) {
	st := Colours(TerminalPalette)
	for _, tt := range []struct {
		kind, content, word string
		style               tcell.Style
	}{
		{"code", "```go\nfunc f() {}\n```", "func", st.Keyword},
		{"code", "```go\nfunc f() {}\n```", "f", st.Name},
		{"code", "```go\nvar x int\n```", "int", st.Type},
		{"code", "```go\nx := \"s\" // c\n```", `"s"`, st.String},
		{"code", "```go\nx := \"s\" // c\n```", "// c", st.Comment},
		{"code", "```go\nx := 42\n```", "42", st.Number},
		{"code", "```diff\n-old\n+new\n```", "-old", st.Removed},
		{"code", "```diff\n-old\n+new\n```", "+new", st.Added},
		{"code", "no language at all", "no language at all", st.Text},
		{"svg", `<svg a="b"/>`, `"b"`, st.String},
		{"markdown", "# Head", "Head", st.Heading},
		{"markdown", "a **b** c", "b", st.Strong},
		{"markdown", "a *b* c", "b", st.Emphasis},
		{"markdown", "a ~~b~~ c", "b", st.Strike},
		{"markdown", "a ***b*** c", "b", st.Strong.Italic(true)},
		{"markdown", "a `b` c", "b", st.Code},
		{"markdown", "a [b](u) c", "b", st.Link},
		{"markdown", "a [b](u) c", " (u)", st.Dim},
		{"markdown", "```js\nreturn\n```", "return", st.Keyword},
		{"text", "**b**", "**b**", st.Text},
		{"mermaid", "graph TD\nA", "A", st.Text},
		{"mermaid", "graph TD\nA--word-->B", "word", st.Emphasis},
	} {
		found := false
		for _, row := range render(form.Preview{Type: tt.kind, Content: tt.content}, 60, st, patient) {
			for _, s := range row {
				found = found || strings.TrimSpace(s.Text) == strings.TrimSpace(tt.word) && s.Style == tt.style
			}
		}
		if !found {
			t.Errorf("%s %q: no %q in its style", tt.kind, tt.content, tt.word)
		}
	}
}

// TestMono: without colours there is none.
func TestMono(t *testing.T) {
	for _, s := range Mono().all() {
		bare := tcell.StyleDefault
		if s.Foreground(tcell.ColorDefault).Background(tcell.ColorDefault) != s {
			t.Errorf("%v has a colour besides %v", s, bare)
		}
	}
}

func (st Styles) all() []tcell.Style {
	return []tcell.Style{st.Text, st.Strong, st.Emphasis, st.Strike, st.Dim, st.Heading, st.Link, st.Code, st.Keyword,
		st.Type, st.Name, st.String, st.Number, st.Comment, st.Added, st.Removed}
}

// TestBounds renders what is made to take long or to be huge. On a machine that
// does nothing else each takes less than 200 ms; with the race detector and
// other tests beside it, it is 1 s at times. The limit is far from both, and far
// below what a parser takes that goes by the square of its input.
func TestBounds(t *testing.T) {
	lexers() // once in a process, and not what is measured
	every := []string{"[", "`", "\n", "a", "字", "👨‍👩‍👧", "\u0301", "\u202e", "\xff", "\"\\", "{", "/*"}
	for kind, units := range map[string][]string{
		"markdown": {"![", "*[", "[*", "[a](", "`a``b", "`\n", "**a", "*a_ ", "> ", "- ", "  - ", "1. ", "<", "<!--", "<!-- \n", "|a",
			"|a|b\n|-|-\n", "|`|\n|-\n", " ", "a" + strings.Repeat(" ", 499), "&#27;", "http://", "[a]: b\n", "<a ", "```\n", "```a\nb\n", "~~", "# a\n", "a\n=\n"},
		"code":    {"x = `", "if ", "{\"a\":", "'\\", "(", "<!--"},
		"mermaid": {"graph TD\nA-->B\n", "A & "},
		"text":    {" ", "\x1b[2J"},
		"":        {"```\n", "```a\nb\n", "~~~", " ", "\x1b[2J"},
	} {
		heads := map[string][]string{"mermaid": {"graph TD\n", "sequenceDiagram\n"}, "code": {"```js\n", "```go\n", "```bash\n"}}[kind]
		for _, head := range append(heads, "") {
			for _, unit := range append(units, every...) {
				content := head + strings.Repeat(unit, maxContent/len(unit))
				start := time.Now()
				rows := Render(form.Preview{Type: kind, Content: content}, 40, Colours(TerminalPalette))
				if took := time.Since(start); took > 8*time.Second {
					t.Errorf("%s of %q took %v", kind, head+unit, took)
				} else if took > 200*time.Millisecond {
					t.Logf("%s of %q took %v", kind, head+unit, took)
				}
				if len(rows) > maxRows+2 {
					t.Errorf("%s of %q has %d rows", kind, head+unit, len(rows))
				}
				checkRows(t, rows, 40)
			}
		}
	}
}

func TestTooLong(t *testing.T) {
	rows := Render(form.Preview{Type: "text", Content: strings.Repeat("字", maxContent)}, 80, Colours(TerminalPalette))
	if last := plain(rows[len(rows)-1:]); last != "The rest is too long to be shown here." {
		t.Errorf("the last row is %q", last)
	}
	if strings.Contains(plain(rows), "⟨0x") {
		t.Error("a character was cut in two")
	}
}

func FuzzRender(f *testing.F) {
	files, err := filepath.Glob("testdata/in/*")
	if err != nil || len(files) == 0 {
		f.Fatalf("no inputs in testdata/in: %v", err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(filepath.Ext(file)[1:], string(content), 40)
	}
	f.Add("mermaid", "graph LR\nA-->B & C-->A\nsubgraph x\nB o--x B\nend", 20)
	f.Add("mermaid", "sequenceDiagram\nA->>A: x\nNote left of A: y\nloop\nend", 1)
	f.Add("markdown", "1. a\n   - b\n\n     ```\n     c\n|a|\n|-|", 3)
	f.Fuzz(func(t *testing.T, kind, content string, width int) {
		width = max(1, min(width, 300))
		start := time.Now()
		rows := Render(form.Preview{Type: kind, Content: content}, width, Mono())
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("took %v", took)
		}
		checkRows(t, rows, width)
	})
}
