package link

import "golang.org/x/sys/unix"

// boot names the time since the machine was started; empty where the system does not say.
func boot() string {
	id, _ := unix.Sysctl("kern.bootsessionuuid")
	return id
}
