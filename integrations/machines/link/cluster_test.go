package link

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/tests/must"
	"github.com/nats-io/nats-server/v2/server"
)

// clusterConfig is one server of a cluster as docs/dev/scale.md shows it.
const clusterConfig = `server_name: %s
listen: "%s:4222"
max_payload: 4MB
jetstream { store_dir: %q, sync_interval: always }
cluster { name: askpane, listen: "%s:6222", routes: [%s] }
authorization { users: [{ user: ada, password: secret }] }
`

// TestMain is a server of TestCluster where its file says so: one that can be killed. More
// tests run at once than there are processors, since all wait for hubs most of the time.
func TestMain(m *testing.M) {
	if file := os.Getenv("LINK_TEST_SERVER"); file != "" {
		serveNATS(file)
	}
	flag.Parse()
	_ = flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0)))
	os.Exit(m.Run())
}

func serveNATS(file string) {
	opts, err := server.ProcessConfigFile(file)
	if err != nil {
		panic(err)
	}
	opts.NoSigs = true
	s, err := server.NewServer(opts)
	if err != nil {
		panic(err)
	}
	s.Start()
	_, _ = io.Copy(io.Discard, os.Stdin) // until the test is over, however
	os.Exit(0)
}

// cluster is servers of one's own, each a process.
type cluster struct {
	*world
	files   map[string]string
	running map[string]*exec.Cmd
}

func newCluster(t *testing.T, names ...string) *cluster {
	c := &cluster{world: &world{T: t, dir: t.TempDir(), beat: time.Second, hubTime: 2 * time.Second}, files: map[string]string{}, running: map[string]*exec.Cmd{}}
	var hosts, routes, urls []string
	for range names {
		host := nobodys()
		hosts, routes, urls = append(hosts, host), append(routes, fmt.Sprintf(`"nats://%s:6222"`, host)), append(urls, "nats://ada:secret@"+host)
	}
	for i, name := range names {
		c.files[name] = filepath.Join(c.dir, name+".conf")
		text := fmt.Sprintf(clusterConfig, name, hosts[i], filepath.Join(c.dir, name), hosts[i], strings.Join(routes, ", "))
		must.Do(c, os.WriteFile(c.files[name], []byte(text), 0o600))
		c.run(name)
	}
	c.url = strings.Join(urls, ",")
	c.until("there is a server", func() bool {
		conn, err := net.Dial("tcp", hosts[0]+":4222")
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	c.looks()
	c.until("the servers have found each other", func() bool {
		ctx, cancel := context.WithTimeout(c.Context(), time.Second)
		defer cancel()
		_, err := c.js.AccountInfo(ctx)
		return err == nil
	})
	return c
}

func (c *cluster) run(name string) {
	server := exec.Command(os.Args[0])
	server.Env = append(os.Environ(), "LINK_TEST_SERVER="+c.files[name])
	_, err := server.StdinPipe()
	must.Do(c, err)
	must.Do(c, server.Start())
	c.running[name] = server
	c.Cleanup(func() { _ = server.Process.Kill(); _ = server.Wait() })
}

// kills has a server gone at once.
func (c *cluster) kills(name string) {
	must.Do(c, c.running[name].Process.Kill())
	_ = c.running[name].Wait()
}

// leads is the server that leads a bucket, once two others follow.
func (c *cluster) leads(bucket string) (name string) {
	c.Helper()
	c.until(bucket+" is on three servers", func() bool {
		stream, err := c.js.Stream(c.Context(), "KV_"+bucket)
		if err != nil || stream.CachedInfo().Cluster == nil {
			return false
		}
		in := stream.CachedInfo().Cluster
		name = in.Leader
		for _, r := range in.Replicas {
			if !r.Current {
				return false
			}
		}
		return name != "" && len(in.Replicas) == 2
	})
	return name
}

// TestCluster: of three servers the one goes that leads the questions, and comes back. What
// is asked and answered meanwhile goes through.
func TestCluster(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "n1", "n2", "n3")
	laptop, build := c.machine("laptop", true), c.machine("build1", false)
	waits := build.ask()
	laptop.sees(waits.id)
	gone := c.leads(Entries)
	c.kills(gone)
	laptop.answers(waits.id, 1)
	waits.gets()
	asks := func(when string) {
		t.Helper()
		q := build.ask()
		laptop.answers(q.id, 1)
		if r := q.gets(); r.Machine != "laptop" {
			t.Errorf("with %s servers: %+v", when, r)
		}
		laptop.ends(q.id)
	}
	asks("two")
	c.run(gone)
	for _, b := range Buckets() {
		c.leads(b.Bucket)
	}
	asks("three")
	if n := laptop.shown.Load(); n > 3 {
		t.Errorf("3 questions were shown %d times", n)
	}
}

// TestClusterOfTwo: where there are no three servers, one has what is asked.
func TestClusterOfTwo(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "n1", "n2")
	laptop, build := c.machine("laptop", true), c.machine("build1", false)
	q := build.ask()
	laptop.answers(q.id, 1)
	q.gets()
}
