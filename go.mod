module github.com/askpane/askpane

go 1.26.0

require (
	filippo.io/age v1.3.2 // what goes over the hub is sealed by it: a payload has several readers, where nkeys' xkeys have one; 2026-08
	github.com/Netflix/go-expect v0.0.0-20220104043353-73e0943537d2 // given; tests only
	github.com/alecthomas/chroma/v2 v2.27.0 // code in previews, in a program of their own; 2026-06, the one highlighter kept up
	github.com/charmbracelet/ultraviolet v0.0.0-20260303162955-0b88c25f3fff // cells of x/vt
	github.com/charmbracelet/x/ansi v0.11.6 // sequences, and the widths that x/vt goes by
	github.com/charmbracelet/x/vt v0.0.0-20260305213658-fe36e8c10185 // terminal emulator, of the tests and of askpane run: 2026-03, newest served. hinshun/vt10x stopped in 2022 and has no wide signs; tcell/v3/vt (2026-10) knows no default colours and no character sets; vaxis and go-headless-term are not served
	github.com/chromedp/cdproto v0.159.0 // what chromedp speaks; tests only
	github.com/chromedp/chromedp v0.23.0 // the page in a real Chromium; tests only; 2026, over the browser's own protocol without a driver
	github.com/creack/pty v1.1.24 // given
	github.com/fsnotify/fsnotify v1.10.1 // given
	github.com/fzipp/gocyclo v0.6.0 // how branched a function is; tests only; 2022-06, its newest, and go/ast has not changed under it; staticcheck has no such check
	github.com/gdamore/tcell/v2 v2.13.10 // what tview draws on; used directly for cells and the simulated screen
	github.com/gliderlabs/ssh v0.3.8 // the far end of ssh; tests only; 2024-12, the newest of its kind that is served; sshd itself wants a user of its own on the system
	github.com/go-telegram/bot v1.19.0 // Telegram's Bot API 9.4, with the styles of buttons; 2026-02, and depends on nothing; go-telegram-bot-api stopped in 2021
	github.com/godbus/dbus/v5 v5.2.4 // notifications; 2026-10; beeep, which uses it, cannot withdraw one or give up waiting
	github.com/google/jsonschema-go v0.4.3 // tests hold the published schemas by it; what the MCP library and elicitation describe forms with; 2026-04
	github.com/google/renameio/v2 v2.0.2 // settings, and files of agents and keys, are replaced in one step; 2026-01
	github.com/gorilla/websocket v1.5.3 // the gateway of Discord, and of the tests' own; 2024-06; discordgo's own gateway may wait for ever, and its requests read no Retry-After
	github.com/hbollon/go-edlib v1.7.0 // which name was meant, counting two letters in each other's place as one slip, where smetrics, which cli brings, counts two; 2025-08, and depends on nothing
	github.com/lucasb-eyer/go-colorful v1.3.0 // how colours are mixed, and their luminance; tcell brings it
	github.com/mattn/go-shellwords v1.0.16 // ttsCommand in words, as a shell has them; 2026-10, the one that is kept up
	github.com/modelcontextprotocol/go-sdk v1.8.0 // the MCP server; the official one, 2026-09, with the 2026 protocol; it costs every start 0.5 ms (encoding/gob, net/http), which its one package cannot be had without
	github.com/nats-io/nats-server/v2 v2.15.2 // the hub; 2026-10
	github.com/nats-io/nats.go v1.55.0 // the way to the hub; 2026-10
	github.com/nats-io/nkeys v0.4.17 // the keys of its users; 2026-11, the server's own
	github.com/oklog/ulid/v2 v2.1.2 // entry names that sort by time; 2026-07
	github.com/pelletier/go-toml/v2 v2.4.3 // where the tables of Codex's file are, so that all others keep every byte; 2026-07; BurntSushi/toml tells no positions
	github.com/rivo/tview v0.42.1-0.20260316130009-63ee97f9e014 // given; the newest commit the module proxy serves
	github.com/rivo/uniseg v0.4.7 // grapheme clusters, widths and line breaks; what tview uses
	github.com/rogpeppe/go-internal v1.16.0 // testscript; 2026-07
	github.com/tailscale/hujson v0.0.0-20260727124030-b80ff77dac4f // JSON files are edited in their own layout, with comments; 2026-07, and nothing at program start; tidwall/sjson is of 2022 and knows no comments
	github.com/urfave/cli/v2 v2.27.7 // given
	github.com/yuin/goldmark v1.8.7 // Markdown in previews, in a program of their own; 2026-10; CommonMark and GitHub's tables, where gomarkdown knows an older Markdown
	go.uber.org/goleak v1.3.0 // tests only
	golang.org/x/crypto v0.58.0 // the ssh server's key; tests only
	golang.org/x/sys v0.49.0 // flock of a file that an os.Root has opened, inotify; gofrs/flock opens by path alone
	golang.org/x/term v0.47.0 // whether there is a terminal, and its settings
	golang.org/x/text v0.43.0
	rsc.io/qr v0.2.0 // the QR code of askpane phone; 2018, tagged, and depends on nothing; the format has not changed since. skip2/go-qrcode is of 2020 and has no release
)

