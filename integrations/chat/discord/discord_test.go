package discord

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/popup/chat"
	"github.com/askpane/askpane/tests/chat/desktest"
	"github.com/askpane/askpane/tests/chat/discordtest"
)

func TestMain(m *testing.M) { desktest.Main(m) }

// start is a fake Discord and the bot's channel there.
func start(t *testing.T) (*discordtest.Server, *Channel) {
	t.Helper()
	s := discordtest.Start(t)
	way := s.Client()
	t.Cleanup(way.CloseIdleConnections)
	c, err := Open(discordtest.Token, discordtest.ChannelID, way)
	if err != nil {
		t.Fatal(err)
	}
	c.Patience = desktest.Patient // this machine may be busy
	return s, c
}

func post(t *testing.T, c *Channel, m chat.Message) (ref string) {
	t.Helper()
	ref, err := c.Post(t.Context(), m)
	if err != nil {
		t.Fatalf("the message is not posted: %v", err)
	}
	return ref
}

var (
	prompt = chat.Message{Blocks: []chat.Block{
		{Text: "Which approach for the cache layer?"},
		{Separator: true},
		{Text: "Fast, in-memory, needs separate service"},
		{Buttons: []chat.Button{{ID: "01JX.1.choose.0", Label: "Redis", Emoji: "⚡"}}},
		{Buttons: []chat.Button{{ID: "01JX.1.choose.1", Label: "Postgres", Emoji: "🐘"}}},
		{Buttons: []chat.Button{{ID: "01JX.1.choose.2", Label: "Skip caching", Emoji: "⏭️"}}},
	}}
	regions = chat.Message{Blocks: []chat.Block{
		{Text: "Regions", Style: chat.Heading},
		{Select: &chat.Select{ID: "01JX.2.tick", Many: true, Choices: []chat.Choice{{Value: "0", Label: "eu-central-1", Chosen: true}, {Value: "1", Label: "eu-west-1"}}}},
		{Buttons: []chat.Button{{ID: "01JX.2.commit", Label: "Next", Primary: true}, {ID: "01JX.2.other", Label: "Other…"}}},
	}}
	over = chat.Message{State: chat.Over, Blocks: []chat.Block{{Text: "Which approach for the cache layer?"}, {Text: "Expired", Style: chat.Heading}}}
)

// TestTextIsNoMarkup has nothing in a text mean anything to Discord.
func TestTextIsNoMarkup(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain words, 12 of them. Here!":                    "plain words, 12 of them. Here!",
		"**bold** _it_ ~~no~~ ||spoiler||":                  `\*\*bold\*\* \_it\_ \~\~no\~\~ \|\|spoiler\|\|`,
		"@everyone <@1> <#2> <@&3> <t:4:R>":                 `\@everyone \<\@1\> \<#2\> \<\@&3\> \<t\:4\:R\>`,
		"[here](https://evil.example)":                      `\[here](https\://evil.example)`,
		"# big\n-# small\n> said\n- one\n1. two\n  * three": "\\# big\n\\-# small\n\\> said\n\\- one\n1\\. two\n\\* three",
		"`code` and ```block```":                            "\\`code\\` and \\`\\`\\`block\\`\\`\\`",
		":tada: a\\b":                                       `\:tada\: a\\b`,
	} {
		if got := styled(text, chat.Plain); got != want && !strings.Contains(text, "three") || strings.ReplaceAll(got, "  ", "") != strings.ReplaceAll(want, "  ", "") {
			t.Errorf("%q is shown by\n%s, want\n%s", text, got, want)
		}
	}
	for _, text := range []string{"https://evil.example", "see HTTP://evil.example.", "steam://evil", "(https://a.example)https://b.example", "https:https://evil.example",
		"\\https://evil.example", "<https://evil.example>", "discord://evil", "mailto:a@evil.example"} {
		for _, style := range []chat.Style{chat.Plain, chat.Heading, chat.Dim} {
			if got := styled(text, style); regexp.MustCompile(`(^|[^\\])(\\\\)*[:<@]`).MatchString(got) {
				t.Errorf("%q is shown by %s, in which Discord finds an address", text, got)
			}
		}
	}
	if got := styled("The page: http://10.0.0.7:7788/#q=1", chat.Address); got != "The page: http://10.0.0.7:7788/#q=1" {
		t.Errorf("our own address is shown by %q", got)
	}
	if got := styled("one `````` two", chat.Fixed); strings.Count(got, "```") != 2 {
		t.Errorf("a text in a block ends it: %q", got)
	}
	if got := styled("two\n\nlines", chat.Heading); got != "**two**\n\n**lines**" {
		t.Errorf("a heading of two lines is %q", got)
	}
}

