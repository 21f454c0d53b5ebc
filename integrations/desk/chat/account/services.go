package account

import (
	"context"
	"slices"
	"strings"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/integrations/desk/chat"
	"github.com/askpane/askpane/integrations/desk/chat/discord"
	"github.com/askpane/askpane/integrations/desk/chat/telegram"
)

// Channel is a chat.Channel that can be set up and checked.
type Channel interface {
	chat.Channel
	// Check finds out whether the bot may write there. Nothing is written.
	Check(ctx context.Context) error
	// Greet finds out whose token it is, and what the person does next with that bot.
	Greet(ctx context.Context) (said string, err error)
	// Find waits until the bot sees a place to write in. What the person has to do for that
	// is said.
	Find(ctx context.Context, say func(string)) ([]chat.Place, error)
}

// Service is a chat service. Adding one is its package, and a line in Services.
type Service struct {
	Name  string
	Steps []string // by which a person makes a bot there
	Open  func(token, place string) (Channel, error)
}

// Services are all.
var Services = []Service{
	{"discord", discord.Steps, func(token, place string) (Channel, error) { return discord.Open(token, place, nil) }},
	{"telegram", telegram.Steps, func(token, place string) (Channel, error) { return telegram.Open(token, place, nil) }},
}

// Of is the service of that name.
func Of(name string) (Service, error) {
	i := slices.IndexFunc(Services, func(s Service) bool { return s.Name == strings.ToLower(name) })
	if i < 0 {
		var names []string
		for _, s := range Services {
			names = append(names, s.Name)
		}
		what := "there is no chat service of the name " + text.Quoted(name, 40)
		if name == "" {
			what = "it takes the name of a chat service"
		}
		return Service{}, hint.New("askpane chat setup "+strings.Join(names, ", or "), "%s", what)
	}
	return Services[i], nil
}
