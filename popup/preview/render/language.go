package render

import (
	"path"
	"regexp"
	"strings"
)

// detect finds the language of a piece of code, as no contract has a field for it: from its first line (a fence, a
// #! line, a comment that is a file's name), else from what its lines look like. It gives back the content without a
// fence around it, and an empty language when unsure: no colours are better than wrong ones.
func detect(content string) (source, language string) {
	first, below, _ := strings.Cut(content, "\n")
	if fence, info := opens(first); fence != "" {
		source = strings.TrimSuffix(strings.TrimRight(below, " \n"), fence)
		language, _, _ = strings.Cut(strings.Trim(info, " {.}"), " ")
		if language != "" {
			return source, language
		}
		return detect(source)
	}
	if interpreter, ok := strings.CutPrefix(first, "#!"); ok {
		for _, word := range strings.Fields(interpreter) {
			name := strings.TrimRight(path.Base(word), "0123456789.")
			if name != "env" && lexerOf(name) != nil {
				return content, name
			}
		}
	}
	if m := fileName.FindStringSubmatch(first); m != nil && lexerOf(m[1]) != nil {
		return content, m[1]
	}
	return content, guess(content)
}

// fileName matches a first line such as "// cmd/main.go" or "# file: Makefile".
var fileName = regexp.MustCompile(`^\s*(?://|#|--|/\*|<!--|;|%)\s*(?:file: )?(\S*[./]\S*|\S*file)\s*(?:\*/|-->)?$`)

// guesses lists lines by which the languages that agents write most are known; chroma
// has such rules for few, and takes Go for another. Those that look like others come
// first.
var guesses = [][2]string{
	{"json", `\A\s*[{\[]\s*["{\[\d]`},
	{"diff", `^(diff --git |@@ -\d|--- a/)`},
	{"xml", `^\s*<(\?xml|svg)`},
	{"html", `(?i)^\s*<(!doctype html|html|div|body|script)\b`},
	{"sql", `^\s*(SELECT .|INSERT INTO |CREATE (TABLE|INDEX) |ALTER TABLE |UPDATE \w+ SET |DELETE FROM |select .* from |create table |alter table )`},
	{"docker", `^(FROM [\w./:-]+( AS \w+)?$|ENTRYPOINT |WORKDIR /|CMD \[)`},
	{"go", `^(package \w+$|func [\w(]|import \($|type \w+ (struct|interface) \{)|\berr [:!]= |^\s*defer \w`},
	{"rust", `^\s*(pub (fn|struct|enum) |fn \w+|use \w+::|#\[derive|impl(<|\s))|\blet mut `},
	{"python", `^\s*((async )?def \w+\(.*:|from [\w.]+ import |import [\w.]+( as \w+)?$|(elif|except|class)\b.*:$|@property)|\bself\.\w|^if __name__`},
	{"c++", `\bstd::|^using namespace |^\s*template ?<`},
	{"c", `^#(include [<"]|define )|\bint main\(|^typedef struct`},
	{"java", `^import java|^\s*@Override|System\.out\.|^\s*(public|private|protected) .*(class|void|final) `},
	{"typescript", `^(export )?(interface|type) \w+.*[={]|\w\??: (string|number|boolean)[;,)\]]|: Promise<`},
	{"javascript", `^\s*(const|let|var) [\w{\[]|=> [{(]|\brequire\(|^export (default|const) |^(async )?function \w*\(|^import .* from ['"]`},
	{"css", `^@media |^:root\b|^\s*(color|margin|padding|display): .*;$`},
	{"bash", `^(set -e|fi$|done$|esac$|export \w+=|echo |sudo |if \[|\$ |npm |git |docker |cd |curl |apt-get |mkdir )`},
	{"yaml", `^\s*(- )?[\w.-]+:( .*[^;{,])?\n\s*(- )?[\w."/-]+:( |$)`},
}

func guess(content string) string {
	for _, g := range guesses {
		if regexp.MustCompile("(?m)" + g[1]).MatchString(content) {
			return g[0]
		}
	}
	return ""
}
