package form

// Document has a text that a question is about. What the person remarks on places of it
// goes with the answer (Answer.LineNotes).
type Document struct {
	Text string `json:"text"`           // Markdown, in UTF-8; its lines end in \n
	Path string `json:"path,omitempty"` // of the file that it was read from; empty for none
	Sum  string `json:"sum"`            // SHA-256 of Text, in hexadecimal digits
	// Changed lists the lines that the version before had not, counted from 1.
	Changed []int `json:"changed,omitempty"`
	// Kept has the remarks on that version which were not sent, by the line where they
	// belong now, and Sent those that were.
	Kept map[int]string `json:"kept,omitempty"`
	Sent map[int]string `json:"sent,omitempty"`
}

// Document returns the one that f is about; nil for none.
func (f *Form) Document() *Document {
	if len(f.Questions) != 1 {
		return nil
	}
	return f.Questions[0].Document
}
