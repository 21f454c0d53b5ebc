package plain

import "golang.org/x/sys/unix"

// What tcgetattr is here, and tcsetattr with TCSANOW and with TCSAFLUSH.
const getMode, setMode, setModeAndFlush = unix.TCGETS, unix.TCSETS, unix.TCSETSF

const longest = 4095 // bytes of a line that are handed over; what is typed beyond is lost
