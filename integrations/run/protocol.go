// Package run opens popups in a terminal that `askpane run` has put an agent
// into, and marks and rings it.
//
// It talks to that process through a socket, whose path is in the environment of
// all that the agent starts. The rule that must hold here: only processes of the
// same user talk to each other.
package run

// SocketEnv names the socket of the innermost `askpane run`.
const SocketEnv = "ASKPANE_RUN"

// BoxEnv names it to a popup, which may not open others there.
const BoxEnv = "ASKPANE_POPUP_BOX"

// What can be asked of `askpane run`: one Request a connection, as a line of JSON.
const (
	OpDescribe = "look" // who and how large are you?
	OpOpen     = "open" // show a popup; a second Reply comes when it has ended
	OpMark     = "mark" // title the window Text for as long as the connection lasts
	OpRing     = "ring"
	OpNotify   = "tell"   // write the notification Text to the terminal
	OpSize     = "size"   // give the popup that is up so many Columns and Rows
	OpScreen   = "screen" // what has the command drawn, as text?
)

type Request struct {
	Op            string
	Args, Env     []string `json:",omitempty"`
	Columns, Rows int      `json:",omitempty"` // of the popup, with its border
	Text          string   `json:",omitempty"`
}

type Reply struct {
	Error         string `json:",omitempty"`
	Busy          bool   `json:",omitempty"` // a popup is open already
	Terminal      string `json:",omitempty"` // the device
	Width, Height int    `json:",omitempty"`
	Active        int64  `json:",omitempty"` // when something was last typed, in milliseconds since 1970
	Term          string `json:",omitempty"` // TERM in it
	Program       string `json:",omitempty"` // what draws it (host.ProgramOf)
	Screen        string `json:",omitempty"`
	Waits         string `json:",omitempty"` // what the command waits for by its own report (OSC 7501), in words
}
