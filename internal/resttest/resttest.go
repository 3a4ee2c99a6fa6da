// Package resttest is what the tests of packages rest and platform share: a fake platform
// in the time of a bubble, and what happens to its requests.
package resttest

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// What clients of the fake are configured with.
const (
	Address          = "http://127.0.0.1" // of a Fake
	ManagementPrefix = "/prefix"
	Host             = Address + ", with the path of base_url" // of the management API, in messages
	KeyID            = "key-id"
	KeySecret        = "basic-secret"
	AccessToken      = "bearer-secret"
	RetryTimeout     = 5 * time.Minute
	RequestTimeout   = 30 * time.Second
)

// Fake is the fake platform at the other end of connections in memory.
type Fake struct {
	*mockplatform.Server
	mockplatform.Memory
	Handler http.Handler // the Server, unless a test wraps it
}

// NewServer returns the fake platform for a client that is configured with the constants.
func NewServer() *mockplatform.Server {
	seed := mockplatform.DefaultSeed()
	seed.KeyID, seed.KeySecret, seed.AccessToken, seed.ManagementPrefix = KeyID, KeySecret, AccessToken, ManagementPrefix
	return mockplatform.New(seed)
}

// maxRequests are more than any test sends.
const maxRequests = 2000

// longest is more real time than any test needs. A test that takes it waits for something while the
// time of its bubble stands still.
const longest = 30 * time.Second

// Bubble runs a test with a fake in the time of a bubble.
func Bubble(t *testing.T, test func(t *testing.T, f *Fake)) {
	t.Helper()
	defer time.AfterFunc(longest, func() { panic(t.Name() + " does not end") }).Stop()
	synctest.Test(t, func(t *testing.T) {
		f := &Fake{Server: NewServer()}
		f.Handler = f.Server
		requests := int32(0)
		stop := f.Start(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if n := atomic.AddInt32(&requests, 1); n == maxRequests {
				t.Errorf("%d requests: they do not wait", n)
			} else if n > maxRequests {
				<-r.Context().Done() // so that time passes
			}
			f.Handler.ServeHTTP(w, r)
		}))
		// Also if the test fails: what it leaves behind would be a deadlock of the bubble,
		// which ends all tests of the package.
		t.Cleanup(func() { stop(); synctest.Wait() })
		test(t, f)
	})
}

// Connect lets a client connect to the fake, and to nothing else, until the test ends.
func (f *Fake) Connect(t *testing.T, transport *http.Transport) {
	transport.DialContext = f.Dial
	t.Cleanup(transport.CloseIdleConnections)
}

// InjectEach applies these faults to the next requests, one each.
func (f *Fake) InjectEach(faults ...mockplatform.Fault) {
	for _, one := range faults {
		f.Inject(one)
	}
}

// Always applies a fault to every request.
func (f *Fake) Always(fault mockplatform.Fault) {
	fault.Times = mockplatform.Always
	f.Inject(fault)
}

// Sent is the number of requests of a method, of all of them if it is empty.
func (f *Fake) Sent(method string) int { return f.Count(method, "") }

// Good is a response as in the API document, Reset closes the connection without a
// response, Hang never responds.
var (
	Good  = mockplatform.Fault{}
	Reset = mockplatform.Fault{Reset: true}
	Hang  = mockplatform.Fault{Hang: true}
)

// Page is an HTML page.
const Page = "<html><head><title>Sign in</title></head><body>no</body></html>"

// Respond returns a status, a body and headers given as "Name: value".
func Respond(status int, body string, headers ...string) mockplatform.Fault {
	f := mockplatform.Fault{Status: status, Text: body, Header: http.Header{"Content-Type": {"application/json"}}}
	if body == "" {
		f.Body = mockplatform.BodyEmpty
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ":")
		f.Header.Set(name, strings.TrimSpace(value))
	}
	return f
}

// Slow delays a response.
func Slow(d time.Duration, then mockplatform.Fault) mockplatform.Fault {
	then.Delay = d
	return then
}

// Crowd runs n calls, as many at a time as Terraform would.
func Crowd(n, parallelism int, call func(i int)) {
	turns := make(chan struct{}, parallelism)
	var work sync.WaitGroup
	for i := range n {
		turns <- struct{}{}
		work.Go(func() {
			defer func() { <-turns }()
			call(i)
		})
	}
	work.Wait()
}

// Trust lets a client accept the certificate of a server.
func Trust(transport *http.Transport, server *httptest.Server) {
	transport.TLSClientConfig.RootCAs = server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
}
