//go:build !linux && !darwin

package process

import "errors"

func peer(int) (int, error) { return 0, errors.ErrUnsupported }
