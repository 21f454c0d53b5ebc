package dialect

// withdrawals collects what an older version of a contract had, so that all of
// it goes into one message: each fault once, at the first place it stands at.
type withdrawals []*withdrawal

type withdrawal struct {
	at      node
	instead string
	more    int
}

// field records the member name of n, if it is there.
func (w *withdrawals) field(n node, name, instead string) {
	if member := n.field(name); member.given() {
		w.add(member, instead)
	}
}

func (w *withdrawals) add(n node, instead string) {
	for _, known := range *w {
		if known.instead == instead && lastName(known.at.path) == lastName(n.path) {
			known.more++
			return
		}
	}
	*w = append(*w, &withdrawal{at: n, instead: instead})
}

// report records them all.
func (w withdrawals) report() {
	for _, known := range w {
		if known.more == 0 {
			known.at.fail("%s", known.instead)
			continue
		}
		known.at.fail("%s (and %d more like it)", known.instead, known.more)
	}
}
