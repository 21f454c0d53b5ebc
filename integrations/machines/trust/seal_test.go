package trust

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/askpane/askpane/settings/private"
	"github.com/askpane/askpane/tests/must"
)

const id1, id2 = "01KA7Q9TAAAAAAAAAAAAAAAAA1", "01KA7Q9TAAAAAAAAAAAAAAAAA2"

func TestSealed(t *testing.T) {
	t.Parallel()
	h := newTeam(t)
	build, phone := h.joins("build1", false), h.joins("phone", true)
	for _, test := range []struct {
		where  string
		writer *Identity
		to     []Member
		by     []*Identity
	}{
		{"ask_entries/build1." + id1, build, h.persons(), []*Identity{h.laptop, phone}},
		{"ask_bids/build1." + id1 + ".phone", phone, []Member{build.Member}, []*Identity{build}},
		{"ask_drafts/build1." + id1 + ".phone", phone, h.ms.All(), []*Identity{h.laptop, phone, build}},
		{"ask_drafts/build1." + id1 + ".build1", build, h.persons(), []*Identity{h.laptop, phone}},
		{"ask_alive/build1", build, h.persons(), []*Identity{phone}},
		{"ask_peek/build1.n1.laptop", h.laptop, []Member{build.Member}, []*Identity{build}},
		{"ask_peeked/build1.n1.laptop", build, []Member{h.laptop.Member}, []*Identity{h.laptop}},
	} {
		for i, m := range test.to {
			m, err := h.ms.Get(m.Name)
			must.Do(h, err)
			test.to[i] = m
		}
		said := "what stands at " + test.where
		sealed, err := test.writer.Seal(test.to, test.where, []byte(said))
		must.Do(h, err)
		if strings.Contains(string(sealed), "stands") {
			t.Errorf("%s can be read by everybody", test.where)
		}
		for _, reader := range test.by {
			reader, err = Load(reader.dir) // as after a restart
			must.Do(h, err)
			from, plain, err := reader.Open(h.ms, test.where, sealed)
			if err != nil || from.Name != test.writer.Member.Name || string(plain) != said {
				t.Errorf("%s reads %q from %q: %v", reader.Member.Name, plain, from.Name, err)
			}
		}
	}
}

