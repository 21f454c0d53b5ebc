package main

// pictures are one for each dialect.
var pictures = []picture{
	{name: "popup-question", label: "One question with three options and one for other words", columns: 100, rows: 24, ground: dark,
		request: rollout, steps: []step{{"> 1. Roll back", down + down}}, last: "> 3. Keep"},
	{name: "popup-AskUserQuestion", label: "Three typed questions; the option in focus has a preview of SQL beside it", columns: 108, rows: 26, ground: dark,
		request: sessions, steps: []step{{"> 1. Redis", "2"}, {"> 1. ☐ Web", "1"}, {"> 1. ☑ Web", "]["}, {"☑ Web", "["}}, last: "> 2. PostgreSQL"},
	{name: "popup-ask_user_question", label: "A form with radio buttons, checkboxes and a text", columns: 100, rows: 24, ground: dark,
		request: setup, steps: []step{{"> 1. PostgreSQL", "\r"}, {"> 1. ☐ Unit", " " + down + down + " "}}, last: "☑ Fuzzing"},
	{name: "popup-ask_user", label: "A decision with a recommended option and a comment on the other", columns: 100, rows: 26, ground: dark,
		request: formatter, steps: []step{{"> 1. Biome [recommended] ✓", down + "n"}, {"Comment on", "too slow on the monorepo\r"}, {"comment: too slow", up}}, last: "> 1. Biome [recommended] ✓"},
	{name: "popup-buttons", label: "Three buttons and one for other words, with the time left", columns: 100, rows: 24, ground: dark,
		request: cache, steps: []step{{"Fast, and one more", right}}, last: "Already running"},
}

// migration is a request of question with three questions.
const migration = `{"questions":[
 {"id":"when","label":"When","prompt":"When should the migration of orders run?","options":[
  {"value":"now","label":"Now","description":"The table is locked for about 40 seconds; the shop shows its waiting page"},
  {"value":"tonight","label":"Tonight at 03:00","description":"Nobody orders then; I leave a job for it and stop here"}]},
 {"id":"backfill","label":"Backfill","prompt":"2.1 million old orders have no currency. What should they get?","options":[
  {"value":"eur","label":"EUR for all of them","description":"True until the shop in Zürich opened, wrong for 312 orders after"},
  {"value":"country","label":"By the country of the invoice","description":"Right for all but 9, which I list for you; takes six minutes longer"},
  {"value":"null","label":"Leave them empty","description":"The column stays nullable and the reports must cope"}]},
 {"id":"old","label":"Old column","prompt":"And the old column price_cents?","options":[
  {"value":"drop","label":"Drop it in the same migration","description":"There is no way back but the backup"},
  {"value":"keep","label":"Keep it for one release","description":"Written by a trigger, read by nobody"}]}
]}`

// currency is the film's request.
const currency = `{"questions":[
 {"id":"when","label":"When","prompt":"When should the migration of orders run?","options":[
  {"value":"now","label":"Now","description":"The table is locked for 40 seconds"},
  {"value":"tonight","label":"Tonight at 03:00","description":"Nobody orders then; I leave a job for it"}]},
 {"id":"backfill","label":"Backfill","prompt":"2.1 million old orders have no currency. What should they get?","options":[
  {"value":"eur","label":"EUR for all of them","description":"Wrong for 312 orders of the shop in Zürich"},
  {"value":"country","label":"By the country","description":"Right for all but 9, which I list for you"},
  {"value":"null","label":"Nothing","description":"The column stays nullable"}]}
]}`

// rollout is a request of question with one.
const rollout = `{"questions":[{"id":"rollout","label":"Rollout","prompt":"Half of the fleet has the new build and errors are up by 0.4 %. What now?","options":[
 {"value":"back","label":"Roll back","description":"Six minutes; the migration stays, and the old build copes with it"},
 {"value":"wait","label":"Wait for a quarter of an hour","description":"I watch the error rate and ask again"},
 {"value":"keep","label":"Keep half and half","description":"I look for the cause meanwhile"}]}]}`

// sessions is a request of AskUserQuestion.
const sessions = `{"questions":[
 {"header":"Sessions","question":"Where should sessions be kept?","type":"select_one","options":[
  {"label":"Redis","description":"One more service to run"},
  {"label":"PostgreSQL","description":"Already there, a little slower","preview":{"type":"code","content":"\u0060\u0060\u0060sql\ncreate unlogged table sessions (\n  id      uuid primary key,\n  owner   bigint references users,\n  data    jsonb not null,\n  expires timestamptz not null\n);\n\u0060\u0060\u0060"}}]},
 {"header":"Clients","question":"Which clients move first?","type":"select_many","options":[{"label":"Web"},{"label":"App"},{"label":"Partners"}]},
 {"header":"Days","question":"For how many days is a session good?","type":"number","min":1,"max":90,"default":14}]}`

// setup is a request of ask_user_question.
const setup = `{"title":"Project setup","description":"A few choices before I write the first file.","questions":[
 {"id":"db","label":"Database","type":"radio","prompt":"Which database?","options":[{"value":"pg","label":"PostgreSQL"},{"value":"sqlite","label":"SQLite"}]},
 {"id":"tests","label":"Tests","type":"checkbox","prompt":"Which tests should run on every push?","options":[
  {"value":"unit","label":"Unit tests","description":"Seconds"},
  {"value":"e2e","label":"End to end","description":"Nine minutes, in a browser"},
  {"value":"fuzz","label":"Fuzzing","description":"One minute a target"}]},
 {"id":"notes","label":"Notes","type":"text","prompt":"Anything else I should know?","required":false}]}`

// formatter is a request of ask_user.
const formatter = `{"title":"Formatter","intro":"The two formatters disagree, and the build fails on it.","questions":[
 {"type":"choice","id":"tool","header":"Formatter","prompt":"Which one stays?","options":[
  {"value":"biome","label":"Biome","description":"Lints too, and takes 0.3 s"},
  {"value":"prettier","label":"Prettier","description":"What the other repositories have"}],"recommendation":"biome"},
 {"type":"choice","id":"extras","header":"Extras","prompt":"What else?","multi":true,"options":[{"value":"hook","label":"A commit hook"},{"value":"ci","label":"A check in CI"}],"recommendation":["ci"]},
 {"type":"text","id":"why","header":"Reason","prompt":"What should the commit say?","placeholder":"one sentence"}]}`

// cache is a request of buttons.
const cache = `{"prompt":"Which cache for the product pages?","options":[
 {"label":"Redis","emoji":"⚡","description":"Fast, and one more service to run"},
 {"label":"PostgreSQL","emoji":"🐘","description":"Already running; fast enough up to 200 requests a second"},
 {"label":"None"}],"allowOther":true,"timeout":1800}`
