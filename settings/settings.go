// Package settings holds what a person can set: one struct, whose tags are the
// only source of each setting's name, default, range, help and variable.
//
// It reads the environment and at most four files, and writes one of them when
// told to. The rule that must hold here: a value that cannot be used is
// reported and dropped by itself, and never stops a question.
package settings

import "time"

// Settings are the values in force. The tags, in which no value may have a ", mean:
//
//	name     as it is written in a file; the variable is made of it, ASKPANE_GUARD_MS of guardMs
//	label    what the menu calls it, in a few words
//	default  as text
//	section  under which heading it is listed
//	min, max of a number, both allowed
//	oneof    the words it may be
//	form     percent, hours, directory, name or key: what a text must look like
//	only     global: no other file and no variable sets it; person: no project's file does, trusted or not;
//	         less: what ranks above the global file gives no word of oneof after the one that counts so far;
//	         strict: a project's file makes it stricter, whatever it says (permissions.go);
//	         runs: it is a command line, and a project's file sets it only if the person trusts the project;
//	         guards: it protects the person from a hasty or a forged answer: likewise, since an agent may write that file
//	pi       pi's question tool has it under the same name, and its files count too
//	help     for a person, one sentence
//
// The thirteen marked pi are those of pi's question tool, with the names, defaults
// and ranges that it published.
type Settings struct {
	Host               string `name:"host" label:"Where forms open" default:"auto" section:"Asking" help:"where forms open; askpane ask --help lists the hosts"`
	OpenMode           string `name:"openMode" label:"When forms open" default:"popup" oneof:"popup idle manual" section:"Asking" help:"popup: at once; idle: when you have typed nothing for idleSeconds; manual: you open it with askpane next"`
	IdleSeconds        int    `name:"idleSeconds" label:"Idle before a form opens" default:"5" min:"0" max:"3600" section:"Asking" help:"how long you have typed nothing when openMode is idle"`
	HostWaitSeconds    int    `name:"hostWaitSeconds" label:"Wait for somebody to attach" default:"0" min:"0" max:"604800" section:"Asking" help:"how long a question waits for somebody to attach; 0 is for ever"`
	TimeoutSeconds     int    `name:"timeoutSeconds" label:"Give up on a question after" default:"0" min:"0" max:"604800" section:"Asking" help:"a question nobody answers ends after so long; 0 is never"`
	GuardMs            int    `name:"guardMs" label:"Ignore stray keys for" only:"guards" default:"400" min:"0" max:"5000" section:"Asking" help:"a new form ignores keys until none has come for so long, or for 1.5 s if you were typing; 0 switches that off"`
	Chain              bool   `name:"chain" label:"Next question in the same popup" default:"true" section:"Asking" help:"after an answer the next question that waits comes up in the same popup"`
	ConfirmCancel      bool   `name:"confirmCancel" label:"Ask before Esc cancels" only:"guards" default:"true" section:"Asking" help:"where you have answered or typed something, Esc asks; another Esc cancels, any other key keeps the question"`
	DangerCheckEnabled bool   `name:"dangerCheckEnabled" label:"Type a name to confirm danger" only:"guards" default:"true" pi:"true" section:"Asking" help:"a dangerous question is answered by typing the name of what is at stake"`
	TmuxKey            string `name:"tmuxKey" label:"Key in tmux" only:"person" default:"A" form:"key" section:"Asking" help:"the key after tmux's prefix that opens the oldest question, as tmux writes it; askpane install tmux binds it"`

	PopupWidth  string `name:"popupWidth" label:"Greatest width" default:"90%" form:"percent" section:"Looks" help:"of the terminal at most; a form takes what it needs, and fills a small one"`
	PopupHeight string `name:"popupHeight" label:"Greatest height" default:"90%" form:"percent" section:"Looks" help:"of the terminal at most; a form takes what it needs, and fills a small one"`
	Theme       string `name:"theme" label:"Colours" default:"auto" oneof:"auto dark light high-contrast mono custom" section:"Looks" help:"the colours; auto takes the terminal's own, custom those of theme.json beside your own file"`

	TitleOnQuestion          bool      `name:"titleOnQuestion" label:"Bell sign in the pane's title" default:"true" section:"Alerts" help:"mark the asking pane's title with a bell sign"`
	BellOnQuestion           bool      `name:"bellOnQuestion" label:"Bell" default:"true" pi:"true" section:"Alerts" help:"ring the terminal's bell"`
	NotificationOnQuestion   bool      `name:"notificationOnQuestion" label:"Desktop notification" default:"false" pi:"true" section:"Alerts" help:"show a desktop notification"`
	NotificationDelaySeconds int       `name:"notificationDelaySeconds" label:"Notification after" default:"30" min:"0" max:"300" pi:"true" section:"Alerts" help:"only if the question still waits after so long"`
	TtsOnQuestion            bool      `name:"ttsOnQuestion" label:"Speech" default:"false" pi:"true" section:"Alerts" help:"say aloud that a question waits"`
	TtsCommand               string    `name:"ttsCommand" label:"Program that speaks" default:"" only:"runs" section:"Alerts" help:"the program that says it, in place of the first found of attn, say, spd-say and espeak-ng"`
	OnQuestionCommand        string    `name:"onQuestionCommand" label:"Command to run" default:"" only:"runs" pi:"true" section:"Alerts" help:"a shell command to run; ASKPANE_PAYLOAD_FILE names a file with the question"`
	PushURL                  string    `name:"pushUrl" label:"Push to a phone" default:"" only:"person" section:"Alerts" help:"the URL of your topic on an ntfy server, to which your phone has subscribed; told after notificationDelaySeconds"`
	PushContent              string    `name:"pushContent" label:"What a push says" default:"header" oneof:"nothing header question" only:"person" section:"Alerts" help:"how much of a question is sent there: that one waits; who asks, and its header; or the question; of secret ones always nothing"`
	PushAnswers              bool      `name:"pushAnswers" label:"Answer by a push" default:"false" only:"person" section:"Alerts" help:"with pushContent question, a simple question with at most three choices has them as buttons there, which everybody who knows the topic can press"`
	ReminderMinutes          []float64 `name:"reminderMinutes" label:"Reminders after" default:"" min:"0.5" max:"1440" section:"Alerts" help:"alert again so long after the question came, as in 5, 15"`
	QuietHours               string    `name:"quietHours" label:"Quiet hours" default:"" form:"hours" section:"Alerts" help:"no bell, speech, notification or push then, as in 22:00-07:00; title and form stay"`

	HeartbeatWhileActive     bool    `name:"heartbeatWhileActive" label:"Tell the agent that it waits" default:"false" pi:"true" section:"Agents" help:"tell the agent now and then that its question still waits"`
	HeartbeatIntervalMinutes float64 `name:"heartbeatIntervalMinutes" label:"Tell it every" default:"4.5" min:"0.5" max:"60" pi:"true" section:"Agents" help:"how often it is told"`
	KeepAfterCancel          bool    `name:"keepAfterCancel" label:"Keep forms whose agent ended" default:"true" section:"Agents" help:"a question whose agent ends or loses its terminal, or whose call over MCP is cancelled, stays open; false: its form closes"`
	RecoverMinutes           int     `name:"recoverMinutes" label:"Keep unread answers for" only:"guards" default:"60" min:"0" max:"1440" section:"Agents" help:"an answer that no call got is kept so long for the same question asked again; 0 switches that off; never a dangerous or secret one"`

	HandBackSeconds int `name:"handBackSeconds" label:"Hand a question back after" default:"60" min:"0" max:"86400" section:"Agents" help:"where an agent shows no dialog meanwhile: when you put its form off and were at its pane so long, it gets the question back; 0 is never"`

	Permissions         []string `name:"permissions" label:"Permissions in askpane" only:"strict" default:"away" form:"permission" section:"Agents" help:"when permissions are asked for here too: away, when you look at another pane than the agent's; always; never; for some, as claude/Bash=always; a project may ask for less"`
	PermissionSurfaces  []string `name:"permissionSurfaces" label:"Where permissions are decided" only:"strict" default:"popup, inbox, page" oneof:"popup inbox page answer machines" section:"Agents" help:"a dangerous one never leaves this machine"`
	PermissionDangerous []string `name:"permissionDangerous" label:"Commands typed to be allowed" only:"strict" default:"rm, sudo, find -delete, git push --force*, git push -f*, git push -[0-z]*f*, git push +*, curl | *sh, wget | *sh, *sh ( curl, *sh ( wget, eval ( curl, source ( curl, dd, mkfs*, chmod -*R*, chmod --rec*, chown -*R*, chown --rec*" form:"pattern" section:"Agents" help:"allowed only by typing their name; * is anything; a project's are added"`
	PermissionAsk       []string `name:"permissionAsk" label:"Commands to ask about" only:"strict" default:"" form:"pattern" section:"Agents" help:"needs your permission in pi, which asks for none itself"`

	BrowserEnabled      bool     `name:"browserEnabled" label:"Page in the browser" default:"true" pi:"true" section:"Browser" help:"questions can be answered in a browser; where you set it yourself, the page is up from the question on, else from the key F7 on"`
	BrowserAutoOpen     bool     `name:"browserAutoOpen" label:"Open the page by itself" only:"person" default:"false" pi:"true" section:"Browser" help:"a form opens in the browser too, without the key F7"`
	BrowserMinQuestions int      `name:"browserMinQuestions" label:"From so many questions on" default:"2" min:"1" max:"4" pi:"true" section:"Browser" help:"how many questions a form must have to open in the browser by itself"`
	CopyURLToClipboard  bool     `name:"copyUrlToClipboard" label:"Copy the page's link" default:"true" pi:"true" section:"Browser" help:"where a page is opened, a link to it is copied, which opens one page within ten minutes"`
	PageAlone           bool     `name:"pageAlone" label:"Ask on the page alone" only:"person" default:"false" section:"Browser" help:"where no form can open, a question waits to be answered on the page; false: it is unavailable"`
	PageListen          string   `name:"pageListen" label:"Reach the page from elsewhere" only:"person" default:"" section:"Browser" help:"an address of this machine, or lan for all of them, at which paired devices reach the page too; without TLS"`
	PageHosts           []string `name:"pageHosts" form:"name" label:"Other names of the page" only:"person" default:"" section:"Browser" help:"names at which paired devices reach the page by a proxy with TLS, as with tailscale serve"`
	PageWithoutTLS      bool     `name:"pageWithoutTls" label:"Danger, secrets without TLS" only:"person" default:"false" section:"Browser" help:"dangerous and secret questions can be answered without TLS too, where others on the network may read along"`

	HubURL         string `name:"hubUrl" label:"NATS server in place of a hub" only:"person" default:"" section:"Hub" help:"its URL; questions of your machines come together there; empty: the hub that askpane join has joined, if any"`
	HubCredentials string `name:"hubCredentials" label:"Credentials for that server" only:"person" default:"" section:"Hub" help:"the path of the file with the credentials for hubUrl"`
	HubPeek        bool   `name:"hubPeek" label:"Show panes to your machines" only:"person" default:"false" section:"Hub" help:"your other machines may look at the pane that a question comes from; the hub cannot"`
	HubSecrets     bool   `name:"hubSecrets" label:"Secrets on other machines" only:"person" default:"false" section:"Hub" help:"secret questions can be answered on your other machines; false: they stay on the one that asks"`

	HubMachineQuestions int `name:"hubMachineQuestions" label:"Open questions of a machine" only:"person" default:"1000" min:"10" max:"5000" section:"Hub" help:"so many of one machine are at the hub that runs here, and are shown here, at once"`
	HubMachineMiB       int `name:"hubMachineMegabytes" label:"MiB of a machine" only:"person" default:"256" min:"8" max:"2048" section:"Hub" help:"so much the hub that runs here keeps of one machine's questions"`

	ChatWhen         string `name:"chatWhen" label:"Questions in the chat" default:"away" oneof:"never away always" only:"less" section:"Chat" help:"whether questions are posted in the chat that askpane chat setup has set up: never; away: when nobody is attached where its form would open, or nobody answers; or always; a project may only ask for less"`
	ChatAfterSeconds int    `name:"chatAfterSeconds" label:"Posted at the latest after" only:"global" default:"120" min:"0" max:"86400" section:"Chat" help:"when chatWhen is away: where somebody is attached, a question is posted when nobody has answered for so long"`
	ChatMaxWaiting   int    `name:"chatMaxWaiting" label:"Questions there at once" only:"global" default:"5" min:"1" max:"50" section:"Chat" help:"so many questions wait in the chat at most, the oldest first"`
	ChatSensitive    bool   `name:"chatSensitive" label:"Danger, secrets in the chat" only:"global" default:"false" section:"Chat" help:"dangerous and secret questions are shown and answered in the chat, too, where the service reads along; false: it is said there that one waits"`

	DebounceMs      int      `name:"debounceMs" label:"Read a changed file after" default:"300" min:"0" max:"10000" pi:"true" section:"Files" help:"a changed settings file is read so long after; agents are told of it by AskUserQuestion"`
	HistoryDays     int      `name:"historyDays" label:"Keep the history for" default:"30" min:"0" max:"36500" section:"Files" help:"how long questions that have ended are kept; 0 is for ever"`
	LogLevel        string   `name:"logLevel" label:"Log" default:"warn" oneof:"debug info warn error off" section:"Files" help:"what is worth a line in the log"`
	TrustedProjects []string `name:"trustedProjects" label:"Trusted projects" default:"" only:"global" form:"directory" section:"Files" help:"directories whose own .askpane/settings.json may set what runs commands or protects you"`

	// MutedUntil has no name, since it is no setting: askpane mute sets it (mute.go).
	MutedUntil time.Time
	projects   map[string][]string // what projects say of settings that are strict, by their names
	Colours    Colours             // nor have the colours of the theme custom (theme.go)
}

// The values of openMode.
const (
	OpenPopup  = "popup"
	OpenIdle   = "idle"
	OpenManual = "manual"
)

// The values of pushContent that are told apart.
const (
	PushNothing  = "nothing"
	PushQuestion = "question"
)
