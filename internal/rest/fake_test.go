package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

const (
	testOrganization = mockplatform.OrganizationID
	testService      = mockplatform.ServiceID
	testPipe         = mockplatform.PostgresPipeID
	testAlert        = mockplatform.AlertID

	testRetryTimeout   = 5 * time.Minute
	testRequestTimeout = 30 * time.Second
)

// fake is the fake platform at the other end of connections in memory.
type fake struct {
	*mockplatform.Server
	mockplatform.Memory
	handler http.Handler // the Server, unless a test wraps it
}

// fault is what happens to one request.
type fault = mockplatform.Fault

func newPlatform() *mockplatform.Server {
	seed := mockplatform.DefaultSeed()
	seed.KeyID, seed.KeySecret, seed.AccessToken = "key-id", "basic-secret", "bearer-secret"
	seed.ManagementPrefix = "/prefix"
	return mockplatform.New(seed)
}

// client is a client of both APIs of the fake.
type client struct {
	*Client
	management, alerts *API
}

func newTestClient(t testing.TB, address string, change ...func(*Config)) *client {
	t.Helper()
	config := Config{RequestTimeout: testRequestTimeout, RetryTimeout: testRetryTimeout, UserAgent: "test/1"}
	for _, set := range change {
		set(&config)
	}
	base := func(path string) *url.URL {
		u, err := url.Parse(address + path)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	c := &client{
		Client: New(config),
		management: &API{
			About: About{
				Name: "management API", URLSetting: "base_url", Credentials: "key_id and key_secret",
				Unauthorized: "Check key_id and key_secret.", Forbidden: "Check the roles.",
			},
			Base: base("/prefix"), Authorize: func(r *http.Request) { r.SetBasicAuth("key-id", "basic-secret") },
		},
		alerts: &API{
			About:     About{Name: "alerting API", URLSetting: "alerts_base_url", Credentials: "alerts_access_token", Unauthorized: "Check alerts_access_token."},
			Base:      base(""),
			Authorize: func(r *http.Request) { r.Header.Set("Authorization", "Bearer bearer-secret") },
		},
	}
	c.Add(c.management)
	c.Add(c.alerts)
	t.Cleanup(c.Transport().CloseIdleConnections)
	return c
}

// maxRequests are more than any test sends.
const maxRequests = 2000

// watch ends a test that hangs, under its own name. In a bubble nothing else does: the clock
// stands while anything runs.
func watch(t *testing.T) {
	timer := time.AfterFunc(20*time.Second, func() { panic(t.Name() + " hangs") })
	t.Cleanup(func() { timer.Stop() })
}

// bubble runs a test with a fake and a client of it, in the time of a bubble.
func bubble(t *testing.T, test func(t *testing.T, f *fake, c *client), change ...func(*Config)) {
	t.Helper()
	watch(t)
	synctest.Test(t, func(t *testing.T) {
		f := &fake{Server: newPlatform()}
		f.handler = f.Server
		requests := int32(0)
		stop := f.Start(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if n := atomic.AddInt32(&requests, 1); n == maxRequests {
				t.Errorf("%d requests: they do not wait", n)
			} else if n > maxRequests {
				<-r.Context().Done() // so that time passes
			}
			f.handler.ServeHTTP(w, r)
		}))
		// Also if the test fails: what it leaves behind would be a deadlock of the bubble,
		// which ends all tests of the package.
		t.Cleanup(func() { stop(); synctest.Wait() })
		c := newTestClient(t, "http://127.0.0.1", change...)
		c.Transport().DialContext = f.Dial
		test(t, f, c)
	})
}

// contact lets both APIs respond once: until then, other limits hold. It leaves no trace.
func (f *fake) contact(t *testing.T, c *client) {
	t.Helper()
	if err := errors.Join(operations["alert"].call(t.Context(), c), operations["pipe"].call(t.Context(), c)); err != nil {
		t.Fatal(err)
	}
	c.Transport().CloseIdleConnections()
	f.ResetJournal()
}

// inject applies these faults to the next requests, one each.
func (f *fake) inject(faults ...fault) {
	for _, one := range faults {
		f.Inject(one)
	}
}

// always applies a fault to every request.
func (f *fake) always(fault fault) {
	fault.Times = mockplatform.Always
	f.Inject(fault)
}

func (f *fake) count(method string) int { return f.Count(method, "") }

// respond returns a status, a body and headers given as "Name: value".
func respond(status int, body string, headers ...string) fault {
	f := fault{Status: status, Text: body, Header: http.Header{"Content-Type": {"application/json"}}}
	if body == "" {
		f.Body = mockplatform.BodyEmpty
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ":")
		f.Header.Set(name, strings.TrimSpace(value))
	}
	return f
}