require (
	filippo.io/hpke v0.4.0 // indirect
	github.com/BurntSushi/toml v1.5.0 // indirect
	github.com/anmitsu/go-shlex v0.0.0-20200514113438-38f4b401e2be // indirect
	github.com/antithesishq/antithesis-sdk-go v0.8.0-default-no-op // indirect
	github.com/bitfield/gotestdox v0.2.2 // indirect
	github.com/charmbracelet/colorprofile v0.4.2 // indirect
	github.com/charmbracelet/x/exp/ordered v0.1.0 // indirect
	github.com/charmbracelet/x/term v0.2.2 // indirect
	github.com/charmbracelet/x/termios v0.1.1 // indirect
	github.com/charmbracelet/x/windows v0.2.2 // indirect
	github.com/clipperhouse/displaywidth v0.9.0 // indirect
	github.com/clipperhouse/stringish v0.1.1 // indirect
	github.com/clipperhouse/uax29/v2 v2.7.0 // indirect
	github.com/cpuguy83/go-md2man/v2 v2.0.7 // indirect
	github.com/dlclark/regexp2/v2 v2.2.1 // indirect
	github.com/dnephin/pflag v1.0.7 // indirect
	github.com/fatih/color v1.18.0 // indirect
	github.com/gdamore/encoding v1.0.1 // indirect
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
	github.com/google/go-tpm v0.9.8 // indirect
	github.com/google/shlex v0.0.0-20191202100458-e7afc7fbc510 // indirect
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/mattn/go-colorable v0.1.13 // indirect
	github.com/mattn/go-isatty v0.0.20 // indirect
	github.com/mattn/go-runewidth v0.0.19 // indirect
	github.com/minio/highwayhash v1.0.4 // indirect
	github.com/muesli/cancelreader v0.2.2 // indirect
	github.com/nats-io/jwt/v2 v2.8.3 // indirect
	github.com/nats-io/nuid v1.0.1 // indirect
	github.com/russross/blackfriday/v2 v2.1.0 // indirect
	github.com/segmentio/asm v1.1.3 // indirect
	github.com/segmentio/encoding v0.5.4 // indirect
	github.com/xo/terminfo v0.0.0-20220910002029-abceb7e1c41e // indirect
	github.com/xrash/smetrics v0.0.0-20240521201337-686a1a2994c1 // indirect
	github.com/yosida95/uritemplate/v3 v3.0.2 // indirect
	golang.org/x/exp/typeparams v0.0.0-20231108232855-2478ac86f678 // indirect
	golang.org/x/mod v0.41.0 // indirect
	golang.org/x/oauth2 v0.35.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/time v0.16.0 // indirect
	golang.org/x/tools v0.51.0 // indirect
	gotest.tools/gotestsum v1.13.0 // indirect
	honnef.co/go/tools v0.8.2 // indirect
)

tool (
	gotest.tools/gotestsum // runs go test and keeps its events, by which tests/run knows what was played and how long it took; 2025-09
	honnef.co/go/tools/cmd/staticcheck
)
