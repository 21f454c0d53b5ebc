package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations/machines/link"
	"github.com/askpane/askpane/integrations/machines/trust"
	"github.com/askpane/askpane/tests/bench/usage"
)

// The configuration of docs/dev/scale.md: a server of the cluster, which keeps nothing of ours,
// and leaf nodes that keep what waits of many people, each in an account of their own. The
// cluster has a JetStream and a domain because the documentation of NATS wants that where
// there is more than one leaf node with JetStream.
const (
	clusterConf = `
server_name: cluster1, host: 127.0.0.1, port: -1, max_payload: 4MB
jetstream { store_dir: %q, domain: cluster }
leafnodes { host: 127.0.0.1, port: -1 }
accounts { %s }
default_js_domain: { %s }
`
	leafConf = `
server_name: leaf%[1]d, host: 127.0.0.1, port: -1, max_payload: 4MB
jetstream { store_dir: %[2]q, domain: leaf%[1]d, max_mem: 1TB, max_file: 10TB, sync_interval: always }
accounts { %[3]s }
leafnodes { remotes: [ %[4]s ] }
`
)

// leafNodes is how many of them there are.
const leafNodes = 2

// accounts is a text for each of n accounts of a leaf node. In it, PN is the account, pN its
// user, and LEAF the domain.
func accounts(leaf, n int, format string) string {
	var all strings.Builder
	for i := range n {
		all.WriteString(strings.NewReplacer("N", fmt.Sprintf("%dx%d", leaf, i), "LEAF", fmt.Sprint("leaf", leaf)).Replace(format) + "\n")
	}
	return all.String()
}

// natsServer serves a configuration.
func natsServer(dir, conf string) (*server.Server, error) {
	path := filepath.Join(dir, "nats.conf")
	if err := os.WriteFile(path, []byte(conf), 0o600); err != nil {
		return nil, err
	}
	opts, err := server.ProcessConfigFile(path)
	if err != nil {
		return nil, err
	}
	opts.NoSigs, opts.NoLog = true, true
	s, err := server.NewServer(opts)
	if err != nil {
		return nil, err
	}
	s.Start()
	if !s.ReadyForConnections(patience) {
		return nil, errors.New("a NATS server does not start")
	}
	return s, nil
}

// people measures what the accounts of so many people cost at one leaf node, and how long
// a question takes from a machine there to a person at a server of the cluster.
func people(n, probes int) error {
	dir, err := os.MkdirTemp("", "askpane-hub-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var users, domains string
	for leaf := range leafNodes {
		users += accounts(leaf, n, "PN: { users: [{user: pN, password: x}] }")
		domains += accounts(leaf, n, "PN: LEAF")
	}
	cluster, err := natsServer(dir, fmt.Sprintf(clusterConf, filepath.Join(dir, "cluster"), users, domains))
	if err != nil {
		return err
	}
	defer cluster.Shutdown()
	v, err := cluster.Varz(nil)
	if err != nil {
		return err
	}
	debug.FreeOSMemory()
	before, err := usage.Of(os.Getpid())
	if err != nil {
		return err
	}
	var leafs [leafNodes]*server.Server
	var confs [leafNodes]string
	for leaf := range leafs {
		remotes := accounts(leaf, n, fmt.Sprintf(`{ urls: ["nats-leaf://pN:x@127.0.0.1:%d"], account: PN }`, v.LeafNode.Port))
		confs[leaf] = fmt.Sprintf(leafConf, leaf, filepath.Join(dir, fmt.Sprint("leaf", leaf)), accounts(leaf, n, "PN: { users: [{user: pN, password: x}], jetstream: enabled }"), remotes)
		if leafs[leaf], err = natsServer(dir, confs[leaf]); err != nil {
			return err
		}
		defer func() { leafs[leaf].Shutdown() }()
		for i := range n {
			if err := buckets(leafs[leaf].ClientURL(), fmt.Sprintf("p%dx%d", leaf, i)); err != nil {
				return err
			}
		}
	}
	debug.FreeOSMemory()
	after, err := usage.Of(os.Getpid())
	if err != nil {
		return err
	}
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return err
	}
	fmt.Printf("%d leaf nodes with %d accounts each: %.2f MiB resident an account; %d leaf connections at the cluster; %.1f descriptors an account, at both ends; %s",
		leafNodes, n, float64(after.Resident-before.Resident)/1024/float64(leafNodes*n), cluster.NumLeafNodes(), float64(len(files))/float64(leafNodes*n), load())
	leafs[0].Shutdown()
	leafs[0].WaitForShutdown()
	began := time.Now()
	if leafs[0], err = natsServer(dir, confs[0]); err != nil {
		return err
	}
	fmt.Printf("a leaf node starts again in %.2f s\n", time.Since(began).Seconds())
	return through(dir, leafs[0].ClientURL(), cluster.ClientURL(), probes)
}

