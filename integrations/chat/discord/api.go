package discord

import "encoding/json"

// What Discord is sent and sends (its documentation: Components, Interactions, Permissions).
const (
	site = "https://discord.com/"
	api  = site + "api/v9"

	typeRow       = 1
	typeButton    = 2
	typeSelect    = 3
	typeInput     = 4
	typeText      = 10
	typeSeparator = 14
	typeContainer = 17

	primary, secondary    = 1, 2 // styles of a button
	shortInput, longInput = 1, 2

	ephemeral    = 1 << 6 // flags of a message: one person alone sees it
	componentsV2 = 1 << 15

	pressed, submitted                   = 3, 5    // types of interactions: with a control of a message, and with a dialog
	replyNote, replyNothing, replyDialog = 4, 6, 9 // types of replies to one

	unknownChannel, unknownMessage = 10003, 10008 // errors

	viewChannel, sendMessages, administrator = 1 << 10, 1 << 11, 1 << 3 // rights
)

// component makes up messages. Each type uses the fields that it has; a choice of a select has
// no type.
type component struct {
	Type        int               `json:"type,omitempty"`
	CustomID    string            `json:"custom_id,omitempty"`
	Label       string            `json:"label,omitempty"`
	Content     string            `json:"content,omitempty"`
	Style       int               `json:"style,omitempty"`
	Disabled    bool              `json:"disabled,omitempty"`
	Placeholder string            `json:"placeholder,omitempty"`
	Value       string            `json:"value,omitempty"`
	Emoji       map[string]string `json:"emoji,omitempty"`
	Min         *int              `json:"min_values,omitempty"`
	Max         int               `json:"max_values,omitempty"`
	MaxLength   int               `json:"max_length,omitempty"`
	Required    *bool             `json:"required,omitempty"` // true where it is not said
	Colour      *int              `json:"accent_color,omitempty"`
	Description string            `json:"description,omitempty"`
	Default     bool              `json:"default,omitempty"`
	Options     []component       `json:"options,omitempty"`
	Components  []component       `json:"components,omitempty"`
}

// content holds a message, or a dialog.
type content struct {
	Flags      int                 `json:"flags,omitempty"`
	Components []component         `json:"components,omitempty"`
	Mentions   map[string][]string `json:"allowed_mentions,omitempty"`
	Nonce      string              `json:"nonce,omitempty"`
	Once       bool                `json:"enforce_nonce,omitempty"`
	CustomID   string              `json:"custom_id,omitempty"`
	Title      string              `json:"title,omitempty"`
}

var nobody = map[string][]string{"parse": {}}

// response replies to an interaction.
type response struct {
	Type int      `json:"type"`
	Data *content `json:"data,omitempty"`
}

// frame comes from the gateway.
type frame struct {
	Op   int             `json:"op"`
	Seq  int64           `json:"s"`
	Type string          `json:"t"`
	Data json.RawMessage `json:"d"`
}

type person struct{ ID, Username string }
