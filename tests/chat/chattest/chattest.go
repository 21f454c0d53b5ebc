// Package chattest stands between a program and the chat services it speaks to, so that
// tests can put a fake in a service's place: an HTTPS proxy that leads some host names to
// handlers of ours. Nothing of it goes further than this machine, and the program needs
// no hook: it goes by HTTPS_PROXY and SSL_CERT_FILE, as any does.
package chattest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// Net is a network in which the given hosts are fakes and all others cannot be reached.
type Net struct {
	Proxy *url.URL
	TLS   *tls.Config // a client's, which trusts the fakes
	file  string

	hosts    map[string]http.Handler
	accepted chan net.Conn

	mu   sync.Mutex
	down bool
	open map[net.Conn]bool
}

// Start has hosts answered by their handlers until the test ends.
func Start(t testing.TB, hosts map[string]http.Handler) *Net {
	t.Helper()
	n := &Net{hosts: hosts, accepted: make(chan net.Conn), open: map[net.Conn]bool{}}
	certificate := n.certify(t)
	services := &http.Server{Handler: n, ErrorLog: log.New(io.Discard, "", 0), ReadHeaderTimeout: time.Minute}
	listener := &tunnels{accepted: n.accepted, closed: make(chan struct{})}
	served := make(chan struct{})
	go func() {
		defer close(served)
		services.Serve(tls.NewListener(listener, &tls.Config{Certificates: []tls.Certificate{certificate}}))
	}()
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { n.connect(w, r, listener) }))
	n.Proxy, _ = url.Parse(proxy.URL)
	t.Cleanup(func() {
		n.Down(true)
		proxy.Close()
		services.Close()
		<-served
	})
	return n
}

// Env is what a program's environment needs for it to be in this network.
func (n *Net) Env() []string {
	return []string{"HTTPS_PROXY=" + n.Proxy.String(), "https_proxy=", "NO_PROXY=", "no_proxy=", "SSL_CERT_FILE=" + n.file, "SSL_CERT_DIR=" + filepath.Dir(n.file)}
}

// Client is an HTTP client in this network.
func (n *Net) Client() *http.Client {
	return &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(n.Proxy), TLSClientConfig: n.TLS.Clone()}}
}

// Down cuts every connection and refuses new ones, until it is called with false.
func (n *Net) Down(down bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.down = down; down {
		for c := range n.open {
			c.Close()
		}
		clear(n.open)
	}
}

// ServeHTTP is the services' side of all tunnels.
func (n *Net) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	if h := n.hosts[host]; h != nil {
		h.ServeHTTP(w, r)
		return
	}
	http.Error(w, "no such host in this test: "+host, http.StatusMisdirectedRequest)
}

// connect is the proxy's side: a tunnel is a connection that the services accept.
func (n *Net) connect(w http.ResponseWriter, r *http.Request, services *tunnels) {
	host, _, _ := net.SplitHostPort(r.Host)
	if r.Method != http.MethodConnect || n.hosts[host] == nil {
		http.Error(w, "no such host in this test: "+r.Host, http.StatusBadGateway)
		return
	}
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	n.mu.Lock()
	down := n.down
	if !down {
		n.open[conn] = true
	}
	n.mu.Unlock()
	if down {
		conn.Close()
		return
	}
	if _, err := io.WriteString(conn, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		conn.Close()
		return
	}
	select {
	case n.accepted <- conn:
	case <-services.closed:
		conn.Close()
	}
}

// certify makes the certificate of all the hosts, which is its own authority.
func (n *Net) certify(t testing.TB) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, 0, len(n.hosts))
	for host := range n.hosts {
		names = append(names, host)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "chattest"}, DNSNames: names,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	n.file = filepath.Join(t.TempDir(), "authority.pem")
	if err := os.WriteFile(n.file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(leaf)
	n.TLS = &tls.Config{RootCAs: roots}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// tunnels is a listener whose connections come through the proxy.
type tunnels struct {
	accepted chan net.Conn
	once     sync.Once
	closed   chan struct{}
}

func (l *tunnels) Accept() (net.Conn, error) {
	select {
	case c := <-l.accepted:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *tunnels) Close() error   { l.once.Do(func() { close(l.closed) }); return nil }
func (l *tunnels) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }
