package preview

import (
	"encoding/json"
	"strings"
)

// detect finds the language of a piece of code whose request names none, as
// form.Preview has no field for it: from its first line (a fence, a #! line, a
// comment that is a file's name), else from what its lines begin with. It gives
// back the content without a fence around it, and an empty language when unsure:
// no colours are better than wrong ones.
func detect(content string) (rest, language string) {
	first, below, _ := strings.Cut(content, "\n")
	first = strings.TrimSpace(first)
	for _, fence := range []string{"```", "~~~"} {
		if name, ok := strings.CutPrefix(first, fence); ok && !strings.Contains(name, "`") {
			body := strings.TrimSuffix(strings.TrimRight(below, " \n"), fence)
			name, _, _ = strings.Cut(strings.TrimLeft(name, "`~ {."), " ")
			if name = strings.TrimRight(name, "}"); name != "" {
				return body, name
			}
			return detect(body)
		}
	}
	if name, ok := strings.CutPrefix(first, "#!"); ok {
		fields := strings.Fields(name)
		for i := len(fields) - 1; i >= 0; i-- {
			name := strings.TrimRight(fields[i][strings.LastIndexByte(fields[i], '/')+1:], "0123456789.")
			if lexers().find(name) != nil {
				return content, name
			}
		}
	}
	if name := namedFile(first); name != "" {
		return content, name
	}
	return content, guess(content)
}

// namedFile is the file's name that a first line such as "// cmd/main.go" is,
// where it means a language.
func namedFile(first string) string {
	for _, sign := range []string{"//", "#", "--", "/*", "<!--", ";", "%"} {
		name, ok := strings.CutPrefix(first, sign)
		if !ok {
			continue
		}
		name = strings.TrimSuffix(strings.TrimSuffix(name, "*/"), "-->")
		name = strings.TrimPrefix(strings.TrimSpace(name), "file: ")
		if name == "" || strings.ContainsAny(name, " \t") || !strings.ContainsAny(name, "./") && !strings.HasSuffix(name, "file") {
			return ""
		}
		if lexers().Match(name[strings.LastIndexByte(name, '/')+1:]) != nil {
			return name
		}
		return ""
	}
	return ""
}

// cue is what lines of a language begin with, or contain after a star.
type cue struct {
	language string
	points   int
	signs    []string
}

// cues is a function and no variable so that nothing is built at start-up.
func cues() []cue {
	return []cue{
		{"go", 3, []string{"package ", "func ", "import (", "if err != nil"}},
		{"go", 1, []string{"* := ", "defer ", "type "}},
		{"python", 3, []string{"def ", "from __future__", "elif ", "if __name__", "async def ", "except ", "@property"}},
		{"python", 2, []string{"from ", "*self.", "import "}},
		{"rust", 3, []string{"fn ", "pub fn ", "impl ", "let mut ", "use std::", "#[derive", "pub struct ", "match "}},
		{"typescript", 4, []string{"interface ", "export interface ", "export type ", "*: string;", "*: number;", "*: string)", "*: Promise<"}},
		{"javascript", 3, []string{"const ", "let ", "export default", "export const ", "*=> {", "*require(", "function ", "async function"}},
		{"java", 3, []string{"public class ", "private final ", "@Override", "import java", "public static void", "*System.out."}},
		{"c", 3, []string{"#include <", "#include \"", "int main(", "#define ", "typedef struct"}},
		{"c++", 4, []string{"*std::", "using namespace ", "template <", "template<"}},
		{"c#", 4, []string{"using System", "namespace ", "public async Task", "*Console.Write"}},
		{"ruby", 3, []string{"require '", "require_relative", "attr_", "*.each do", "* do |", "module "}},
		{"php", 6, []string{"<?php", "*$this->"}},
		{"kotlin", 3, []string{"fun ", "val ", "data class ", "companion object"}},
		{"swift", 3, []string{"import SwiftUI", "import Foundation", "guard let ", "if let ", "*-> some View"}},
		{"bash", 3, []string{"set -e", "fi", "done", "esac", "export ", "echo ", "sudo ", "if [", "$ "}},
		{"bash", 2, []string{"npm ", "git ", "docker ", "cd ", "curl ", "apt-get ", "mkdir "}},
		{"sql", 4, []string{"SELECT ", "INSERT INTO", "CREATE TABLE", "ALTER TABLE", "UPDATE ", "DELETE FROM", "CREATE INDEX", "select ", "create table", "alter table"}},
		{"docker", 4, []string{"FROM ", "RUN ", "COPY ", "ENTRYPOINT", "CMD [", "WORKDIR "}},
		{"diff", 6, []string{"diff --git", "@@ -", "--- a/", "+++ b/"}},
		{"protobuf", 5, []string{"syntax = \"proto", "message ", "rpc "}},
		{"hcl", 4, []string{"resource \"", "variable \"", "provider \"", "terraform {", "data \""}},
		{"graphql", 4, []string{"type Query", "query ", "mutation ", "fragment ", "schema {"}},
		{"css", 3, []string{"@media ", ":root", "*{ color:", "margin:", "padding:", "display:", "color:"}},
		{"html", 6, []string{"<!doctype html", "<!DOCTYPE html", "<html", "<div", "<body", "<script"}},
		{"xml", 6, []string{"<?xml", "<svg"}},
		{"toml", 3, []string{"[package]", "[dependencies]", "[tool.", "[[", "[project]"}},
		{"nginx", 4, []string{"server {", "location ", "listen ", "proxy_pass "}},
		{"make", 4, []string{".PHONY", "all:"}},
		{"elixir", 4, []string{"defmodule ", "defp ", "use GenServer"}},
		{"lua", 3, []string{"local function", "local ", "end)"}},
	}
}

func guess(content string) string {
	text := strings.TrimSpace(content)
	if strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
		if json.Valid([]byte(text)) {
			return "json"
		}
	}
	lines := strings.Split(text, "\n")
	lines = lines[:min(len(lines), 100)]
	best, most := "", 0
	points, all := map[string]int{}, cues()
	keys := 0
	for _, line := range lines {
		line = strings.TrimSpace(line[:min(len(line), 400)])
		if yamlKey(line) {
			keys++
		}
		for _, c := range all {
			for _, sign := range c.signs {
				inside, anywhere := strings.CutPrefix(sign, "*")
				if anywhere && strings.Contains(line, inside) || !anywhere && strings.HasPrefix(line, sign) {
					points[c.language] += c.points
					break
				}
			}
		}
	}
	for _, c := range all { // in a fixed order: the first of equals wins
		if points[c.language] > most {
			best, most = c.language, points[c.language]
		}
	}
	// TypeScript and C++ are read by what they add to JavaScript and C.
	if best == "javascript" && points["typescript"] > 0 {
		best = "typescript"
	}
	if best == "c" && points["c++"] > 0 {
		best = "c++"
	}
	switch {
	case most >= 4 || most == 3 && len(lines) <= 3:
		return best
	case keys >= 2 && 3*keys >= 2*len(lines):
		return "yaml"
	}
	return ""
}

// yamlKey reports whether line is a YAML entry: a key, or an item of a list.
func yamlKey(line string) bool {
	line = strings.TrimPrefix(line, "- ")
	key, value, ok := strings.Cut(line, ":")
	return ok && key != "" && !strings.ContainsAny(key, " (){};=") && (value == "" || value[0] == ' ') && !strings.HasSuffix(line, ";")
}
