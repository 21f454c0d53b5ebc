package main

// looks are forms of every kind, on a ground and of a size each. What is waited for
// stands in all looks there were, so that -askpane can be an older one: before and after.
var looks = []picture{
	{"looks/yes-no", "Two buttons", 92, 22, dark, `{"prompt":"Deploy build 4711 to production now?","options":[
		{"label":"Yes","description":"Takes about four minutes"},{"label":"No"}]}`,
		nil, "four minutes"},
	{"looks/choice", "A choice with descriptions", 92, 22, dark, deploy, []step{{"Something else", down}}, "Something else"},
	{"looks/tabs", "Several questions", 92, 22, dark, migration, []step{{"is locked for", "2"}, {"Zürich", down}}, "six minutes"},
	{"looks/preview", "A preview beside the options", 110, 22, dark, regions, []step{{"Frankfurt", down}}, "aws_elasticache"},
	{"looks/danger", "A dangerous question", 92, 22, dark, `{"questions":[{"header":"Old table","question":"Drop the table sessions_old? It has 12,204 rows.","type":"confirm_enum",
		"options":[{"label":"Drop it"},{"label":"Keep it"}],"is_dangerous":true,"expected":"sessions_old"}]}`,
		[]step{{"DESTRUCTIVE", "sessions_"}}, "│ sessions_"},
	{"looks/number", "A number", 92, 22, dark, `{"questions":[{"header":"Sessions","question":"For how many days is a session good?",
		"description":"Whoever comes back later signs in again.","type":"number","min":1,"max":90,"default":14}]}`,
		[]step{{"from 1 to 90", up}}, "15"},
	{"looks/text", "A text in its entry", 92, 22, dark, `{"questions":[{"header":"Release","question":"What should the release notes say about the new currencies?",
		"type":"free_text","placeholder":"a sentence or two"}]}`,
		[]step{{"release notes", "\r"}, {"a sentence", "Prices have a currency of their own."}}, "of their own."},
	{"looks/checkbox", "Checkboxes", 92, 22, dark, setup, []step{{"PostgreSQL", "\r"}, {"☐ Unit", " " + down + down + " "}}, "☑ Fuzzing"},
	{"looks/recommendation", "A recommended option, and a comment on the other", 92, 22, dark, formatter,
		[]step{{"Prettier", down + "n"}, {"Comment on", "too slow on the monorepo\r"}, {"comment: too slow", up}}, "comment: too slow"},
	{"looks/review", "The review of three answers", 92, 22, dark, sessions,
		[]step{{"Where should", "2"}, {"☐ Web", "1"}, {"☑ Web", "]"}, {"14", "\r"}, {"14", "\r"}, {"Submit", "0"}}, "Sessions: "},
	{"looks/light", "A choice on a light ground", 92, 22, light, deploy, []step{{"Something else", down}}, "Something else"},
	{"looks/permission", "A permission to edit a file, with the diff above the choices", 92, 26, dark, edit,
		[]step{{"Off(sum)", ""}}, "> 4. No"},
	{"looks/plan", "A plan with a comment at one of its lines", 92, 26, dark, coupons,
		[]step{{"Approve this", down + down}, {"> 2.", "\r"}, {"omment", "Say until when it was good.\r"}}, "until when"},
	{"looks/small", "A choice on 40 columns and 12 rows", 40, 12, dark, deploy, []step{{"Yes", down}}, "Yes"},
}

// edit is a request of permission: to change code.
const edit = `{"tool":"Edit","why":"Coupons take something off the sum",
	"file":{"path":"total.go","replace":[{"old":"\treturn sum\n","new":"\tif o.Coupon != nil {\n\t\tsum = o.Coupon.Off(sum)\n\t}\n\treturn sum\n"}]},
	"always":["Edit(internal/orders/**)"]}`

// coupons is a request of plan.
const coupons = `{"plan":"# Coupons\n\n1. Read the coupon of an order in ` + "`Total`" + `, and take off what it says.\n2. A coupon that is over takes nothing off, and the customer is told why.\n3. A test for each kind of coupon: so many per cent, a fixed sum, free shipping.\n\nPrices stay in cents, and nothing is rounded before the end.\n"}`

// deploy is a request of question.
const deploy = `{"questions":[{"id":"deploy","label":"Deploy","prompt":"It contains three migrations; the last backup is 40 minutes old.\n\nDeploy build 4711 to production now?","options":[
 {"value":"yes","label":"Yes","description":"Takes about four minutes"},
 {"value":"backup","label":"Wait for the backup","description":"It runs at 14:00"},
 {"value":"no","label":"Not today"}]}]}`

// regions is a request of AskUserQuestion in its second shape.
const regions = `{"questions":[{"header":"Region","question":"In which region should sessions be kept?","options":[
 {"label":"eu-central-1","description":"Frankfurt, 14 ms to most users","preview":"resource \"aws_elasticache_cluster\" \"sessions\" {\n  region    = \"eu-central-1\"\n  node_type = \"cache.t4g.small\"\n  nodes     = 2\n}"},
 {"label":"eu-west-1","description":"Dublin, where the backups are","preview":"resource \"aws_elasticache_cluster\" \"sessions\" {\n  region    = \"eu-west-1\"\n  node_type = \"cache.t4g.small\"\n  nodes     = 2\n\n  # Backups stay in the region.\n  snapshot_retention_limit = 7\n}"},
 {"label":"us-east-1","description":"Only if the shop in the US opens"}],"multiSelect":false}]}`
