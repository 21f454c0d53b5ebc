package telegramtest

import (
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// refusal is an answer that is none.
type refusal struct {
	code        int
	description string
	parameters  struct {
		RetryAfter int
		MigrateTo  int64
	}
}

func (r refusal) Error() string { return r.description }

func refuse(code int, description string) error {
	return refusal{code: code, description: description}
}

// params are the parameters of all the methods together.
type params struct {
	ChatID    int64    `json:"chat_id"`
	MessageID int      `json:"message_id"`
	Topic     int      `json:"message_thread_id"`
	Text      string   `json:"text"`
	ParseMode string   `json:"parse_mode"`
	Entities  []Entity `json:"entities"`
	Markup    *Markup  `json:"reply_markup"`
	Preview   struct {
		Disabled bool `json:"is_disabled"`
	} `json:"link_preview_options"`
	Reply struct {
		MessageID    int  `json:"message_id"`
		AllowWithout bool `json:"allow_sending_without_reply"`
	} `json:"reply_parameters"`
	Query   string   `json:"callback_query_id"`
	Alert   bool     `json:"show_alert"`
	Action  string   `json:"action"`
	Offset  int      `json:"offset"`
	Timeout int      `json:"timeout"`
	Allowed []string `json:"allowed_updates"`
}

// parameters reads them from JSON, or from a form in which all but texts is JSON.
func parameters(r *http.Request) (p params, err error) {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind == "application/json" {
		return p, json.NewDecoder(r.Body).Decode(&p)
	}
	if r.ContentLength == 0 {
		return p, nil
	}
	if err := r.ParseMultipartForm(1 << 20); err != nil {
		return p, nil // of a method without parameters
	}
	fields := map[string]json.RawMessage{}
	for name, values := range r.MultipartForm.Value {
		if fields[name] = json.RawMessage(values[0]); name == "text" || name == "callback_query_id" || name == "parse_mode" || name == "action" {
			if !utf8.ValidString(values[0]) {
				return p, fmt.Errorf("strings must be encoded in UTF-8")
			}
			fields[name], _ = json.Marshal(values[0])
		}
	}
	b, err := json.Marshal(fields)
	if err != nil {
		return p, err
	}
	return p, json.Unmarshal(b, &p)
}

// fill gives m the content of p, as far as Telegram would show it.
func (p params) fill(m *Message) error {
	switch n := len(utf16.Encode([]rune(p.Text))); {
	case p.ParseMode != "":
		return refuse(http.StatusBadRequest, "Bad Request: this test wants no parse_mode")
	case strings.TrimSpace(p.Text) == "":
		return refuse(http.StatusBadRequest, "Bad Request: message text is empty")
	case n > 4096:
		return refuse(http.StatusBadRequest, "Bad Request: message is too long")
	}
	if p.Markup != nil {
		if err := p.Markup.check(); err != nil {
			return err
		}
	}
	m.Text, m.Markup, m.Preview = p.Text, p.Markup, !p.Preview.Disabled
	m.Entities = p.Entities[:min(len(p.Entities), 100)] // more are ignored
	units := utf16.Encode([]rune(p.Text))
	for _, e := range m.Entities {
		if e.Offset < 0 || e.Length < 1 || e.Offset+e.Length > len(units) {
			return refuse(http.StatusBadRequest, fmt.Sprintf("Bad Request: entity %+v is outside of the text", e))
		}
	}
	m.Entities = append(slices.Clone(m.Entities), found(units, m.Entities)...)
	return nil
}

// Shown is the message that comes of a text, with what is marked in it and what goes below.
func Shown(text string, entities, markup any) (m Message, err error) {
	var p params
	if err := json.Unmarshal(encoded(map[string]any{"text": text, "entities": entities, "reply_markup": markup}), &p); err != nil {
		return m, err
	}
	return m, p.fill(&m)
}

func same(a, b *Message) bool {
	return a.Text == b.Text && reflect.DeepEqual(a.Entities, b.Entities) && reflect.DeepEqual(a.Markup, b.Markup)
}

// check holds a keyboard to its limits.
func (m *Markup) check() error {
	all := 0
	for _, row := range m.Keyboard {
		if all += len(row); len(row) > 8 || len(row) == 0 || all > 100 {
			return refuse(http.StatusBadRequest, "Bad Request: reply markup is too long")
		}
		for _, b := range row {
			u, err := url.Parse(b.URL)
			switch {
			case strings.TrimSpace(b.Text) == "":
				return refuse(http.StatusBadRequest, "Bad Request: can't parse InlineKeyboardButton: Text must be non-empty")
			case b.Data == "" && b.URL == "":
				return refuse(http.StatusBadRequest, "Bad Request: can't parse InlineKeyboardButton: Text buttons are not allowed in the inline keyboard")
			case len(b.does) > 1:
				return refuse(http.StatusBadRequest, "Bad Request: can't parse InlineKeyboardButton: exactly one field besides text, icon_custom_emoji_id and style must be used, not "+strings.Join(b.does, " and "))
			case len(b.Data) > 64:
				return refuse(http.StatusBadRequest, "Bad Request: BUTTON_DATA_INVALID")
			case b.URL != "" && (err != nil || !strings.Contains(u.Host, ".")):
				return refuse(http.StatusBadRequest, "Bad Request: inline keyboard button URL "+strconv.Quote(b.URL)+" is invalid: Wrong HTTP URL")
			case !slices.Contains([]string{"", "danger", "success", "primary"}, b.Style):
				return refuse(http.StatusBadRequest, "Bad Request: button style is invalid")
			}
		}
	}
	if utf8.RuneCountInString(m.Placeholder) > 64 {
		return refuse(http.StatusBadRequest, "Bad Request: input field placeholder is too long")
	}
	return nil
}

// live is what Telegram finds in a text by itself.
var live = []struct {
	kind string
	form *regexp.Regexp
}{
	{"url", regexp.MustCompile(`(?i)[a-z][a-z0-9+.-]*://[^\s]+|(?:[\pL\pN_-]+\.)+(?:[a-z]{2,24}|рф|xn--[a-z0-9]+)(?:[/?#:][^\s]*)?|\d{1,3}(?:\.\d{1,3}){3}`)},
	{"email", regexp.MustCompile(`[\w.+-]+@[\w-]+(?:\.[\w-]+)+`)},
	{"mention", regexp.MustCompile(`(?:^|\W)(@\w{2,32})`)},
	{"hashtag", regexp.MustCompile(`(?:^|[^\pL\pN_])(#[\pL\pN_]*\pL[\pL\pN_]*)`)},
	{"cashtag", regexp.MustCompile(`(?:^|\W)(\$(?:1INCH|[A-Z]{1,8}))(?:$|\W)`)},
	{"bank_card", regexp.MustCompile(`\d(?:[ -]*\d){12,18}`)},
	{"phone_number", regexp.MustCompile(`\+\d[\d-]{6,}`)},
	{"bot_command", regexp.MustCompile(`(?:^|[^\w/<>])(/\w{1,64})(?:$|[^\w/<>])`)},
}

// found are the parts that do something at a touch. In code, and where there is an
// address already, Telegram looks for none.
func found(units []uint16, marked []Entity) (all []Entity) {
	s := string(utf16.Decode(units))
	for _, l := range live {
		for _, at := range l.form.FindAllStringSubmatchIndex(s, -1) {
			at = at[len(at)-2:]
			e := Entity{Type: l.kind, Offset: len(utf16.Encode([]rune(s[:at[0]]))), Length: len(utf16.Encode([]rune(s[at[0]:at[1]])))}
			if !slices.ContainsFunc(marked, func(m Entity) bool {
				return slices.Contains([]string{"code", "pre", "text_link", "text_mention"}, m.Type) && m.Offset < e.Offset+e.Length && e.Offset < m.Offset+m.Length
			}) {
				all = append(all, e)
			}
		}
	}
	return all
}
