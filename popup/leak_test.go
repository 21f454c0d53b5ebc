package popup

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/askpane/askpane/tests/person"
)

// No key comes too soon, where a test does not say otherwise. The clock by which the
// highlighter of code bounds its expressions goes on for a second after the last of them.
func TestMain(m *testing.M) {
	person.Main(m, `{"guardMs": 0}`, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"))
}
