package platform

import (
	"context"
	"errors"
	"math/big"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

const (
	testOrganization = mockplatform.OrganizationID
	testService      = mockplatform.ServiceID
	testPipe         = mockplatform.PostgresPipeID
	testAlert        = mockplatform.AlertID
)

// What package rest does by default, and what these tests configure.
const (
	testRetryTimeout   = 5 * time.Minute
	testRequestTimeout = 30 * time.Second
	testHoldOff        = 10 * time.Second
	testMaxMessage     = 500
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

// watch ends a test that hangs, under its own name. In a bubble nothing else does: the clock
// stands while anything runs.
func watch(t *testing.T) {
	timer := time.AfterFunc(20*time.Second, func() { panic(t.Name() + " hangs") })
	t.Cleanup(func() { timer.Stop() })
}

// bubble runs a test with a fake and a client of it, in the time of a bubble.
func bubble(t *testing.T, test func(t *testing.T, f *fake, c *Client), change ...func(*Config)) {
	t.Helper()
	watch(t)
	synctest.Test(t, func(t *testing.T) {
		c, err := New(testConfig("http://127.0.0.1", change...))
		if err != nil {
			t.Fatal(err)
		}
		f := &fake{Server: newPlatform()}
		f.handler = f.Server
		stop := f.Start(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { f.handler.ServeHTTP(w, r) }))
		c.rest.Transport().DialContext = f.Dial
		// Also if the test fails: what it leaves behind would be a deadlock of the bubble,
		// which ends all tests of the package.
		t.Cleanup(func() {
			c.rest.Transport().CloseIdleConnections()
			stop()
			synctest.Wait()
		})
		test(t, f, c)
	})
}

func testConfig(address string, change ...func(*Config)) Config {
	config := Config{
		BaseURL: address + "/prefix/", KeyID: "key-id", KeySecret: "basic-secret",
		AlertsBaseURL: address, AlertsAccessToken: "bearer-secret",
		Sending: Sending{RequestTimeout: testRequestTimeout, RetryTimeout: testRetryTimeout, UserAgent: "test/1"},
	}
	for _, set := range change {
		set(&config)
	}
	return config
}

// contact lets both APIs answer once: until then, other limits hold. It leaves no trace.
func (f *fake) contact(t *testing.T, c *Client) {
	t.Helper()
	_, err := operations()["alert"].call(t.Context(), c)
	if err = errors.Join(err, readPipe(t.Context(), c)); err != nil {
		t.Fatal(err)
	}
	c.rest.Transport().CloseIdleConnections()
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

func (f *fake) bodies() []string {
	var bodies []string
	for _, r := range f.Requests() {
		bodies = append(bodies, r.Body)
	}
	return bodies
}

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

// good is a response as in the API document.
var good = fault{}

// reset closes the connection without a response, hang never responds, cut and
// cutHead close the connection in the middle of a good response or of its headers.
var (
	reset   = fault{Reset: true}
	hang    = fault{Hang: true}
	cut     = fault{Cut: mockplatform.CutBody, CutBytes: 30}
	cutHead = fault{Cut: mockplatform.CutHead, CutBytes: len("HTTP/1.1 200 OK\r\nContent-")}
)

// slow delays a response.
func slow(d time.Duration, then fault) fault {
	then.Delay = d
	return then
}

// operation is one of the calls under test.
type operation struct {
	name   string
	method string
	call   func(ctx context.Context, c *Client) (any, error)
}

// mappings replaces a table mapping by itself, which the fake accepts any number
// of times.
var mappings = func() PipeUpdate {
	schema, table := "public", "customers"
	return PipeUpdate{Source: &PipeSourceUpdate{Postgres: &PostgresUpdate{
		TableMappingsToRemove: []TableMappingKey{{SourceSchemaName: schema, SourceTable: table, TargetTable: table}},
		TableMappingsToAdd:    []TableMapping{{SourceSchemaName: &schema, SourceTable: &table, TargetTable: &table}},
	}}}
}()

func operations() map[string]operation {
	name, three := "n", number(3)
	// reconciled reads the pipe and returns the same body again.
	reconciled := func(ctx context.Context, c *Client) (any, error) {
		return c.UpdatePipe(ctx, testOrganization, testService, testPipe, mappings, func(ctx context.Context) (*PipeUpdate, error) {
			_, err := c.GetPipe(ctx, testOrganization, testService, testPipe)
			return &mappings, err
		})
	}
	all := []operation{
		{"service", "GET", func(ctx context.Context, c *Client) (any, error) {
			return c.GetService(ctx, testOrganization, testService, nil)
		}},
		{"list", "GET", func(ctx context.Context, c *Client) (any, error) {
			return c.ListServices(ctx, testOrganization, nil)
		}},
		{"pipe", "GET", func(ctx context.Context, c *Client) (any, error) {
			return c.GetPipe(ctx, testOrganization, testService, testPipe)
		}},
		{"alert", "GET", func(ctx context.Context, c *Client) (any, error) { return c.GetAlert(ctx, testAlert) }},
		{"scaling", "PATCH", func(ctx context.Context, c *Client) (any, error) {
			return c.UpdateServiceScaling(ctx, testOrganization, testService, ScalingUpdate{NumReplicas: three})
		}},
		{"update", "PATCH", func(ctx context.Context, c *Client) (any, error) {
			return c.UpdatePipe(ctx, testOrganization, testService, testPipe, PipeUpdate{Name: &name}, nil)
		}},
		{"mappings", "PATCH", func(ctx context.Context, c *Client) (any, error) {
			return c.UpdatePipe(ctx, testOrganization, testService, testPipe, mappings, nil)
		}},
		{"reconcile", "PATCH", reconciled},
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

func number(f float64) *Number { return &Number{*big.NewFloat(f)} }

// outcome is how a call ended.
func outcome(err error) string {
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
	case hasGivenUp(e) && IsAmbiguous(err):
		return "gave up, ambiguous"
	case hasGivenUp(e):
		return "gave up"
	case IsAmbiguous(err):
		return "ambiguous"
	default:
		return "failed"
	}
}

// hasGivenUp reports whether an error says why a retry that was possible did not take
// place.
func hasGivenUp(e *Error) bool {
	for _, words := range []string{"Gave up after ", "The request was not sent: ", "Nothing more was sent: "} {
		if strings.Contains(e.Detail(), words) {
			return true
		}
	}
	return false
}
