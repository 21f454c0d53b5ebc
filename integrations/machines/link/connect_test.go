package link

import (
	"net"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/askpane/askpane/integrations/machines/trust"
	"github.com/askpane/askpane/tests/must"
)

// Hosts are named, and no user or password is.
func TestWithoutUsers(t *testing.T) {
	t.Parallel()
	for urls, want := range map[string]string{
		"nats://one:4222":                               "nats://one:4222",
		"one:4222, two":                                 "nats://one:4222, nats://two",
		"nats://ada:pw@one:4222":                        "nats://one:4222",
		"nats://ada:p@sw@one:4222":                      "nats://one:4222",
		"nats://ada:p@s/w#?d@one:4222":                  "",
		"ada:pw@one":                                    "nats://one",
		"nats://ada:pw@one:1,tls://ada:pw@two:2":        "nats://one:1, tls://two:2",
		"nats://one:1,nats://[::1]:2,nats://ada:pw@two": "nats://one:1, nats://[::1]:2, nats://two",
		"nats://ada:p,w@one,nats://bob:p,w@two":         "",
		"nats://ada:pw,nats://bob:pw@two":               "",
		"nats://ada:pw@o ne":                            "",
	} {
		if got := withoutUsers(urls); got != want {
			t.Errorf("of %s there is %q, want %q", urls, got, want)
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

// A hub that is stopped takes a connection and says nothing: what can be done is said there, too.
func TestStoppedHub(t *testing.T) {
	t.Parallel()
	stopped, err := net.Listen("tcp", nobodys()+":0")
	must.Do(t, err)
	defer stopped.Close()
	for pin, limit := range map[string]time.Duration{"sha256:x": 50 * time.Millisecond, "": 50 * time.Millisecond, "sha256:y": time.Nanosecond} { // which ends while it connects
		_, err = Dial("tls://"+stopped.Addr().String(), pin, "laptop", nats.Timeout(limit))
		if err == nil || !strings.Contains(err.Error(), "does not answer") || !strings.Contains(err.Error(), "see that askpane hub runs there") {
			t.Errorf("with the pin %q it says %v", pin, err)
		}
	}
}
