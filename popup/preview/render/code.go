package render

import (
	"path"
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"

	"github.com/askpane/askpane/popup/preview/styled"
)

// code draws source in its language's colours, one or more rows a line; without where that is not known.
func code(source, language string, width int) []styled.Row {
	return styled.WrapCode(highlighted(strings.TrimRight(source, " \n"), language), width)
}

func highlighted(source, language string) []styled.Span {
	lexer := lexerOf(language)
	if lexer == nil {
		return []styled.Span{{Text: source}}
	}
	// Rules that take a line whole want its end, of the last line too.
	tokens, err := chroma.Tokenise(chroma.Coalesce(lexer), &chroma.TokeniseOptions{State: "root"}, source+"\n")
	if err != nil {
		return []styled.Span{{Text: source}}
	}
	var spans []styled.Span
	for _, t := range tokens {
		spans = append(spans, styled.Span{Text: t.Value, Style: style(t.Type)})
	}
	if last := len(spans) - 1; last >= 0 {
		spans[last].Text = strings.TrimSuffix(spans[last].Text, "\n")
	}
	return spans
}

// lexerOf returns the lexer that a name or a file's name means, or nil. It does not take
// a name for one of chroma's patterns (*.go).
func lexerOf(name string) chroma.Lexer {
	name = strings.TrimSpace(name)
	if name == "" || len(name) > 100 || strings.ContainsAny(name, "*?[") {
		return nil
	}
	return lexers.Get(path.Base(name))
}

// style returns that of a part of code. Chroma's token types are a hierarchy of numbers:
// what is not named here has the style of its category.
func style(t chroma.TokenType) styled.Style {
	for _, kind := range []chroma.TokenType{t, t.SubCategory(), t.Category()} {
		if s, named := styles[kind]; named {
			return s
		}
	}
	return styled.Text
}

var styles = map[chroma.TokenType]styled.Style{
	chroma.Keyword: styled.Keyword, chroma.OperatorWord: styled.Keyword, chroma.Comment: styled.Comment,
	chroma.Literal: styled.String, chroma.LiteralNumber: styled.Number,
	chroma.KeywordType: styled.Type, chroma.NameClass: styled.Type, chroma.NameException: styled.Type, chroma.NameNamespace: styled.Type,
	chroma.NameFunction: styled.Name, chroma.NameFunctionMagic: styled.Name, chroma.NameBuiltin: styled.Name, chroma.NameTag: styled.Name,
	chroma.NameAttribute: styled.Name, chroma.NameDecorator: styled.Name, chroma.NameProperty: styled.Name, chroma.NameLabel: styled.Name,
	chroma.GenericInserted: styled.Added, chroma.GenericDeleted: styled.Removed,
	chroma.GenericHeading: styled.Strong, chroma.GenericSubheading: styled.Strong, chroma.GenericStrong: styled.Strong,
	chroma.GenericEmph: styled.Emphasis, chroma.GenericOutput: styled.Dim,
}
