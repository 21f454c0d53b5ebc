package plain

import "golang.org/x/sys/unix"

// What tcgetattr is here, and tcsetattr with TCSANOW and with TCSAFLUSH; and its flag IUTF8.
const getMode, setMode, setModeAndFlush, utf8 = unix.TCGETS, unix.TCSETS, unix.TCSETSF, unix.IUTF8

const longest = 4095 // bytes of a line that are handed over; what is typed beyond is lost
