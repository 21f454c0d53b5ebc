package preview

import (
	"embed"
	"encoding/xml"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/alecthomas/chroma/v2"
	"github.com/dlclark/regexp2/v2"
)

// lexerFiles are chroma's own lexers for the languages that agents write most,
// byte for byte (TestLexersAreChromas; licence in lexers/COPYING). Chroma's
// package lexers has them too, but reads all 280 when a program starts, 10 ms
// that every form would wait for. Files embedded here cost nothing until one
// of them is used.
//
//go:generate go run copylexers.go
//go:embed lexers/*.xml
var lexerFiles embed.FS

// registry finds lexers. It exists once (lexers) and only ever caches.
type registry struct{ *chroma.LexerRegistry }

// lexers reads the names of all lexers, about 3 ms, when first called. The
// rules of one are read and compiled when it is first used.
var lexers = sync.OnceValue(func() registry {
	// The clock behind the time limits of guard; its default step is 100 ms.
	regexp2.SetTimeoutCheckPeriod(10 * time.Millisecond)
	r := registry{chroma.NewLexerRegistry()}
	files, err := fs.Glob(lexerFiles, "lexers/*.xml")
	if err != nil {
		return r
	}
	for _, file := range files {
		if lexer, err := xmlLexer(file); err == nil {
			r.Register(lexer)
		}
	}
	r.Register(guarded(goConfig, goRules))
	return r
})

// find is the lexer that a name or a file's name means, or nil.
func (r registry) find(name string) chroma.Lexer {
	name = strings.TrimSpace(name)
	if name == "" || len(name) > 100 {
		return nil
	}
	if i := slices.IndexFunc(r.Lexers, func(l chroma.Lexer) bool {
		c := l.Config()
		return strings.EqualFold(c.Name, name) || slices.ContainsFunc(c.Aliases, func(a string) bool { return strings.EqualFold(a, name) })
	}); i >= 0 {
		return r.Lexers[i]
	}
	// Match reads a name as a pattern's subject only, never as a pattern.
	return r.Match(path.Base(name))
}

func xmlLexer(file string) (chroma.Lexer, error) {
	lexer, err := chroma.NewXMLLexer(lexerFiles, file)
	if err != nil {
		return nil, err
	}
	return guarded(lexer.Config(), func() chroma.Rules {
		var read struct {
			Config chroma.Config `xml:"config"`
			Rules  chroma.Rules  `xml:"rules"`
		}
		data, err := lexerFiles.ReadFile(file)
		if err == nil {
			err = xml.Unmarshal(data, &read)
		}
		if err != nil {
			return chroma.Rules{} // no root state: Tokenise says so
		}
		return read.Rules
	}), nil
}

// guarded is a lexer that cannot run away: see guard.
func guarded(config *chroma.Config, rules func() chroma.Rules) chroma.Lexer {
	return chroma.MustNewLexer(config, func() chroma.Rules {
		r := rules()
		r["askpane: guard"] = []chroma.Rule{{Pattern: `(?!)`, Mutator: &guard{}}}
		return r
	})
}

// guard is a rule that changes the others of its lexer when they are compiled
// (chroma.LexerMutator). Chroma gives each match 250 ms and repeats rules that
// match nothing for ever; a preview has less time than that.
type guard struct{ _ byte } // chroma tells mutators apart by address

func (*guard) Mutate(*chroma.LexerState) error { return nil }

func (*guard) MutateLexer(rules chroma.CompiledRules, state string, _ int) error {
	delete(rules, state)
	for _, in := range rules {
		for _, rule := range in {
			rule.Regexp.MatchTimeout = 20 * time.Millisecond
			if _, compiles := rule.Mutator.(chroma.LexerMutator); compiles {
				continue // gone when all is compiled
			}
			if _, done := rule.Mutator.(*progress); !done {
				rule.Mutator = &progress{then: rule.Mutator}
			}
		}
	}
	return nil
}

// progress stands before a rule's own mutator and ends a lexer that goes from
// rule to rule without reading on, or that no longer gives its tokens out in time.
type progress struct{ then chroma.Mutator }

// walk is how a lexer gets on, kept with its state.
type walk struct {
	since       time.Time
	pos, stands int
}

func (p *progress) Mutate(state *chroma.LexerState) error {
	w, ok := state.Get(progress{}).(*walk)
	if !ok {
		w = &walk{since: time.Now(), pos: -1}
		state.Set(progress{}, w)
	}
	if state.Pos != w.pos {
		w.pos, w.stands = state.Pos, 0
	} else if w.stands++; w.stands > 200 {
		return errLate
	}
	if len(state.Stack) > 1000 || time.Since(w.since) > 10*maxTime {
		return errLate
	}
	if p.then == nil {
		return nil
	}
	return p.then.Mutate(state)
}
