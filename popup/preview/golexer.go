package preview

import "github.com/alecthomas/chroma/v2"

// Go is the one common language whose lexer chroma keeps as code in its package
// lexers and not in a file, so it has rules of ours, after the language's
// specification (go.dev/ref/spec#Lexical_elements).
var goConfig = &chroma.Config{
	Name:      "Go",
	Aliases:   []string{"go", "golang"},
	Filenames: []string{"*.go"},
}

func goRules() chroma.Rules {
	rule := func(pattern string, t chroma.Emitter) chroma.Rule { return chroma.Rule{Pattern: pattern, Type: t} }
	words := func(t chroma.Emitter, words ...string) chroma.Rule {
		return rule(chroma.Words(``, `\b`, words...), t)
	}
	return chroma.Rules{"root": {
		rule(`\s+`, chroma.TextWhitespace),
		rule(`//[^\n]*`, chroma.CommentSingle),
		rule(`/\*[\s\S]*?(\*/|\z)`, chroma.CommentMultiline),
		rule("`[^`]*(`|\\z)", chroma.LiteralStringBacktick),
		rule(`"([^"\\\n]|\\.)*("|$)`, chroma.LiteralString),
		rule(`'([^'\\\n]|\\.)*('|$)`, chroma.LiteralStringChar),
		rule(`(0[xXbBoO][0-9a-fA-F_]+|[0-9][0-9_]*(\.[0-9_]*)?|\.[0-9][0-9_]*)([eEpP][+-]?[0-9_]+)?i?`, chroma.LiteralNumber),
		words(chroma.Keyword, "break", "case", "chan", "const", "continue", "default", "defer", "else", "fallthrough",
			"for", "func", "go", "goto", "if", "import", "interface", "map", "package", "range", "return", "select",
			"struct", "switch", "type", "var"),
		words(chroma.KeywordConstant, "true", "false", "nil", "iota"),
		words(chroma.KeywordType, "any", "bool", "byte", "comparable", "complex64", "complex128", "error", "float32",
			"float64", "int", "int8", "int16", "int32", "int64", "rune", "string", "uint", "uint8", "uint16", "uint32",
			"uint64", "uintptr"),
		rule(`[\p{L}_][\p{L}\p{Nd}_]*(?=\()`, chroma.NameFunction),
		rule(`[\p{L}_][\p{L}\p{Nd}_]*`, chroma.Name),
		rule(`.`, chroma.Punctuation),
	}}
}
