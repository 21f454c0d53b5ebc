package discord

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/integrations/desk/chat"
)

// Steps are those by which a person makes a bot, in the words of Discord's site.
var Steps = []string{
	"Open https://discord.com/developers/applications and press New Application; any name will do.",
	"On its page Installation, set Install Link to None and save.",
	"On its page Bot, switch Public Bot off and save, so that nobody else adds it to a server.",
	"There, press Reset Token and copy the token.",
}

const rights = discordgo.PermissionViewChannel | discordgo.PermissionSendMessages

// Greet says whose token it is, and what adds that bot to a server, with the rights it
// needs and no other.
func (c *Channel) Greet(ctx context.Context) (string, error) {
	var me discordgo.User
	if err := c.get(ctx, discordgo.EndpointUser("@me"), &me); err != nil {
		return "", err
	}
	return fmt.Sprintf("The bot is %s. This adds it to a server of yours, with the rights View Channel and Send Messages alone:\n\n  %soauth2/authorize?client_id=%s&scope=bot&permissions=%d\n",
		text.OneLine(me.Username, 80), discordgo.EndpointDiscord, me.ID, rights), nil
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
	var servers []discordgo.UserGuild
	if err := c.get(ctx, discordgo.EndpointUserGuilds("@me"), &servers); err != nil {
		return nil, err
	}
	for _, server := range servers {
		var channels []discordgo.Channel
		if err := c.get(ctx, discordgo.EndpointGuildChannels(server.ID), &channels); err != nil {
			return nil, err
		}
		for _, one := range channels {
			if one.Type == discordgo.ChannelTypeGuildText {
				all = append(all, chat.Place{ID: one.ID, Words: text.OneLine("#"+one.Name+" of "+server.Name, 80)})
			}
		}
	}
	return all, nil
}

func (c *Channel) get(ctx context.Context, address string, answer any) error {
	return c.request(ctx, http.MethodGet, address, nil, answer)
}

// Check finds out whether the bot may write in its channel. It asks for the rights: the
// request for “is typing” is refused at other times, too.
func (c *Channel) Check(ctx context.Context) error {
	var me discordgo.Member
	var place discordgo.Channel
	var server discordgo.Guild
	err := c.get(ctx, discordgo.EndpointChannel(c.place), &place)
	if err != nil || place.GuildID == "" { // direct messages need no rights
		return err
	}
	err = cmp.Or(c.get(ctx, discordgo.EndpointUser("@me"), &me.User), c.get(ctx, discordgo.EndpointGuild(place.GuildID), &server))
	if err == nil {
		err = c.get(ctx, discordgo.EndpointGuildMember(place.GuildID, me.User.ID), &me)
	}
	if err != nil {
		return err
	}
	server.Members, server.Channels = []*discordgo.Member{&me}, []*discordgo.Channel{&place}
	known := discordgo.NewState()
	known.GuildAdd(&server)
	may, err := known.UserChannelPermissions(me.User.ID, c.place)
	if missing := ^may & rights; err == nil && missing != 0 {
		err = hint.New(fmt.Sprintf("give %s there the rights View Channel and Send Messages", text.OneLine(me.User.Username, 80)), "%w", chat.ErrNoPlace)
	}
	return err
}