// TestTakesEveryForm goes through forms of all kinds, in which Discord finds nothing to refuse.
func TestTakesEveryForm(t *testing.T) {
	t.Parallel()
	c, err := Open(discordtest.Token, discordtest.ChannelID, nil)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(m chat.Message, emojis bool) string {
		return discordtest.Refuses(content{Flags: componentsV2, Mentions: nobody, Components: render(m, emojis)})
	}
	desktest.Walk(t, c, func(m chat.Message) {
		wrong := refused(m, true)
		if strings.Contains(wrong, "emoji") { // as TestWhatDiscordRefusesGoes
			wrong = refused(m, false)
		}
		if wrong != "" {
			t.Errorf("%s in %+v", wrong, m)
		}
	}, func(r chat.Reply) {
		if wrong := discordtest.RefusesReply(reply(r)); wrong != "" {
			t.Errorf("%s in %+v", wrong, r)
		}
	})
}

// TestUnfit has what Discord refuses after all said, and not tried again.
func TestUnfit(t *testing.T) {
	t.Parallel()
	s, c := start(t)
	s.Tolerate("50035")
	if _, err := c.Post(t.Context(), chat.Message{}); !errors.Is(err, chat.ErrUnfit) {
		t.Errorf("a message with nothing in it: %v", err)
	}
	page := refusal{status: 502, body: "<html>\n\x1b[31m" + strings.Repeat("Bad gateway ", 99)} // of who stands before Discord
	if said := page.Error(); strings.ContainsAny(said, "\n\x1b") || len(said) > 300 {
		t.Errorf("a page of HTML is %q", said)
	}
}

func TestWhatDiscordRefusesGoes(t *testing.T) {
	t.Parallel()
	s, c := start(t)
	s.RefuseEmoji("🦣")
	post(t, c, chat.Message{Blocks: []chat.Block{{Text: "?"},
		{Buttons: []chat.Button{{ID: "a", Label: "Mammoth", Emoji: "🦣"}}},
		{Select: &chat.Select{ID: "b", Choices: []chat.Choice{{Value: "0", Label: "Go", Emoji: "rocket"}}}}}})
	controls := s.Messages()[0].Controls()
	if len(controls) != 2 || controls["🦣 Mammoth"] != "a" || controls["rocket Go"] != "b=0" {
		t.Errorf("it has %v", controls)
	}
}

func TestPostAndEdit(t *testing.T) {
	t.Parallel()
	s, c := start(t)
	ref := post(t, c, prompt)
	if err := c.Edit(t.Context(), ref, over); err != nil {
		t.Fatal(err)
	}
	m := s.Messages()[0]
	if m.Edits != 1 || len(m.Controls()) != 0 || m.Colour() != colours[chat.Over] || !strings.Contains(m.Text(), "Expired") {
		t.Errorf("the message is now %s", m.Content)
	}
	s.Delete(m.ID)
	if err := c.Edit(t.Context(), ref, prompt); !errors.Is(err, chat.ErrGone) {
		t.Errorf("a message that was deleted: %v", err)
	}
	s.Permit(1 << 10)
	if _, err := c.Post(t.Context(), prompt); !errors.Is(err, chat.ErrNoPlace) {
		t.Errorf("without the right to write: %v", err)
	}
	s.Revoke()
	if _, err := c.Post(t.Context(), prompt); !errors.Is(err, chat.ErrRefused) || strings.Contains(err.Error(), discordtest.Token) {
		t.Errorf("with a token that was revoked: %v", err)
	}
}

// TestAPostWhoseAnswerIsLost is one message all the same.
func TestAPostWhoseAnswerIsLost(t *testing.T) {
	t.Parallel()
	s, c := start(t)
	s.Lose(1)
	keyed := prompt
	keyed.Key = strings.Repeat("K", 25)
	if ref, err := c.Post(t.Context(), keyed); err == nil {
		t.Errorf("%s is posted, of which nothing was heard", ref)
	}
	ref := post(t, c, keyed)
	if all := s.Messages(); len(all) != 1 || ref != discordtest.ChannelID+"/"+all[0].ID {
		t.Errorf("%s, and there are %d messages", ref, len(all))
	}
	// Another desk posts it, after the message was closed.
	if err := c.Edit(t.Context(), ref, chat.Message{State: chat.Over, Blocks: []chat.Block{{Text: "Closed."}}}); err != nil {
		t.Fatal(err)
	}
	again := post(t, c, keyed)
	if all := s.Messages(); again != ref || len(all) != 1 || len(all[0].Controls()) == 0 {
		t.Errorf("%s, then %s: %s", ref, again, all[0].Text())
	}
}

