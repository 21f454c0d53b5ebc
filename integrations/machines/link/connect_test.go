package link

import (
	"strings"
	"testing"

	"github.com/askpane/askpane/integrations/machines/trust"
)

// What was tried is named, and no password is.
func TestSafe(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"nats://one:4222":                                   "nats://one:4222",
		"nats://ada:pw@one:4222":                            "nats://xxxxx@one:4222",
		"nats://ada:p@s/w#?d@one:4222 is down":              "nats://xxxxx@one:4222 is down",
		"ada:pw@one":                                        "xxxxx@one",
		"nats://ada:pw@one:1,tls://ada:pw@two:2":            "nats://xxxxx@one:1,tls://xxxxx@two:2",
		"nats://one:1,nats://[::1]:2,nats://ada:pw@two":     "nats://one:1,nats://[::1]:2,nats://xxxxx@two",
		"nats://ada:pw@one,two:2":                           "nats://xxxxx@one,two:2",
		"nats://ada:p,w@one,nats://bob:p,w@two":             "nats://xxxxx@one,nats://xxxxx@two",
		"nats://ada:pw,nats://bob:pw@two":                   "nats://xxxxx,nats://xxxxx@two",
		`parse "nats://ada:pw@o ne": invalid character " "`: `parse "nats://xxxxx@o ne": invalid character " "`,
	} {
		if got := safe(text); got != want {
			t.Errorf("%s is shown as %s, want %s", text, got, want)
		}
	}
}

// Where none of several servers answers, each of them is named; a password never is.
func TestNoneAnswers(t *testing.T) {
	t.Parallel()
	one, two := nobodys()+":1", nobodys()+":1"
	for url, named := range map[string][]string{
		"nats://ada:xyzzy@" + one + ",nats://ada:xyzzy@" + two: {one, two},
		"nats://ada:xyz@,xyzzy@" + one:                         nil,
		"nats://ada:xyzzy@host:port":                           nil,
		"nats://ada:%xyzzy@host":                               nil,
	} {
		_, err := Connect(&trust.Identity{URL: url})
		if err == nil || strings.Contains(err.Error(), "xyz") {
			t.Fatalf("%s: it says %v", url, err)
		}
		for _, host := range named {
			if !strings.Contains(err.Error(), host) {
				t.Errorf("%s is not named: %v", host, err)
			}
		}
	}
}
