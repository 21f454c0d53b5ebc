// Package dialect speaks the published question-tool contracts: it decodes a
// request into a form and encodes how the form ended into the tool's result.
//
// The rule that must hold here: names, limits and texts are the contracts'
// (docs/contracts.md), to the letter. Nothing in this package does I/O.
package dialect

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/askpane/askpane/bridge/form"
)

// Dialect is one published question tool.
type Dialect struct {
	Name string // the tool's published name and the value of --dialect
	// OneAtATime: a second form of one session is refused while its first is open
	// (ErrInFlight); the other dialects' wait their turn, and so do those that were
	// asked as AskHuman.
	OneAtATime bool
	namesTool  bool // in the asking pane's title
	noTool     bool // no tool of this name is offered
	// fits reports whether an undeclared request has this dialect's shape.
	fits  func(top node) bool
	broad bool // fits requests, too, that only others understand
	// shape finds the dialect that the request is really in, where one published
	// name stands for several request shapes; nil is this one.
	shape func(top node) *Dialect
	// A tool of this name takes requests of the dialect beside too; besideWhen says how
	// they look.
	beside     *Dialect
	besideWhen string
	// nullCounts names members whose null is a value, and a wrong one; any other
	// null member is as good as absent.
	nullCounts []string
	// early may tidy the document, and records what is wrong in the contract's own
	// words, before the schema would say it in general ones: then nothing else is
	// reported. May be nil.
	early       func(top node)
	alternative int    // the place of this shape where the published schema has several (anyOf)
	schema      string // of the requests, where it is none of the published documents
	remarks     form.Remarks
	// decode finishes f, which has what every dialect's request says in the same
	// way, and makes top the normalised request; what the rules beyond structure
	// find wrong is recorded in the nodes.
	decode      func(top node, f *form.Form)
	cancelled   string // the text where the person declined
	cancelFails bool   // that counts as an error
	// encode returns the tool's result for a form that ended as r says: the text for the
	// model, where it is the dialect's own, and the details.
	encode func(f *form.Form, r form.Result, c Context) (text string, details object)
	// rejected returns the details for a request that was refused; nil takes what encode
	// says of an empty form that ended so.
	rejected func(err error) object
	byPrompt bool // a payload may key answers by the question's text as well
}

// all lists the dialects, in the order of docs/contracts.md. A request that names none is tried
// with the last one first. CONTRIBUTING.md says what adding one takes.
var all = []*Dialect{
	&question,
	&askUserQuestion,
	&askUserQuestionForm,
	&askUser,
	&buttons,
	&elicitation,
	&permission,
	&plan,
}

// Context holds the settings in force that a result tells or an answer must respect.
type Context struct {
	DebounceMs  int
	DangerCheck bool // dangerCheckEnabled: a dangerous question takes typed text and nothing else
	// Page returns the page's URL and port in a browser; the URL is empty where none is up,
	// and has no token, since models and transcripts have it. Nil is no page.
	Page func() (url string, port int)
}

// Reply is a tool result: how the form ended, the text for the model, the structured
// details, and whether the dialect calls this ending an error.
type Reply struct {
	Outcome form.Outcome    `json:"outcome"`
	Text    string          `json:"text"`
	Details json.RawMessage `json:"details"`
	IsError bool            `json:"isError"`
}

// Guidance tells a model about a tool.
type Guidance struct {
	Description string   `json:"description"` // in the tool's definition
	Snippet     string   `json:"snippet"`     // one line, for a list of tools in a system prompt
	Guidelines  []string `json:"guidelines"`  // when and how to use it, one sentence each
}

func (d *Dialect) Guidance() (g Guidance) {
	if raw := d.document("guidance"); len(raw) > 0 {
		if err := json.Unmarshal(raw, &g); err != nil {
			panic(err) // only our own documents come here; a test reads each
		}
	}
	return g
}

// ToolDescription describes the dialect's tool, and what it takes besides.
func (d *Dialect) ToolDescription() string {
	text := d.Guidance().Description
	if d.beside != nil {
		text += "\n\nOr, " + d.besideWhen + ": " + d.beside.Guidance().Description
	}
	return text
}

// Tools lists the names of the tools that models are offered.
func Tools() []string {
	names := []string{AskHuman}
	for _, d := range all {
		if !d.noTool {
			names = append(names, d.Name)
		}
	}
	return names
}

// Names lists what --dialect takes: the dialects that are published, then the tools.
func Names() (names []string) {
	for _, d := range slices.Concat(all, others) {
		names = append(names, d.Name)
	}
	return names
}

// AskHuman is our own name for the contract of ask_user, without its rule of one
// form at a time. No agent hides it, or has a tool of that name itself.
const AskHuman = "ask_human"

// ByName finds a dialect; the error lists those there are.
func ByName(name string) (*Dialect, error) {
	if name == AskHuman {
		return &askUser, nil
	}
	for _, d := range slices.Concat(all, others) {
		if d.Name == name {
			return d, nil
		}
	}
	return nil, fmt.Errorf("unknown dialect %q; there are %s", name, strings.Join(Names(), ", "))
}

