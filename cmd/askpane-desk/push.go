package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/cmd/internal/asker"
	"github.com/askpane/askpane/cmd/internal/programs"
	"github.com/askpane/askpane/integrations/desk/gate"
	"github.com/askpane/askpane/integrations/desk/push"
	"github.com/askpane/askpane/popup/page"
	"github.com/askpane/askpane/settings"
)

// pushQuestion posts the message on standard input to the person's topic, with a link to the
// question's page where a phone can reach that. The link has no token: paired devices
// have their own. It tries until that input ends, which whoever asks keeps open.
func pushQuestion(c *cli.Context) error {
	var m struct {
		push.Message
		Question string `json:"question"`
	}
	if err := json.NewDecoder(os.Stdin).Decode(&m); err != nil {
		return fmt.Errorf("read the message: %w", err)
	}
	topic, err := push.Open(m.To)
	if err != nil {
		return err
	}
	s := settings.Load("")
	reached := s.BrowserEnabled && (s.PageListen != "" || len(s.PageHosts) > 0)
	if c.Bool("check") {
		fmt.Printf("posts to %v, %s\n", topic, offers(&s.Settings, reached))
		return nil
	}
	if reached && spool.ValidID(m.Question) {
		a, keys, err := up(c)
		if err == nil && len(a.Hosts) > 0 {
			m.Click = elsewhere(a) + "#q=" + m.Question
			if s.PushAnswers && s.PushContent == settings.PushQuestion {
				m.Buttons, err = buttons(keys, elsewhere(a), m.Question)
			}
		}
		if err != nil {
			programs.Warn(err) // it is told without a link, or without buttons
		}
	}
	topic.Failed = programs.Warn
	ctx, over := context.WithCancel(c.Context)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		over()
	}()
	return topic.Send(ctx, m.Message)
}

// offers says what a message lets the person do.
func offers(s *settings.Settings, reached bool) string {
	switch {
	case !reached && s.PushAnswers:
		return "without a link and buttons, since no phone reaches the page (askpane phone)"
	case !reached:
		return "without a link, since no phone reaches the page (askpane phone)"
	case s.PushAnswers && s.PushContent != settings.PushQuestion:
		return "with a link to the page, and without buttons, since they need pushContent question"
	case s.PushAnswers:
		return "with a link to the page, and with buttons that answer a simple question"
	}
	return "with a link to the page"
}

// buttons makes one for each choice of a question that a push may answer, at a desk's address.
func buttons(keys gate.Keys, base, id string) (all []push.Button, err error) {
	sp, err := asker.OpenSpool()
	if err != nil {
		return nil, err
	}
	defer sp.Close()
	e, err := sp.Open(id)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	req, err := e.Request()
	labels := page.Replies(&req.Form)
	if err != nil || labels == nil {
		return nil, err
	}
	secret, err := keys.Reply(id)
	if err != nil {
		return nil, err
	}
	body, _ := json.Marshal(map[string]string{"secret": secret}) // a word
	for i, label := range labels {
		all = append(all, push.Button{Label: label, URL: base + strings.TrimPrefix(gate.ReplyPath, "/") + strconv.Itoa(i+1), Body: string(body)})
	}
	return all, nil
}
