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

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/integrations/host"
)

// Services lists the programs of ours that can be up from the person's login on.
func Services() []Agent {
	return []Agent{atLogin.service("desk", "askpane's pages in the browser", "desk --stay"), atLogin.service("hub", "askpane's hub for several machines", "hub")}
}

// manager starts programs at the person's login.
type manager struct {
	what         string // its file of a service
	path         func(name string, o Options) string
	text         func(name, does, binary, command string) string
	starts, ends string // the person's commands; %s stands for the service's name
}

const servicePart = "service"

// service describes the service of that name, for which askpane runs command.
func (m manager) service(name, does, command string) Agent {
	return Agent{Name: name, Parts: []string{servicePart}, Carriers: []string{servicePart}, Personal: true,
		Use: "have the " + name + " up from your login on, by systemd or launchd", Starts: fmt.Sprintf(m.starts, name), Ends: fmt.Sprintf(m.ends, name),
		files: func(o Options) []file {
			return []file{{servicePart, m.what, m.path(name, o), whole(m.text(name, does, o.Binary, command))}}
		}}
}

var (
	systemd = manager{"systemd unit", func(name string, o Options) string {
		return filepath.Join(host.Dir(o.Home, o.Env("XDG_CONFIG_HOME"), ".config"), "systemd", "user", "askpane-"+name+".service")
	}, unit, "systemctl --user enable --now askpane-%s", "systemctl --user disable --now askpane-%s"}
	launchd = manager{"launch agent", func(name string, o Options) string {
		return filepath.Join(o.Home, "Library", "LaunchAgents", "askpane."+name+".plist")
	}, launchAgent, "launchctl load ~/Library/LaunchAgents/askpane.%s.plist", "launchctl remove askpane.%s"}
	atLogin = text.If(runtime.GOOS == "darwin", launchd, systemd)
)

// mark stands before what a file of ours runs, as JSON.
const mark = "askpane runs "

// unit has a shell run the program: systemd takes no program with a quote, \ or $ in its path, but any argument.
func unit(_, does, binary, command string) string {
	return fmt.Sprintf("# %s%s\n[Unit]\nDescription=%s\n\n[Service]\nExecStart=/bin/sh -c 'exec \"$$0\" \"$$@\"' \"%s\" %s\nRestart=on-failure\n\n[Install]\nWantedBy=default.target\n",
		mark, hint.JSON(binary+" "+command), does, strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "%", "%%", "$", "$$").Replace(binary), command)
}

func launchAgent(name, _, binary, command string) string {
	var path bytes.Buffer
	_ = xml.EscapeText(&path, []byte(binary)) // a buffer takes everything
	return fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?>
<!-- %s%s -->
<plist version="1.0"><dict>
<key>Label</key><string>askpane.%s</string>
<key>ProgramArguments</key><array><string>%s</string><string>%s</string></array>
<key>EnvironmentVariables</key><dict><key>PATH</key><string>/opt/homebrew/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin</string></dict>
<key>RunAtLoad</key><true/>
<key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
</dict></plist>
`, mark, strings.ReplaceAll(hint.JSON(binary+" "+command), "--", `-\u002d`), name, path.String(), strings.Join(strings.Fields(command), "</string><string>"))
}

// whole fills a file that is all ours.
func whole(text string) inText {
	return inText{text: text, find: func(content []byte) (found []span, command string, err error) {
		_, rest, ours := bytes.Cut(content, []byte(mark))
		if !ours {
			return nil, "", nil
		}
		if json.NewDecoder(bytes.NewReader(rest)).Decode(&command) != nil {
			err = errors.New("the line with askpane's path cannot be read")
		}
		return []span{{0, len(content)}}, command, err
	}, fit: func(content []byte, _ int) (int, string, error) { return alone(content, text) }}
}
