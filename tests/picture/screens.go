package main

import "github.com/chromedp/chromedp/kb"

// screens are states of the page: of forms and of the inbox, on a desktop and on a phone. None
// changes what another one of the same question shows.
var screens = []screen{
	{name: "looks/page-choice", scheme: "dark", request: deploy, steps: []step{{"Something else", kb.ArrowDown}}, last: "four minutes"},
	{name: "looks/page-document", scheme: "light", request: document, last: "Shall I start"},
	{name: "looks/page-diagram", scheme: "dark", request: flow, last: "Which of the two"},
	{name: "looks/page-permission", scheme: "dark", request: edit, last: "Off(sum)"},
	{name: "looks/page-plan", scheme: "light", request: coupons, last: "free shipping"},
	{name: "looks/page-inbox", scheme: "light", last: "10 waiting"},
	{name: "looks/page-review", scheme: "dark", request: migration, steps: []step{{"is locked for", "2"}, {"Zürich", "2"}, {"price_cents", "2"}}, last: "Submit"},
	{name: "looks/page-checkbox", scheme: "light", request: setup, steps: []step{{"PostgreSQL", "1"}, {"☐ Unit", "1"}, {"☑ Unit", "3"}}, last: "☑ Fuzzing"},
	{name: "looks/phone-choice", phone: true, scheme: "light", request: deploy, steps: []step{{"Something else", kb.ArrowDown}}, last: "four minutes"},
	{name: "looks/phone-document", phone: true, scheme: "dark", request: document, last: "Shall I start"},
	{name: "looks/phone-diagram", phone: true, scheme: "light", request: flow, last: "Which of the two"},
	{name: "looks/phone-inbox", phone: true, scheme: "dark", last: "10 waiting"},
	{name: "looks/phone-comment", phone: true, scheme: "dark", request: formatter, steps: []step{{"Prettier", kb.ArrowDown + "n"}, {"Comment on", "too slow on the monorepo"}}, last: "monorepo"},
	{name: "looks/phone-picture", phone: true, scheme: "light", request: rollout, upload: "popup/page/web/icon.png", last: "half and half"},
}

// document is a request of question that says what it asks at length.
const document = `{"questions":[{"id":"plan","label":"Plan","prompt":"# Currency for every order\n\nIt takes three steps, as [the runbook](https://example.com/runbook) has them:\n\n| step | takes | can be undone |\n|---|--:|---|\n| add the column | 40 s | yes |\n| fill 2.1 million rows | 6 min | yes |\n| drop price_cents | 1 s | **no** |\n\n` + "```sql\\nalter table orders add column currency char(3);\\nupdate orders set currency = 'EUR' where country <> 'CH';\\n```" + `\n\nShall I start?","options":[{"value":"all","label":"Yes, all three"},{"value":"two","label":"The first two","description":"The old column stays"},{"value":"no","label":"Not today"}]}]}`

// flow is a request of question with a diagram.
const flow = `{"questions":[{"id":"queue","label":"Queue","prompt":"This is how orders go today:\n\n` + "```mermaid\\ngraph TD\\nA[Shop] -->|order| B(Queue)\\nB --> C{In stock?}\\nC -->|yes| D[[Ship]]\\nC -.->|no| E[Supplier]\\nE -.-> B\\n```" + `\n\nWhich of the two ways should be tested first?","options":[{"value":"stock","label":"In stock"},{"value":"supplier","label":"By the supplier","description":"It has failed twice this week"}]}]}`

// endToEnd is a request of buttons that is answered in the inbox.
const endToEnd = `{"prompt":"Run the tests in a browser before I push?","options":[{"label":"Yes"},{"label":"No"}]}`
