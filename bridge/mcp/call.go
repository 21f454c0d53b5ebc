package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/plan"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
)

// call is one call of a tool.
type call struct {
	*server
	req   *sdk.CallToolRequest
	began time.Time
	says  func(bridge.Envelope) string // the result of a prompt; nil of a question, which says what its dialect does
	again bool                         // an earlier call of this server asked the same
	got   chan handover                // has at most one
}

func (s *server) call(req *sdk.CallToolRequest) *call {
	return &call{server: s, req: req, began: time.Now(), got: make(chan handover, 1)}
}

// ask returns the handler of a question tool.
func (s *server) ask(name string) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return s.call(req).answer(ctx, name, arguments(req))
	}
}

// answer asks a request in the named dialect, or joins an asking of the same question, and
// waits for the call's result.
func (c *call) answer(ctx context.Context, name string, request []byte) (*sdk.CallToolResult, error) {
	cwd := c.cwd(ctx, c.req.ProtocolVersion())
	fresh := &asking{server: c.server}
	b, q, err := c.Bridge(cwd, fresh.beat)
	if err != nil {
		return c.result(bridge.Unkept(name, request, err)), nil
	}
	q.Dialect, q.Raw, q.Asked = name, request, fresh.named
	q.Origin.Agent, q.Origin.Cwd, q.Origin.Start = cmp.Or(c.Agent, c.client().agent, text.OneLine(clientName(c.req), 40), "agent"), cwd, c.began
	d, f, err := dialect.Decode(q.Dialect, q.Raw)
	if err != nil {
		return c.result(bridge.Envelope{Reply: d.Reject(err)}), nil
	}
	if c.Elicit && c.says == nil {
		if result, done := c.elicit(ctx, b, q, d, &f); done {
			return result, nil
		}
	}
	fresh.digest = spool.Digest(f, q.Origin)
	if a := c.join(ctx, c, c.client().silent, func(a *asking) bool { return a.digest == fresh.digest }); a != nil {
		c.again = true
		return c.wait(ctx, a)
	}
	if e, given := c.takeGiven(fresh.digest); given && b.Young(e.SettledAt, c.began) {
		return c.result(e), nil
	}
	fresh.start(c, func(ctx context.Context) error { return plan.Ask(ctx, b, q, fresh.deliver) })
	return c.wait(ctx, fresh)
}

// arguments returns the request; a call without any is an empty one.
func arguments(req *sdk.CallToolRequest) []byte {
	if len(req.Params.Arguments) == 0 {
		return []byte("{}")
	}
	return req.Params.Arguments
}

// collect handles collect_answer.
func (s *server) collect(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	var in struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(arguments(req), &in); err != nil || !spool.ValidID(in.ID) {
		return failed(fmt.Errorf("id: expected the id that came with the status pending, got %q", text.OneLine(in.ID, 40))), nil
	}
	c := s.call(req)
	// The call that waited until now may have been given up without a word.
	a := s.join(ctx, c, true, func(a *asking) bool { return a.id == in.ID })
	if a == nil {
		a = &asking{server: s, id: in.ID}
		b, _, err := s.Bridge(s.cwd(ctx, req.ProtocolVersion()), a.beat)
		if err != nil {
			return nil, err
		}
		a.start(c, func(ctx context.Context) error { return b.Collect(ctx, in.ID, true, a.deliver) })
	}
	return c.wait(ctx, a)
}

// wait waits for the asking until it ends, the call is given up, or so long
// that the client is about to give it up: then a receipt is the result.
func (c *call) wait(ctx context.Context, a *asking) (*sdk.CallToolResult, error) {
	var progress <-chan time.Time
	if c.wantsProgress() {
		ticker := time.NewTicker(c.progressEvery)
		defer ticker.Stop()
		progress = ticker.C
	}
	late := time.NewTimer(c.receiptIn(c.limit()))
	defer late.Stop()
	for {
		select {
		case h := <-c.got:
			return c.handOver(h)
		case <-ctx.Done():
			a.abandon(c)
			select {
			case h := <-c.got:
				h.done(errGivenUp)
			default:
			}
			return nil, ctx.Err()
		case <-late.C:
			if id := a.leave(c); id != "" {
				return c.result(receipt(id)), nil
			}
			late.Reset(receiptAgain)
		case <-progress:
			c.sendProgress(ctx, "waiting for the person, "+text.Elapsed(time.Since(c.began)))
		}
	}
}

