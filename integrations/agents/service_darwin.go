package agents

var atLogin = launchd
