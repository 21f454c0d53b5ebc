package dialect

import "github.com/askpane/askpane/bridge/form"

// The extension secret of the dialects with a free text: what is typed there is
// masked, and kept in no draft, history or log. It is ours and in none of the
// contracts, which ignore what they do not know.

// decodeSecret takes the member secret over into q, which must be a text
// without a start of its own; starts is the member that would give it one.
func decodeSecret(n node, q *form.Question, text, starts string) {
	switch {
	case !n.flag("secret", false):
	case q.Kind != form.Text:
		n.field("secret").fail("only allowed for type %s", text)
	case n.field(starts).given():
		n.field(starts).fail("a secret starts empty")
	default:
		q.Secret, q.Multiline = true, false
	}
}
