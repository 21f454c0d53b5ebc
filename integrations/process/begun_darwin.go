package process

// Begun would return what pid has started since; on macOS the system does not say it in one place.
func Begun(int) [][]string { return nil }
