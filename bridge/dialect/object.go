package dialect

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/askpane/askpane/bridge/text/hint"
)

// object is a JSON object whose members keep their order: a normalised request,
// and the details of a result.
type object []member

type member struct {
	name  string
	value any
}

// absent marks a member that is left out.
type absent struct{}

// some returns absent in place of an empty value.
func some(value any) any {
	v := reflect.ValueOf(value)
	if !v.IsValid() || v.IsZero() || (v.Kind() == reflect.Slice || v.Kind() == reflect.Map) && v.Len() == 0 {
		return absent{}
	}
	return value
}

// MarshalJSON writes the members that are not absent.
func (o object) MarshalJSON() ([]byte, error) {
	var members []string
	for _, m := range o {
		if m.value != (absent{}) {
			members = append(members, hint.JSON(m.name)+":"+hint.JSON(m.value))
		}
	}
	return []byte("{" + strings.Join(members, ",") + "}"), nil
}

func mustJSON(v any) json.RawMessage { return json.RawMessage(hint.JSON(v)) }
