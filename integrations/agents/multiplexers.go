package agents

import (
	"github.com/askpane/askpane/integrations"
	"github.com/askpane/askpane/integrations/host"
)

// multiplexers are the hosts that have a configuration of their own
// (host.Setup).
func multiplexers() []Agent {
	var found []Agent
	for _, k := range integrations.Kinds() {
		if k.Setup != nil {
			found = append(found, multiplexer(k.Name, k.Setup))
		}
	}
	return found
}

func multiplexer(name string, s *host.Setup) Agent {
	return Agent{
		Name:     name,
		Personal: true,
		Parts:    []string{s.What},
		files: func(o Options) []file {
			path := s.File(o.Home, o.Env, func(path string) bool {
				content, err := read(path)
				return err != nil || content != nil
			})
			return []file{{s.What, path, inLines{comment: s.Comment, binary: o.Binary, lines: s.Lines(o.Binary), fit: s.Fit}}}
		},
	}
}
