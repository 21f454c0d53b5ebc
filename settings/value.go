package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/askpane/askpane/bridge/text/hint"
)

// These bound what one setting may hold: nobody needs more, and a file that has it is not a
// person's.
const (
	mostText = 4096 // bytes
	mostList = 100  // elements
)

// Parse reads a value from text, as in a variable or on a command line, and
// checks it. A list has commas between its elements, or is a JSON array.
func (f Field) Parse(text string) (any, error) {
	v, err := f.read(text)
	return f.check(v, err, strconv.Quote(text))
}

// decode reads a value from a file, which is valid JSON, and checks it.
func (f Field) decode(raw json.RawMessage) (any, error) {
	v, err := f.unmarshal(raw)
	return f.check(v, err, string(raw))
}

// read reads a value from text. A number is a float64 until it is checked.
func (f Field) read(text string) (any, error) {
	switch f.zero.(type) {
	case bool:
		if text == "on" || text == "off" { // as the menu says it
			return text == "on", nil
		}
		return strconv.ParseBool(text)
	case int, float64:
		return strconv.ParseFloat(text, 64)
	case string:
		return text, nil
	}
	if text = strings.TrimSpace(text); strings.HasPrefix(text, "[") {
		return f.unmarshal([]byte(text))
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
	for i, w := range words {
		words[i] = strings.TrimSpace(w)
	}
	if _, ofTexts := f.zero.([]string); ofTexts {
		return words, nil
	}
	return f.unmarshal([]byte("[" + strings.Join(words, ",") + "]"))
}

// unmarshal reads a value from JSON.
func (f Field) unmarshal(raw []byte) (any, error) {
	into := reflect.New(reflect.TypeOf(f.zero))
	if into.Elem().CanInt() {
		into = reflect.ValueOf(new(float64)) // 300.0 is as whole as 300
	}
	if string(raw) == "null" { // which would leave it as it is
		return nil, errors.New("null is no value")
	}
	err := json.Unmarshal(raw, into.Interface())
	return into.Elem().Interface(), err
}

// check returns what was read in the setting's own type, if the setting may be that; an error
// calls it got.
func (f Field) check(v any, err error, got string) (any, error) {
	if err != nil || !f.fits(v) {
		return nil, f.refuse(got)
	}
	if list := reflect.ValueOf(v); list.Kind() == reflect.Slice {
		if list.Len() > mostList {
			return nil, fmt.Errorf("expected at most %d elements, got %d", mostList, list.Len())
		}
		for _, e := range list.Seq2() {
			if !f.fits(e.Interface()) {
				return nil, f.refuse(hint.JSON(e.Interface()))
			}
		}
	}
	return reflect.ValueOf(v).Convert(reflect.TypeOf(f.zero)).Interface(), nil
}

// fits reports whether a number or a text may be the setting, or in its list.
func (f Field) fits(v any) bool {
	switch v := v.(type) {
	case float64:
		_, isWhole := f.zero.(int)
		return v >= f.min && v <= f.max && (!isWhole || v == math.Trunc(v))
	case string:
		return len(v) <= mostText && utf8.ValidString(v) && !strings.ContainsFunc(v, isControl) &&
			(len(f.Choices) == 0 || slices.Contains(f.Choices, v)) && forms[f.form].fits(v)
	}
	return true
}

// forms lists what a text, or each of a list, can have to look like.
var forms = map[string]struct {
	expected string
	fits     func(text string) bool
}{
	"": {"a text in one line", func(string) bool { return true }},
	"percent": {"a percentage from 10% to 100%", func(text string) bool {
		n, err := strconv.Atoi(strings.TrimSuffix(text, "%"))
		return err == nil && n >= 10 && n <= 100 && strconv.Itoa(n)+"%" == text
	}},
	"hours": {"hours such as 22:00-07:00, or nothing", func(text string) bool {
		_, _, ok := parseHours(text)
		return ok
	}},
	"colour": {"#rrggbb or a name such as red or bright-red", func(text string) bool { // few have a theme that needs it
		return regexp.MustCompile(`^(#[0-9A-Fa-f]{6}|(bright-)?(black|red|green|yellow|blue|magenta|cyan|white))$`).MatchString(text)
	}},
	"permission": {"away, always or never, also as agent/tool=always", func(text string) bool {
		_, _, _, fits := permissionRule(text)
		return fits
	}},
	"pattern": {"words of commands, or tools, separated by commas", func(text string) bool {
		return len(strings.Fields(text)) > 0 && !slices.ContainsFunc(strings.Fields(text), func(word string) bool { _, err := path.Match(word, ""); return err != nil })
	}},
	"key": {"a key as tmux writes it, such as A or C-a", func(text string) bool {
		return regexp.MustCompile(`(?i)^([CMS]-)*(\^?[!-~]|F([1-9]|1[0-2])|IC|Insert|DC|Delete|Home|End|[NP]Page|Page(Up|Down)|Pg(Up|Dn)|B?Tab|B?Space|Enter|Escape|Up|Down|Left|Right|KP([-+*/.\d]|Enter)|User\d{1,3})$`).MatchString(text)
	}},
	"name": {"names of this machine, separated by commas", func(text string) bool { // without a scheme and a port
		return text != "" && !strings.ContainsAny(text, "/ :@#?")
	}},
	"directory": {"absolute directories, separated by commas", func(text string) bool { // or in the person's home
		return filepath.IsAbs(text) || text == "~" || strings.HasPrefix(text, "~/")
	}},
}

// isControl lets tabs pass, which may stand in a command line.
func isControl(r rune) bool { return unicode.IsControl(r) && r != '\t' }

func (f Field) refuse(got string) error {
	return errors.New("expected " + f.Expected() + ", got " + shown(got[:min(len(got), 60)]))
}

// InQuietHours reports whether t, by its own zone's clock, lies in quietHours.
// The first minute belongs to them and the last does not; where the end is not
// after the beginning they cross midnight.
func (s Settings) InQuietHours(t time.Time) bool {
	from, to, ok := parseHours(s.QuietHours)
	now := t.Hour()*60 + t.Minute()
	if from <= to {
		return ok && from <= now && now < to
	}
	return ok && (from <= now || now < to)
}

// parseHours gives minutes after midnight; both are 0 for an empty text.
func parseHours(text string) (from, to int, ok bool) {
	if text == "" {
		return 0, 0, true
	}
	first, last, _ := strings.Cut(text, "-")
	from, fromOK := parseClock(strings.TrimSpace(first))
	to, toOK := parseClock(strings.TrimSpace(last))
	return from, to, fromOK && toOK && from != to && from != 24*60
}

// parseClock reads 7, 7:00 or 07:00; 24:00 is the day's end.
func parseClock(text string) (minutes int, ok bool) {
	m := regexp.MustCompile(`^(\d{1,2})(?::([0-5]\d))?$`).FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	hour, _ := strconv.Atoi(m[1])
	minute, _ := strconv.Atoi(m[2]) // none is the full hour
	minutes = hour*60 + minute
	return minutes, minutes <= 24*60
}

// Shares returns how much of a terminal a popup may take, in percent.
func (s *Form) Shares() (width, height int) {
	_, _ = fmt.Sscanf(s.PopupWidth+s.PopupHeight, "%d%%%d%%", &width, &height) // Parse has seen to it
	return width, height
}