// good is a response as in the API document, reset closes the connection without a
// response, hang never responds.
var (
	good  = fault{}
	reset = fault{Reset: true}
	hang  = fault{Hang: true}
)

// slow delays a response.
func slow(d time.Duration, then fault) fault {
	then.Delay = d
	return then
}

// operation is one of the requests under test.
type operation struct {
	method  string
	request func(c *client) *Request
}

func (o operation) call(ctx context.Context, c *client) error { return c.Do(ctx, o.request(c)) }

// mappingsBody replaces a table mapping by itself, which the fake accepts any number of
// times.
const mappingsBody = `{"source":{"postgres":{
	"tableMappingsToRemove":[{"sourceSchemaName":"public","sourceTable":"customers","targetTable":"customers"}],
	"tableMappingsToAdd":[{"sourceSchemaName":"public","sourceTable":"customers","targetTable":"customers"}]}}}`

// operations are one of each kind of request that a client sends.
var operations map[string]operation

func init() {
	inOrganization := func(c *client, name, subject, method, body string, path ...string) *Request {
		return &Request{
			Operation: name, Subject: subject + " in organization " + testOrganization, API: c.management,
			Realm: " in organization " + testOrganization, Method: method, Body: []byte(body),
			Path:        append([]string{"v1", "organizations", testOrganization}, path...),
			NamesObject: true, NotFoundAdvice: "Check the IDs.", Accept: accept(method == http.MethodPatch),
		}
	}
	pipe := func(c *client, name, method, body string) *Request {
		r := inOrganization(c, name, "pipe "+testPipe+" of service "+testService, method, body, "services", testService, "pipes", testPipe)
		r.GoneAdvice = "Or remove it."
		return r
	}
	operations = map[string]operation{
		"pipe": {http.MethodGet, func(c *client) *Request {
			r := pipe(c, "read pipe", http.MethodGet, "")
			r.Body = nil
			return r
		}},
		"alert": {http.MethodGet, func(c *client) *Request {
			return &Request{
				Operation: "read alert", Subject: "alert", API: c.alerts, Method: http.MethodGet,
				Path: []string{"api", "v2", "alerts", testAlert}, NotFoundAdvice: "Check the ID.", Accept: accept(false),
			}
		}},
		"scaling": {http.MethodPatch, func(c *client) *Request {
			return inOrganization(c, "update service scaling", "the scaling of service "+testService, http.MethodPatch, `{"numReplicas":3}`, "services", testService, "scaling")
		}},
		"update": {http.MethodPatch, func(c *client) *Request {
			return pipe(c, "update pipe", http.MethodPatch, `{"name":"n"}`)
		}},
		"mappings": {http.MethodPatch, func(c *client) *Request {
			r := pipe(c, "update pipe", http.MethodPatch, mappingsBody)
			r.NonIdempotent = true
			return r
		}},
		"reconcile": {http.MethodPatch, func(c *client) *Request {
			r := pipe(c, "update pipe", http.MethodPatch, mappingsBody)
			r.NonIdempotent = true
			r.Reconcile = func(ctx context.Context) (bool, error) { return true, operations["pipe"].call(ctx, c) }
			return r
		}},
		"key": {http.MethodPost, func(c *client) *Request {
			r := inOrganization(c, "create API key", "API key", http.MethodPost, `{"name":"n","roles":["admin"]}`, "keys")
			r.NonIdempotent, r.Uninterruptible, r.OwnConnection = true, true, true
			return r
		}},
	}
}

// accept reads a response as the API document has it. Without a result, a write was
// accepted all the same.
func accept(optional bool) func(*Response) error {
	return func(r *Response) error {
		if !r.IsSuccess() {
			return fmt.Errorf("it has HTTP status %d", r.Status)
		}
		if r.Cut != nil {
			return r.Cut
		}
		var envelope struct {
			RequestID    string `json:"requestId"`
			Result, Data any
		}
		if err := json.Unmarshal(r.Body, &envelope, Lenient, json.MatchCaseInsensitiveNames(true)); err != nil {
			return &Reworded{"it is not what was expected", err}
		}
		if envelope.RequestID != "" {
			r.RequestID = envelope.RequestID
		}
		if envelope.Result == nil && envelope.Data == nil && !optional {
			return errors.New("it has no result")
		}
		return nil
	}
}

func isAmbiguous(err error) bool {
	e := new(Error)
	return errors.As(err, &e) && e.Ambiguous
}

func readPipe(ctx context.Context, c *client) error { return operations["pipe"].call(ctx, c) }

const page = "<html><head><title>Sign in</title></head><body>no</body></html>"
