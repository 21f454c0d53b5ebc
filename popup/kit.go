package popup

// Tilde writes the home directory as ~.
func Tilde(path string) string { return tilde(path) }
