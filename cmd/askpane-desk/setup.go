package main

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/cmd/internal/programs"
	"github.com/askpane/askpane/integrations/chat/account"
	"github.com/askpane/askpane/popup/chat"
)

// untilTold makes a command that ends when the process is told to.
func untilTold(do func(context.Context, *cli.Context) error) cli.ActionFunc {
	return func(c *cli.Context) error {
		ctx, stop := programs.UntilTold()
		defer stop()
		err := do(ctx, c)
		if err != nil && ctx.Err() != nil {
			err = programs.With(programs.Aborted, errors.New("given up; the chat is as it was"))
		}
		return err
	}
}

// setUp sets up a bot of the person's as the chat.
func setUp(ctx context.Context, c *cli.Context) error {
	service, err := account.Of(c.Args().First())
	if err != nil {
		return programs.With(programs.BadUsage, err)
	}
	in := bufio.NewReader(os.Stdin)
	secret, err := token(ctx, c, service, in)
	if err != nil {
		return err
	}
	bot, err := service.Open(secret, c.String("channel"))
	if err != nil {
		return err
	}
	greeting, err := bot.Greet(ctx)
	if err != nil {
		return err
	}
	fmt.Println(greeting)
	ctx, dir, release, err := alone(ctx)
	if err != nil {
		return err
	}
	defer release()
	a := account.Account{Service: service.Name, Token: account.Secret(secret), Channel: c.String("channel"), Place: "channel " + c.String("channel")}
	if a.Channel == "" {
		places, err := bot.Find(ctx, func(s string) { fmt.Println(s) })
		if err != nil {
			return cmp.Or(context.Cause(ctx), err)
		}
		place, err := choose(ctx, places, in)
		if err != nil {
			return cmp.Or(context.Cause(ctx), err)
		}
		a.Channel, a.Place = place.ID, place.Words
	}
	old, gone := account.Load(dir) // of one that cannot be read, nothing can be kept
	same := gone == nil && old.Service == a.Service && old.Channel == a.Channel
	if same {
		a.Users = old.Users
	}
	if err := allow(ctx, c, a, dir); err != nil || gone != nil {
		return err
	}
	if same { // perhaps it is the same bot, whose token before is refused now
		old.Token = a.Token
	}
	withdraw(ctx, old, dir)
	return nil
}

// alone takes the bot over for this command, for aloneLimit: meanwhile nothing is posted.
func alone(ctx context.Context) (_ context.Context, dir string, release func(), err error) {
	dir, free, err := account.Alone(ctx)
	ctx, cancel := context.WithTimeoutCause(ctx, aloneLimit, fmt.Errorf("given up after %.0f minutes; the chat is as it was", aloneLimit.Minutes()))
	return ctx, dir, func() { cancel(); free() }, err
}

const aloneLimit = 10 * time.Minute

// token reads the bot's token: from a file, or standard input, where it is typed unseen.
func token(ctx context.Context, c *cli.Context, service account.Service, in *bufio.Reader) (string, error) {
	var given []byte
	var err error
	switch path := c.String("token-file"); {
	case path != "":
		given, err = os.ReadFile(path)
	case term.IsTerminal(int(os.Stdin.Fd())):
		for i, step := range service.Steps {
			fmt.Printf("%d. %s\n", i+1, step)
		}
		fmt.Print("\nToken (it is not shown): ")
		if echoes, e := term.GetState(int(os.Stdin.Fd())); e == nil {
			defer term.Restore(int(os.Stdin.Fd()), echoes)
		}
		given, err = programs.Read(ctx, func() ([]byte, error) { return term.ReadPassword(int(os.Stdin.Fd())) })
		fmt.Println()
	default:
		given, err = programs.Read(ctx, func() ([]byte, error) { return in.ReadBytes('\n') })
		if errors.Is(err, io.EOF) { // a last line without an end
			err = nil
		}
	}
	if err == nil && len(strings.TrimSpace(string(given))) == 0 {
		err = programs.With(programs.BadUsage, hint.New("give it by --token-file, or on standard input", "there is no token"))
	}
	return strings.TrimSpace(string(given)), err
}

