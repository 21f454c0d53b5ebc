package gate

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/askpane/askpane/popup/page"
	"github.com/askpane/askpane/settings/private"
)

// ReplyPath begins the addresses by which a push is answered; the number of a choice ends them.
const ReplyPath = "/api/reply/"

// isReply reports whether a request comes from a push. The phone's program sends it and no
// page, so that it says of no page that it comes from there.
func isReply(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, ReplyPath) }

// replyLife bounds how long a push can be answered.
const replyLife = time.Hour

func (k Keys) replies() string { return filepath.Join(string(k), "replies") }

// Reply makes a secret that answers the question with that id once, within replyLife. All the
// buttons of a push share it.
func (k Keys) Reply(id string) (secret string, err error) {
	secret = rand.Text()
	return secret, k.offer(k.replies(), "", secret, replyLife, link{Question: id})
}

// redeem uses a secret up, and returns the question that it answers.
func (k Keys) redeem(secret string) (question string, err error) {
	name, hash := hashed(secret)
	l, err := private.Read[link](k.replies(), name)
	if err != nil || !same(l.Hash, hash) || time.Now().After(l.Until) || os.Remove(filepath.Join(k.replies(), name)) != nil { // another press was quicker
		return "", errNoLink
	}
	return l.Question, nil
}

// reply lets a button of a push through. Its secret is all that it has to know, and gives it
// no right but to answer that question.
func (g *Gate) reply(w http.ResponseWriter, r *http.Request) {
	var sent struct{ Secret string }
	_ = json.NewDecoder(r.Body).Decode(&sent) // what cannot be read has no secret
	question, err := g.keys.redeem(sent.Secret)
	if err != nil {
		page.Refuse(w, http.StatusUnauthorized, "These buttons are used up or too old: they answer once, within an hour.")
		return
	}
	g.next.ServeHTTP(w, r.WithContext(page.WithRights(r.Context(), page.Rights{Reply: question})))
}
