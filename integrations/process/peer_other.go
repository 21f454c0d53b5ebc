//go:build !linux && !darwin

package process

import "errors"

func peer(int) (pid, uid int, err error) { return 0, 0, errors.ErrUnsupported }