// choose has the person choose a place, if there are several.
func choose(ctx context.Context, places []chat.Place, in *bufio.Reader) (chat.Place, error) {
	if len(places) == 1 {
		fmt.Printf("Questions go to %s.\n", places[0].Words)
		return places[0], nil
	}
	for i, p := range places {
		fmt.Printf("%3d  %s (%s)\n", i+1, p.Words, p.ID)
	}
	for {
		fmt.Printf("Where do questions go? Number, 1 to %d: ", len(places))
		line, err := programs.Read(ctx, func() (string, error) { return in.ReadString('\n') })
		if ctx.Err() != nil {
			return chat.Place{}, err
		}
		if n, e := strconv.Atoi(strings.TrimSpace(line)); e == nil && n >= 1 && n <= len(places) {
			return places[n-1], nil
		}
		if err != nil {
			return chat.Place{}, programs.With(programs.BadUsage, hint.New("name one by --channel ID", "the bot sees %d channels", len(places)))
		}
	}
}

// allow has somebody put themselves on the list of those who may answer, and keeps it.
func allow(ctx context.Context, _ *cli.Context, a account.Account, dir string) error {
	channel, err := a.Open()
	if err != nil {
		return err
	}
	if err := channel.Check(ctx); err != nil {
		return err
	}
	user, took, err := meet(ctx, channel)
	if err != nil {
		return err
	}
	a.Users = append(slices.DeleteFunc(a.Users, func(u chat.User) bool { return u.ID == user.ID }), user)
	if err := a.Save(dir); err != nil {
		return err
	}
	fmt.Printf("You are %s (%s), and may answer questions in %s. The way back took %d ms.\n", text.OneLine(user.Name, 40), user.ID, a.Place, took.Milliseconds())
	return nil
}

// A code has so many characters, and so many wrong ones may be typed.
const (
	codeLength = 6
	codeTries  = 5
)

// meeting holds a test question, and who answers it with the code that is shown here.
type meeting struct {
	id, code string
	tries    int
	pressed  map[string]bool // by whom
	who      chat.User
	met      chan time.Duration // how long the way back was
	fail     context.CancelCauseFunc
}

// handle answers what somebody has done.
func (m *meeting) handle(e chat.Event) {
	began, reply := time.Now(), chat.Reply{}
	switch {
	case m.who.ID != "":
		reply.Notice = "Somebody was faster."
	case e.ID == m.id:
		m.pressed[e.User.ID] = true
		reply.Entry = &chat.Entry{ID: m.id + ".code", Title: "askpane", Label: "The code in the terminal", Hint: strings.Repeat("X", codeLength)}
	case e.ID != m.id+".code":
		reply.Notice = chat.BeingSetUp
	case !m.pressed[e.User.ID]: // a service may have others type there, and as somebody else
		reply.Notice = "Press “That is me” first."
	case subtle.ConstantTimeCompare([]byte(strings.ToUpper(strings.TrimSpace(e.Text))), []byte(m.code)) == 1:
		m.who = e.User
		defer func() { m.met <- time.Since(began) }()
	default:
		if m.tries--; m.tries == 0 {
			defer m.fail(fmt.Errorf("a wrong code was typed %d times, the last time by %s (%s)", codeTries, text.OneLine(e.User.Name, 40), e.User.ID))
		}
		reply.Notice = fmt.Sprintf("That is not the code. Tries that are left: %d.", m.tries)
	}
	if err := e.Reply(reply); err != nil {
		programs.Warn(err)
	}
}

