package discordtest

import "fmt"

// Leave has the bot be in no server, until it joins one again.
func (s *Server) Leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left = true
}

// Join has somebody add the bot to the server, where there are those text channels besides.
func (s *Server) Join(channels ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left, s.besides = false, channels
}

// servers are those that the bot is in.
func (s *Server) servers() any {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left {
		return []any{}
	}
	return []any{map[string]any{"id": ServerID, "name": "Workshop"}}
}

// channels are those of the server, with that one.
func (s *Server) channels(one any) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := []any{map[string]any{"id": "299", "name": "Text Channels", "type": 4}, one, map[string]any{"id": "301", "name": "Talk", "type": 2}}
	for i, name := range s.besides {
		all = append(all, map[string]any{"id": fmt.Sprint(302 + i), "name": name, "type": 0, "guild_id": ServerID})
	}
	return all
}
