// Package chat is the surface of the spool in a chat: each question is a message there,
// whose buttons answer it.
//
// It speaks to the chat's service through a Channel and to nobody else. The rules that
// must hold here: a chat is beside the popup and never in its place, what fails in it
// never touches a question, nobody answers who is not allowed to, and a click answers
// the question of its own message or none.
package chat

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// Channel is one place of one chat service. Several goroutines may use it.
type Channel interface {
	// Name is the service's, as people type it, and after “answered in”.
	Name() string
	Limits() Limits
	// Listen calls handle for what people do there, in order, until ctx ends. What handle has
	// not returned from may come again, where the service keeps it. It connects again by
	// itself, and tells state of each change: nil means connected. It returns early only
	// with what no try can mend, as a token that was revoked.
	Listen(ctx context.Context, handle func(Event), state func(error)) error
	// Post posts a message, and Edit gives it another content: without controls, that is
	// its end. Both wait where the service wants to be left alone.
	Post(context.Context, Message) (ref string, err error)
	Edit(ctx context.Context, ref string, m Message) error
}

// What Post, Edit and Listen wrap.
var (
	ErrGone    = errors.New("the message was deleted")          // Edit
	ErrRefused = errors.New("the token is not valid")           // the person has to do something
	ErrNoPlace = errors.New("the bot may not write there")      // so, too
	ErrUnfit   = errors.New("the service refuses this message") // no try can mend it
)

// Place names a channel or a chat that a bot can write to.
type Place struct{ ID, Words string }

// Limits bound a message; lengths are in characters, but for that of Text, which Length
// counts.
type Limits struct {
	Text        int             // all of it together
	Length      func(Block) int // that of the text in it
	Label       int             // of a button, with its emoji
	Choice      int             // so of one in a Select
	Description int             // of one in a Select; at 0 it has none, and the text above says it
	Choices     int             // of a Select
	Value       int             // of an entry
	Controls    int             // rows of buttons and selects together

	// Apart says that all controls stand below all of the text, so that a text has to say
	// by itself which button it belongs to.
	Apart bool
	// Disables says that controls of a message that is over are shown, and do nothing.
	Disables bool
}

// State says how a message is framed.
type State int

// The states of a message.
const (
	Waiting State = iota
	Answered
	Over // expired, withdrawn or cancelled
)

// Message lists its blocks from top to bottom.
type Message struct {
	Key    string // by which a post that is tried again is the same message, where the service knows how; at most 25 bytes
	State  State
	Blocks []Block
}

// Block holds one thing of a message: a text, a line, a row of buttons or a select.
type Block struct {
	Text      string // plain: but for an Address, nothing in it is markup, a link or a mention
	Style     Style
	Separator bool
	Buttons   []Button
	Select    *Select
}

// Style says how a text is set apart.
type Style int

// The styles of a text.
const (
	Plain   Style = iota
	Heading       // what the message is about
	Dim           // what goes with it
	Fixed         // as in a terminal
	Address       // of askpane's own page, which a touch opens
)

// Button sends its ID when it is pressed.
type Button struct {
	ID, Label, Emoji string // ID comes back in Event; at most 64 bytes with a choice's value
	Primary          bool   // what answers
}

// Select lets people choose from a list. With Many, an event has all that are chosen then,
// or Toggled.
type Select struct {
	ID, Hint string
	Many     bool
	Choices  []Choice
}

// Choice stands in a Select.
type Choice struct {
	Value, Label, Description, Emoji string
	Chosen                           bool
}

// Setup begins the ids of a test question. It belongs to whoever sets the bot up, perhaps on
// another machine, and answers what is pressed there.
const Setup = "setup"

// BeingSetUp answers whoever presses something meanwhile.
const BeingSetUp = "askpane is being set up. Press it again in a moment."

// Event says what somebody has done. Reply answers it, once and at once: services wait for
// three seconds.
type Event struct {
	Ref     string // the message
	ID      string // of the control
	Values  []string
	Toggled bool   // Values is the one choice that was turned
	Text    string // what was typed into an Entry
	Secret  bool   // of that
	Gone    bool   // they have deleted the message, perhaps; nothing else is said then
	User    User
	Reply   func(Reply) error
}

// User identifies a person in the chat.
type User struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Reply answers whoever caused an event. The zero value says that it was accepted.
type Reply struct {
	Notice string // only that person sees it, where that can be
	Typed  string // with Notice: their text, which has to be given back where it is lost
	Entry  *Entry // opens for them; with Notice it is the one that refused what was typed
}

// Entry asks one person to type. The event has its ID.
type Entry struct {
	ID, Title, Label, Value, Hint string
	Lines                         bool // several
	Secret                        bool // what is typed is kept from others where that can be
}

// Pause waits for so long, unless ctx ends before.
func Pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Client speaks to a service by the proxy of the environment. A connection of its ends with
// a request that fails: one that is dead after a sleep, or in another network, HTTP/2 goes
// on with for a quarter of an hour.
func Client() *http.Client {
	way := http.DefaultTransport.(*http.Transport).Clone()
	way.Protocols = new(http.Protocols)
	way.Protocols.SetHTTP1(true)
	return &http.Client{Transport: way}
}
