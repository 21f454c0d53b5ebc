package notify

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/settings"
)

// push tells the person's phone, by a program that speaks HTTP: it tries until it has
// told it or the question is over. What was sent is not taken back.
var push = alert{
	name: "push", setting: "pushUrl", late: true, loud: true,
	isOn: func(s settings.Settings) bool { return s.PushURL != "" },
	when: desktop.when,
	raise: func(ctx context.Context, j job) (undo, error) {
		p, err := j.push()
		if err != nil {
			return nil, err
		}
		if within(grace, p.ended.Done()) { // what is wrong is known at once
			return nil, p.pushed(ctx)
		}
		return p.pushed, nil
	},
	describe: func(ctx context.Context, j job) hint.Check {
		p, err := j.push("--check")
		if err != nil {
			return checked("", err, "")
		}
		within(patience/2, p.ended.Done())
		err = p.pushed(ctx)
		return checked(p.last+"; pushContent is "+j.set.PushContent, err, "")
	},
}

// pushed ends the program that pushes, and says why it has not pushed, in its own words.
func (p *process) pushed(ctx context.Context) error {
	sent := p.hasEnded()
	if err := p.stop(ctx); sent && err == nil {
		return nil
	}
	return errors.New(cmp.Or(strings.TrimPrefix(p.last, "askpane: "), "the server is slow, and the question was over before it had answered"))
}

// push starts the program that pushes, which gets everything on its standard input:
// other users may see a command line. That stays open as long as the question waits, so
// that its end is the end of pushing even where nobody is left to say so.
func (j job) push(args ...string) (*process, error) {
	if j.Push == nil {
		return nil, errors.New("there is no program that could post it")
	}
	cmd, err := j.Push(args...)
	if err != nil {
		return nil, err
	}
	message := map[string]any{"to": j.set.PushURL, "question": j.ID}
	if j.Form != nil {
		message["title"], message["body"], message["urgent"] = pushText(j.Question, j.set.PushContent)
	}
	if j.ID != "" { // each reminder is a message of its own
		message["id"] = fmt.Sprintf("%s-%d", j.ID, int(j.waited.Seconds()))
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	p, err := j.run("push", cmd)
	if err == nil {
		_ = json.NewEncoder(in).Encode(message) // one that has ended before says why
	}
	if err != nil || len(args) > 0 { // nothing waits
		in.Close()
	}
	return p, err
}

const (
	promptRunes = 300 // of each question
	pushBytes   = 3000
)

// pushText makes what a phone is told of a question: of one with a secret only that it waits.
func pushText(q Question, content string) (title, body string, urgent bool) {
	title, body = "askpane", waits(len(q.Form.Questions))
	urgent = slices.ContainsFunc(q.Form.Questions, func(q form.Question) bool { return q.Dangerous })
	if urgent {
		body = "Dangerous. " + body
	}
	if q.Form.Secrets() || content == settings.PushNothing {
		return title, body, urgent
	}
	all := content == settings.PushQuestion
	if subject := q.Form.Subject(); subject != nil && !all { // what it would do goes to no server unasked
		q.Form = &form.Form{Title: subject.Tool}
	}
	title = text.OneLine(asks(q), summaryRunes)
	for _, one := range q.Form.Questions {
		if prompt := "\n" + text.OneLine(one.Prompt, promptRunes); all && len(body)+len(prompt) <= pushBytes { // ntfy makes a file of more than 4096
			body += prompt
		}
	}
	return title, body, urgent
}
