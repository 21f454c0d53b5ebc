package telegram

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/chat"
)

// update reads an update that has something newer than the library in it as empty, or it
// would keep all that comes after it from being read.
type update models.Update

// UnmarshalJSON reads one.
func (u *update) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, (*models.Update)(u)) == nil {
		return nil
	}
	*u = update{}
	return json.Unmarshal(b, &struct {
		ID *int64 `json:"update_id"`
	}{&u.ID})
}

// Listen calls handle for what people do there. Telegram forgets what handle has returned
// from, and keeps for a day what came while nobody listened.
func (c *Channel) Listen(ctx context.Context, handle func(chat.Event), state func(error)) error {
	return c.read(ctx, func(u update) bool { c.dispatch(ctx, u, handle); return true }, state)
}

// longPoll has Telegram hold a request for updates so long while there are none.
const longPoll = 20 * time.Second

// read hands over updates, oldest first, until handle returns false.
func (c *Channel) read(ctx context.Context, handle func(update) bool, state func(error)) error {
	offset, pause, hold, said := int64(0), time.Duration(0), time.Duration(0), ""
	defer func() { // or the next to listen gets again what was dealt with
		last, done := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
		defer done()
		if offset > 0 {
			c.updates(last, offset, 0)
		}
	}()
	for ctx.Err() == nil {
		var updates []update
		err := c.call(ctx, func(ctx context.Context) (err error) {
			updates, err = c.updates(ctx, offset, hold)
			return err
		})
		if ctx.Err() != nil {
			break
		}
		if now := fmt.Sprint(err == nil, errors.Is(err, errOther)); now != said { // the words for one trouble vary
			said = now
			state(err)
		}
		if errors.Is(err, chat.ErrRefused) {
			return err
		}
		if err == nil {
			offset = 0 // confirmed; after a quiet week the numbers may begin anywhere
		}
		for _, u := range updates {
			more := handle(u)
			if ctx.Err() != nil { // who knows what came of it
				break
			}
			if offset = u.ID + 1; !more {
				return nil
			}
		}
		longer := min(max(2*pause, 250*time.Millisecond), 15*time.Second)
		switch {
		case err == nil:
			pause, hold = 0, longPoll
		case errors.Is(err, errOther): // is noticed only while we wait
			pause, hold = longer, longPoll
		default:
			pause, hold = longer, 0
		}
		_ = chat.Pause(ctx, pause)
	}
	return ctx.Err()
}

// meet finds out who the bot is.
func (c *Channel) meet(ctx context.Context) error {
	if c.self.ID != 0 {
		return nil
	}
	self, err := c.api.GetMe(ctx)
	if err == nil {
		c.self = *self
	}
	return err
}

// updates asks for those from offset on, and so says that all before it were read.
func (c *Channel) updates(ctx context.Context, offset int64, hold time.Duration) ([]update, error) {
	if err := c.meet(ctx); err != nil {
		return nil, err
	}
	body := fmt.Sprintf(`{"offset":%d,"timeout":%d,"allowed_updates":["message","callback_query"]}`, offset, int(hold.Seconds()))
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://api.telegram.org/bot"+c.token+"/getUpdates", strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var got struct {
		OK          bool
		Result      []update
		Code        int `json:"error_code"`
		Description string
		Parameters  struct {
			RetryAfter int `json:"retry_after"`
		}
	}
	if err := json.NewDecoder(resp.Body).Decode(&got); err != nil {
		return nil, fmt.Errorf("what answers is not Telegram, %s: %w", resp.Status, err)
	}
	if got.Code == http.StatusTooManyRequests {
		return nil, &bot.TooManyRequestsError{Message: got.Description, RetryAfter: got.Parameters.RetryAfter}
	}
	if !got.OK {
		return nil, fmt.Errorf("%w, %s", cmp.Or(kinds[got.Code], errBroke), got.Description)
	}
	return got.Result, nil
}

var kinds = map[int]error{http.StatusUnauthorized: bot.ErrorUnauthorized, http.StatusNotFound: bot.ErrorNotFound, http.StatusConflict: bot.ErrorConflict}

// dispatch makes an event of an update. Its Ref says whether it is of a message that counts.
func (c *Channel) dispatch(ctx context.Context, u update, handle func(chat.Event)) {
	if q := u.CallbackQuery; q != nil {
		c.pressed(ctx, q, handle)
	}
	m := u.Message
	if m == nil || m.From == nil || m.From.IsBot { // of Telegram's, too: one stands for all who write as a group or a channel
		return
	}
	here := slashed(m.Chat.ID, m.ID)
	e, asked := c.promptOf(m.ReplyToMessage)
	switch e.Text, e.User = m.Text, person(*m.From); {
	case asked && m.Text != "":
		e.Reply = func(r chat.Reply) error { return c.replied(ctx, m, e, r) }
		handle(e)
	case m.Chat.ID == c.chat.Load() && m.Chat.ID > 0, asked && addressed(m): // as below
		ctx, done := context.WithTimeout(ctx, c.Patience)
		defer done()
		_ = c.say(ctx, here, "This answers nothing. Press a button of a question; where it asks for text, reply to that message with text.")
	}
}

