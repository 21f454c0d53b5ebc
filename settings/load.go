package settings

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"reflect"
	"slices"

	"github.com/askpane/askpane/bridge/text/hint"
)

// Loaded is the settings in force and where they come from.
type Loaded struct {
	Settings
	Sources  map[string]Source // where they have their values from, by their names
	Problems []Problem         // what could not be used, lowest rank first
	Files    []File            // as Files gives them
}

// Source is where a value comes from.
type Source struct {
	Rank  Rank
	Where string // the file or the variable; empty for a default
}

// String is for a person.
func (s Source) String() string {
	if s.Rank == Default {
		return "default"
	}
	return shown(s.Where)
}

// ByPerson reports whether the person has set a setting, rather than nobody or a project.
func (l Loaded) ByPerson(name string) bool {
	rank := l.Sources[name].Rank
	return rank != Default && rank != PiProject && rank != Project
}

// Problem is one value or file that could not be used.
type Problem struct {
	Where string // the file or the variable
	Key   string // the setting; or, quoted, a member of the file that is no setting; empty if it is about all of it
	What  string // the rest of the sentence
}

// Error is one line for a person, safe to put on a terminal.
func (p Problem) Error() string {
	where := shown(p.Where)
	if p.Key != "" {
		where += ": " + p.Key
	}
	return where + ": " + p.What
}

// mostProblems bounds how many problems of one file are told.
const mostProblems = 20

// Load returns the settings for an agent in dir: the defaults, under pi's global file, ours, pi's
// file of the project, ours, and the environment. Where dir is gone, no project's file counts.
func Load(dir string) Loaded {
	l := load(dir, Environment)
	l.environment()
	if l.Theme == "custom" {
		l.custom()
	}
	l.MutedUntil = MutedUntil()
	return l
}

// load reads what ranks below a rank.
func load(dir string, rank Rank) Loaded {
	_, defaults := described()
	l := Loaded{Settings: defaults, Files: Files(dir), Sources: map[string]Source{}}
	for i := range l.Files {
		f := &l.Files[i]
		if !f.Found || f.Rank >= rank {
			continue
		}
		doc, err := readObject(f.Path)
		if errors.Is(err, fs.ErrNotExist) {
			f.Found = false
		} else if err != nil {
			l.Problems = append(l.Problems, Problem{Where: f.Path, What: err.Error()})
		}
		l.apply(*f, doc)
	}
	return l
}

// apply lays a file over what is there so far.
func (l *Loaded) apply(f File, doc map[string]json.RawMessage) {
	var problems []Problem
	for _, key := range slices.Sorted(maps.Keys(doc)) {
		field, unknown := Lookup(key)
		if isPi := f.Rank == PiGlobal || f.Rank == PiProject; isPi && !field.Pi {
			continue // not ours to judge, or a name of ours that means something else there
		}
		if unknown != nil {
			problems = append(problems, Problem{f.Path, quoted(key), "there is no such setting" + didYouMean(key)})
			continue
		}
		v, err := field.decode(doc[key])
		if err == nil {
			err = l.set(f, field, v)
		}
		if err != nil {
			problems = append(problems, Problem{f.Path, key, err.Error() + "; ignored"})
		}
	}
	l.Problems = append(l.Problems, problems[:min(len(problems), mostProblems)]...)
}

// trusting lists what a project's file may do only where the person trusts the project.
var trusting = map[string]string{"runs": "set what runs commands", "guards": "change what protects you from a hasty answer"}

// allows reports why the file may not set a field, if so.
func (f File) allows(field Field, trusted []string) error {
	switch does, trust := trusting[field.Only]; {
	case field.Only == "global" && f.Rank != Global:
		return errors.New("only the global file sets this")
	case field.Only == "person" && f.IsProject():
		return errors.New("no project's file sets this, only your own and " + field.Env)
	case f.IsProject() && trust && !trusts(trusted, f.Root):
		return fmt.Errorf("a project's file does not %s, unless trustedProjects in the global file has %s", does, shown(f.Root))
	}
	return nil
}

// set lays a value from a file over what is there so far, if the file may set it so.
func (l *Loaded) set(f File, field Field, v any) error {
	if err := f.allows(field, l.TrustedProjects); err != nil {
		return err
	}
	if field.Only == "less" && f.Rank > Global && slices.Index(field.Choices, v.(string)) > slices.Index(field.Choices, field.Text(l.Settings)) {
		return fmt.Errorf("%s is more than %s, and only the global file sets that", v, field.Text(l.Settings))
	}
	if field.Only == "strict" && f.IsProject() {
		l.stricter(field.Name, v.([]string))
		return nil
	}
	reflect.ValueOf(&l.Settings).Elem().Field(field.index).Set(reflect.ValueOf(v))
	l.Sources[field.Name] = Source{f.Rank, f.Path}
	return nil
}

// environment lays the variables over what is there so far.
func (l *Loaded) environment() {
	for _, f := range Fields() {
		if text, ok := os.LookupEnv(f.Env); ok {
			v, err := f.Parse(text)
			if err == nil {
				err = l.set(File{Rank: Environment, Path: f.Env}, f, v)
			}
			if err != nil {
				using := cmp.Or(f.Text(l.Settings), "none")
				l.Problems = append(l.Problems, Problem{Where: f.Env, What: fmt.Sprintf("%v; using %s", err, using)})
			}
		}
	}
}

// Checks tells askpane doctor which files the settings come from, and what cannot be used.
func (l Loaded) Checks() (checks []hint.Check) {
	check := hint.Check{Section: "settings", Name: "file", State: hint.OK}
	fixes := map[string]string{themeFile(): File{Path: themeFile()}.toEdit()}
	for _, f := range l.Files {
		if f.Found {
			check.Detail = f.Path
			checks = append(checks, check)
		}
		fixes[f.Path] = f.toEdit()
	}
	for _, p := range l.Problems {
		fix := cmp.Or(fixes[p.Where], "unset "+p.Where)
		checks = append(checks, hint.Check{Section: "settings", Name: "problem", State: hint.Warn, Detail: p.Error(), Fix: fix})
	}
	if len(checks) == 0 {
		check.Detail = "there is none; askpane settings makes one"
		checks = append(checks, check)
	}
	if said := SayMuted(); said != "" {
		checks = append(checks, hint.Check{Section: "settings", Name: "mute", State: hint.Warn, Detail: said + ": no form opens by itself, and no alert is loud", Fix: "askpane mute off"})
	}
	return checks
}
