package notify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/mattn/go-shellwords"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/settings"
)

// speech says who asks, and the question's header.
var speech = alert{
	name: "speech", setting: "ttsOnQuestion", loud: true,
	isOn: func(s settings.Settings) bool { return s.TtsOnQuestion },
	when: atOnce,
	raise: func(_ context.Context, j job) (undo, error) {
		path, args, err := speaker(j.set.TtsCommand)
		if err != nil {
			return nil, err
		}
		// The text begins with a letter or a digit and so is no option, and it is one
		// argument, which no shell reads.
		who := strings.TrimLeftFunc(text.OneLine(j.Agent, agentRunes), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		p, err := j.run("speech", exec.Command(path, append(args, unspoken.Replace(cmp.Or(who, "an agent")+" asks: "+j.header()))...))
		if err != nil {
			return nil, err
		}
		return p.stop, nil
	},
	describe: func(_ context.Context, j job) hint.Check {
		path, args, err := speaker(j.set.TtsCommand)
		does := strings.Join(append([]string{filepath.Base(path)}, args...), " ") + " at " + path
		return checked(does, err, "apt-get install espeak-ng, or set ttsCommand to a program that speaks its last argument")
	},
}

// unspoken takes apart what speakers act on inside a text: macOS's say changes
// its rate, or is silent for a while, at [[rate 1]] or [[slnc 9]], espeak-ng reads
// [[…]] as phonemes, and other engines take <…> for markup.
var unspoken = strings.NewReplacer("[[", "[ [", "]]", "] ]", "<", " ", ">", " ")

// speakers lists the programs that say their argument, in order of preference.
var speakers = []string{"attn", "say", "spd-say", "espeak-ng"}

// speaker finds the program that speaks, and its arguments before the text.
func speaker(command string) (path string, args []string, err error) {
	if strings.TrimSpace(command) == "" {
		for _, name := range speakers {
			if path, err := exec.LookPath(name); err == nil {
				return path, nil, nil
			}
		}
		return "", nil, errors.New("there is none of " + strings.Join(speakers, ", "))
	}
	words, err := split(command)
	if err == nil {
		path, err = exec.LookPath(words[0])
	}
	if err != nil {
		return "", nil, fmt.Errorf("ttsCommand: %w", err)
	}
	return path, words[1:], nil
}

// split divides a command into words as a shell does, with quotes and
// backslashes, but expands nothing: $ ~ * | ; and the like are themselves.
func split(command string) ([]string, error) {
	p := shellwords.NewParser()
	p.SetExcludeSeparators([]rune("|&;<>()`")...)
	words, err := p.Parse(command)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", command, err)
	}
	if len(words) == 0 || words[0] == "" {
		return nil, fmt.Errorf("%q names no program", command)
	}
	return words, nil
}
