package tmux

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/askpane/askpane/integrations/adapter"
)

// installed is the version of the tmux command that is installed, "3.3a". The
// error says that there is none, or that it is too old for this package.
func installed(ctx context.Context) (string, error) {
	out, err := adapter.Command(ctx, "tmux", "-V").Output()
	if err != nil {
		return "", fmt.Errorf("there is no tmux command: %w", err)
	}
	version := strings.TrimPrefix(strings.TrimSpace(string(out)), "tmux ")
	return version, since33(version)
}

// since33 is why a version cannot be used: before 3.3 display-popup has no -e.
func since33(version string) error {
	f := regexp.MustCompile(`^(?:next-)?([0-9]{1,4})\.([0-9]{1,4})`).FindStringSubmatch(version)
	if f == nil {
		return nil // a build from the source, or OpenBSD's own: new enough, or it will say so
	}
	major, _ := strconv.Atoi(f[1])
	minor, _ := strconv.Atoi(f[2])
	if major < 3 || major == 3 && minor < 3 {
		return fmt.Errorf("tmux %s is too old; 3.3 is the first that can be used", version)
	}
	return nil
}
