package programs

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/askpane/askpane/bridge/text/hint"
)

// Checks is what askpane doctor says of the running program, and of those of its
// siblings that cannot be used.
func Checks() []hint.Check {
	const section = "askpane"
	self, err := os.Executable()
	check := hint.Check{Section: section, Name: "version", State: hint.OK, Detail: Version() + ", " + runtime.GOOS + "/" + runtime.GOARCH + ", " + self}
	if err != nil { // popups are started with it
		check.State, check.Detail = hint.Fail, fmt.Sprintf("find our own binary: %v", err)
	}
	checks := []hint.Check{check}
	for _, p := range all {
		if p.Name == Askpane.Name {
			continue
		}
		if err := p.Check(); err != nil {
			checks = append(checks, hint.Wrong(section, strings.TrimPrefix(p.Name, Askpane.Name+"-"), hint.Warn, err))
		}
	}
	return checks
}
