package link

import (
	"os"
	"strings"
)

// boot names the time since the machine was started; empty where the system does not say.
func boot() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(id))
}
