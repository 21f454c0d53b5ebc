package process

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// afterArguments is the environment in what macOS gives as kern.procargs2: the
// number of arguments in four bytes, the program's path, zeros, the arguments
// and the variables, each ended by a zero, and an empty one (sysctl(3) names it;
// the layout is in xnu's bsd/kern/kern_sysctl.c, sysctl_procargsx).
func afterArguments(data []byte) []string {
	if len(data) < 4 {
		return nil
	}
	arguments := binary.NativeEndian.Uint32(data)
	_, rest, ok := bytes.Cut(data[4:], []byte{0})
	if !ok {
		return nil
	}
	words := strings.Split(string(bytes.TrimLeft(rest, "\x00")), "\x00")
	if uint64(len(words)) <= uint64(arguments) {
		return nil
	}
	words = words[arguments:]
	for i, w := range words {
		if w == "" {
			return words[:i]
		}
	}
	return words
}
