package preview

import (
	"strconv"
	"strings"
)

func itoa(n int) string { return strconv.Itoa(n) }

// relist indents what belongs to a list's item by four blanks a level. The
// parser, a descendant of the first markdown, wants four; people and agents
// write under the item's text, two or three blanks in (CommonMark 5.2).
func relist(content string) string {
	var out strings.Builder
	var texts []int // where the text of each open item begins
	blank, fence := false, ""
	for _, line := range strings.Split(content, "\n") {
		body := strings.TrimLeft(line, " ")
		at := len(line) - len(body)
		inside := func() int { // how far right of the innermost open item's text
			if len(texts) == 0 {
				return at
			}
			return at - texts[len(texts)-1]
		}
		switch {
		case body == "":
			blank = true
		case fence != "":
			if strings.HasPrefix(body, fence) && strings.Trim(body, fence[:1]+" ") == "" {
				fence = ""
			}
			line = strings.Repeat(" ", 4*len(texts)+max(0, inside())) + body
		default:
			mark := marker(body)
			for len(texts) > 0 && inside() < 0 && (mark > 0 || blank) {
				texts = texts[:len(texts)-1]
			}
			blank = false
			if inside() < 0 {
				break // goes on with the text above, wherever it stands
			}
			if mark > 0 && inside() < 4 && len(texts) < deepest {
				line = strings.Repeat(" ", 4*len(texts)) + body
				texts = append(texts, at+mark)
				break
			}
			for _, sign := range []string{"```", "~~~"} {
				if strings.HasPrefix(body, sign) && !strings.Contains(strings.TrimLeft(body, sign[:1]), sign[:1]) {
					fence = sign
				}
			}
			line = strings.Repeat(" ", 4*len(texts)+inside()) + body
		}
		out.WriteString(line)
		out.WriteByte('\n')
	}
	return out.String()
}

// marker is how far a list's mark at the begin of line, with the blanks after
// it, reaches; 0 where there is none.
func marker(line string) int {
	n := 0
	switch line[0] {
	case '-', '*', '+':
		n = 1
		if rule := strings.ReplaceAll(line, " ", ""); len(rule) > 2 && strings.Trim(rule, line[:1]) == "" {
			return 0 // a ruled line
		}
	default:
		for n < len(line) && n < 9 && line[n] >= '0' && line[n] <= '9' {
			n++
		}
		if n == 0 || n == len(line) || line[n] != '.' && line[n] != ')' {
			return 0
		}
		n++
	}
	if n == len(line) {
		return n + 1
	}
	if line[n] != ' ' {
		return 0
	}
	text := strings.TrimLeft(line[n:], " ")
	if blanks := len(line) - n - len(text); blanks <= 4 && text != "" {
		return n + blanks
	}
	return n + 1
}
