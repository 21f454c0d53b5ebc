//go:build !darwin

package agents

var atLogin = systemd
