package agents

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/integrations/host"
)

// Service has the desk up from the person's login on.
var Service = Agent{Name: "desk", Parts: []string{"service"}, files: func(o Options) []file {
	if runtime.GOOS == "darwin" {
		return []file{{"launch agent", filepath.Join(o.Home, "Library", "LaunchAgents", "askpane.desk.plist"), whole{launchAgent(o.Binary)}}}
	}
	config := host.Dir(o.Home, o.Env("XDG_CONFIG_HOME"), ".config")
	return []file{{"systemd unit", filepath.Join(config, "systemd", "user", "askpane-desk.service"), whole{unit(o.Binary)}}}
}}

// ServiceStarts and ServiceEnds are what the person runs after it was installed and taken
// out.
func ServiceStarts() string {
	if runtime.GOOS == "darwin" {
		return "launchctl load ~/Library/LaunchAgents/askpane.desk.plist"
	}
	return "systemctl --user enable --now askpane-desk"
}

func ServiceEnds() string {
	if runtime.GOOS == "darwin" {
		return "launchctl remove askpane.desk"
	}
	return "systemctl --user disable --now askpane-desk"
}

// mark stands before what a file of ours runs, as JSON.
const mark = "askpane runs "

func unit(binary string) string {
	word := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "$", "$$").Replace(binary)
	return fmt.Sprintf("# %s%s\n[Unit]\nDescription=askpane's pages in the browser\n\n[Service]\nExecStart=\"%s\" desk --stay\nRestart=on-failure\n\n[Install]\nWantedBy=default.target\n",
		mark, hint.JSON(binary+" desk --stay"), word)
}

func launchAgent(binary string) string {
	var word bytes.Buffer
	_ = xml.EscapeText(&word, []byte(binary)) // a buffer takes everything
	return fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?>
<!-- %s%s -->
<plist version="1.0"><dict>
<key>Label</key><string>askpane.desk</string>
<key>ProgramArguments</key><array><string>%s</string><string>desk</string><string>--stay</string></array>
<key>RunAtLoad</key><true/>
<key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
</dict></plist>
`, mark, strings.ReplaceAll(hint.JSON(binary+" desk --stay"), "--", `-\u002d`), word.String())
}

// whole is a file that is all ours.
type whole struct{ text string }

func (w whole) snippet() string { return w.text }

func (w whole) add(content []byte) ([]byte, error) {
	if _, ours, _ := w.present(content); len(content) > 0 && !ours {
		return nil, errors.New("there is a file of that name which is not ours; move it away")
	}
	return []byte(w.text), nil
}

func (w whole) remove(_, before []byte) ([]byte, error) { return before, nil }

func (w whole) present(content []byte) (command string, ours bool, err error) {
	_, rest, ours := bytes.Cut(content, []byte(mark))
	if !ours {
		return "", false, nil
	}
	if json.NewDecoder(bytes.NewReader(rest)).Decode(&command) != nil {
		err = errors.New("the line with askpane's path cannot be read")
	}
	return command, true, err
}
