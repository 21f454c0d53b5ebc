package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/cmd/internal/asker"
	"github.com/askpane/askpane/cmd/internal/programs"
	"github.com/askpane/askpane/integrations/agents/plugin"
	"github.com/askpane/askpane/integrations/agents/tools"
)

// hookPlugin asks for what a plugin of ours brings from an agent: a permission, unless a dialect is named.
func hookPlugin(c *cli.Context) error {
	switch agent := c.Args().First(); agent {
	case "opencode", "kilo":
		return hookOpencode(agent, cmp.Or(c.Args().Get(1), "permission"))
	case "pi":
		return hookPi()
	}
	return usage("unknown agent %q; there are opencode, kilo and pi", c.Args().First())
}

// mostSent bounds, in bytes, what an agent may send.
const mostSent = 32 << 20

// opencodeHook is one dialog of opencode's, for a permission or with questions. Its plugin sends what that asks,
// gets the reply, and sends true when opencode has taken it, or false as soon as the dialog was answered.
type opencodeHook struct {
	plugin.Permission
	Questions json.RawMessage // nil: a permission
	in        *json.Decoder
	took      chan bool // has at most one; closed where nothing more comes
}

// hookOpencode prints nothing unless the person has said something: opencode's own dialog stands.
func hookOpencode(agent, dialect string) error {
	h := &opencodeHook{in: json.NewDecoder(io.LimitReader(os.Stdin, mostSent)), took: make(chan bool, 1)}
	q := question{dialect: dialect, agent: agent, session: &h.Session, native: h, print: h.print}
	_ = inLog(q.ask(func() ([]byte, error) {
		switch err := h.in.Decode(h); {
		case err != nil:
			return nil, fmt.Errorf("read what is asked: %w", err)
		case h.Questions != nil:
			return json.Marshal(map[string]any{"questions": h.Questions})
		case !h.Literal(os.ReadFile):
			return nil, errors.New("what would be replaced in the file stands in the agent's own prompt alone")
		}
		return json.Marshal(h.Request("opencode"))
	}))
	return nil
}

// over returns how the process ends. Who calls a hook is told nothing of a question that nobody was asked,
// and so the error says why.
func (q question) over(e bridge.Envelope) error {
	end := exit{Code: exitCodes[e.Outcome]}
	switch {
	case q.yes != nil && e.Outcome == form.Answered && !q.yes(e):
		end.Code = programs.No
	case q.native != nil && (e.Outcome == form.Rejected || e.Outcome == form.Unavailable):
		end.Err = errors.New(e.Text)
	}
	return end
}

// inLog notes what went wrong for a hook, and returns it; an exit code alone and tools.ErrUnasked are no failures.
func inLog(err error) error {
	if code := (exit{}); errors.As(err, &code) {
		err = code.Err
	}
	if errors.Is(err, tools.ErrUnasked) {
		return nil
	}
	if err != nil {
		asker.Asker{Say: warn}.For(here()).Warn(err)
	}
	return err
}

func (h *opencodeHook) begin(end context.CancelCauseFunc) (stands string) {
	go func() {
		defer close(h.took)
		var took bool
		if h.in.Decode(&took) != nil { // opencode has gone, which its end of our output tells
			return
		}
		if h.took <- took; !took {
			end(bridge.ErrElsewhere)
		}
	}()
	if h.Questions != nil { // their answers may go to a later call
		return ""
	}
	return spool.Beside
}

func (*opencodeHook) asked(context.Context, asker.Asker, *spool.Spool, string) {}

// print hands over the reply, to questions the envelope, and waits until the plugin says what became of it.
func (h *opencodeHook) print(e bridge.Envelope) error {
	var reply any = e
	if d, err := decided(e); h.Questions == nil {
		if reply = h.Reply(d); err != nil || reply == nil {
			return err
		}
	} else if e.Outcome != form.Answered && e.Outcome != form.Cancelled {
		return nil
	}
	if err := printJSON(os.Stdout, reply); err != nil {
		return err
	}
	switch took, told := <-h.took; {
	case !told:
		return bridge.ErrUnconfirmed
	case !took:
		return bridge.ErrOutrun
	}
	return nil
}

func decided(e bridge.Envelope) (d tools.Decided, err error) {
	err = json.Unmarshal(e.Details, &d)
	return d, err
}

// hookPi prints what becomes of a call: pi has no prompt of its own, so that one which the person has
// listed is blocked unless they allow it.
func hookPi() error {
	s := asker.Asker{Say: warn}.For(here()).Now()
	var call plugin.Permission
	unasked := &plugin.Gate{Block: true, Reason: "askpane failed, and nobody was asked whether this is allowed."}
	q := question{dialect: "permission", agent: "pi", session: &call.Session}
	q.print = func(e bridge.Envelope) error {
		unasked = nil
		d, _ := decided(e) // none, where they cannot be read
		if e.Outcome == form.Cancelled {
			d.Decision = string(form.Deny)
		}
		return printJSON(os.Stdout, plugin.GateOf(d, "Nobody could be asked whether this is allowed. "+e.Text))
	}
	_ = inLog(q.ask(func() ([]byte, error) {
		if err := json.NewDecoder(io.LimitReader(os.Stdin, mostSent)).Decode(&call); err != nil {
			return nil, fmt.Errorf("read the call: %w", err)
		}
		asked, err := json.Marshal(call.Request("pi"))
		if err == nil && !s.Asks(call.Permission, asked) {
			unasked = &plugin.Gate{}
			return nil, tools.ErrUnasked
		}
		return asked, err
	}))
	if unasked == nil {
		return nil
	}
	return printJSON(os.Stdout, unasked)
}
