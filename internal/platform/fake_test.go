package platform

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

const (
	testOrganization = "0b6f8a3e-1111-4c4c-8d8d-000000000001"
	testService      = "0b6f8a3e-2222-4c4c-8d8d-000000000002"
	testPipe         = "0b6f8a3e-3333-4c4c-8d8d-000000000003"
)

// fake is a platform at the other end of connections in memory, so that it can
// live in the time of a synctest bubble. It answers each request by hand, byte
// by byte, which net/http's server would not do wrongly enough.
type fake struct {
	mu       sync.Mutex
	requests []string // method and last element of the path
	bodies   []string
	open     int // connections
	inFlight int
	most     int // requests at a time
	faults   []fault
	always   fault
	refused  int // dials to refuse
	answer   func(r *http.Request) string
}

// fault answers one request wrongly; false says that the connection ends.
type fault func(conn net.Conn, r *http.Request) bool

// bubble runs a test with a fake and a client of it.
func bubble(t *testing.T, test func(t *testing.T, f *fake, c *Client), change ...func(*Config)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f := &fake{answer: goodAnswer}
		c := f.client(t, change...)
		test(t, f, c)
		c.http.CloseIdleConnections()
		synctest.Wait()
	})
}

func (f *fake) client(t *testing.T, change ...func(*Config)) *Client {
	t.Helper()
	config := Config{
		BaseURL: "http://127.0.0.1/prefix/", KeyID: "key-id", KeySecret: "basic-secret",
		AlertsBaseURL: "http://127.0.0.1", AlertsAccessToken: "bearer-secret",
		RequestTimeout: 30 * time.Second, RetryTimeout: 5 * time.Minute,
		UserAgent: "test/1",
	}
	for _, set := range change {
		set(&config)
	}
	c, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	c.http.Transport.(*http.Transport).DialContext = f.dial
	return c
}

func (f *fake) dial(context.Context, string, string) (net.Conn, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.refused != 0 {
		f.refused--
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	}
	f.open++
	client, server := net.Pipe()
	go f.serve(server)
	return client, nil
}

func (f *fake) serve(conn net.Conn) {
	defer func() {
		_ = conn.Close()
		f.mu.Lock()
		f.open--
		f.mu.Unlock()
	}()
	reader := bufio.NewReader(conn)
	for {
		r, err := http.ReadRequest(reader)
		if err != nil {
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		if !f.next(r, body)(conn, r) {
			return
		}
		f.mu.Lock()
		f.inFlight--
		f.mu.Unlock()
	}
}

func (f *fake) next(r *http.Request, body []byte) fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.inFlight++
	f.most = max(f.most, f.inFlight)
	f.requests = append(f.requests, r.Method+" "+r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:])
	f.bodies = append(f.bodies, string(body))
	r.Body = io.NopCloser(bytes.NewReader(body))
	if f.always != nil {
		return f.always
	}
	if len(f.faults) > 0 {
		first := f.faults[0]
		f.faults = f.faults[1:]
		return first
	}
	return good(f.answer)
}

func (f *fake) count(method string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, r := range f.requests {
		if strings.HasPrefix(r, method) {
			n++
		}
	}
	return n
}

func good(answer func(*http.Request) string) fault {
	return func(conn net.Conn, r *http.Request) bool {
		return respond(200, answer(r))(conn, r)
	}
}

// goodAnswer is what the API document says.
func goodAnswer(r *http.Request) string {
	service := `{"id":"` + testService + `","numReplicas":3}`
	result := `{"id":"` + testPipe + `","name":"p"}`
	switch {
	case strings.HasSuffix(r.URL.Path, "/services"):
		result = "[" + service + "]"
	case strings.HasSuffix(r.URL.Path, "/scaling"):
		result = service
	case strings.HasSuffix(r.URL.Path, "/keys"):
		result = `{"key":{"id":"k","name":"n"},"keyId":"the-id","keySecret":"the-secret"}`
	case strings.Contains(r.URL.Path, "/alerts/"):
		return `{"data":{"id":"a","name":"n"}}`
	}
	return `{"status":200,"requestId":"3c5cbd4d-0000-4000-8000-000000000000","result":` + result + `}`
}

// respond answers with a status, a body and headers given as "Name: value".
func respond(status int, body string, headers ...string) fault {
	return func(conn net.Conn, _ *http.Request) bool {
		_, err := io.WriteString(conn, head(status, len(body), headers...)+body)
		return err == nil
	}
}

