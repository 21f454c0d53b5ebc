package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/cmd/internal/programs"
	"github.com/askpane/askpane/integrations/desk/push"
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
		link := "with a link to the page"
		if !reached {
			link = "without a link, since no phone reaches the page (askpane phone)"
		}
		fmt.Printf("posts to %v, %s\n", topic, link)
		return nil
	}
	if reached && spool.ValidID(m.Question) {
		a, _, err := up(c)
		if err != nil {
			programs.Warn(err) // it is told without a link
		} else if len(a.Hosts) > 0 {
			m.Click = elsewhere(a) + "#q=" + m.Question
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
