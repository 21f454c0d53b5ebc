package telegram

import (
	"cmp"
	"context"
	"crypto/rand"
	"strconv"
	"strings"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/chat"
)

// Steps tell a person how to make a bot.
var Steps = []string{
	"In Telegram, open a chat with @BotFather (https://t.me/BotFather) and send it /newbot.",
	"Give it any name, and a username that ends in bot.",
	"Copy the token of its answer, as 123456789:AAF…",
}

// Greet says whose token it is.
func (c *Channel) Greet(ctx context.Context) (string, error) {
	err := c.call(ctx, c.meet)
	return "The bot is @" + c.self.Username + ".", err
}

// Find waits until the person has a chat with the bot alone, or has put it into a group.
// Either sends a code there.
func (c *Channel) Find(ctx context.Context, say func(string)) ([]chat.Place, error) {
	if err := c.call(ctx, c.meet); err != nil {
		return nil, err
	}
	code, bot := rand.Text(), "https://t.me/"+c.self.Username
	say("Where you have Telegram, open this and press Start, for a chat with the bot alone:\n\n  " + bot + "?start=" + code +
		"\n\nor this, for a group of yours:\n\n  " + bot + "?startgroup=" + code + "\n")
	var place chat.Place
	err := c.read(ctx, func(u update) bool {
		if q := u.CallbackQuery; q != nil {
			_ = c.notice(ctx, q.ID, chat.BeingSetUp)
		}
		m := u.Message
		if m == nil || m.From == nil || m.From.IsBot || !strings.HasSuffix(" "+m.Text, " "+code) {
			return true
		}
		place = chat.Place{ID: strconv.FormatInt(m.Chat.ID, 10), Words: cmp.Or(text.OneLine(m.Chat.Title, 80), "the chat with "+person(*m.From).Name)}
		if m.IsTopicMessage {
			place = chat.Place{ID: slashed(m.Chat.ID, m.MessageThreadID), Words: "a topic of " + place.Words}
		}
		return false
	}, func(err error) {
		if err != nil {
			say(err.Error())
		}
	})
	return []chat.Place{place}, err
}

// Check finds out whether the bot may write to its chat, without writing anything.
func (c *Channel) Check(ctx context.Context) error {
	return c.call(ctx, func(ctx context.Context) error {
		_, err := c.api.SendChatAction(ctx, &bot.SendChatActionParams{ChatID: c.chat.Load(), MessageThreadID: c.topic, Action: models.ChatActionTyping})
		return err
	})
}
