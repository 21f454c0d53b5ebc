package dialect

import "github.com/askpane/askpane/bridge/form"

// The extension secret of the dialects with a free text: what is typed there is
// masked, and kept in no draft, history or log. It is ours and in none of the
// contracts, which ignore what they do not know.

func secretMember(text string) member {
	return member{"secret", yesNo("Only for type "+text+": a password or a token, in one line. It is masked while it is typed and kept nowhere; you get it in clear.", false)}
}

const secretGuideline = "Ask for a password or a token only where there is no other way, with secret set to true; never repeat it, nor write it to a file."

// decodeSecret takes the member secret over into q, which must be a text
// without a start of its own; starts is the member that would give it one.
func decodeSecret(n node, q *form.Question, text, starts string) bool {
	if !n.field("secret").flag(false) {
		return false
	}
	if q.Kind != form.Text {
		n.field("secret").fail("only allowed for type %s", text)
		return false
	}
	if n.field(starts).given() {
		n.field(starts).fail("a secret starts empty")
		return false
	}
	q.Secret, q.Multiline = true, false
	return true
}