// meet posts a test question, and waits for who answers it. It returns how long the way back
// took.
func meet(ctx context.Context, channel chat.Channel) (who chat.User, took time.Duration, err error) {
	ctx, fail := context.WithCancelCause(ctx)
	m := &meeting{id: chat.Setup + "." + rand.Text()[:10], code: rand.Text()[:codeLength], tries: codeTries, pressed: map[string]bool{}, met: make(chan time.Duration, 1), fail: fail}
	up, connected := context.WithCancel(ctx)
	var listening sync.WaitGroup
	listening.Go(func() {
		fail(channel.Listen(ctx, m.handle, func(err error) {
			if err == nil {
				connected()
			} else if ctx.Err() == nil {
				programs.Warn(err)
			}
		}))
	})
	defer listening.Wait()
	defer fail(nil)
	<-up.Done()
	question := chat.Message{Key: m.id, Blocks: []chat.Block{{Text: "askpane", Style: chat.Heading}, {Text: "Who is to answer questions here presses the button, and types the code that the terminal shows."},
		{Buttons: []chat.Button{{ID: m.id, Label: "That is me", Primary: true}}}}}
	ref, err := "", context.Cause(ctx)
	if err == nil {
		ref, err = channel.Post(ctx, question)
	}
	if err != nil {
		return who, 0, err
	}
	fmt.Printf("Press “That is me” in the chat, and type this code there: %s\n", m.code)
	over := chat.Message{State: chat.Over, Blocks: []chat.Block{question.Blocks[0], {Text: "Nobody has typed the code.", Style: chat.Dim}}}
	select {
	case took = <-m.met:
		who, over.State, over.Blocks[1].Text = m.who, chat.Answered, m.who.Name+" may answer here."
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	last, done := context.WithTimeout(context.WithoutCancel(ctx), checkLimit)
	defer done()
	if e := channel.Edit(last, ref, over); e != nil {
		programs.Warn(fmt.Errorf("the test question cannot be closed: %w", e))
	}
	return who, took, err
}

// changed makes a command that takes the chat over from the desk and changes it.
func changed(change func(ctx context.Context, c *cli.Context, a account.Account, dir string) error) func(context.Context, *cli.Context) error {
	return func(ctx context.Context, c *cli.Context) error {
		ctx, dir, release, err := alone(ctx)
		if err != nil {
			return err
		}
		defer release()
		a, err := account.Load(dir)
		if errors.Is(err, fs.ErrNotExist) {
			return hint.New(account.SetUp(), "no chat is set up")
		}
		if err != nil {
			return err
		}
		return change(ctx, c, a, dir)
	}
}

// disallow takes somebody off the list of those who may answer.
func disallow(_ context.Context, c *cli.Context, a account.Account, dir string) error {
	id := c.Args().First()
	if !a.May(id) {
		return programs.Usage("%s is not the id of anybody who may answer; askpane chat shows them", text.Quoted(id, 40))
	}
	a.Users = slices.DeleteFunc(a.Users, func(u chat.User) bool { return u.ID == id })
	if err := a.Save(dir); err != nil {
		return err
	}
	fmt.Printf("%s may not answer any more.\n", id)
	if len(a.Users) == 0 {
		fmt.Println("That was the last: no question waits for the chat until askpane chat allow.")
	}
	return nil
}

// off closes what is posted and forgets the token.
func off(ctx context.Context, _ *cli.Context, a account.Account, dir string) error {
	withdraw(ctx, a, dir)
	err := os.Remove(filepath.Join(dir, account.File))
	if err == nil {
		fmt.Println("The token is removed, and nothing is posted any more. The bot itself is yours to delete, at the service.")
	}
	return err
}

// withdraw closes what is posted. Where that fails it stays as it is: clicks on it do nothing.
func withdraw(ctx context.Context, a account.Account, dir string) {
	ctx, cancel := context.WithTimeout(ctx, checkLimit)
	defer cancel()
	channel, err := a.Open()
	if err == nil {
		err = chat.Withdraw(ctx, chat.Config{Channel: channel, Dir: dir, Log: programs.Warn})
	}
	if err != nil {
		programs.Warn(fmt.Errorf("what is posted stays there, and does nothing: %w", err))
		_ = os.Remove(filepath.Join(dir, chat.PostedFile(a.Service)))
	}
}
