//go:build !darwin

package notify

import "os"

// ownWays lists the ways of the desktop that this process belongs to, if there is one.
func ownWays() []desktopWay {
	if os.Getenv("DBUS_SESSION_BUS_ADDRESS") == "" && os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		return nil
	}
	return []desktopWay{{"D-Bus", byDBus, probeDBus}, {"notify-send", byNotifySend, installed("notify-send")}}
}
