//go:build !linux

package tty

// ancestral: without /proc only the controlling terminal is known.
func ancestral() string { return "" }
