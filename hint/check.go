package hint

// Check is one thing that askpane doctor has looked at. The part of askpane that
// it is about gives it.
type Check struct {
	Section string `json:"section"`
	Name    string `json:"name"`
	State   State  `json:"state"`
	Detail  string `json:"detail"`
	Fix     string `json:"fix,omitempty"` // the command that mends it, or what to do
}

// State is how the thing was found.
type State string

// The states.
const (
	OK   State = "ok"
	Off  State = "off"  // switched off, or not there and not needed
	Warn State = "warn" // asking works, and something is not as it should be
	Fail State = "fail" // asking cannot work
)

// Wrong is a Check of a thing that is not as it should be: what err says, and its hint.
func Wrong(section, name string, state State, err error) Check {
	what, fix := Of(err)
	return Check{section, name, state, what, fix}
}
