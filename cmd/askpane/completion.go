package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/cmd/internal/command"
	"github.com/askpane/askpane/cmd/internal/programs"
	"github.com/askpane/askpane/integrations"
	"github.com/askpane/askpane/settings"
)

// completions make a shell ask askpane complete for what a word can become; where that is
// nothing, files are completed.
var completions = map[string]string{
	"bash": `_askpane() {
  local IFS=$'\n'
  COMPREPLY=($(askpane complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
}
complete -o default -F _askpane askpane
`,
	"zsh": `#compdef askpane
_askpane() {
  local -a found
  local line
  askpane complete -- "${(@)words[2,CURRENT]}" 2>/dev/null | while IFS= read -r line; do
    found+=("${line%%$'\t'*}:${line#*$'\t'}")
  done
  if (( $#found )); then _describe askpane found; else _files; fi
}
# Loaded from fpath this is the function's body; evaluated, it has to be made known.
if [[ "${funcstack[1]}" == _askpane ]]; then _askpane; else compdef _askpane askpane; fi
`,
	"fish": `complete -c askpane -f -a '(askpane complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null | string match "*"; or __fish_complete_path (commandline -ct))'
complete -c askpane -n '__fish_seen_subcommand_from ask answer check' -l file -r -F
`,
}

func completion(c *cli.Context) error {
	script, known := completions[c.Args().First()]
	if !known {
		return usage("name a shell: %s", strings.Join(slices.Sorted(maps.Keys(completions)), ", "))
	}
	_, err := fmt.Print(script)
	return err
}

// complete says what the last word of a command line can become. Of a command that another program
// runs that program knows.
func complete(c *cli.Context) error {
	words := slices.DeleteFunc(c.Args().Tail(), func(word string) bool { return word == "=" }) // bash parts --host=tmux
	if len(words) == 0 || c.Args().Get(c.NArg()-1) == "=" {
		words = append(words, "")
	}
	for _, p := range programs.All[1:] {
		for _, other := range p.Commands {
			if len(words) > 1 && words[0] == other.Name {
				return p.Exec(slices.Concat([]string{"complete", "--"}, other.Args, words[1:]))
			}
		}
	}
	command.Tab(app(commands()), words, operands)
	return nil
}

// operands lists what a word of a command's usage stands for, after another argument.
func operands(name, word, after string) (all [][2]string) {
	var values []string
	switch word {
	case "SHELL":
		values = slices.Sorted(maps.Keys(completions))
	case "NAME":
		for _, f := range settings.Fields() {
			all = append(all, [2]string{f.Name, f.Help})
		}
	case "VALUE":
		f, _ := settings.Lookup(after)
		values = text.If(f.IsSwitch(), []string{"true", "false"}, f.Choices)
		if f.Name == "host" {
			values = integrations.Names()
		}
	case "ID":
		return idsFor(name)
	}
	for _, v := range values {
		all = append(all, [2]string{v})
	}
	return all
}

// idsFor lists the ids that a command can be about, each with what was asked.
func idsFor(name string) (all [][2]string) {
	sp, err := lookSpool()
	if err != nil {
		return nil
	}
	defer sp.Close()
	ids, _, _ := sp.Scan()
	if name == "show" || name == "collect" {
		ids, _ = allIDs(sp)
	}
	short := shortened(sp)
	for _, id := range ids[max(0, len(ids)-100):] { // more than anybody reads
		if r, err := recordIn(sp, id); err == nil {
			all = append(all, [2]string{short(id), r.Request.Origin.Agent + ": " + r.Request.Form.Header()})
		}
	}
	return all
}
