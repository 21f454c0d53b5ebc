// Command limit is the least that can stand in a popup, for a benchmark on a
// machine without a C compiler: it prints a marker and exits on Enter. Given a
// file, it writes there when it had printed, in ns since 1970.
package main

import (
	"os"
	"strconv"
	"time"
)

func main() {
	if len(os.Args) != 2 && len(os.Args) != 3 {
		os.Exit(2)
	}
	if _, err := os.Stdout.WriteString(os.Args[1]); err != nil {
		os.Exit(1)
	}
	if len(os.Args) == 3 {
		now := strconv.FormatInt(time.Now().UnixNano(), 10)
		if err := os.WriteFile(os.Args[2], []byte(now), 0o600); err != nil {
			os.Exit(1)
		}
	}
	var key [1]byte
	if n, _ := os.Stdin.Read(key[:]); n != 1 {
		os.Exit(1)
	}
}
