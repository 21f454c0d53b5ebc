package preview

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/askpane/askpane/bridge/text"
)

// Documents is the type by which the program is asked for HTML.
const Documents = "documents"

// Said is the kind of what a question says, which is Markdown.
const Said = "said"

// Part is, in the HTML of a document (styled.Document), which is a list of them as JSON, a block or
// an item of a list.
type Part struct {
	Line int    `json:"line"` // where it begins, counted from 1; 0 where it has none
	HTML string `json:"html"`
}

// Text is to become a part of a page.
type Text struct {
	Kind    string `json:"kind"` // the type of a preview, or Said
	Content string `json:"content"`
}

// These bound the texts of one request, and how long it is waited for. Pictures in them have
// room, unlike what stands beside a question on a terminal.
const (
	maxDocuments      = 2 << 20
	documentsDeadline = 2 * time.Second
)

// Render returns the HTML of texts; an error where the program is missing,
// takes too long or is asked for too much. Unlike a Renderer it waits.
func Render(ctx context.Context, program Program, columns int, texts ...Text) (documents []string, err error) {
	total := 0
	for i := range texts {
		texts[i].Content = strings.TrimRight(text.Visible(texts[i].Content), " \n")
		total += len(texts[i].Content)
	}
	if program == nil || total > maxDocuments {
		return nil, fmt.Errorf("no HTML is made of %d bytes", total)
	}
	ctx, done := context.WithTimeout(ctx, documentsDeadline) // its turn is waited for within that, too
	defer done()
	content, _ := json.Marshal(texts) // strings always can be
	documents, err = made[[]string](ctx, documentsDeadline, program, string(content), Documents, strconv.Itoa(columns))
	if err == nil && len(documents) != len(texts) {
		err = fmt.Errorf("%d documents of %d texts", len(documents), len(texts))
	}
	return documents, err
}
