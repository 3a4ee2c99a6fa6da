package mockplatform

import (
	"context"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"
)

// Memory is a network of one server: connections to it exist in memory, so that they live
// in the time of a synctest bubble. The zero value is ready to use.
type Memory struct {
	once   sync.Once
	conns  chan net.Conn
	closed chan struct{}
	end    func() // closes closed

	mu      sync.Mutex
	open    int
	refused int
}

func (m *Memory) init() {
	m.once.Do(func() {
		m.conns, m.closed = make(chan net.Conn, 100), make(chan struct{})
		m.end = sync.OnceFunc(func() { close(m.closed) })
	})
}

// Start serves connections until stop is called, which also ends those that are open.
func (m *Memory) Start(handler http.Handler) (stop func()) {
	m.init()
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(m) }()
	return func() { _ = server.Close() }
}

// Refuse lets the next n dials fail, all of them if n is negative.
func (m *Memory) Refuse(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refused = n
}

// Open returns the number of connections that clients have not closed.
func (m *Memory) Open() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.open
}

// Dial connects to the server, whatever the address.
func (m *Memory) Dial(context.Context, string, string) (net.Conn, error) {
	m.init()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.refused != 0 {
		m.refused--
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	}
	m.open++
	client, server := net.Pipe()
	m.conns <- server
	return &countedConn{Conn: client, closed: sync.OnceFunc(func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.open--
	})}, nil
}

type countedConn struct {
	net.Conn
	closed func()
}

func (c *countedConn) Close() error {
	c.closed()
	return c.Conn.Close()
}

// Accept, Close and Addr make it a net.Listener.

// Accept waits for a connection.
func (m *Memory) Accept() (net.Conn, error) {
	select {
	case conn := <-m.conns:
		return conn, nil
	case <-m.closed:
		return nil, net.ErrClosed
	}
}

// Close ends Accept.
func (m *Memory) Close() error {
	m.end()
	return nil
}

// Addr returns an address that means nothing.
func (m *Memory) Addr() net.Addr { return &net.IPAddr{} }
