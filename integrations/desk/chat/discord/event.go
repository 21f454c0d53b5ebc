package discord

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/askpane/askpane/integrations/desk/chat"
)

type person struct{ ID, Username string }

// event is what somebody has done on a message, and false for anything else. Where a
// reply comes too late, what was done counts all the same.
func (c *Channel) event(data []byte) (e chat.Event, ok bool) {
	// discordgo's own type takes nothing where a part of the message is new to it.
	var i struct {
		ID, Token string
		Type      discordgo.InteractionType
		Message   struct {
			ID      string
			Channel string `json:"channel_id"`
		}
		Member struct{ User person }
		User   person // in direct messages
		Data   struct {
			Control string `json:"custom_id"`
			Values  []string
			Rows    []struct {
				Components []struct {
					Control string `json:"custom_id"`
					Value   string
				}
			} `json:"components"`
		}
	}
	if err := json.Unmarshal(data, &i); err != nil || i.Type != discordgo.InteractionMessageComponent && i.Type != discordgo.InteractionModalSubmit {
		return e, false
	}
	who := i.Member.User
	if who.ID == "" {
		who = i.User
	}
	e = chat.Event{Ref: i.Message.Channel + "/" + i.Message.ID, ID: i.Data.Control, Values: i.Data.Values, User: chat.User{ID: who.ID, Name: who.Username}}
	for _, row := range i.Data.Rows { // those of a dialog
		for _, field := range row.Components {
			e.Text, e.Secret = field.Value, field.Control == secretField
		}
	}
	e.Reply = func(r chat.Reply) error {
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second) // no reply is taken later
		defer cancel()
		_, err := c.ask(ctx, http.MethodPost, discordgo.EndpointInteractionResponse(i.ID, i.Token), reply(r), nil)
		return err
	}
	return e, true
}

// secretField is the field of a dialog in which a secret is typed.
const secretField = "secret"

// reply is what Discord is told: that it was taken, a note for that person alone, or the
// dialog to open.
func reply(r chat.Reply) discordgo.InteractionResponse {
	switch {
	case r.Notice != "":
		texts := []discordgo.MessageComponent{discordgo.TextDisplay{Content: cut(escaped(r.Notice), mostNotice)}}
		if r.Typed != "" {
			texts = append(texts, discordgo.TextDisplay{Content: styled(r.Typed, chat.Fixed)})
		}
		return discordgo.InteractionResponse{Type: discordgo.InteractionResponseChannelMessageWithSource, Data: &discordgo.InteractionResponseData{
			Components: texts, Flags: discordgo.MessageFlagsEphemeral | discordgo.MessageFlagsIsComponentsV2, AllowedMentions: nobody,
		}}
	case r.Entry == nil:
		return discordgo.InteractionResponse{Type: discordgo.InteractionResponseDeferredMessageUpdate}
	}
	field := discordgo.TextInput{CustomID: "text", Label: r.Entry.Label, Placeholder: r.Entry.Hint,
		Value: r.Entry.Value, MaxLength: mostValue, Style: discordgo.TextInputShort}
	if field.Value != "" && field.Placeholder != "" { // of a field with a text it is not seen
		field.Label = cut(field.Label+" ("+field.Placeholder+")", 45)
	}
	if r.Entry.Secret {
		field.CustomID = secretField
	}
	if r.Entry.Lines {
		field.Style = discordgo.TextInputParagraph
	}
	return discordgo.InteractionResponse{Type: discordgo.InteractionResponseModal, Data: &discordgo.InteractionResponseData{
		CustomID: r.Entry.ID, Title: r.Entry.Title,
		Components: []discordgo.MessageComponent{discordgo.ActionsRow{Components: []discordgo.MessageComponent{field}}},
	}}
}
