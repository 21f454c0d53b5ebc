package tests

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/askpane/askpane/integrations/chat/account"
	"github.com/askpane/askpane/tests/chat/chattest"
	"github.com/askpane/askpane/tests/chat/discordtest"
	"github.com/askpane/askpane/tests/chat/telegramtest"
)

var (
	ada = discordtest.User{ID: "71", Name: "ada"}
	bob = discordtest.User{ID: "72", Name: "bob"}
)

// said runs a command of theirs to its end.
func (p *person) said(args ...string) string {
	p.Helper()
	return p.saidBy(binary, args...)
}

func (p *person) saidBy(program string, args ...string) string {
	p.Helper()
	out, err := p.command(program, args...).CombinedOutput()
	if err != nil {
		p.Fatalf("askpane %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// running is a command of theirs that goes on for a while.
type running struct {
	*person
	cmd   *exec.Cmd
	out   *heard
	ended chan error
}

func (p *person) runs(in string, args ...string) *running {
	p.Helper()
	return p.starts(binary, in, args...)
}

func (p *person) starts(program, in string, args ...string) *running {
	p.Helper()
	r := &running{p, p.command(program, args...), new(heard), make(chan error, 1)}
	r.cmd.Stdin, r.cmd.Stdout, r.cmd.Stderr = strings.NewReader(in), r.out, r.out
	if err := r.cmd.Start(); err != nil {
		p.Fatal(err)
	}
	go func() { r.ended <- r.cmd.Wait() }()
	p.Cleanup(func() { _ = syscall.Kill(-r.cmd.Process.Pid, syscall.SIGTERM) })
	return r
}

// finds waits until it has said what fits, and returns its first group.
func (r *running) finds(pattern string) (group string) {
	r.Helper()
	eventually(r, "it says "+pattern, func() bool {
		m := regexp.MustCompile(pattern).FindStringSubmatch(r.out.String())
		if m != nil {
			group = m[len(m)-1]
		}
		return m != nil
	})
	return group
}

func (r *running) ends(well bool) {
	r.Helper()
	select {
	case err := <-r.ended:
		if (err == nil) != well {
			r.Fatalf("it ends with %v:\n%s", err, r.out)
		}
	case <-time.After(patience):
		r.Fatalf("it does not end:\n%s", r.out)
	}
}

// meets answers the test question of a command by its code, after a wrong one.
func (r *running) meets(d *discordtest.Server, who discordtest.User) {
	r.Helper()
	code := r.finds(`type this code there: ([A-Z0-9]{6})\n`)
	m := d.Await("the test question", func(m discordtest.Message) bool { return m.Controls()["That is me"] != "" })
	if said := d.Click(who, m, "That is me").Submit("AAAAAA").String(); !strings.HasPrefix(said, "notice: That is not the code.") {
		r.Errorf("after a wrong code: %s", said)
	}
	if said := d.Click(who, m, "That is me").Submit(" " + strings.ToLower(code)).String(); said != "taken" {
		r.Errorf("after the code: %s", said)
	}
	r.ends(true)
	r.finds(`You are ` + who.Name + ` \(` + who.ID + `\), and may answer questions in #questions of Workshop\. The way back took \d+ ms\.\n`)
	d.Await("its end", func(m discordtest.Message) bool {
		return len(m.Controls()) == 0 && strings.Contains(m.Text(), who.Name+" may answer here.")
	})
}

// A chat on Discord from the token to its end, as a script sets it up.
func TestChatSetup(t *testing.T) {
	t.Parallel()
	d := discordtest.Start(t)
	p := newPerson(t, newSpool(t), d.Env()...)
	dir := filepath.Join(p.home, ".local/state/askpane/chat")
	if out := p.said("chat"); out != "chat: not set up; askpane chat setup discord, or telegram, has a bot of yours post questions there\n" {
		t.Errorf("before: %s", out)
	}
	setup := p.runs(discordtest.Token+"\n", "chat", "setup", "discord")
	setup.finds(`(?s)The bot is askpane-bot\. .*https://discord\.com/oauth2/authorize\?client_id=100&scope=bot&permissions=3072.*Questions go to #questions of Workshop`)
	setup.meets(d, ada)
	if info, err := os.Stat(filepath.Join(dir, account.File)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file with the token: %v, %v", info, err)
	}
	p.runs("", "chat", "allow").meets(d, bob)
	state := p.said("chat")
	if !regexp.MustCompile(`^discord: #questions of Workshop: token accepted, may write, \d+ ms
users: ada \(71\), bob \(72\) may answer
desk: not running, as no question waits; the next one starts it
$`).MatchString(state) {
		t.Errorf("the state is\n%s", state)
	}
	out, _ := p.command(binary, "doctor").Output() // no form can open here
	_, section, _ := strings.Cut(string(out), "\nchat\n")
	for _, line := range []string{"✓ discord", "✓ users", "✓ desk"} {
		if !strings.Contains(section, line) {
			t.Errorf("doctor does not say %q:\n%s", line, out)
		}
	}
	if out := p.said("chat", "revoke", bob.ID); out != "72 may not answer any more.\n" || strings.Contains(p.said("chat"), "bob") {
		t.Error(out)
	}
	d.Permit(1 << 10)
	if out := p.said("chat"); !strings.Contains(out, "Workshop: the bot may not write there\n  → give askpane-bot there the rights View Channel and Send Messages") {
		t.Errorf("without a right:\n%s", out)
	}
	if out := p.said("chat", "off"); !strings.HasPrefix(out, "The token is removed") {
		t.Error(out)
	}
	if _, err := os.Stat(filepath.Join(dir, account.File)); err == nil {
		t.Error("the file with the token is still there")
	}
	for _, text := range []string{setup.out.String(), state} {
		if strings.Contains(text, discordtest.Token) {
			t.Errorf("the token is shown:\n%s", text)
		}
	}
}

// What cannot be set up is said, and changes nothing.
func TestChatSetupRefused(t *testing.T) {
	t.Parallel()
	d := discordtest.Start(t)
	d.Tolerate("401")
	p := newPerson(t, newSpool(t), d.Env()...)
	for _, c := range []struct{ in, args, want string }{
		{"wrong\n", "Discord", "the token is not valid"},
		{"", "discord", "there is no token; give it by --token-file, or on standard input"},
		{"x\n", "icq", "there is no chat service of the name “icq”"},
		{"x\n", "telegram", "this is no token of a Telegram bot"},
	} {
		r := p.runs(c.in, "chat", "setup", c.args)
		r.ends(false)
		if said := r.out.String(); !strings.Contains(said, c.want) {
			t.Errorf("%q: %q", c.want, said)
		}
	}
	// Who guesses does not get far.
	r := p.runs(discordtest.Token+"\n", "chat", "setup", "discord")
	m := d.Await("the test question", func(m discordtest.Message) bool { return m.Controls()["That is me"] != "" })
	for range 5 {
		d.Click(bob, m, "That is me").Submit("AAAAAA").Wait()
	}
	r.ends(false)
	r.finds(`a wrong code was typed 5 times, the last time by bob \(72\)`)
	if out := p.said("chat"); !strings.HasPrefix(out, "chat: not set up") {
		t.Error(out)
	}
}

// The same on Telegram, where the chat is found by a code, too.
func TestChatSetupTelegram(t *testing.T) {
	t.Parallel()
	const token = "123456789:AAFfake-token-of-this-test"
	group := telegramtest.Chat{ID: -100500, Type: "supergroup", Title: "Builds"}
	eve := telegramtest.User{ID: 73, FirstName: "Eve"}
	s := telegramtest.New(token, group)
	net := chattest.Start(t, map[string]http.Handler{"api.telegram.org": s})
	p := newPerson(t, newSpool(t), net.Env()...)
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := p.runs("", "chat", "setup", "telegram", "--token-file", file)
	start := r.finds(`https://t\.me/askpane_bot\?startgroup=(\w+)`)
	s.Write(eve, group, 0, "/start@askpane_bot "+start)
	code := r.finds(`type this code there: ([A-Z0-9]{6})\n`)
	has := func(what string, so func(telegramtest.Markup) bool) (id int) {
		eventually(t, what, func() bool {
			for _, m := range s.Messages() {
				if m.Markup != nil && so(*m.Markup) {
					id = m.ID
				}
			}
			return id != 0
		})
		return id
	}
	id := has("the test question is posted", func(m telegramtest.Markup) bool { return len(m.Keyboard) == 1 })
	if _, err := s.Press(eve, id, "That is me"); err != nil {
		t.Fatal(err)
	}
	entry := has("the code is asked for", func(m telegramtest.Markup) bool { return m.ForceReply })
	s.Write(eve, group, entry, code)
	r.ends(true)
	r.finds(`You are Eve \(73\), and may answer questions in Builds\.`)
	if out := p.said("chat"); !strings.HasPrefix(out, "telegram: Builds: token accepted") || strings.Contains(r.out.String()+out, token) {
		t.Errorf("%s%s", r.out, out)
	}
}

// At a terminal it says each step, and the token is typed unseen; who ends it there leaves
// a test question that says so.
func TestChatSetupAtATerminal(t *testing.T) {
	t.Parallel()
	s, d := newTmux(t), discordtest.Start(t)
	p := newPerson(t, s.spool, d.Env()...)
	v := s.attach("main", 100, 40)
	begin := func() {
		s.tmux(append([]string{"new-window", "-t", "main:", "--", "env"}, append(p.env, binary, "chat", "setup", "discord")...)...)
	}
	begin()
	v.see("Token (it is not shown):")
	v.press("\x03")
	eventually(t, "it ends", func() bool { return !strings.Contains(v.screen(), "Token (it is not shown):") })
	begin()
	v.see("1. Open https://discord.com/developers/applications and press New Application", "4. There, press Reset Token", "Token (it is not shown):")
	v.press(discordtest.Token)
	d.Leave()
	v.press(enter)
	v.see("The bot is askpane-bot.", "It is in no server yet. This waits until it is.")
	d.Join("lounge")
	v.see("1  #questions of Workshop (300)", "2  #lounge of Workshop (302)", "Where do questions go? Number, 1 to 2:")
	v.press("\x03")
	eventually(t, "it ends", func() bool { return !strings.Contains(v.screen(), "Number, 1 to 2:") })
	begin()
	v.see("Token (it is not shown):")
	v.press(discordtest.Token)
	v.press(enter)
	v.see("Number, 1 to 2:")
	v.press("3")
	v.press(enter)
	eventually(t, "it asks again", func() bool { return strings.Count(v.screen(), "Number, 1 to 2:") == 2 })
	v.press("1")
	v.press(enter)
	v.see("type this code there: ")
	if strings.Contains(v.screen(), discordtest.Token) {
		t.Errorf("the token is shown:\n%s", v.screen())
	}
	d.Await("the test question", func(m discordtest.Message) bool { return m.Controls()["That is me"] != "" })
	v.press("\x03")
	d.Await("its end", func(m discordtest.Message) bool {
		return len(m.Controls()) == 0 && strings.Contains(m.Text(), "Nobody has typed the code.")
	})
	if out := p.said("chat"); !strings.HasPrefix(out, "chat: not set up") {
		t.Error(out)
	}
}
