package programs

import (
	"runtime/debug"
	"strings"
)

// version is what the go command has put into the binary: the module's version
// and, where it was built from a repository, the commit and its time.
func version(info *debug.BuildInfo, ok bool) string {
	if !ok {
		return "unknown (built without module information)"
	}
	of := map[string]string{}
	for _, s := range info.Settings {
		of[s.Key] = s.Value
	}
	words := []string{info.Main.Version}
	if info.Main.Version == "" {
		words[0] = "(devel)"
	}
	// A version that was made up from a commit names it already.
	if revision := of["vcs.revision"]; len(revision) >= 12 && !strings.Contains(info.Main.Version, revision[:12]) {
		words = append(words, revision[:12])
		if of["vcs.modified"] == "true" {
			words[1] += "+dirty"
		}
	}
	if at := of["vcs.time"]; at != "" {
		words = append(words, at)
	}
	return strings.Join(append(words, info.GoVersion), " ")
}

// Version is what this program was built from, in words for a person. Programs
// of one build have the same.
func Version() string { return version(debug.ReadBuildInfo()) }

// ModuleVersion is the first word of Version, for other programs.
func ModuleVersion() string {
	first, _, _ := strings.Cut(Version(), " ")
	return first
}
