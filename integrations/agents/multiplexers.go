package agents

import (
	"errors"

	"github.com/askpane/askpane/integrations"
	"github.com/askpane/askpane/integrations/host"
)

// errPersonal is why a host has no part for a project.
var errPersonal = errors.New("its configuration is a person's own, not a project's")

// multiplexers are the hosts that have a configuration of their own
// (host.Setup).
func multiplexers() []agent {
	var found []agent
	for _, k := range integrations.Kinds() {
		if k.Setup != nil {
			found = append(found, multiplexer(k.Name, k.Setup))
		}
	}
	return found
}

func multiplexer(name string, s *host.Setup) agent {
	return agent{
		name:     name,
		personal: true,
		parts:    []string{s.What},
		files: func(o Options, _ func(string) bool) []file {
			path := s.File(o.Home, o.Env, func(path string) bool {
				content, err := read(path)
				return err != nil || content != nil
			})
			return []file{{s.What, path, inLines{comment: s.Comment, binary: o.Binary, lines: s.Lines(o.Binary), before: s.Fit}}}
		},
	}
}
