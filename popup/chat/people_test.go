package chat

import (
	"strings"
	"time"
)

// words is a message as a person would see it.
func words(m Message) string {
	var all []string
	for _, b := range m.Blocks {
		switch {
		case b.Separator:
			all = append(all, "---")
		case b.Select != nil:
			line := "<" + b.Select.Hint
			for _, c := range b.Select.Choices {
				line += map[bool]string{false: " ☐ ", true: " ☑ "}[c.Chosen] + strings.TrimSpace(c.Emoji+" "+c.Label)
				if c.Description != "" {
					line += " (" + c.Description + ")"
				}
			}
			all = append(all, line+">")
		case b.Buttons != nil:
			line := ""
			for _, x := range b.Buttons {
				line += "[" + strings.TrimSpace(x.Emoji+" "+x.Label) + "]"
			}
			all = append(all, line)
		default:
			all = append(all, map[Style]string{Plain: "", Heading: "# ", Dim: "~ ", Fixed: "| "}[b.Style]+b.Text)
		}
	}
	return map[State]string{Waiting: "waiting", Answered: "answered", Over: "over"}[m.State] + "\n" + strings.Join(all, "\n")
}

// control is the id of what has that label or hint, as soon as there is such.
func (r *room) control(ref, label string) (id string) {
	r.Helper()
	r.until("control "+label, func() bool {
		for _, b := range r.messages[ref].Blocks {
			if b.Select != nil && b.Select.Hint == label {
				id = b.Select.ID
			}
			for _, x := range b.Buttons {
				if x.Label == label {
					id = x.ID
				}
			}
		}
		return id != ""
	})
	return id
}

// does is an event of somebody's, and what they are told.
func (r *room) does(e Event) Reply {
	r.Helper()
	r.until("listener", func() bool { return r.do != nil })
	told := make(chan Reply, 10)
	e.Reply = func(reply Reply) error { told <- reply; return nil }
	if e.User.ID == "" {
		e.User = User{"u1", "Dom"}
	}
	r.do(e)
	select {
	case reply := <-told:
		return reply
	case <-time.After(patient):
		r.Fatalf("%s was not answered", e.ID)
		return Reply{}
	}
}

// happens runs what happens next to a question that nobody else follows.
func (r *room) happens(a *session) {
	r.Helper()
	select {
	case do := <-a.service.happens:
		do()
	case <-time.After(patient):
		r.Fatal("nothing happens")
	}
}

func (r *room) presses(ref, label string) Reply {
	r.Helper()
	return r.does(Event{Ref: ref, ID: r.control(ref, label)})
}

func (r *room) types(ref, label, text string) Reply {
	r.Helper()
	reply := r.presses(ref, label)
	if reply.Entry == nil {
		r.Fatalf("%s opens no entry, but says %q", label, reply.Notice)
	}
	return r.does(Event{Ref: ref, ID: reply.Entry.ID, Text: text})
}

func (r *room) chooses(ref, hint string, values ...string) Reply {
	r.Helper()
	return r.does(Event{Ref: ref, ID: r.control(ref, hint), Values: values})
}

// quietly is that a reply says nothing.
func (r *room) quietly(reply Reply) {
	r.Helper()
	if reply.Notice != "" || reply.Entry != nil {
		r.Errorf("it says %q", reply.Notice)
	}
}

func (r *room) says(reply Reply, want string) {
	r.Helper()
	if said := strings.TrimSuffix(reply.Notice+"\n"+reply.Typed, "\n"); !strings.Contains(said, want) {
		r.Errorf("it says %q, not %q", said, want)
	}
}