// receiptAgain passes where a receipt was due before the question had its id.
const receiptAgain = 100 * time.Millisecond

// limit returns how long the client waits for the call.
func (c *call) limit() time.Duration {
	limit := c.client().callLimit(c.wantsProgress(), c.Env)
	if c.CallLimit != nil {
		limit = *c.CallLimit
	}
	if limit == noLimit || c.says != nil { // a receipt is no decision
		return math.MaxInt64
	}
	return limit
}

// wantsProgress reports whether the client wants to hear of progress.
func (c *call) wantsProgress() bool { return c.req.Params.GetProgressToken() != nil }

// sendProgress ignores errors: nobody waits for it.
func (c *call) sendProgress(ctx context.Context, message string) {
	_ = c.req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
		ProgressToken: c.req.Params.GetProgressToken(), Progress: time.Since(c.began).Seconds(), Message: message})
}

func (c *call) client() program { return clientNamed(clientName(c.req)) }

func clientName(req *sdk.CallToolRequest) string {
	if info := req.ClientInfo(); info != nil {
		return info.Name
	}
	return ""
}

func (c *call) handOver(h handover) (*sdk.CallToolResult, error) {
	if h.err != nil {
		return failed(h.err), nil
	}
	h.Recovered = h.Recovered || c.again && h.Outcome != bridge.Pending
	c.register(h, c.client().silent)
	return c.result(h.Envelope), nil
}

// receipt returns the envelope for a call that returns while its question goes on. What
// to do stands in the details too: Claude Code shows its model nothing else.
func receipt(id string) bridge.Envelope {
	e := bridge.Uncollected(id)
	e.Text = fmt.Sprintf("No answer yet: the person has the question in front of them and has not decided. This is not an answer. "+
		"Call %s with {\"id\":%q} now; it waits for the answer. Call it again as long as it says so.", collectAnswer, id)
	e.Details = with(e.Details, "next", "not answered yet; call "+collectAnswer+" with this id, which waits for the answer")
	return e
}

// result makes a tool's result of an envelope. What the dialect says comes first and unchanged.
func (c *call) result(e bridge.Envelope) *sdk.CallToolResult {
	r := &sdk.CallToolResult{
		Meta:    sdk.Meta{"askpane/outcome": string(e.Outcome)},
		Content: []sdk.Content{&sdk.TextContent{Text: e.Text}},
		IsError: e.IsError,
	}
	if e.ID != "" {
		r.Meta["askpane/id"] = e.ID
	}
	if c.says != nil {
		r.Content, r.IsError = []sdk.Content{&sdk.TextContent{Text: c.says(e)}}, false
		return r
	}
	if e.Recovered {
		r.Meta["askpane/recovered"] = true
		e.Details = with(e.Details, "recovered", true)
	}
	if e.Late(c.began) {
		e.Details = with(e.Details, "answeredAt", e.SettledAt.Format(time.RFC3339))
	}
	if e.Annotate(c.began); e.Note != "" {
		r.Content = append(r.Content, &sdk.TextContent{Text: e.Note})
	}
	if c.client().images {
		r.Content = append(r.Content, images(e.Attachments)...)
	}
	r.StructuredContent = e.Details
	return r
}

// imagesLimit bounds in bytes what of an answer's pictures is in one result, since a model's service
// refuses a conversation that has too much of them.
const imagesLimit = 5 << 20

// images returns the pictures that every model with eyes takes. Of the others there is the path.
func images(attached []form.Attachment) (content []sdk.Content) {
	left := imagesLimit
	for _, a := range attached {
		data, err := os.ReadFile(a.Path)
		if err != nil || a.Type == "image/gif" || len(data) > left {
			continue
		}
		left -= len(data)
		content = append(content, &sdk.ImageContent{Data: data, MIMEType: a.Type})
	}
	return content
}

// with adds a member to the object, after its own.
func with(object json.RawMessage, name string, value any) json.RawMessage {
	more, err := json.Marshal(map[string]any{name: value})
	body, isObject := bytes.CutSuffix(bytes.TrimSpace(object), []byte("}"))
	if err != nil || !isObject {
		return object
	}
	if len(bytes.TrimSpace(body)) > 1 {
		more[0] = ','
		return slices.Concat(body, more)
	}
	return more
}

// failed tells the model of a failure.
func failed(err error) *sdk.CallToolResult {
	text := "Error: " + err.Error()
	if errors.Is(err, bridge.ErrDelivered) {
		text += ". Look for it in an earlier result."
	}
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: text}}}
}
