package programs

import (
	"runtime/debug"
	"testing"
)

func TestVersion(t *testing.T) {
	built := func(version string, settings ...string) *debug.BuildInfo {
		info := &debug.BuildInfo{GoVersion: "go1.26.1", Main: debug.Module{Version: version}}
		for i := 0; i < len(settings); i += 2 {
			info.Settings = append(info.Settings, debug.BuildSetting{Key: settings[i], Value: settings[i+1]})
		}
		return info
	}
	const commit, at = "0123456789abcdef0123456789abcdef01234567", "2026-11-21T10:00:00Z"
	for _, c := range []struct {
		name string
		info *debug.BuildInfo
		ok   bool
		want string
	}{
		{"released", built("v1.2.3"), true, "v1.2.3 go1.26.1"},
		{"from a clone", built("(devel)", "vcs.revision", commit, "vcs.time", at, "vcs.modified", "false"), true, "(devel) 0123456789ab " + at + " go1.26.1"},
		{"with changes", built("(devel)", "vcs.revision", commit, "vcs.time", at, "vcs.modified", "true"), true, "(devel) 0123456789ab+dirty " + at + " go1.26.1"},
		{"a version made of the commit", built("v0.0.0-20261121100000-0123456789ab+dirty", "vcs.revision", commit, "vcs.time", at, "vcs.modified", "true"), true,
			"v0.0.0-20261121100000-0123456789ab+dirty " + at + " go1.26.1"},
		{"without a repository", built(""), true, "(devel) go1.26.1"},
		{"without anything", nil, false, "unknown (built without module information)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := version(c.info, c.ok); got != c.want {
				t.Errorf("version = %q, want %q", got, c.want)
			}
		})
	}
}
