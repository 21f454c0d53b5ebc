//go:build !race

package needs

const raced = false
