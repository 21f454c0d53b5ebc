// Package account keeps the chat that a person has set up: a bot's token, the place where it
// writes, and who may answer there.
//
// It keeps one file, and knows each service by a line. The rule that must
// hold here: the token goes to its service and to that file, and nowhere else.
package account

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/bridge/watch"
	"github.com/askpane/askpane/integrations/chat/discord"
	"github.com/askpane/askpane/integrations/chat/telegram"
	"github.com/askpane/askpane/popup/chat"
	"github.com/askpane/askpane/settings/private"
)

// The files in Dir, beside those of chat.Serve.
const (
	File       = "chat.json"   // an Account
	StatusFile = "status.json" // a Status, of the desk that serves it
	Waits      = "setup.lock"  // held by a command that needs the bot for itself
	serves     = "serve.lock"  // held by whoever speaks with the service
)

// Secret is shown by no text.
type Secret string

// Format writes no more than that there is one.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "(a token)") }

// Account sets one bot up for one place.
type Account struct {
	Version int         `json:"version"`
	Service string      `json:"service"`
	Token   Secret      `json:"token"`
	Channel string      `json:"channel"`
	Place   string      `json:"place"` // the channel in words
	Users   []chat.User `json:"users"` // who may answer
}

// Dir returns the directory with all of it, and makes it where it is absent.
func Dir() (string, error) {
	dir, err := spool.StateDir("chat")
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	return dir, err
}

// Load reads the account that is set up; the error is fs.ErrNotExist where none is.
func Load(dir string) (a Account, err error) {
	if a, err = private.Read[Account](dir, File); err == nil {
		_, err = Of(a.Service)
	}
	return a, err
}

// Save sets the account up, and forgets the status of the one before it.
func (a Account) Save(dir string) error {
	a.Version = 1
	if err := os.RemoveAll(filepath.Join(dir, StatusFile)); err != nil {
		return err
	}
	return private.Write(dir, File, a)
}

// Open opens its channel. The service is asked nothing yet.
func (a Account) Open() (Channel, error) {
	s, err := Of(a.Service)
	if err != nil {
		return nil, err
	}
	return s.Open(string(a.Token), a.Channel)
}

// May reports whether a user may answer there.
func (a Account) May(user string) bool {
	return slices.ContainsFunc(a.Users, func(u chat.User) bool { return u.ID == user })
}

// Mark identifies the token to others who have it, and tells nobody what it is.
func (a Account) Mark() string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte("askpane chat "+a.Service+" "+string(a.Token))))[:32]
}

// Status says how the desk stands with the service.
type Status struct {
	Version int       `json:"version"`
	Since   time.Time `json:"since"` // it is so
	Detail  string    `json:"detail,omitempty"`
	Err     string    `json:"err,omitempty"`
	Refused bool      `json:"refused,omitempty"` // so that no question waits for it
}

// Accepted tells a desk that was refused, and whoever asks, that the service takes the token
// now.
func Accepted(dir string) error {
	s, err := private.Read[Status](dir, StatusFile)
	if err == nil && s.Refused {
		return os.Remove(filepath.Join(dir, StatusFile))
	}
	return nil
}

// Serving waits for the right to speak with the service, and has it until release.
func Serving(ctx context.Context, dir string) (release func(), err error) {
	return hold(ctx, dir, serves)
}

func hold(ctx context.Context, dir, name string) (release func(), err error) {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	for watch.Flock(f, unix.LOCK_EX|unix.LOCK_NB) != nil {
		if <-watch.Freed(ctx, f.Name()); ctx.Err() != nil {
			f.Close()
			return nil, watch.ErrHeld
		}
	}
	_, err = f.WriteAt([]byte("\n"), 0) // whoever watches looks who holds it
	return func() { f.Close() }, err
}

// How long a command waits for another one, and how long a desk may take to let go of the
// service.
const (
	another  = 2 * time.Second
	handOver = 15 * time.Second
)

// Alone has the desk let go of the service, for a command that speaks with it, until
// release.
func Alone(ctx context.Context) (dir string, release func(), err error) {
	if dir, err = Dir(); err != nil {
		return "", nil, err
	}
	soon, cancel := context.WithTimeout(ctx, another)
	defer cancel()
	first, err := hold(soon, dir, Waits)
	if err != nil {
		return "", nil, hint.New("end it, or let it finish", "another askpane chat command is under way: %w", err)
	}
	later, cancel := context.WithTimeout(ctx, handOver)
	defer cancel()
	second, err := hold(later, dir, serves)
	if err != nil {
		first()
		return "", nil, hint.New("askpane doctor says which process the desk is", "the desk does not let go of the chat: %w", err)
	}
	return dir, func() { second(); first() }, nil
}

// Channel can be set up and checked besides.
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

// Service opens the channels of a chat service. Adding one takes its package, and a line in
// Services.
type Service struct {
	Name  string
	Steps []string // by which a person makes a bot there
	Open  func(token, place string) (Channel, error)
}

// Services lists all of them.
var Services = []Service{
	{"discord", discord.Steps, func(token, place string) (Channel, error) { return discord.Open(token, place, nil) }},
	{"telegram", telegram.Steps, func(token, place string) (Channel, error) { return telegram.Open(token, place, nil) }},
}

// Names lists the services' names, with or between them.
func Names(or string) string {
	names := make([]string, len(Services))
	for i, s := range Services {
		names[i] = s.Name
	}
	return strings.Join(names, or)
}

// SetUp returns the command that sets a chat up, for whoever has none.
func SetUp() string { return "askpane chat setup " + Names(", or ") }

// Of finds the service of that name.
func Of(name string) (Service, error) {
	i := slices.IndexFunc(Services, func(s Service) bool { return s.Name == strings.ToLower(name) })
	if i < 0 {
		what := "there is no chat service of the name " + text.Quoted(name, 40)
		if name == "" {
			what = "it takes the name of a chat service"
		}
		return Service{}, hint.New(SetUp(), "%s", what)
	}
	return Services[i], nil
}
