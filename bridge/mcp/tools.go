package mcp

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askpane/askpane/bridge/dialect"
)

const collectAnswer = "collect_answer"

// Chosen returns the question tools of those names, once each; without names, ask_human.
func Chosen(names []string) ([]string, error) {
	if len(names) == 0 {
		names = []string{dialect.AskHuman}
	}
	var all []string
	for _, name := range names {
		if !slices.Contains(dialect.Tools(), name) {
			return nil, fmt.Errorf("unknown tool %q; there are %s", name, strings.Join(dialect.Tools(), ", "))
		}
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all, nil
}

// pendingGuideline is added to the guidelines of every question tool.
const pendingGuideline = "If the result's status is pending, the person has not answered yet: call " + collectAnswer +
	" with its id and go on doing so; do not take it for an answer."

func toolDefinition(name string) *sdk.Tool {
	d, _ := dialect.ByName(name) // one of those that Chosen takes
	text := d.ToolDescription() + "\n\n- " + strings.Join(append(d.Guidance().Guidelines, pendingGuideline), "\n- ")
	if name != d.Name {
		text = regexp.MustCompile(`\b`+d.Name+`\b`).ReplaceAllString(text, name)
	}
	return definition(name, "Ask the person", text, d.ToolSchema())
}

func collectDefinition() *sdk.Tool {
	return definition(collectAnswer, "Collect the person's answer",
		"Wait for the answer to a question that was asked before, where the asking tool returned its status as pending and an id. "+
			"Call it again, with the same id, as long as it returns pending.",
		json.RawMessage(`{"type":"object","properties":{"id":{"type":"string","description":"The id that came with the status pending."}},"required":["id"]}`))
}

// definition describes a tool that changes nothing but what the person sees. docs/dev/mcp.md,
// Tools, says what each hint is for, and why there is no anthropic/requiresUserInteraction.
func definition(name, title, description string, schema any) *sdk.Tool {
	return &sdk.Tool{
		Meta:        sdk.Meta{"anthropic/alwaysLoad": true},
		Name:        name,
		Title:       title,
		Description: description,
		InputSchema: schema,
		Annotations: &sdk.ToolAnnotations{Title: title, ReadOnlyHint: true, OpenWorldHint: new(false)},
	}
}
