package tmux

import (
	"flag"
	"os"
	"testing"

	"github.com/askpane/askpane/tests/tmuxes"
)

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(tmuxes.Run(m, "."))
}