// replied answers somebody who has typed e in m.
func (c *Channel) replied(ctx context.Context, m *models.Message, e chat.Event, r chat.Reply) error {
	ctx, done := context.WithTimeout(ctx, c.Patience)
	defer done()
	if r.Notice == "" || r.Entry != nil {
		_ = c.erase(ctx, m.ReplyToMessage) // it has done its work; it may stay
	}
	if r.Entry != nil {
		r.Entry.Label, r.Notice = r.Notice, ""
	}
	if e.Secret && c.erase(ctx, m) != nil {
		r.Notice = strings.TrimSpace(r.Notice + "\nDelete what you have typed: the bot may not.")
	}
	if m.Chat.ID < 0 && !addressed(m) { // strangers could use up what the bot may say in a group
		r.Notice = ""
	}
	return errors.Join(c.say(ctx, slashed(m.Chat.ID, m.ID), r.Notice), c.open(ctx, e.Ref, e.User, r.Entry))
}

// pressed makes an event of the press of a button.
func (c *Channel) pressed(ctx context.Context, q *models.CallbackQuery, handle func(chat.Event)) {
	on := q.Message.InaccessibleMessage // it was deleted, or is old
	if m := q.Message.Message; m != nil {
		on = &models.InaccessibleMessage{Chat: m.Chat, MessageID: m.ID}
	}
	if on == nil {
		return
	}
	e := chat.Event{Ref: slashed(on.Chat.ID, on.MessageID), ID: q.Data, User: person(q.From)}
	if at := strings.IndexAny(q.Data, chosen+turned); at >= 0 {
		e.ID, e.Values, e.Toggled = q.Data[:at], []string{q.Data[at+1:]}, q.Data[at:at+1] == turned
	}
	e.Reply = func(r chat.Reply) error {
		ctx, done := context.WithTimeout(ctx, c.Patience)
		defer done()
		return errors.Join(c.open(ctx, e.Ref, e.User, r.Entry), c.notice(ctx, q.ID, r.Notice))
	}
	handle(e)
}

func person(u models.User) chat.User {
	return chat.User{ID: strconv.FormatInt(u.ID, 10), Name: text.OneLine(u.FirstName+" "+u.LastName, 64)}
}

// notice shows a text to who pressed a button, and ends their wait. Telegram takes none
// for what was pressed while nobody listened.
func (c *Channel) notice(ctx context.Context, query, notice string) error {
	return c.call(ctx, func(ctx context.Context) error {
		_, err := c.api.AnswerCallbackQuery(ctx, &bot.AnswerCallbackQueryParams{CallbackQueryID: query, Text: cut(notice, mostNotice), ShowAlert: notice != ""})
		return unless(err, "query is too old")
	})
}

// say replies to a message, where there is something to say.
func (c *Channel) say(ctx context.Context, to, what string) error {
	if what == "" {
		return nil
	}
	var w writer
	w.say(what, chat.Plain)
	_, err := c.send(ctx, to, &w, nil)
	return err
}

// erase deletes a message.
func (c *Channel) erase(ctx context.Context, m *models.Message) error {
	_, err := c.api.DeleteMessage(ctx, &bot.DeleteMessageParams{ChatID: m.Chat.ID, MessageID: m.ID})
	return err
}

// open asks one person to type, by a message that their answer is a reply to.
func (c *Channel) open(ctx context.Context, of string, who chat.User, e *chat.Entry) error {
	if e == nil {
		return nil
	}
	text, keys := c.prompt(of, who, e)
	_, err := c.send(ctx, of, text, keys)
	return err
}

// prompt writes that message. It names its entry in the address behind its title, so that a
// reply finds that after any time and any restart.
func (c *Channel) prompt(of string, who chat.User, e *chat.Entry) (*writer, models.ReplyMarkup) {
	var w writer
	group := c.chat.Load() < 0
	if group { // whom it is to
		w.write(cmp.Or(who.Name, who.ID), models.MessageEntityTypeTextMention)
		w.entities[0].User = &models.User{}
		w.entities[0].User.ID, _ = strconv.ParseInt(who.ID, 10, 64)
		w.write(": ", "")
	}
	w.write(cmp.Or(text.OneLine(e.Title, 200), "Your answer"), models.MessageEntityTypeTextLink)
	address := url.Values{"askpane": {of + "." + e.ID}}
	if e.Secret {
		address.Set("secret", "")
	}
	w.entities[len(w.entities)-1].URL = "https://t.me/" + c.self.Username + "?" + address.Encode()
	if e.Label != e.Title {
		w.say(e.Label, chat.Plain)
	}
	w.say(e.Value, chat.Fixed)
	return &w, &models.ForceReply{ForceReply: true, Selective: group, InputFieldPlaceholder: text.OneLine(e.Hint, mostHint)}
}

// promptOf reads from a message of ours which question's message and which entry it asks to
// type for.
func (c *Channel) promptOf(m *models.Message) (e chat.Event, ok bool) {
	if m == nil || m.From == nil || m.From.ID != c.self.ID {
		return e, false
	}
	for _, part := range m.Entities {
		if address, err := url.Parse(part.URL); err == nil && address.Query().Has("askpane") {
			e.Ref, e.ID, ok = strings.Cut(address.Query().Get("askpane"), ".")
			e.Secret = address.Query().Has("secret")
		}
	}
	return e, ok
}

// addressed reports whether m is by whom the message asks that it replies to.
func addressed(m *models.Message) bool {
	who := m.ReplyToMessage.Entities[0].User
	return who != nil && who.ID == m.From.ID
}
