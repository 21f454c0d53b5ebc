package claude

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
)

// planTool is Claude's own tool for the end of its plan mode, which is no permission.
const planTool = "ExitPlanMode"

// Plan is what a hook PermissionRequest gets at the end of Claude's plan mode.
type Plan struct {
	Permission
	Text string // of the plan, as the hook got it
	File string // where Claude keeps it
}

// ReadPlan reads it. The error says what it is, if it is no plan: without a file of the plan Claude
// gives no text, and asks in another dialog.
func ReadPlan(data []byte) (p Plan, err error) {
	if err := json.Unmarshal(data, &p.Permission); err != nil {
		return p, fmt.Errorf("read the hook's input: %w", err)
	}
	if p.Event != PermissionRequest || p.Tool != planTool {
		return p, fmt.Errorf("expected a %s of %s, got %.40q of %.40q", PermissionRequest, planTool, p.Event, p.Tool)
	}
	err = p.read()
	return p, err
}

// read reads the plan out of the tool's input.
func (p *Plan) read() error {
	var in map[string]any // not a struct, which would take the model's own "Plan" for Claude's "plan"
	if err := json.Unmarshal(p.Ask, &in); err != nil {
		return fmt.Errorf("read the plan: %w", err)
	}
	p.Text, _ = in["plan"].(string)
	p.File, _ = in["planFilePath"].(string)
	if strings.TrimSpace(p.Text) == "" {
		return errors.New("there is no plan, and Claude asks in its own dialog")
	}
	return nil
}

// AutoMode is the mode in which Claude asks for hardly anything, by its own name.
const AutoMode = "auto"

// Request says in the dialect plan what Claude asks. Its ways to approve are those of Claude's dialog
// that a hook can choose.
func (p Plan) Request() ([]byte, error) {
	asked := map[string]any{"plan": p.Text, "modes": []map[string]string{
		{"label": "Approve, and use auto mode", "value": AutoMode},
		{"label": "Approve, and ask before each edit", "value": "default"},
	}}
	if p.File != "" {
		asked["file"] = p.File
	}
	return json.Marshal(asked)
}

// PlanDecided is what the dialect's details say.
type PlanDecided struct {
	Decision string // approve, approve_edited or keep_planning; anything else is none
	Mode     string
	Message  string // what was said to the plan, quoted at its places
	Shown    string // the SHA-256 of the text that was on view
	Plan     string // as it was edited
}

// What the model reads of a plan that goes on, and above what was said to one that was approved.
const (
	keepPlanning = "The person did not approve the plan: keep planning."
	saidToPlan   = "\n\n## What the person said to this plan\n\n"
)

// Decide puts it into Claude's words; ok is false where Claude's own dialog is to decide. Claude drops an
// approval that does not bring its input back. What was said to a plan that is approved goes with it,
// at its end, since an approval has no other words.
func (p Plan) Decide(d PlanDecided) (decided Decision, ok bool, err error) {
	decided.Output.Event = PermissionRequest
	var text string
	switch d.Decision {
	case "keep_planning":
		decided.Output.Decision = &decision{Behavior: "deny", Message: joined(keepPlanning, d.Message)}
		return decided, true, nil
	case "approve_edited":
		text = d.Plan
	case "approve":
		if text, err = p.shown(d.Shown); err != nil {
			return decided, false, err
		}
	default:
		return decided, false, nil
	}
	if d.Message != "" {
		text = strings.TrimRight(text, "\n") + saidToPlan + d.Message + "\n"
	}
	allow := &decision{Behavior: "allow"}
	if err := json.Unmarshal(p.Ask, &allow.UpdatedInput); err != nil {
		return decided, false, err
	}
	if text != p.Text {
		if allow.UpdatedInput["plan"], err = json.Marshal(text); err != nil {
			return decided, false, err
		}
	}
	if d.Mode == AutoMode {
		allow.UpdatedPermissions = []json.RawMessage{json.RawMessage(`{"type":"setMode","mode":"auto","destination":"session"}`)}
	}
	decided.Output.Decision = allow
	return decided, true, nil
}

// shown returns the text with that hash: what the hook got, or what is in the file by now.
func (p Plan) shown(hash string) (string, error) {
	if hashed(p.Text) == hash {
		return p.Text, nil
	}
	data, err := os.ReadFile(p.File)
	if err == nil && hashed(string(data)) == hash {
		return string(data), nil
	}
	return "", errors.Join(errors.New("the plan that was approved is neither Claude's nor its file's any more"), err)
}

// hashed hashes a text as the dialect plan does, which knows one end of lines.
func hashed(text string) string {
	sum := sha256.Sum256([]byte(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)))
	return hex.EncodeToString(sum[:])
}
