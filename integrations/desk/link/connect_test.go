package link

import (
	"context"
	"net"
	"strings"
	"testing"

	"github.com/askpane/askpane/integrations/desk/link/trust"
)

// What was tried is named, and no password is.
func TestSafe(t *testing.T) {
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

// Where none of several servers answers, each of them is named.
func TestNoneAnswers(t *testing.T) {
	var urls, hosts []string
	for range 2 {
		l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		hosts = append(hosts, l.Addr().String())
		urls = append(urls, "nats://ada:xyzzy@"+l.Addr().String())
		l.Close()
	}
	_, err := Connect(&trust.Identity{URL: strings.Join(urls, ",")})
	if err == nil || strings.Contains(err.Error(), "xyzzy") || !strings.Contains(err.Error(), hosts[0]) || !strings.Contains(err.Error(), hosts[1]) {
		t.Errorf("it says %v", err)
	}
}
