package early

// Questions has a tmux print the server's clients, what it can do, its panes, and that this is all,
// and read commands then. A line about a pane begins with PaneMark, and a client's with a digit.
var Questions = []string{"list-clients", "-F", ClientFormat, ";", "list-commands", "-F", usages, ";",
	"list-panes", "-a", "-F", paneFormat, ";", "display-message", "-p", Whole, ";", "source-file", "-"}

// ClientFormat ends with client_name and not client_tty because -c takes the name. It has
// tabs because nothing before the last field can hold one.
const (
	ClientFormat = "#{client_activity}\t#{client_control_mode}\t#{client_readonly}\t#{client_flags}\t#{client_width}\t#{client_height}\t" +
		"#{session_id}\t#{window_id}\t#{window_width}\t#{window_height}\t#{client_pid}\t#{client_tty}\t#{client_termname}\t#{client_termtype}\t#{pane_id}\t#{client_name}"
	ClientFields = 16
)

const (
	PaneMark   = "pane"
	paneFormat = PaneMark + "\t#{pane_pid}\t#{session_activity}\t#{session_id}\t#{pane_id}\t#{pane_tty}\t" + Tokens +
		"\t#{session_name}:#{window_index}.#{pane_index}"
	PaneFields = 8
	Whole      = "that is all"
)

// usages has list-commands print the names and usages of new-pane, wait-for and
// display-popup, which begin no client's line, and of few others. A server that has no such
// command is asked at the same price: for a regular expression it would be 0.6 ms more.
const usages = "#{?#{m:[ndw]*-[pf]*,#{command_list_name}},#{command_list_name} #{command_list_usage},}"

// The options with the entries of questions, in which Separator stands before each (mark.go).
const (
	PaneList   = "@askpane_pane"
	WindowList = "@askpane_window"
	Separator  = "\x1f" // a control character, which no title can hold
)

// Tokens is a format for those in both lists, each in angle brackets.
const Tokens = "#{s/" + Separator + "([0-9_]*) [^" + Separator + "]*/<\\1>/:#{" + PaneList + "}#{" + WindowList + "}}"
