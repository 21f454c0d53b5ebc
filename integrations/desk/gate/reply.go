package gate

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/askpane/askpane/popup/page"
)

// ReplyPath begins the addresses by which a push is answered; the number of a choice ends them.
const ReplyPath = "/api/reply/"

// isReply reports whether a request comes from a push. The phone's program sends it and no
// page, so that it says of no page that it comes from there.
func isReply(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, ReplyPath) }

// replyLife bounds how long a push can be answered.
const replyLife = time.Hour

// reply lets whoever knows its secret answer one question, once.
type reply struct {
	Hash     string    `json:"hash"`
	Question string    `json:"question"`
	Until    time.Time `json:"until"`
}

func (k Keys) replies() string { return filepath.Join(string(k), "replies") }

// Reply makes a secret that answers the question with that id once, within replyLife. All the
// buttons of a push share it.
func (k Keys) Reply(id string) (secret string, err error) {
	if err := k.Prepare(); err != nil {
		return "", err
	}
	secret, name, hash := token()
	return secret, write(filepath.Join(k.replies(), name), reply{hash, id, time.Now().Add(replyLife)})
}

// redeem uses a secret up, and returns the question that it answers.
func (k Keys) redeem(secret string) (question string, err error) {
	name, hash := hashed(secret)
	path := filepath.Join(k.replies(), name)
	r, err := read[reply](path)
	if err != nil || !same(r.Hash, hash) || time.Now().After(r.Until) || os.Remove(path) != nil { // another press was quicker
		return "", errNoLink
	}
	return r.Question, nil
}

// reply lets a button of a push through. Its secret is all that it has to know, and gives it
// no right but to answer that question.
func (g *Gate) reply(w http.ResponseWriter, r *http.Request) {
	var sent struct{ Secret string }
	err := json.NewDecoder(r.Body).Decode(&sent)
	question := ""
	if err == nil {
		question, err = g.keys.redeem(sent.Secret)
	}
	if err != nil {
		page.Refuse(w, http.StatusUnauthorized, "These buttons are used up or too old: they answer once, within an hour.")
		return
	}
	g.next.ServeHTTP(w, r.WithContext(page.WithRights(r.Context(), page.Rights{Reply: question})))
}
