// Package must is how a test says that what it stands on has to work.
package must

import "testing"

// Do ends the test where something failed that it needs.
func Do(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
