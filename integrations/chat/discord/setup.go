package discord

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/popup/chat"
)

// Steps tell a person how to make a bot, in the words of Discord's site.
var Steps = []string{
	"Open https://discord.com/developers/applications and press New Application; any name will do.",
	"On its page Installation, set Install Link to None and save.",
	"On its page Bot, switch Public Bot off and save, so that nobody else adds it to a server.",
	"There, press Reset Token and copy the token.",
}

const rights = viewChannel | sendMessages

// Greet says whose token it is, and what adds that bot to a server, with the rights it
// needs and no other.
func (c *Channel) Greet(ctx context.Context) (string, error) {
	var me person
	if err := c.get(ctx, "/users/@me", &me); err != nil {
		return "", err
	}
	return fmt.Sprintf("The bot is %s. This adds it to a server of yours, with the rights View Channel and Send Messages alone:\n\n  %soauth2/authorize?client_id=%s&scope=bot&permissions=%d\n",
		text.OneLine(me.Username, 80), site, me.ID, rights), nil
}

// Find waits until the bot is in a server, and returns the text channels there. Whether it
// may write in one, Check tells.
func (c *Channel) Find(ctx context.Context, say func(string)) (all []chat.Place, err error) {
	for first := true; ; first = false {
		if all, err = c.places(ctx); err != nil || len(all) > 0 {
			return all, err
		}
		if first {
			say("It is in no server yet. This waits until it is.")
		}
		if err := chat.Pause(ctx, 2*time.Second); err != nil {
			return nil, err
		}
	}
}

func (c *Channel) places(ctx context.Context) (all []chat.Place, err error) {
	var servers []struct{ ID, Name string }
	if err := c.get(ctx, "/users/@me/guilds", &servers); err != nil {
		return nil, err
	}
	for _, server := range servers {
		var channels []struct {
			ID, Name string
			Type     int
		}
		if err := c.get(ctx, "/guilds/"+server.ID+"/channels", &channels); err != nil {
			return nil, err
		}
		for _, one := range channels {
			if one.Type == 0 { // a text channel
				all = append(all, chat.Place{ID: one.ID, Words: text.OneLine("#"+one.Name+" of "+server.Name, 80)})
			}
		}
	}
	return all, nil
}

func (c *Channel) get(ctx context.Context, path string, answer any) error {
	return c.request(ctx, http.MethodGet, path, nil, answer)
}

// Check finds out whether the bot may write in its channel. It asks for the rights: the
// request for “is typing” is refused at other times, too.
func (c *Channel) Check(ctx context.Context) error {
	var p place
	err := c.get(ctx, "/channels/"+c.place, &p)
	if err != nil || p.Server == "" { // direct messages need no rights
		return err
	}
	var me member
	var s server
	err = cmp.Or(c.get(ctx, "/users/@me", &me.User), c.get(ctx, "/guilds/"+p.Server, &s))
	if err == nil {
		err = c.get(ctx, "/guilds/"+p.Server+"/members/"+me.User.ID, &me)
	}
	if err == nil && me.may(s, p)&rights != rights {
		err = hint.New(fmt.Sprintf("give %s there the rights View Channel and Send Messages", text.OneLine(me.User.Username, 80)), "%w", chat.ErrNoPlace)
	}
	return err
}

type (
	member struct {
		User  person
		Roles []string
	}
	server struct {
		ID    string
		Owner string `json:"owner_id"`
		Roles []struct {
			ID          string // that of everyone is the server's
			Permissions int64  `json:",string"`
		}
	}
	place struct {
		Server     string `json:"guild_id"`
		Overwrites []struct {
			ID          string // of a role or a member
			Allow, Deny int64  `json:",string"`
		} `json:"permission_overwrites"`
	}
)

// may returns the rights of a member in a channel: those of its roles, which the channel
// changes for everyone, then for the roles, and then for the member.
func (m member) may(s server, p place) (may int64) {
	for _, r := range s.Roles {
		if r.ID == s.ID || slices.Contains(m.Roles, r.ID) {
			may |= r.Permissions
		}
	}
	if may&administrator != 0 || m.User.ID == s.Owner {
		return math.MaxInt64
	}
	for _, whose := range [][]string{{s.ID}, m.Roles, {m.User.ID}} {
		var allow, deny int64
		for _, o := range p.Overwrites {
			if slices.Contains(whose, o.ID) {
				allow, deny = allow|o.Allow, deny|o.Deny
			}
		}
		may = may&^deny | allow
	}
	return may
}
