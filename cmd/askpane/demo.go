package main

import "github.com/urfave/cli/v2"

// demoRequest is what an agent would send.
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
	q := question{agent: "askpane demo", print: printer(c, "  ")}
	return q.ask(func() ([]byte, error) { return []byte(demoRequest), nil })
}