// Decode reads a request in the named dialect, or, with no name, in the one that its shape
// decides. An error names the offending path and what was expected there.
//
// The dialect given back is the one that the request is in, and its name is the one in the form:
// a request named question in the shape of buttons is buttons from here on. It is nil only where
// none could be chosen.
func Decode(name string, raw []byte) (_ *Dialect, f form.Form, _ error) {
	d, top, err := open(name, raw)
	if err == nil {
		f, err = d.read(top)
	}
	return d, f, err
}

// open parses a request and finds the dialect that it is in, and what that says early.
func open(name string, raw []byte) (d *Dialect, top node, err error) {
	if name != "" {
		if d, err = ByName(name); err != nil {
			return nil, top, err
		}
	}
	v, err := parse(raw)
	if err != nil {
		return d, top, err
	}
	top = node{v: v, raw: raw, errs: new(faults)}
	if _, isObject := v.(map[string]any); !isObject {
		return d, top, fmt.Errorf("request: expected a JSON object, got %s", top.kind())
	}
	if d == nil {
		d, err = detect(top)
	}
	if err == nil && d.shape != nil {
		d = cmp.Or(d.shape(top), d)
	}
	if err == nil && d.early != nil {
		d.early(top)
	}
	return d, top, err
}

func (d *Dialect) read(top node) (form.Form, error) {
	structure := d.structure()
	if len(*top.errs) == 0 {
		d.validate(structure, top)
	}
	f := form.Form{Dialect: d.Name, NamesTool: d.namesTool, Remarks: d.remarks}
	if len(*top.errs) == 0 {
		_ = structure.normalise(top) // what is unknown is ignored
		top.form(&f)
		d.decode(top, &f)
	}
	if err := top.errs.error(); err != nil {
		return form.Form{}, err
	}
	f.Echo = mustJSON(structure.ordered(top.v))
	return f, nil
}

// detect tries the list backwards: question, the first, takes what no other dialect
// claims (docs/contracts.md, What holds for every request).
func detect(top node) (*Dialect, error) {
	for _, d := range slices.Backward(all) {
		if fits := d.fits(top); fits && d.broad {
			return detectOther(top, d)
		} else if fits {
			return d, nil
		}
	}
	return detectOther(top, nil)
}

// anyQuestion reports whether a request has a question that fits.
func (n node) anyQuestion(fits func(q node) bool) bool {
	return slices.ContainsFunc(n.field("questions").list(), fits)
}

// EncodeIn returns the tool's result for form f, ended as r says, under the settings in c.
func (d *Dialect) EncodeIn(c Context, f *form.Form, r form.Result) Reply {
	d = d.of(f)
	said, details := d.encode(f, r, c)
	if said == "" {
		said = unanswered(d.cancelled, f, r)
	}
	// As the envelope's table has it.
	failed := r.Outcome == form.Unavailable || r.Outcome == form.Rejected || r.Outcome == form.Aborted || r.Outcome == form.Cancelled && d.cancelFails
	return Reply{Outcome: r.Outcome, Text: said, Details: mustJSON(append(details, member{"attachments", some(r.Attachments)})), IsError: failed}
}

const noUI = "Error: UI not available"

// unanswered returns the text for a form that ended without answers; cancelled is the
// dialect's own where the person declined.
func unanswered(cancelled string, f *form.Form, r form.Result) string {
	switch r.Outcome {
	case form.Cancelled:
		if r.Reason != "" {
			return strings.TrimSuffix(cancelled, ".") + ": " + r.Reason
		}
		return cancelled
	case form.Elsewhere:
		return "Answered in the agent itself."
	case form.Timeout: // in seconds, as the contracts have it
		return fmt.Sprintf("No answer before the deadline (%s s)", plainFloat(cmp.Or(r.Waited, f.Timeout).Seconds()))
	case form.Unavailable:
		if r.Reason != "" {
			return noUI + ": " + r.Reason
		}
		return noUI
	default:
		return "Error: the question was withdrawn before it was answered"
	}
}

// of returns the dialect that wrote f, where d's name stands for several shapes.
func (d *Dialect) of(f *form.Form) *Dialect {
	if v, err := parse(f.Echo); err == nil && d.shape != nil {
		return cmp.Or(d.shape(node{v: v}), d)
	}
	return d
}

// Reject returns the tool's result for a request refused with err. A nil dialect
// (none could be chosen) has no shape of its own and rejects with bare details.
func (d *Dialect) Reject(err error) Reply {
	details := object{}
	if d != nil && d.rejected != nil {
		details = d.rejected(err)
	} else if d != nil {
		_, details = d.encode(&form.Form{}, form.Result{Outcome: form.Rejected}, Context{})
	}
	return Reply{Outcome: form.Rejected, Text: "Error: " + err.Error(), Details: mustJSON(details), IsError: true}
}
