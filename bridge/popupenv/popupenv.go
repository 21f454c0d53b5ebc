// Package popupenv names the variables of the environment by which a popup is told the host
// and the viewer it is on, what a person calls that where the host's own name says little,
// when they last typed there where the host can tell, whether the terminal belongs to the
// asker, and whether that is asked on line by line.
package popupenv

const (
	Host     = "ASKPANE_POPUP_HOST"
	Viewer   = "ASKPANE_POPUP_VIEWER"
	Name     = "ASKPANE_POPUP_VIEWER_NAME"
	Typed    = "ASKPANE_POPUP_TYPED"
	Borrowed = "ASKPANE_POPUP_BORROWED"
	Plain    = "ASKPANE_POPUP_PLAIN"
)
