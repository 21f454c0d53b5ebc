package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
)

// demoRequest asks as an agent would.
const demoRequest = `{"questions":[
 {"id":"colour","label":"Colour","prompt":"Which colour should the demo bikeshed have?","options":[
  {"value":"green","label":"Green","description":"Goes with the hedge"},
  {"value":"red","label":"Red","description":"Easy to find after dark"},
  {"value":"none","label":"No paint at all","description":"Wood is a colour too"}]},
 {"id":"roof","label":"Roof","prompt":"And its roof?","options":[
  {"value":"grass","label":"Grass","description":"Needs mowing, and a small goat"},
  {"value":"tiles","label":"Tiles"}]},
 {"id":"name","label":"Name","prompt":"What is it called? (None of these? Choose the last one and type.)","options":[
  {"value":"shed","label":"The Shed"},
  {"value":"velodrome","label":"Velodrome"}]}
]}`

func demo(c *cli.Context) error {
	q := question{agent: "askpane demo", ours: true, print: printer(c, "  ")}
	if !c.IsSet("output") {
		q.print = func(e bridge.Envelope) error {
			fmt.Printf("The agent was told: %s\n(%s, exit code %d; askpane demo --output envelope prints all that it gets)\n\n",
				text.OneLine(strings.ReplaceAll(e.Text, "\n", "; "), doctorRunes), e.Outcome, exitCodes[e.Outcome])
			next := "askpane setup asks which agents, keys and alerts to set up."
			if e.Outcome == form.Unavailable {
				next = "askpane doctor says what would help."
			}
			_, err := fmt.Println("Next: " + next)
			return err
		}
	}
	return q.ask(func() ([]byte, error) { return []byte(demoRequest), nil })
}
