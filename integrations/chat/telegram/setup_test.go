package telegram

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/askpane/askpane/popup/chat"
	"github.com/askpane/askpane/tests/chat/telegramtest"
)

func TestSetup(t *testing.T) {
	t.Parallel()
	for _, bad := range [][2]string{{"", "7"}, {"no token", "7"}, {secret + "/../x", "7"}, {secret, "@builds"}} {
		if _, err := Open(bad[0], bad[1], nil); err == nil || strings.Contains(err.Error(), secret[3:]) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	w := start(t, group)
	c, err := Open(secret, "", w.client)
	if err != nil {
		t.Fatal(err)
	}
	if said, err := c.Greet(context.Background()); said != "The bot is @askpane_bot." || err != nil {
		t.Errorf("Greet: %q, %v", said, err)
	}
	places, err := c.Find(context.Background(), func(said string) {
		code := regexp.MustCompile(`https://t\.me/askpane_bot\?startgroup=(\w+)`).FindStringSubmatch(said)
		w.Write(bob, telegramtest.Chat{ID: 99, Type: "private"}, 0, "/start "+code[1][:len(code[1])-1])
		w.Write(ann, group, 0, "/start@askpane_bot "+code[1])
	})
	if err != nil || len(places) != 1 || places[0] != (chat.Place{ID: "-100500", Words: "Builds"}) {
		t.Errorf("Find: %+v, %v", places, err)
	}
	if n := w.Waiting(); n > 0 {
		t.Errorf("%d messages would be read again", n)
	}
	c, err = Open(secret, places[0].ID, w.client)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Check(context.Background()); err != nil {
		t.Errorf("Check: %v", err)
	}
	w.Refuse("sendChatAction", 403, "Forbidden: bot was blocked by the user", 0)
	if err := c.Check(context.Background()); !errors.Is(err, chat.ErrNoPlace) {
		t.Errorf("Check: %v, want ErrNoPlace", err)
	}
}
