// Askpane-preview renders the previews of forms: Markdown, code and diagrams.
//
// Its arguments are the type and the width of a preview. It reads the content and writes
// rows of styled text as JSON; of the type "documents", several texts and their HTML. askpane
// starts it when a preview comes on view and ends it when that takes too long; without it,
// previews are plain text.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/askpane/askpane/cmd/internal/programs"
	"github.com/askpane/askpane/popup/preview"
	"github.com/askpane/askpane/popup/preview/render"
)

// longest is how long it takes at most, should nobody be left to end it.
const longest = 5 * time.Second

func main() {
	time.AfterFunc(longest, func() { os.Exit(1) })
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "askpane-preview:", err)
		os.Exit(1)
	}
}

func run(args []string, in io.Reader, out io.Writer) error {
	if err := programs.Preview.Started(); err != nil {
		return err
	}
	if len(args) > 0 && args[0] == "--version" {
		_, err := fmt.Fprintln(out, programs.Preview.Name, programs.Version())
		return err
	}
	if len(args) != 2 {
		return errors.New("a type and a width are what it wants")
	}
	width, err := strconv.Atoi(args[1])
	if err != nil {
		return fmt.Errorf("read the width: %w", err)
	}
	content, err := io.ReadAll(in)
	if err != nil {
		return fmt.Errorf("read the content: %w", err)
	}
	if args[0] == preview.Documents {
		var texts []preview.Text
		if err := json.Unmarshal(content, &texts); err != nil {
			return fmt.Errorf("read the texts: %w", err)
		}
		documents := []string{}
		for _, t := range texts {
			documents = append(documents, render.HTML(t, max(1, width)))
		}
		return json.NewEncoder(out).Encode(documents)
	}
	return json.NewEncoder(out).Encode(render.Rows(args[0], string(content), max(1, width)))
}
