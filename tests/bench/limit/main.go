// Command limit is the least that can stand in a popup, for a benchmark on a
// machine without a C compiler: it prints a marker and exits on Enter.
package main

import (
	"os"
)

func main() {
	if len(os.Args) != 2 {
		os.Exit(2)
	}
	if _, err := os.Stdout.WriteString(os.Args[1]); err != nil {
		os.Exit(1)
	}
	var key [1]byte
	if n, _ := os.Stdin.Read(key[:]); n != 1 {
		os.Exit(1)
	}
}
