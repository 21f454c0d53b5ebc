// Package discord is a chat's channel on Discord: a text channel of somebody's server,
// and a bot that writes there.
//
// It speaks to Discord alone, by its REST interface and its gateway. The rules that must
// hold here: the token is in no error and no log, a text mentions, links and imitates
// nothing, and Discord is left alone for as long as it says.
package discord

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/popup/chat"
)

// Channel posts in one channel of a server.
type Channel struct {
	Patience time.Duration // bounds a reply to a click; Discord takes none later

	token, place string
	client       *http.Client
	turn         chan time.Time // for one request at a time: when the next may go
}

// Open opens the channel with that id, for the bot with that token; Discord is asked nothing
// yet. The id may be empty where nothing is posted. A nil client goes by the environment's
// proxy.
func Open(token, place string, client *http.Client) (*Channel, error) {
	token = strings.TrimPrefix(strings.TrimSpace(token), "Bot ")
	if token == "" || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, hint.New("copy it again from the page “Bot” of the application", "this is no token of a Discord bot")
	}
	if strings.Trim(place, "0123456789") != "" {
		return nil, hint.New("with Developer Mode on, “Copy Channel ID” in the channel's menu gives it", "%q is no id of a Discord channel", place)
	}
	if client == nil {
		client = chat.Client()
		client.Timeout = 20 * time.Second
	}
	c := &Channel{Patience: 3 * time.Second, token: token, place: place, client: client, turn: make(chan time.Time, 1)}
	c.turn <- time.Time{}
	return c, nil
}

// Name returns “discord”.
func (c *Channel) Name() string { return "discord" }

// Post posts a message. Its reference is CHANNEL/MESSAGE.
func (c *Channel) Post(ctx context.Context, m chat.Message) (string, error) {
	// By the nonce, of which it takes 25 characters, Discord makes one message of a post
	// that is tried again, for some minutes.
	var made struct {
		ID     string
		Edited string `json:"edited_timestamp"`
	}
	err := c.send(ctx, http.MethodPost, "/channels/"+c.place+"/messages", m, content{Nonce: m.Key, Once: true}, &made)
	ref := c.place + "/" + made.ID
	if err == nil && made.Edited != "" { // it was there, and shows something else
		err = c.Edit(ctx, ref, m)
	}
	return ref, err
}

// Edit gives a message another content.
func (c *Channel) Edit(ctx context.Context, ref string, m chat.Message) error {
	place, id, _ := strings.Cut(ref, "/")
	return c.send(ctx, http.MethodPatch, "/channels/"+place+"/messages/"+id, m, content{}, nil)
}

// send sends a message; with its emojis in its words, if Discord refuses one.
func (c *Channel) send(ctx context.Context, method, path string, m chat.Message, body content, answer any) error {
	body.Flags, body.Mentions, body.Components = componentsV2, nobody, render(m, true)
	err := c.request(ctx, method, path, body, answer)
	if refused, is := errors.AsType[refusal](err); is && strings.Contains(refused.body, `"emoji"`) {
		body.Components = render(m, false)
		err = c.request(ctx, method, path, body, answer)
	}
	return err
}

// request asks Discord when it may, and after a pause again where that was too early.
func (c *Channel) request(ctx context.Context, method, path string, body, answer any) error {
	var next time.Time
	select {
	case next = <-c.turn:
		defer func() { c.turn <- next }()
	case <-ctx.Done():
		return ctx.Err()
	}
	for {
		if err := chat.Pause(ctx, time.Until(next)); err != nil && time.Now().Before(next) {
			return fmt.Errorf("discord wants to be left alone until %s: %w", next.Format(time.TimeOnly), err)
		}
		wait, err := c.ask(ctx, method, path, body, answer)
		next = time.Now().Add(wait)
		if refused, is := errors.AsType[refusal](err); !is || refused.status != http.StatusTooManyRequests {
			return err
		}
	}
}

// ask asks Discord once, and says for how long it is to be left alone then.
func (c *Channel) ask(ctx context.Context, method, path string, body, answer any) (wait time.Duration, err error) {
	var sent []byte
	if body != nil {
		if sent, err = json.Marshal(body); err != nil {
			return 0, err
		}
	}
	r, err := http.NewRequestWithContext(ctx, method, api+path, bytes.NewReader(sent))
	if err != nil {
		return 0, unreached(err)
	}
	r.Header.Set("Authorization", "Bot "+c.token)
	r.Header.Set("User-Agent", "DiscordBot (https://github.com/askpane/askpane, 1)")
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.client.Do(r)
	if err != nil {
		return 0, unreached(err)
	}
	defer resp.Body.Close()
	said, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return 0, unreached(err)
	case resp.StatusCode == http.StatusTooManyRequests:
		wait = max(time.Second, seconds(resp.Header.Get("Retry-After")))
	case resp.Header.Get("X-RateLimit-Remaining") == "0":
		wait = seconds(resp.Header.Get("X-RateLimit-Reset-After"))
	}
	if resp.StatusCode >= 300 {
		no := refusal{status: resp.StatusCode, body: string(said)}
		json.Unmarshal(said, &no) // what is no JSON has no code
		return wait, no
	}
	if answer != nil {
		err = json.Unmarshal(said, answer)
	}
	return wait, err
}

// unreached takes the address off an error, since it has the token of what was pressed.
func unreached(err error) error {
	if where, is := errors.AsType[*url.Error](err); is {
		err = where.Err
	}
	return fmt.Errorf("cannot reach Discord: %w", err)
}

func seconds(s string) time.Duration {
	n, _ := strconv.ParseFloat(s, 64)
	return time.Duration(n * float64(time.Second))
}

// refusal says why Discord does not do what it is asked.
type refusal struct {
	status int
	body   string
	Code   int // of it
}

func (r refusal) Error() string {
	return fmt.Sprintf("%s (Discord: %d %s)", r.Unwrap(), r.status, text.OneLine(r.body, 200))
}

var errFailed = errors.New("discord has failed")

// Unwrap returns what that means to whoever uses the channel.
func (r refusal) Unwrap() error {
	switch {
	case r.status == http.StatusUnauthorized:
		return chat.ErrRefused
	case r.Code == unknownMessage:
		return chat.ErrGone
	case r.status == http.StatusForbidden, r.Code == unknownChannel:
		return chat.ErrNoPlace
	case r.status == http.StatusBadRequest:
		return chat.ErrUnfit
	}
	return errFailed
}
