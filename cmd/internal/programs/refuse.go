package programs

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// refuseMCP tells an MCP client why there is no server.
func refuseMCP(why error) {
	if info, err := os.Stdin.Stat(); err != nil || info.Mode()&os.ModeCharDevice != 0 {
		return // a person at a terminal, who reads standard error
	}
	refuseClient(os.Stdin, os.Stdout, why)
}

// The codes of JSON-RPC: for the request that begins a session, and for any
// other. Claude Code tries server/discover first and turns to initialize where
// that does not exist (docs/agents.md, What was measured).
const (
	internalError  = -32603
	methodNotFound = -32601
)

// refuseClient answers each request with an error, up to and with initialize.
func refuseClient(in io.Reader, out io.Writer, why error) {
	message, _ := json.Marshal(why.Error()) // a string
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var request struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if json.Unmarshal(lines.Bytes(), &request) != nil || request.ID == nil {
			continue
		}
		code := methodNotFound
		if request.Method == "initialize" {
			code = internalError
		}
		fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`+"\n", request.ID, code, message)
		if request.Method == "initialize" {
			return
		}
	}
}
