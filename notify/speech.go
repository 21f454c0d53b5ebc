package notify

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// speech says that there is a question, and its header.
var speech = alert{
	name: "speech", setting: "ttsOnQuestion", loud: true,
	on:   func(c Config) bool { return c.Speech },
	when: reminded(noDelay),
	raise: func(_ context.Context, j job) (raised, error) {
		path, args, err := speaker(j.TTSCommand)
		if err != nil {
			return raised{}, err
		}
		// The text begins with a word of ours and so is no option, and it is one
		// argument, which no shell reads.
		cmd := exec.Command(path, append(args, spoken+unspoken.Replace(j.header()))...)
		p, err := startProcess(cmd, j.printer("speech"))
		if err != nil {
			return raised{}, err
		}
		return raised{clear: p.stop, finish: p.finish}, nil
	},
	describe: func(_ context.Context, c Config, _ Routes) Line {
		path, args, err := speaker(c.TTSCommand)
		if err != nil {
			return Line{State: Cannot, Detail: err.Error(), Fix: "apt-get install espeak-ng, or set ttsCommand to a program that speaks its last argument"}
		}
		name := path[strings.LastIndexByte(path, '/')+1:]
		return Line{State: On, Detail: strings.Join(append([]string{name}, args...), " ") + " at " + path}
	},
}

// spoken comes before the header, as in the tool that these settings are from.
const spoken = "AskUserQuestion: "

// unspoken takes apart what speakers act on inside a text: macOS's say changes
// its rate, or is silent for a while, at [[rate 1]] or [[slnc 9]], espeak-ng reads
// [[…]] as phonemes, and other engines take <…> for markup.
var unspoken = strings.NewReplacer("[[", "[ [", "]]", "] ]", "<", " ", ">", " ")

// speakers are the programs that say their argument, in order of preference.
var speakers = []string{"attn", "say", "spd-say", "espeak-ng"}

// speaker is the program that speaks, and its arguments before the text.
func speaker(command string) (path string, args []string, err error) {
	words := speakers
	if strings.TrimSpace(command) != "" {
		if words, err = split(command); err != nil {
			return "", nil, fmt.Errorf("ttsCommand: %w", err)
		}
		if path, err = exec.LookPath(words[0]); err != nil {
			return "", nil, fmt.Errorf("ttsCommand: %w", err)
		}
		return path, words[1:], nil
	}
	for _, name := range words {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil, nil
		}
	}
	return "", nil, errors.New("there is none of " + strings.Join(speakers, ", "))
}

// split divides a command into words as a shell does, with quotes and
// backslashes, but expands nothing: $ ~ * | ; and the like are themselves. It
// stands here since none of the libraries for it has seen a release in years.
func split(command string) ([]string, error) {
	var words []string
	var word strings.Builder
	in, quote, escaped := false, rune(0), false
	for _, r := range command {
		switch {
		case escaped:
			if quote == '"' && r != '"' && r != '\\' {
				word.WriteByte('\\')
			}
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			in, escaped = true, true
		case quote != 0:
			if r == quote {
				quote = 0
			} else {
				word.WriteRune(r)
			}
		case r == '\'' || r == '"':
			in, quote = true, r
		case r == ' ' || r == '\t' || r == '\n':
			if in {
				words = append(words, word.String())
				word.Reset()
				in = false
			}
		default:
			in = true
			word.WriteRune(r)
		}
	}
	switch {
	case quote != 0:
		return nil, fmt.Errorf("a %c is not closed in %q", quote, command)
	case escaped:
		return nil, fmt.Errorf("nothing follows the last backslash in %q", command)
	}
	if in {
		words = append(words, word.String())
	}
	if len(words) == 0 || words[0] == "" {
		return nil, fmt.Errorf("%q names no program", command)
	}
	return words, nil
}
