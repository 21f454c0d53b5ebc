package process

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
)

// procArgs is the arguments and the environment in what macOS gives as
// kern.procargs2: the number of arguments in four bytes, the program's path,
// zeros, the arguments and the variables, each ended by a zero, and an empty one
// (sysctl(3) names it; the layout is in xnu's bsd/kern/kern_sysctl.c,
// sysctl_procargsx).
func procArgs(data []byte) (args, env []string) {
	if len(data) < 4 {
		return nil, nil
	}
	arguments := binary.NativeEndian.Uint32(data)
	_, rest, ok := bytes.Cut(data[4:], []byte{0})
	if !ok {
		return nil, nil
	}
	words := strings.Split(string(bytes.TrimLeft(rest, "\x00")), "\x00")
	if uint64(len(words)) <= uint64(arguments) {
		return nil, nil
	}
	args, env = words[:arguments], words[arguments:]
	if end := slices.Index(env, ""); end >= 0 {
		env = env[:end]
	}
	return args, env
}
