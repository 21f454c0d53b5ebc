package plain

import (
	"testing"

	"github.com/askpane/askpane/tests/person"
)

// No line comes too soon, where a test does not say otherwise.
func TestMain(m *testing.M) { person.Main(m, `{"guardMs": 0}`) }