func head(status, length int, headers ...string) string {
	kind := "Content-Type: application/json\r\n"
	for _, h := range headers {
		if strings.HasPrefix(h, "Content-Type:") {
			kind = ""
		}
		kind += h + "\r\n"
	}
	return fmt.Sprintf("HTTP/1.1 %d %s\r\nDate: %s\r\nContent-Length: %d\r\n%s\r\n",
		status, http.StatusText(status), time.Now().UTC().Format(http.TimeFormat), length, kind)
}

// reset ends the connection without an answer.
func reset(net.Conn, *http.Request) bool { return false }

// cut ends the connection in the middle of a good answer.
func cut(conn net.Conn, r *http.Request) bool {
	body := goodAnswer(r)
	_, _ = io.WriteString(conn, head(200, len(body))+body[:len(body)/2])
	return false
}

// cutHead ends the connection in the middle of the headers.
func cutHead(conn net.Conn, _ *http.Request) bool {
	_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-")
	return false
}

// half answers with half the JSON, and says that this is all.
func half(conn net.Conn, r *http.Request) bool {
	body := goodAnswer(r)
	return respond(200, body[:len(body)/2])(conn, r)
}

// hang never answers.
func hang(conn net.Conn, _ *http.Request) bool {
	_, _ = io.Copy(io.Discard, conn)
	return false
}

// slow answers late.
func slow(d time.Duration, then fault) fault {
	return func(conn net.Conn, r *http.Request) bool {
		time.Sleep(d)
		return then(conn, r)
	}
}

// operation is one of the calls under test.
type operation struct {
	name   string
	method string
	call   func(ctx context.Context, c *Client) (any, error)
}

var mappings = PipeUpdate{Source: &PipeSourceUpdate{Postgres: &PostgresUpdate{
	TableMappingsToAdd: []TableMapping{{}},
}}}

func operations() map[string]operation {
	name, three := "n", 3.0
	// reworked reads the pipe and asks for the same once more.
	reworked := func(ctx context.Context, c *Client) (any, error) {
		return c.UpdatePipe(ctx, testOrganization, testService, testPipe, mappings, func(ctx context.Context) (*PipeUpdate, *Pipe, error) {
			pipe, err := c.GetPipe(ctx, testOrganization, testService, testPipe)
			return &mappings, pipe, err
		})
	}
	all := []operation{
		{"service", "GET", func(ctx context.Context, c *Client) (any, error) {
			return c.GetService(ctx, testOrganization, testService)
		}},
		{"list", "GET", func(ctx context.Context, c *Client) (any, error) {
			return c.ListServices(ctx, testOrganization, nil)
		}},
		{"pipe", "GET", func(ctx context.Context, c *Client) (any, error) {
			return c.GetPipe(ctx, testOrganization, testService, testPipe)
		}},
		{"alert", "GET", func(ctx context.Context, c *Client) (any, error) { return c.GetAlert(ctx, "a") }},
		{"scaling", "PATCH", func(ctx context.Context, c *Client) (any, error) {
			return c.UpdateServiceScaling(ctx, testOrganization, testService, ScalingUpdate{NumReplicas: &three})
		}},
		{"update", "PATCH", func(ctx context.Context, c *Client) (any, error) {
			return c.UpdatePipe(ctx, testOrganization, testService, testPipe, PipeUpdate{Name: &name}, nil)
		}},
		{"mappings", "PATCH", func(ctx context.Context, c *Client) (any, error) {
			return c.UpdatePipe(ctx, testOrganization, testService, testPipe, mappings, nil)
		}},
		{"rework", "PATCH", reworked},
		{"key", "POST", func(ctx context.Context, c *Client) (any, error) {
			return c.CreateAPIKey(ctx, testOrganization, APIKeyCreate{Name: "n", Roles: []string{"admin"}})
		}},
	}
	byName := map[string]operation{}
	for _, o := range all {
		byName[o.name] = o
	}
	return byName
}

// told sums up how a call ended.
func told(err error) string {
	var e *Error
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, context.Canceled):
		return "interrupted"
	case IsNotFound(err):
		return "not found"
	case !errors.As(err, &e):
		return "plain"
	case e.gaveUp != "" && IsAmbiguous(err):
		return "gave up, ambiguous"
	case e.gaveUp != "":
		return "gave up"
	case IsAmbiguous(err):
		return "ambiguous"
	default:
		return "failed"
	}
}
