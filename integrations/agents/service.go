package agents

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/integrations/host"
)

// Service describes a program of ours that is up from the person's login on.
type Service struct {
	Agent
	does, command string // what askpane runs for it
}

const servicePart = "service"

func Services() []Service {
	return []Service{service("desk", "askpane's pages in the browser", "desk --stay"), service("hub", "askpane's hub for several machines", "hub")}
}

func service(name, does, command string) Service {
	s := Service{does: does, command: command}
	s.Agent = Agent{Name: name, Parts: []string{servicePart}, Carriers: []string{servicePart}, Personal: true, files: func(o Options) []file { return []file{atLogin.file(s, o)} }}
	return s
}

// manager starts programs at the person's login. Its commands are for the person, and %s stands for
// the service's name.
type manager struct {
	file         func(Service, Options) file
	starts, ends string
}

var (
	systemd = manager{func(s Service, o Options) file {
		config := host.Dir(o.Home, o.Env("XDG_CONFIG_HOME"), ".config")
		return file{servicePart, "systemd unit", filepath.Join(config, "systemd", "user", "askpane-"+s.Name+".service"), whole(s.unit(o.Binary))}
	}, "systemctl --user enable --now askpane-%s", "systemctl --user disable --now askpane-%s"}
	launchd = manager{func(s Service, o Options) file {
		return file{servicePart, "launch agent", filepath.Join(o.Home, "Library", "LaunchAgents", "askpane."+s.Name+".plist"), whole(s.launchAgent(o.Binary))}
	}, "launchctl load ~/Library/LaunchAgents/askpane.%s.plist", "launchctl remove askpane.%s"}
)

// Starts and Ends return the commands for the person after it was installed and taken out.
func (s Service) Starts() string { return fmt.Sprintf(atLogin.starts, s.Name) }

func (s Service) Ends() string { return fmt.Sprintf(atLogin.ends, s.Name) }

// mark stands before what a file of ours runs, as JSON.
const mark = "askpane runs "

func (s Service) unit(binary string) string {
	word := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "$", "$$").Replace(binary)
	return fmt.Sprintf("# %s%s\n[Unit]\nDescription=%s\n\n[Service]\nExecStart=\"%s\" %s\nRestart=on-failure\n\n[Install]\nWantedBy=default.target\n",
		mark, hint.JSON(binary+" "+s.command), s.does, word, s.command)
}

func (s Service) launchAgent(binary string) string {
	var words bytes.Buffer
	for _, word := range append([]string{binary}, strings.Fields(s.command)...) {
		words.WriteString("<string>")
		_ = xml.EscapeText(&words, []byte(word)) // a buffer takes everything
		words.WriteString("</string>")
	}
	return fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?>
<!-- %s%s -->
<plist version="1.0"><dict>
<key>Label</key><string>askpane.%s</string>
<key>ProgramArguments</key><array>%s</array>
<key>RunAtLoad</key><true/>
<key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
</dict></plist>
`, mark, strings.ReplaceAll(hint.JSON(binary+" "+s.command), "--", `-\u002d`), s.Name, words.String())
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
	}, fit: func(content []byte, _ int) (_ int, _ string, err error) {
		if len(content) > 0 {
			err = errors.New("there is a file of that name which is not ours; move it away")
		}
		return 0, text, err
	}}
}
