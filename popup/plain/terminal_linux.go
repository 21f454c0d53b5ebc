package plain

import "golang.org/x/sys/unix"

// What tcgetattr is here, and tcsetattr with TCSANOW and with TCSAFLUSH.
const getMode, setMode, setModeAndFlush = unix.TCGETS, unix.TCSETS, unix.TCSETSF

// longest counts the bytes of a line that are handed over; what is typed beyond is lost.
const longest = 4095
