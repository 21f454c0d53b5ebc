// Package telegram is a chat of Telegram as a chat.Channel, by its Bot API.
//
// Messages are text without markup, and inline keyboards. What must hold here: the token
// is in no error, nothing in an agent's text does anything when it is tapped, and an
// update counts as read only after it was dealt with.
package telegram

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/popup/chat"
)

// Channel writes to one chat as a bot.
type Channel struct {
	// Patience bounds how long somebody's press or text waits for its reply, where Telegram
	// wants to be left alone: all others wait behind it.
	Patience time.Duration

	api    *bot.Bot
	client *http.Client
	token  string
	chat   atomic.Int64 // below zero where it is a group; another as soon as that is a supergroup
	topic  int          // of a forum; 0 is the chat itself
	self   models.User  // the bot, as soon as it was met
}

// token matches a token (core.telegram.org/bots/api, Authorizing your bot).
var token = regexp.MustCompile(`^\d+:[\w-]{20,}$`)

// Open asks Telegram nothing yet. Place is the chat's number, with that of a topic, as Find
// gives it; without one the channel is good for Greet and Find. Client is nil for one that
// goes by the proxy of the environment, and has no timeout of its own.
func Open(secret, place string, client *http.Client) (*Channel, error) {
	if !token.MatchString(secret) {
		return nil, hint.New("copy all of what @BotFather gave, as 123456789:AAF…", "this is no token of a Telegram bot")
	}
	where, topic, err := numbers(place)
	if place != "" && err != nil {
		return nil, hint.New("askpane chat setup telegram finds it", "%s is no chat of Telegram", text.Quoted(place, 40))
	}
	if client == nil {
		client = chat.Client()
	}
	api, err := bot.New(secret, bot.WithSkipGetMe(), bot.WithHTTPClient(0, client))
	c := &Channel{Patience: 3 * time.Second, api: api, client: client, token: secret, topic: topic}
	c.chat.Store(where)
	return c, err
}

// A chat's number, and behind a slash that of a message or of a topic there: a group that
// becomes a supergroup gets another number, and counts its messages anew.
func slashed(chat int64, n int) string { return fmt.Sprintf("%d/%d", chat, n) }

func numbers(s string) (chat int64, n int, err error) {
	first, second, both := strings.Cut(s, "/")
	if chat, err = strconv.ParseInt(first, 10, 64); both && err == nil {
		n, err = strconv.Atoi(second)
	}
	return chat, n, err
}

// Name returns “telegram”.
func (c *Channel) Name() string { return "telegram" }

// Limits returns those of the Bot API, and of what a telephone shows of a button.
func (c *Channel) Limits() chat.Limits {
	return chat.Limits{Text: mostText, Length: length, Label: 64, Choice: 60, Choices: 24, Value: 4096, Controls: 40, Apart: true}
}

var noPreview = &models.LinkPreviewOptions{IsDisabled: bot.True()}

// Post posts a message.
func (c *Channel) Post(ctx context.Context, m chat.Message) (string, error) {
	text, keys := render(m)
	return c.send(ctx, "", text, keys)
}

// Edit gives a message another content.
func (c *Channel) Edit(ctx context.Context, ref string, m chat.Message) error {
	where, id, err := numbers(ref)
	if err != nil {
		return fmt.Errorf("%w: %q is none of Telegram's", chat.ErrGone, ref)
	}
	text, keys := render(m)
	return c.call(ctx, func(ctx context.Context) error {
		_, err := c.api.EditMessageText(ctx, &bot.EditMessageTextParams{ChatID: where, MessageID: id,
			Text: text.String(), Entities: text.entities, LinkPreviewOptions: noPreview, ReplyMarkup: keys})
		return unless(err, "message is not modified")
	})
}

// send sends a message, as a reply where it is one.
func (c *Channel) send(ctx context.Context, to string, text *writer, keys models.ReplyMarkup) (ref string, err error) {
	err = c.call(ctx, func(ctx context.Context) error {
		here := c.chat.Load()
		p := &bot.SendMessageParams{ChatID: here, MessageThreadID: c.topic, Text: text.String(), Entities: text.entities, LinkPreviewOptions: noPreview, ReplyMarkup: keys}
		if where, id, err := numbers(to); err == nil && where == here {
			p.ReplyParameters = &models.ReplyParameters{MessageID: id, AllowSendingWithoutReply: true}
		}
		sent, err := c.api.SendMessage(ctx, p)
		if err == nil {
			ref = slashed(here, sent.ID)
		}
		return err
	})
	return ref, err
}

// call makes a request, and waits before it where Telegram wants to be left alone. One to
// a group that became a supergroup is made again: Telegram says its new number each time.
func (c *Channel) call(ctx context.Context, request func(context.Context) error) error {
	for {
		once, done := context.WithTimeout(ctx, 30*time.Second)
		err := request(once)
		done()
		if moved, is := errors.AsType[*bot.MigrateError](err); is && c.chat.Swap(int64(moved.MigrateToChatID)) != int64(moved.MigrateToChatID) {
			continue
		}
		busy, is := errors.AsType[*bot.TooManyRequestsError](err)
		if !is {
			return explain(err)
		}
		if err := chat.Pause(ctx, time.Duration(max(busy.RetryAfter, 1))*time.Second); err != nil {
			return fmt.Errorf("telegram wants to be left alone for %d s: %w", busy.RetryAfter, err)
		}
	}
}

// unless returns err, or nil where Telegram said so.
func unless(err error, said string) error {
	if err != nil && strings.Contains(err.Error(), said) {
		return nil
	}
	return err
}

// What Telegram says of a message that is not there, and of a chat it cannot write to.
var (
	gone     = regexp.MustCompile(`(?i)message to edit not found|message_id_invalid|message can't be edited`)
	noPlace  = regexp.MustCompile(`(?i)chat not found|rights|write access|chat_\w+|topic_\w+|thread not found|peer_id_invalid|user is deactivated`)
	errOther = errors.New("another program reads what is pressed at this bot")
	errBroke = errors.New("its servers fail")
)

// explain turns an error of the library into one of chat's.
func explain(err error) error {
	if err == nil {
		return nil
	}
	if unreached, is := errors.AsType[*url.Error](err); is { // its text has the address, and that the token
		return fmt.Errorf("cannot reach Telegram: %w", unreached.Err)
	}
	_, said, _ := strings.Cut(err.Error(), ", ")
	said = text.OneLine(said, 200)
	bad := errors.Is(err, bot.ErrorBadRequest)
	switch {
	case errors.Is(err, bot.ErrorUnauthorized), errors.Is(err, bot.ErrorNotFound): // the latter is of no form of a token
		return hint.New("askpane chat setup telegram takes a new one", "%w (Telegram: %s)", chat.ErrRefused, said)
	case errors.Is(err, bot.ErrorForbidden), bad && noPlace.MatchString(said):
		return hint.New("let the bot in again, or run askpane chat setup telegram", "%w (Telegram: %s)", chat.ErrNoPlace, said)
	case errors.Is(err, bot.ErrorConflict):
		return hint.New("stop it, or give askpane a bot of its own", "%w (Telegram: %s)", errOther, said)
	case bot.IsMigrateError(err), bad && gone.MatchString(said):
		return fmt.Errorf("%w (Telegram: %s)", chat.ErrGone, said)
	case bad:
		return fmt.Errorf("%w (Telegram: %s)", chat.ErrUnfit, said)
	}
	return errors.New("Telegram has trouble: " + text.OneLine(err.Error(), 200))
}