// TestWaitingIsObeyed where Discord says it in any of its ways: the fake's errors are of
// requests that come too early.
func TestWaitingIsObeyed(t *testing.T) {
	t.Parallel()
	for name, limit := range map[string]func(*discordtest.Server){
		"refused":       func(s *discordtest.Server) { s.Limit(http.MethodPatch, 1, time.Second) },
		"by Cloudflare": func(s *discordtest.Server) { s.Terse = true; s.Limit(http.MethodPatch, 1, 2*time.Second) },
		"spent":         func(s *discordtest.Server) { s.Spend(http.MethodPatch, time.Second) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, c := start(t)
			ref := post(t, c, prompt)
			limit(s)
			for range 2 {
				if err := c.Edit(t.Context(), ref, prompt); err != nil {
					t.Fatal(err)
				}
			}
			if n := s.Counts().Limited; n > 1 || s.Messages()[0].Edits != 2 {
				t.Errorf("%d requests were told to wait, with %d edits", n, s.Messages()[0].Edits)
			}
		})
	}
}

// TestWaitingEnds with who waits.
func TestWaitingEnds(t *testing.T) {
	t.Parallel()
	s, c := start(t)
	ref := post(t, c, prompt)
	for _, method := range []string{http.MethodPost, http.MethodPatch, http.MethodGet} {
		s.Limit(method, 1, time.Hour)
	}
	patience := time.Second // of who is told to wait, which may take that long to arrive
	for range 2 {
		for what, do := range map[string]func(context.Context) error{
			"post":  func(ctx context.Context) error { _, err := c.Post(ctx, prompt); return err },
			"edit":  func(ctx context.Context) error { return c.Edit(ctx, ref, prompt) },
			"check": func(ctx context.Context) error { return c.Check(ctx) },
			"find":  func(ctx context.Context) error { _, err := c.Find(ctx, func(string) {}); return err },
			"greet": func(ctx context.Context) error { _, err := c.Greet(ctx); return err },
		} {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			if err := do(ctx); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "discord wants to be left alone until ") {
				t.Errorf("%s: who gives up waiting gets %v", what, err)
			}
			cancel()
			patience = 500 * time.Millisecond // of who comes after, and has to get as far as that, also beside other work
		}
	}
}

// Who gives up where nothing was limited is not told that Discord wants to be left alone.
func TestGivenUp(t *testing.T) {
	t.Parallel()
	_, c := start(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 20 {
		if err := c.Check(ctx); !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "left alone") {
			t.Fatalf("it is told %v", err)
		}
	}
}

func TestSetup(t *testing.T) {
	t.Parallel()
	s, c := start(t)
	greeting, err := c.Greet(t.Context())
	if err != nil || !strings.HasPrefix(greeting, "The bot is askpane-bot. ") || !strings.Contains(greeting, " https://discord.com/oauth2/authorize?client_id=100&scope=bot&permissions=3072\n") {
		t.Errorf("the greeting is %q, %v", greeting, err)
	}
	places, err := c.Find(t.Context(), func(said string) { t.Error(said) })
	if err != nil || len(places) != 1 || places[0] != (chat.Place{ID: discordtest.ChannelID, Words: "#questions of Workshop"}) {
		t.Errorf("the places are %+v, %v", places, err)
	}
	if err := c.Check(t.Context()); err != nil {
		t.Errorf("the check says %v", err)
	}
	s.Permit(1 << 10)
	if err := c.Check(t.Context()); !errors.Is(err, chat.ErrNoPlace) || !strings.Contains(err.Error(), "give askpane-bot there the rights View Channel and Send Messages") {
		t.Errorf("without a right the check says %v", err)
	}
	s.Revoke()
	if err := c.Check(t.Context()); !errors.Is(err, chat.ErrRefused) {
		t.Errorf("with a token that was revoked the check says %v", err)
	}
	for _, bad := range [][2]string{{"", "1"}, {"a b", "1"}, {"token", "#general"}} {
		if _, err := Open(bad[0], bad[1], nil); err == nil {
			t.Errorf("%q is opened", bad)
		}
	}
}