// TestSealsThatAreRefused has another machine, or the hub, put something where laptop or
// build1 looks.
func TestSealsThatAreRefused(t *testing.T) {
	t.Parallel()
	h := newTeam(t)
	build, other, phone, lost, stranger := h.joins("build1", false), h.joins("build2", false), h.joins("phone", true), h.joins("lost", true), newTeam(t).laptop
	h.revoke(lost)
	everybody := slices.DeleteFunc(h.ms.All(), func(m Member) bool { return m.Name == "lost" })
	entry, bid := "ask_entries/build1."+id1, "ask_bids/build1."+id1+".phone"
	as := func(id *Identity, name string, person bool) *Identity { // id says that it is another
		liar := *id
		liar.Member.Name, liar.Member.Person = name, person
		return &liar
	}
	seal := func(id *Identity, where string) []byte {
		sealed, err := id.Seal(everybody, where, []byte("said"))
		must.Do(h, err)
		return sealed
	}
	good := seal(build, entry)
	if _, _, err := h.laptop.Open(h.ms, entry, good); err != nil {
		t.Fatal(err)
	}
	// resigned is a box of one machine's under the signature of another.
	resigned := func(id *Identity, where string, sealed []byte) []byte {
		own := seal(id, where)
		line, _, _ := strings.Cut(string(own), "\n")
		_, box, _ := strings.Cut(string(sealed), "\n")
		var h header
		if err := json.Unmarshal([]byte(line), &h); err != nil {
			t.Fatal(err)
		}
		h.Signature = sign(id.Keys.Sign, h.message(where, []byte(box)))
		return append(append(Encode(h), '\n'), box...)
	}
	changed := func(i int) []byte {
		c := []byte(string(good))
		c[(i+len(c))%len(c)] ^= 1
		return c
	}
	for _, test := range []struct {
		what   string
		reader *Identity
		where  string
		sealed []byte
		want   error
	}{
		{"a question moved to another id", h.laptop, "ask_entries/build1." + id2, good, ErrForged},
		{"a question moved to another machine", h.laptop, "ask_entries/build2." + id1, good, ErrMay},
		{"a question moved to another bucket", h.laptop, "ask_alive/build1", good, ErrForged},
		{"a bucket that nobody knows", h.laptop, "ask_other/build1", good, ErrMay},
		{"no bucket", h.laptop, "", good, ErrMay},
		{"a place with too many parts", h.laptop, entry + ".build1", good, ErrMay},
		{"a question in another machine's place", h.laptop, entry, seal(as(other, "build1", false), entry), ErrForged},
		{"another machine's question as one's own", h.laptop, "ask_entries/build2." + id1, resigned(other, "ask_entries/build2."+id1, good), ErrForged},
		{"an answer by a machine that only asks", build, "ask_bids/build1." + id1 + ".build2", seal(as(other, "build2", true), "ask_bids/build1."+id1+".build2"), ErrMay},
		{"an answer by the machine that asks", build, "ask_bids/build1." + id1 + ".build1", seal(as(build, "build1", true), "ask_bids/build1."+id1+".build1"), ErrMay},
		{"an answer in the name of a person's machine", build, bid, seal(as(other, "phone", true), bid), ErrForged},
		{"an answer in another person's place", build, bid, seal(h.laptop, "ask_bids/build1."+id1+".laptop"), ErrMay},
		{"an answer to another question", build, "ask_bids/build1." + id2 + ".phone", seal(phone, bid), ErrForged},
		{"a draft by another machine that only asks", h.laptop, "ask_drafts/build1." + id1 + ".build2", seal(as(other, "build2", true), "ask_drafts/build1."+id1+".build2"), ErrMay},
		{"a look at a pane by a machine that only asks", build, "ask_peek/build1.n1.build2", seal(as(other, "build2", true), "ask_peek/build1.n1.build2"), ErrMay},
		{"a screen for another look", h.laptop, "ask_peeked/build1.n2.laptop", seal(build, "ask_peeked/build1.n1.laptop"), ErrForged},
		{"a machine that is not known", h.laptop, "ask_entries/stranger." + id1, seal(as(stranger, "stranger", true), "ask_entries/stranger."+id1), ErrUnknown},
		{"a machine of another hub by the same name", build, "ask_bids/build1." + id1 + ".laptop", seal(stranger, "ask_bids/build1."+id1+".laptop"), ErrForged},
		{"a machine that was revoked", build, "ask_bids/build1." + id1 + ".lost", seal(lost, "ask_bids/build1."+id1+".lost"), ErrRevoked},
		{"one that is not to read it", stranger, entry, good, ErrReader},
		{"its end is changed", h.laptop, entry, changed(-1), ErrForged},
		{"its end is missing", h.laptop, entry, good[:len(good)-1], ErrForged},
		{"nothing but its first line", h.laptop, entry, []byte(strings.SplitAfter(string(good), "\n")[0]), ErrForged},
		{"its beginning is changed", h.laptop, entry, changed(0), nil},
		{"nothing", h.laptop, entry, nil, nil},
		{"an empty first line", h.laptop, entry, []byte("{}\n"), ErrUnknown},
		{"a later format", h.laptop, entry, []byte(strings.Replace(string(good), `"version":1`, `"version":2`, 1)), private.ErrNewer},
		{"a name that a terminal would obey", h.laptop, entry, []byte(`{"version":1,"from":"\u001b[2J"}` + "\n"), ErrUnknown},
	} {
		from, plain, err := test.reader.Open(h.ms, test.where, test.sealed)
		refused(t, test.what, err, test.want)
		if plain != nil || from.Name != "" || err != nil && strings.ContainsRune(err.Error(), '\x1b') {
			t.Errorf("%s: something of it is told: %q from %q, %q", test.what, plain, from.Name, err)
		}
	}
	var unchecked Member
	must.Do(h, json.Unmarshal(Encode(phone.Member), &unchecked))
	_, err := build.Seal([]Member{unchecked}, entry, nil)
	refused(t, "sealing to a record that nobody has verified", err, ErrUnknown)
	_, err = build.Seal(h.ms.All(), entry, nil)
	refused(t, "sealing to a machine that was revoked", err, ErrRevoked)
	_, err = build.Seal(everybody, bid, nil)
	refused(t, "sealing for a place that is not one's own", err, ErrMay)
}
