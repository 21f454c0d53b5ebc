package notify

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/settings"
)

// desktop shows a notification once the question has waited for a while, where
// the person is: on the desktop that this process belongs to, else by their
// terminal (terminal.go).
var desktop = alert{
	name: "desktop", setting: "notificationOnQuestion", late: true, loud: true,
	isOn: func(s settings.Settings) bool { return s.NotificationOnQuestion },
	when: func(s settings.Settings, past time.Duration) time.Duration {
		return reminded(time.Duration(s.NotificationDelaySeconds)*time.Second, s, past)
	},
	raise: func(ctx context.Context, j job) (undo, error) {
		n := notification{summary: text.OneLine(asks(j.Question), summaryRunes), body: waits(len(j.Form.Questions))}
		_, withdraw, err := firstWay(ctx, j.Routes, func(ctx context.Context, way desktopWay) (undo, error) { return way.show(ctx, n) })
		return withdraw, err
	},
	describe: func(ctx context.Context, j job) hint.Check {
		name, what, err := firstWay(ctx, j.Routes, func(ctx context.Context, way desktopWay) (string, error) { return way.probe(ctx) })
		return checked(name+": "+what, err, "run a notification daemon, or use kitty, WezTerm, Ghostty, foot or iTerm2; or askpane settings set notificationOnQuestion false")
	},
}

// notification is one to be shown. Only summary has text of an agent: a body
// may be taken for markup.
type notification struct{ summary, body string }

const summaryRunes = 90

func asks(q Question) string {
	if q.Agent == "" {
		return "askpane: " + q.header()
	}
	return "askpane: " + text.OneLine(q.Agent, agentRunes) + " asks: " + q.header()
}

func waits(questions int) string {
	if questions == 1 {
		return "A question waits for your answer."
	}
	return fmt.Sprintf("%d questions wait for your answer.", questions)
}

// desktopWay shows a notification in one of several ways.
type desktopWay struct {
	name  string
	show  func(context.Context, notification) (withdraw undo, err error)
	probe func(context.Context) (string, error)
}

// desktopWays lists the ways to try, best first. Over ssh the desktop of this
// machine is not where the person sits, whatever address its session has.
func desktopWays(r Routes) []desktopWay {
	onTerminal := desktopWay{"the viewer's terminal", r.showOnTerminal, r.probeTerminal}
	if os.Getenv("SSH_CONNECTION") != "" || os.Getenv("SSH_TTY") != "" {
		return []desktopWay{onTerminal}
	}
	return append(ownWays(), onTerminal)
}

// firstWay finds the first way that try succeeds with, and what try got there. Each gets its
// part of our patience, so that one that hangs leaves some to the next.
func firstWay[T any](ctx context.Context, r Routes, try func(context.Context, desktopWay) (T, error)) (name string, got T, err error) {
	var failures []string
	for _, way := range desktopWays(r) {
		part, cancel := context.WithTimeout(ctx, patience/3)
		got, err := try(part, way)
		cancel()
		if err == nil {
			return way.name, got, nil
		}
		failures = append(failures, way.name+": "+err.Error())
	}
	return "", got, errors.New(strings.Join(failures, "; "))
}

// The Desktop Notifications Specification 1.3,
// https://specifications.freedesktop.org/notification-spec/latest/.
const (
	dbusName = "org.freedesktop.Notifications"
	dbusPath = "/org/freedesktop/Notifications"
)

// dialBus connects to the session bus, until ctx ends. godbus and not beeep,
// which uses godbus too: that one keeps a connection open for good, cannot be
// told to stop waiting, and does not say which notification to withdraw.
func dialBus(ctx context.Context) (*dbus.Conn, error) {
	address := os.Getenv("DBUS_SESSION_BUS_ADDRESS")
	if address == "" { // where systemd has it; agents strip the environment
		address = "unix:path=" + dbus.EscapeBusAddressValue(filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "bus"))
	}
	return dbus.Connect(address, dbus.WithContext(ctx))
}

// byDBus leaves the connection open until the notification is withdrawn: some
// servers drop what a program has shown when it goes, which is right if we die.
func byDBus(ctx context.Context, n notification) (undo, error) {
	life, end := context.WithCancel(context.Background())
	stop := context.AfterFunc(ctx, end) // the greeting knows no other deadline
	conn, err := dialBus(life)
	if err != nil {
		end()
		return nil, err
	}
	server := conn.Object(dbusName, dbusPath)
	var id uint32
	err = server.CallWithContext(ctx, dbusName+".Notify", 0, "askpane", uint32(0), "", n.summary, n.body,
		[]string{}, map[string]dbus.Variant{}, int32(-1)).Store(&id) // -1: shown as long as the server likes
	if err != nil || !stop() {
		end() // which closes conn
		return nil, errors.Join(err, ctx.Err())
	}
	return func(context.Context) error {
		// Go and not Call, which waits for ever for no reply if the bus has died
		// meanwhile (godbus 5.2.4); and then nothing is left to withdraw.
		server.Go(dbusName+".CloseNotification", dbus.FlagNoReplyExpected, nil, id)
		_ = conn.Close()
		end()
		return nil
	}, nil
}

func probeDBus(ctx context.Context) (string, error) {
	conn, err := dialBus(ctx)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	var name, vendor, version, spec string
	err = conn.Object(dbusName, dbusPath).CallWithContext(ctx, dbusName+".GetServerInformation", 0).Store(&name, &vendor, &version, &spec)
	return text.OneLine(name+" "+version, summaryRunes), err
}

// byProgram has a notification shown by a program that ends by itself at once. It gets the
// text after args.
func byProgram(name string, args ...string) desktopWay {
	show := func(ctx context.Context, n notification) (undo, error) {
		cmd := exec.CommandContext(ctx, name, slices.Concat(args, []string{n.summary, n.body})...)
		cmd.WaitDelay = outputGrace
		said, err := cmd.CombinedOutput()
		if err != nil {
			err = fmt.Errorf("%w: %s", err, text.OneLine(string(said), errorRunes))
		}
		return nil, err
	}
	return desktopWay{name, show, func(context.Context) (string, error) { return exec.LookPath(name) }}
}
