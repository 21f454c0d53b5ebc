package render

import (
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/preview/styled"
)

var update = flag.Bool("update", false, "write the golden files in testdata anew")

// drawn is rows as a person sees them, with the edge drawn so that blanks at the end
// and a row that is too wide can be seen.
func drawn(rows []styled.Row, width int) string {
	var b strings.Builder
	for _, row := range rows {
		b.WriteString(row.String() + strings.Repeat(" ", max(0, width-row.Width())) + "▏\n")
	}
	return b.String()
}

// TestGolden draws each file in testdata, whose extension is its type, and compares
// with testdata/<file>.<width>.txt: Markdown, which is laid out, in three widths.
func TestGolden(t *testing.T) {
	for _, file := range inputs(t) {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		kind := filepath.Ext(file)[1:]
		widths := []int{60}
		if kind == "markdown" {
			widths = []int{30, 60, 100}
		}
		for _, width := range widths {
			golden := file + "." + strconv.Itoa(width) + ".txt"
			t.Run(filepath.Base(golden), func(t *testing.T) {
				got := drawn(safe(Rows(kind, strings.TrimRight(text.Bare(text.Visible(string(content))), " \n"), width)), width)
				if *update {
					if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
					return
				}
				want, err := os.ReadFile(golden)
				if err != nil {
					t.Fatalf("%v (go test -update writes it; then look at it)", err)
				}
				if got != string(want) {
					t.Errorf("got\n%s\nwant\n%s", got, want)
				}
			})
		}
	}
}

// safe is what popup/preview makes of rows: an entity such as &#27; becomes a
// character only here.
func safe(rows []styled.Row) []styled.Row {
	for _, row := range rows {
		for i := range row {
			row[i].Text = text.Visible(row[i].Text)
		}
	}
	return rows
}

func inputs(t *testing.T) (files []string) {
	t.Helper()
	all, err := filepath.Glob("testdata/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range all {
		if filepath.Ext(file) != ".txt" {
			files = append(files, file)
		}
	}
	if len(files) == 0 {
		t.Fatal("no inputs in testdata")
	}
	return files
}

// Everything is drawn where there is hardly room for anything.
func TestNarrow(t *testing.T) {
	for _, file := range inputs(t) {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for width := 1; width < 20; width++ {
			if rows := Rows(filepath.Ext(file)[1:], string(content), width); len(rows) == 0 {
				t.Errorf("%s at width %d: nothing", file, width)
			}
		}
	}
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
		{"package com.example;\nimport java.util.List;", "java"},
		{"def f(x):\n    return x\n\nclass A:\n    pass\nimport os", "python"},
		{"fn main() {\n    let mut x = 1;\n}", "rust"},
		{"SELECT a\nFROM b;", "sql"},
		{"FROM alpine\nRUN apk add git", "docker"},
		{"name: x\non:\n  push:\n    branches: [main]", "yaml"},
		{"diff --git a/x b/x\n@@ -1 +1 @@", "diff"},
		{"npm ci\nnpm run build\ngit push", "bash"},
		{"interface A { b: string; }\nconst x: A = y", "typescript"},
		{"const a = require('b')", "javascript"},
		{"#include <vector>\nint main() { std::cout << 1; }", "c++"},
		{"Only some prose here, nothing else.", ""},
		{"What to do first: nothing.\nThen wait.", ""},
		{"", ""},
	} {
		if _, got := detect(tt.content); got != tt.language {
			t.Errorf("detect(%q) = %q, want %q", tt.content, got, tt.language)
		}
	}
	for _, g := range guesses {
		if lexerOf(g[0]) == nil {
			t.Errorf("no lexer reads %s", g[0])
		}
	}
}

// TestStyles looks for a word of each kind and the style it has.
func TestStyles(t *testing.T) {
	for _, tt := range []struct {
		kind, content, word string
		style               styled.Style
	}{
		{"code", "```go\nfunc f() {}\n```", "func", styled.Keyword},
		{"code", "```go\nfunc f() {}\n```", "f", styled.Name},
		{"code", "```go\nvar x int\n```", "int", styled.Type},
		{"code", "```go\nx := \"s\" // c\n```", `"s"`, styled.String},
		{"code", "```go\nx := \"s\" // c\n```", "// c", styled.Comment},
		{"code", "```go\nx := 42\n```", "42", styled.Number},
		{"code", "```diff\n-old\n+new\n```", "-old", styled.Removed},
		{"code", "```diff\n-old\n+new\n```", "+new", styled.Added},
		{"code", "no language at all", "no language at all", styled.Text},
		{"code", "*.go", "*.go", styled.Text},
		{"svg", `<svg a="b"/>`, `"b"`, styled.String},
		{"markdown", "# Head", "Head", styled.Heading},
		{"markdown", "a **b** c", "b", styled.Strong},
		{"markdown", "a *b* c", "b", styled.Emphasis},
		{"markdown", "a ~~b~~ c", "b", styled.Strike},
		{"markdown", "a `b` c", "b", styled.Code},
		{"markdown", "a [b](u) c", "b", styled.Link},
		{"markdown", "a [b](u) c", " (u)", styled.Dim},
		{"markdown", "<div>x</div>", "<div>x</div>", styled.Dim},
		{"markdown", "```js\nreturn\n```", "return", styled.Keyword},
		{"", "```js\nreturn\n```", "return", styled.Keyword},
		{"mermaid", "graph TD\nA", "A", styled.Text},
		{"mermaid", "graph TD\nA--word-->B", "word", styled.Emphasis},
	} {
		if !has(Rows(tt.kind, tt.content, 60), tt.word, func(s styled.Span) bool { return s.Style == tt.style }) {
			t.Errorf("%s %q: no %q in its style", tt.kind, tt.content, tt.word)
		}
	}
	both := func(s styled.Span) bool { return s.Style == styled.Strong && s.Italic }
	if !has(Rows("markdown", "a ***b*** c", 60), "b", both) {
		t.Error("what is strong and emphasised is not both")
	}
}

func has(rows []styled.Row, word string, is func(styled.Span) bool) bool {
	for _, row := range rows {
		for _, s := range row {
			if strings.TrimSpace(s.Text) == strings.TrimSpace(word) && is(s) {
				return true
			}
		}
	}
	return false
}

// A type that is not named shows its lines as they are, but for fenced blocks.
func TestUntyped(t *testing.T) {
	for _, c := range []struct{ name, content, want string }{
		{"a mock-up", "+--+--+\n|  | x|\n| -  a|\n+--+--+", "+--+--+\n|  | x|\n| -  a|\n+--+--+"},
		{"what Markdown takes for a heading, a list, a rule", "# port = 80\n- a\n---\n  b: c", "# port = 80\n- a\n---\n  b: c"},
		{"inline signs stay", "**a** `b` _c_ <br> &amp;", "**a** `b` _c_ <br> &amp;"},
		{"a fenced block", "before\n```go\nx := 1\n```\nafter", "before\n  x := 1\nafter"},
		{"fences of the other kind, inside a longer one, with blanks before", "  ~~~~text\n~~~\n```\n ~~~~~ \nafter", "  ~~~\n  ```\nafter"},
		{"one that nothing closes", "```\na\nb", "  a\n  b"},
		{"a line of code is no fence", "``` a `b` ```\nc", "``` a `b` ```\nc"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, row := range Rows("", c.content, 60) {
				got = append(got, row.String())
			}
			if got := strings.Join(got, "\n"); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}
