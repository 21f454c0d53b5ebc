package main

import (
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
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/cmd/internal/asker"
	"github.com/askpane/askpane/integrations/agents/plugin"
)

// pluginCommands lists what our plugins run for a permission.
func pluginCommands() (all []*cli.Command) {
	for _, name := range []string{"opencode", "kilo", "pi"} {
		run := func() error { return hookOpencode(name) }
		if name == "pi" {
			run = hookPi
		}
		all = append(all, &cli.Command{
			Name: name, Usage: "ask what " + text.Product(name) + " needs a permission for, as its plugin says",
			UsageText: "askpane hook " + name + " < permission.json",
			Action:    func(*cli.Context) error { return run() },
		})
	}
	return all
}

// mostSent bounds, in bytes, what a plugin may send.
const mostSent = 32 << 20

// opencodeHook is one prompt of opencode's for a permission. Its plugin sends that, gets the reply, and
// sends true when opencode has taken it, or false as soon as its own prompt was answered.
type opencodeHook struct {
	plugin.Permission
	in   *json.Decoder
	took chan bool // has at most one; closed where nothing more comes
	lost error     // why nobody was asked
}

// hookOpencode prints nothing unless the person has decided: opencode's own prompt stands.
func hookOpencode(agent string) error {
	h := &opencodeHook{in: json.NewDecoder(io.LimitReader(os.Stdin, mostSent)), took: make(chan bool, 1)}
	q := question{dialect: "permission", agent: agent, session: &h.Session, native: h, print: h.print}
	err := q.ask(func() ([]byte, error) {
		if err := h.in.Decode(&h.Permission); err != nil {
			return nil, fmt.Errorf("read the permission: %w", err)
		}
		return h.Request()
	})
	if err = errors.Join(besideCode(err), h.lost); err != nil {
		asker.Asker{Say: warn}.For(here()).Warn(err)
	}
	return nil
}

// besideCode returns what went wrong, which an exit code alone does not say.
func besideCode(err error) error {
	if code := (exit{}); errors.As(err, &code) {
		return code.Err
	}
	return err
}

func (*opencodeHook) stands() string { return spool.Beside }

func (h *opencodeHook) begin(ctx context.Context) context.Context {
	ctx, end := context.WithCancelCause(ctx)
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
	return ctx
}

func (*opencodeHook) asked(asker.Asker, string) {}

// print hands over the reply, and waits until the plugin says what became of it.
func (h *opencodeHook) print(e bridge.Envelope) error {
	if e.Outcome == form.Rejected || e.Outcome == form.Unavailable {
		h.lost = errors.New(e.Text)
		return nil
	}
	d, err := decided(e)
	if err != nil || d.Decision == "none" {
		return err
	}
	reply, err := h.Reply(d)
	if err != nil {
		return err
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

func decided(e bridge.Envelope) (d plugin.Decided, err error) {
	err = json.Unmarshal(e.Details, &d)
	return d, err
}

// errPasses is of a call that the person wants to pass unasked.
var errPasses = errors.New("the settings have no pattern for it")

// hookPi prints what becomes of a call: pi has no prompt of its own, so that one which the person has
// listed is blocked unless they allow it.
func hookPi() error {
	a := asker.Asker{Say: warn}.For(here())
	s := a.Settings()
	if !s.AsksOfAny() {
		return printJSON(os.Stdout, plugin.Gate{})
	}
	var call plugin.Call
	gate := plugin.Blocked("askpane failed, and nobody was asked whether this is allowed.")
	q := question{dialect: "permission", agent: "pi", session: &call.Session}
	q.print = func(e bridge.Envelope) error {
		d, err := decided(e)
		if e.Outcome == form.Cancelled {
			d.Decision = "deny"
		}
		gate = d.Gate("Nobody could be asked whether this is allowed. " + e.Text)
		return err
	}
	err := q.ask(func() ([]byte, error) {
		if err := json.NewDecoder(io.LimitReader(os.Stdin, mostSent)).Decode(&call); err != nil {
			return nil, fmt.Errorf("read the call: %w", err)
		}
		if !s.Asks(call.Tool, call.Command()) {
			return nil, errPasses
		}
		return call.Request()
	})
	if errors.Is(err, errPasses) {
		gate = plugin.Gate{}
	} else if err = besideCode(err); err != nil {
		a.Warn(err)
	}
	return printJSON(os.Stdout, gate)
}
