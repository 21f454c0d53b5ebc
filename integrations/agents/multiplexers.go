package agents

import (
	"os"

	"github.com/askpane/askpane/integrations"
)

// multiplexers are the hosts that have a configuration of their own
// (host.Setup).
func multiplexers() (found []Agent) {
	for _, k := range integrations.Kinds() {
		s := k.Setup
		if s == nil {
			continue
		}
		found = append(found, Agent{Name: k.Name, Personal: true, Parts: []string{s.What}, files: func(o Options) []file {
			path := s.File(o.Home, o.Env, func(path string) bool {
				_, err := os.Stat(path)
				return err == nil
			})
			return []file{{s.What, path, inLines{comment: s.Comment, binary: o.Binary, lines: s.Lines(o.Binary), fit: s.Fit}}}
		}})
	}
	return found
}