// buckets makes the buckets of somebody's account, as the first link would.
func buckets(url, user string) error {
	nc, err := nats.Connect(url, nats.UserInfo(user, "x"), nats.Timeout(patience))
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	for _, b := range link.Buckets() {
		if err == nil {
			_, err = js.CreateKeyValue(context.Background(), b)
		}
	}
	return err
}

// through asks on a machine at one server, and answers at a person's machine at another.
func through(dir, asking, answering string, probes int) (err error) {
	ctx, cancel := context.WithCancel(context.Background())
	var rest sync.WaitGroup
	defer rest.Wait()
	defer cancel()
	shown := make(chan *spool.Entry)
	joined := func(name, url string, invite func(name string) (trust.Invite, error)) *spool.Spool {
		var id *trust.Identity
		var s *spool.Spool
		inv, e := invite(name)
		if err = errors.Join(err, e); err == nil {
			inv.URL = url
			id, err = trust.Join(filepath.Join(dir, name), inv)
		}
		if err == nil {
			err = id.Save()
		}
		if err == nil {
			s, err = spool.Open(filepath.Join(dir, name, spoolDir))
		}
		if err != nil {
			return nil
		}
		rest.Go(func() {
			e := link.Serve(ctx, link.Config{ID: id, Dir: filepath.Join(dir, name), Spool: s, Log: func(err error) { fmt.Fprintf(os.Stderr, "the link of %s: %v\n", name, err) },
				Late: func(*spool.Entry, string) {},
				Connect: func(id *trust.Identity, opts ...nats.Option) (*nats.Conn, error) {
					return link.Dial(id.URL, "", name, append(opts, nats.UserInfo("p0x0", "x"))...)
				},
				Show: func(ctx context.Context, e *spool.Entry) (form.Result, error) {
					shown <- e
					return awaits(ctx, e)
				}})
			if e != nil {
				fmt.Fprintln(os.Stderr, e)
			}
		})
		return s
	}
	joined("laptop", answering, trust.OwnerInvite)
	root, e := trust.LoadRoot(filepath.Join(dir, "laptop"))
	if err = errors.Join(err, e); err != nil {
		return err
	}
	asks := joined("build", asking, func(name string) (trust.Invite, error) {
		return root.Invite(trust.NewMembers(root.Public()), name, false)
	})
	var popup, back []time.Duration
	for range probes {
		if err != nil {
			return err
		}
		var a, b time.Duration
		a, b, err = probe(ctx, asks, shown)
		popup, back = append(popup, a), append(back, b)
	}
	fmt.Printf("from a machine at the leaf node to a person at the cluster and back, ms: ask to popup %s, answer to ask %s; %s", spread(popup), spread(back), load())
	return err
}

// probe is one question, from its asking to its answer.
func probe(ctx context.Context, asks *spool.Spool, shown <-chan *spool.Entry) (popup, back time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_, f, err := dialect.Decode("", []byte(asked))
	if err != nil {
		return 0, 0, err
	}
	e, err := asks.Create(spool.Request{Form: f, Raw: []byte(asked), Origin: spool.Origin{Agent: "claude", Start: time.Now()}})
	if err != nil {
		return 0, 0, err
	}
	defer e.Close()
	began := time.Now()
	select {
	case there := <-shown:
		popup, began = time.Since(began), time.Now()
		err = there.Settle(form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Choose(0)}, By: form.ByPopup, At: time.Now()})
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err == nil {
		_, err = awaits(ctx, e)
	}
	return popup, time.Since(began), errors.Join(err, e.StopWaiting(), e.Deliver())
}
