package main
func alertFailed(err error) { warn(err) }
