// Package push tells the person's phone by ntfy (https://docs.ntfy.sh/publish/) that a
// question waits.
//
// It posts to the topic that it is given, and to nowhere else. The rules that must hold
// here: neither a message nor the token reaches another server than the topic's, what a
// server says is in no error, and no answer comes from that server: the phone sends what a
// button does to the address that the message names.
package push

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/settings/private"
)

// Message appears on a phone.
type Message struct {
	To     string `json:"to"` // the topic's URL
	ID     string `json:"id"` // its sequence id: what is sent again under it takes the place of what there is; may be empty
	Title  string `json:"title"`
	Body   string `json:"body"`
	Urgent bool   `json:"urgent"`
	Click  string `json:"-"` // what a touch opens; may be empty
	// Buttons, three at most, show below it; everybody who knows the topic sees all of them.
	Buttons []Button `json:"-"`
}

// Button posts Body, which is JSON, to URL when it is pressed.
type Button struct{ Label, URL, Body string }

// MarshalJSON writes it as ntfy does (https://docs.ntfy.sh/publish/#action-buttons). The
// message goes from the phone's list when the button has done what it does.
func (b Button) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{"action": "http", "label": b.Label, "url": b.URL, "method": http.MethodPost, "body": b.Body,
		"headers": map[string]string{"Content-Type": "application/json"}, "clear": true})
}

// Topic takes messages.
type Topic struct {
	server url.URL
	name   string
	token  string
	// first passes before the second try, and longer each time; patience ends the tries.
	first, patience time.Duration
	after           func(time.Duration) <-chan time.Time
	tokenFile       string
	// Failed gets the error of a try after which there is another.
	Failed func(error)
	client http.Client
}

// tryLimit bounds one try.
const tryLimit = 10 * time.Second

// topicName matches what ntfy accepts as one.
var topicName = regexp.MustCompile(`^[-_A-Za-z0-9]{1,64}$`)

// Open opens the topic at an address, with the person's token for it, if there is one.
func Open(address string) (*Topic, error) {
	home, _ := os.UserHomeDir()
	return open(address, host.Dir(home, os.Getenv("XDG_CONFIG_HOME"), ".config"), os.Getenv(tokenVariable))
}

// open takes the directory of settings and the variable's value for Open.
func open(address, config, variable string) (*Topic, error) {
	tokenFile := filepath.Join(config, "askpane", "push-token")
	const example = "askpane settings set pushUrl https://ntfy.sh/TOPIC, with a name nobody guesses"
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "":
		return nil, hint.New(example, "pushUrl is not the URL of a topic")
	case u.User != nil:
		return nil, hint.New("write a token to "+tokenFile+", with mode 0600", "pushUrl has a password in it, which would be seen")
	case !topicName.MatchString(strings.TrimPrefix(u.Path, "/")):
		return nil, hint.New(example, "pushUrl names no topic, which is one word of letters, digits, - and _ after the server")
	}
	t := &Topic{server: url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/"}, name: strings.TrimPrefix(u.Path, "/"),
		first: 2 * time.Second, patience: 15 * time.Minute, after: time.After, tokenFile: tokenFile, Failed: func(error) {}}
	t.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	said := []byte(variable)
	if strings.TrimSpace(variable) == "" {
		said, err = private.Bytes(tokenFile)
	}
	t.token = strings.TrimSpace(string(said))
	switch {
	case errors.Is(err, os.ErrNotExist): // then there is no token
		err = nil
	case err == nil && strings.ContainsFunc(t.token, func(r rune) bool { return r <= ' ' || r > '~' }):
		err = hint.New("write it anew", "the token in %s or %s is not one word", tokenFile, tokenVariable)
	}
	return t, err
}

// String says where it posts, without the topic's name, which on an open server is all
// that keeps others out.
func (t *Topic) String() string {
	said := t.server.Host
	if t.token != "" {
		said += ", with a token"
	}
	if ip := net.ParseIP(t.server.Hostname()); t.server.Scheme == "http" && t.server.Hostname() != "localhost" && !ip.IsLoopback() {
		said += ", without TLS, so that others on the way may read it"
	}
	return said
}

// Send posts a message, and tries again as long as that may help.
func (t *Topic) Send(ctx context.Context, m Message) error {
	priority, tag := 3, "speech_balloon"
	if m.Urgent {
		priority, tag = 4, "warning"
	}
	said := map[string]any{"topic": t.name, "title": m.Title, "message": m.Body, "priority": priority, "tags": []string{tag}, "click": m.Click}
	if len(m.Buttons) > 0 {
		said["actions"] = m.Buttons
	}
	body, err := json.Marshal(said)
	if err != nil {
		return err
	}
	until := time.Now().Add(t.patience)
	for pause := t.first; ; pause = min(2*pause, time.Minute) {
		again, err := t.post(ctx, body, m.ID)
		wait := max(pause, again)
		if err == nil || again < 0 || ctx.Err() != nil || time.Now().Add(wait).After(until) {
			return err
		}
		t.Failed(err)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-t.after(wait):
		}
	}
}

// never says that another try cannot help.
const never = time.Duration(-1)

// post tries once. It returns how long the server wants to be left alone, or never.
func (t *Topic) post(ctx context.Context, body []byte, id string) (again time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, tryLimit)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, t.server.String(), bytes.NewReader(body))
	if err != nil {
		return never, err
	}
	request.Header.Set("Content-Type", "application/json")
	if id != "" {
		request.Header.Set("X-Sequence-ID", id)
	}
	if t.token != "" {
		request.Header.Set("Authorization", "Bearer "+t.token)
	}
	response, err := t.client.Do(request)
	if err != nil {
		return 0, fmt.Errorf("post to %s: %w", t.server.Host, bare(err))
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return t.refused(response)
	}
	var took struct{ ID, Event string }
	if json.NewDecoder(io.LimitReader(response.Body, 64<<10)).Decode(&took) != nil || took.ID == "" || took.Event != "message" {
		return never, hint.New("see that pushUrl leads to an ntfy server", "%s does not answer as ntfy does", t.server.Host)
	}
	return 0, nil
}

// refused explains why the server did not take a message.
func (t *Topic) refused(r *http.Response) (again time.Duration, err error) {
	err = fmt.Errorf("%s refuses it with status %d", t.server.Host, r.StatusCode)
	switch {
	case r.StatusCode/100 == 3:
		return never, hint.New("set pushUrl to where the topic is, if you trust that", "%s sends it on to another address, which is not followed", t.server.Host)
	case r.StatusCode == http.StatusUnauthorized, r.StatusCode == http.StatusForbidden:
		return never, hint.New("write a token that may write to the topic to "+t.tokenFile+", with mode 0600", "%w", err)
	case r.StatusCode == http.StatusTooManyRequests, r.StatusCode >= 500:
		return retryAfter(r.Header.Get("Retry-After")), err
	}
	return never, err
}

// retryAfter reads how long a server wants to be left alone: seconds, or a date.
func retryAfter(said string) time.Duration {
	if seconds, err := strconv.Atoi(said); err == nil {
		return time.Duration(min(max(seconds, 0), 24*60*60)) * time.Second
	}
	at, _ := http.ParseTime(said) // the zero time, which is past, where it is neither
	return max(0, time.Until(at))
}

// bare takes the address off an error, and the words of Go where a server is slow.
func bare(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return errors.New("it does not answer in time")
	}
	if u := (*url.Error)(nil); errors.As(err, &u) {
		return u.Err
	}
	return err
}

// tokenVariable holds a token, which counts before the file's.
const tokenVariable = "ASKPANE_PUSH_TOKEN"
