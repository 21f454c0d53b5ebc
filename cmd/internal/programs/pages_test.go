package programs

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/askpane/askpane/tests/needs"
)

// A program that has released its pages holds a part of them, and goes on.
func TestReleasePages(t *testing.T) {
	held := func() (kb int) {
		status, err := os.ReadFile("/proc/self/status")
		if err != nil {
			needs.Cannot(t, "a process that releases its pages", "the system does not tell what it holds")
		}
		_, file, _ := strings.Cut(string(status), "\nRssFile:")
		if _, err := fmt.Sscan(file, &kb); err != nil {
			t.Fatal(err)
		}
		return kb
	}
	before := held()
	ReleasePages()
	if after := held(); after >= before {
		t.Errorf("the process holds %d kB of its file; it was %d", after, before)
	}
}
