package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/askpane/askpane/tests/bench/agent"
	"github.com/askpane/askpane/tests/bench/stage"
)

// server is a running askpane mcp, child of the process in the pane: most agents
// ask through one, and pay for no process of their own but the popup's.
type server struct {
	binary  string
	in      *os.File
	lines   *bufio.Reader
	process *agent.Process
	stderr  string
	id      int // of the last request
}

// reply is what of a JSON-RPC response is looked at.
type reply struct {
	ID    int
	Error *struct{ Message string }
}

// ask is a tool call. The server is started with the first one, before the
// clock is.
func (s *server) ask(pane *agent.Agent, st *stage.Stage, marker string) (*process, error) {
	if s.process == nil {
		if err := s.start(pane, st); err != nil {
			return nil, err
		}
	}
	began, err := s.send("tools/call", map[string]any{"name": "question", "arguments": questions(marker)})
	if err != nil {
		return nil, err
	}
	call := &agent.Process{PID: s.process.PID, Began: began, Done: make(chan struct{})}
	p := &process{Process: call, stderr: s.stderr, answered: call.Done}
	go func() {
		defer close(p.answered)
		p.output, p.Err = s.reply()
		p.at = time.Now()
	}()
	return p, nil
}

func (s *server) start(pane *agent.Agent, st *stage.Stage) error {
	in, err := fifo(filepath.Join(st.Dir, "in"))
	if err != nil {
		return err
	}
	out, err := fifo(filepath.Join(st.Dir, "out"))
	if err != nil {
		return err
	}
	s.in, s.lines, s.stderr = in, bufio.NewReader(out), filepath.Join(st.Dir, "server-stderr")
	o := askpane(st, s.binary, "mcp", "--tools", "question")
	o.Stdin, o.Stdout, o.Stderr = in.Name(), out.Name(), s.stderr
	if s.process, err = pane.Start(o); err != nil {
		return err
	}
	_, err = s.send("initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{}, "clientInfo": map[string]string{"name": "bench", "version": "1"}})
	if err != nil {
		return err
	}
	if _, err := s.reply(); err != nil {
		return err
	}
	_, err = fmt.Fprintln(s.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return err
}

// send writes a request, and says when.
func (s *server) send(method string, params any) (time.Time, error) {
	s.id++
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": s.id, "method": method, "params": params})
	if err != nil {
		return time.Time{}, err
	}
	began := time.Now()
	_, err = s.in.Write(append(line, '\n'))
	return began, err
}

// reply is the response to the last request; notifications are passed over.
func (s *server) reply() ([]byte, error) {
	for {
		line, err := s.lines.ReadBytes('\n')
		if err != nil {
			return nil, err
		}
		var r reply
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("the server said %q: %w", line, err)
		}
		if r.ID != s.id {
			continue
		}
		if r.Error != nil {
			return nil, errors.New(r.Error.Message)
		}
		return line, nil
	}
}

// replied checks that the tool's result holds the answer that was given.
func replied(out []byte) error {
	var r struct {
		Result struct{ StructuredContent details }
	}
	if err := json.Unmarshal(out, &r); err != nil {
		return fmt.Errorf("its response: %w", err)
	}
	return r.Result.StructuredContent.check(out)
}
