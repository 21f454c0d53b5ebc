package notify

import "context"

// ownWays lists the ways of the desktop that this process belongs to.
func ownWays() []desktopWay {
	return []desktopWay{{"osascript", byOsascript, installed("osascript")}}
}

// byOsascript hands the text over by argv: it is no part of the script.
func byOsascript(ctx context.Context, n notification) (undo, error) {
	return nil, runShort(ctx, "osascript", "-e", "on run argv", "-e",
		"display notification (item 2 of argv) with title (item 1 of argv)", "-e", "end run", n.summary, n.body)
}
