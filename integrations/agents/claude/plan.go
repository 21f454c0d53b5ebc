package claude

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/askpane/askpane/bridge/text/document"
	"github.com/askpane/askpane/integrations/host"
)

// planTool is Claude's own tool for the end of its plan mode, which is no permission.
const planTool = "ExitPlanMode"

// ReadPlan reads a plan. The error says what it is, if it is none: without a file of the plan Claude
// gives no text, and asks in another dialog.
func ReadPlan(data []byte) (p Prompt, err error) {
	p, err = read(data, "a PermissionRequest of "+planTool, func(p Prompt) bool { return p.Event == PermissionRequest && p.Tool == planTool })
	if err == nil {
		_, _, err = p.plan()
	}
	return p, err
}

// plan returns the text of the plan that is asked about, and the file where Claude keeps it.
func (p Prompt) plan() (text, file string, err error) {
	var in map[string]any // not a struct, which would take the model's own "Plan" for Claude's "plan"
	if err := json.Unmarshal(p.Ask, &in); err != nil {
		return "", "", fmt.Errorf("read the plan: %w", err)
	}
	text, _ = in["plan"].(string)
	file, _ = in["planFilePath"].(string)
	if strings.TrimSpace(text) == "" {
		return "", "", errors.New("there is no text of a plan, without which Claude's own dialog asks, which claude -p does not have")
	}
	return text, file, nil
}

// AutoMode is the mode in which Claude asks for hardly anything, by its own name.
const AutoMode = "auto"

// askPlan says in the dialect plan what Claude asks. Its ways to approve are those of Claude's dialog
// that a hook can choose.
func (p Prompt) askPlan() ([]byte, error) {
	text, file, err := p.plan()
	if err != nil {
		return nil, err
	}
	quiet := map[string]string{"label": "Approve, and use auto mode", "value": AutoMode}
	if p.autoOff() {
		quiet = map[string]string{"label": "Approve, and accept edits", "value": "acceptEdits"}
	}
	asked := map[string]any{"plan": text, "modes": []map[string]string{quiet, {"label": "Approve, and ask before each edit", "value": "default"}}}
	if file != "" {
		asked["file"] = file
	}
	return json.Marshal(asked)
}

// autoOff reports whether settings of Claude's turn its auto mode off, which a hook could turn on all the same.
func (p Prompt) autoOff() bool {
	user, project, here := host.Dir(os.Getenv("HOME"), os.Getenv("CLAUDE_CONFIG_DIR"), ".claude"), os.Getenv("CLAUDE_PROJECT_DIR")+"/.claude", p.Dir+"/.claude"
	files, _ := filepath.Glob("/etc/claude-code/managed-settings.d/*.json")
	files = append(files, "/etc/claude-code/managed-settings.json", "/Library/Application Support/ClaudeCode/managed-settings.json", user+"/remote-settings.json",
		user+"/settings.json", project+"/settings.json", project+"/settings.local.json", here+"/settings.json", here+"/settings.local.json")
	return slices.ContainsFunc(files, func(file string) bool {
		var said struct {
			DisableAutoMode string
			Permissions     struct{ DisableAutoMode string }
		}
		data, _ := os.ReadFile(file)
		_ = json.Unmarshal(data, &said) // Claude takes nothing from what cannot be read
		return said.DisableAutoMode == "disable" || said.Permissions.DisableAutoMode == "disable"
	})
}

// planDecided is what the dialect's details say.
type planDecided struct {
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

// decidePlan puts into Claude's words what was decided. Claude drops an approval that does not bring its
// input back. What was said to a plan that is approved goes with it, at its end, since an approval has no
// other words.
func (p Prompt) decidePlan(d planDecided) (*Decision, error) {
	asked, file, err := p.plan()
	if err != nil {
		return nil, err
	}
	var text string
	switch d.Decision {
	case "keep_planning":
		return deny(joined(keepPlanning, d.Message)), nil
	case "approve_edited":
		text = d.Plan
	case "approve":
		if text, err = shown(asked, file, d.Shown); err != nil {
			return nil, err
		}
	default:
		return nil, nil
	}
	if d.Message != "" {
		text = strings.TrimRight(text, "\n") + saidToPlan + d.Message + "\n"
	}
	var input map[string]json.RawMessage
	if err := json.Unmarshal(p.Ask, &input); err != nil {
		return nil, err
	}
	if text != asked {
		if input["plan"], err = json.Marshal(text); err != nil {
			return nil, err
		}
	}
	// Without a mode Claude goes back to the one before its plan mode, which may ask for nothing.
	return allow(input, json.RawMessage(`{"type":"setMode","mode":"`+cmp.Or(d.Mode, "default")+`","destination":"session"}`)), nil
}

// shown returns the text that has the hash which the dialect plan gave it: what the hook got, or what is
// in the file by now.
func shown(text, file, hash string) (string, error) {
	if document.Sum(document.Unix(text)) == hash {
		return text, nil
	}
	data, err := os.ReadFile(file)
	if err == nil && document.Sum(document.Unix(string(data))) == hash {
		return string(data), nil
	}
	return "", errors.Join(errors.New("the plan that was approved is neither Claude's nor its file's any more"), err)
}
