package platform

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/resttest"
)

const (
	testOrganization = mockplatform.OrganizationID
	testService      = mockplatform.ServiceID
	testPipe         = mockplatform.PostgresPipeID
	testAlert        = mockplatform.AlertID

	testMaxMessage = 500 // as package rest cuts it
)

type (
	fake  = resttest.Fake
	fault = mockplatform.Fault
)

var (
	good, reset, hang    = resttest.Good, resttest.Reset, resttest.Hang
	respond, slow, crowd = resttest.Respond, resttest.Slow, resttest.Crowd
)

// cut closes the connection in the middle of a good response.
var cut = fault{Cut: mockplatform.CutBody, CutBytes: 30}

// bubble runs a test with a fake and a client of it, in the time of a bubble.
func bubble(t *testing.T, test func(t *testing.T, f *fake, c *Client), change ...func(*Config)) {
	t.Helper()
	resttest.Bubble(t, func(t *testing.T, f *fake) {
		c := newTestClient(t, resttest.Address, change...)
		f.Connect(t, c.rest.Transport())
		test(t, f, c)
	})
}

func newTestClient(t testing.TB, address string, change ...func(*Config)) *Client {
	t.Helper()
	config := Config{
		BaseURL: address + resttest.ManagementPrefix + "/", KeyID: resttest.KeyID, KeySecret: resttest.KeySecret,
		AlertsBaseURL: address, AlertsAccessToken: resttest.AccessToken,
		Sending: Sending{RequestTimeout: resttest.RequestTimeout, RetryTimeout: resttest.RetryTimeout, UserAgent: "test/1"},
	}
	for _, set := range change {
		set(&config)
	}
	c, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.rest.Transport().CloseIdleConnections)
	return c
}

// contact lets both APIs respond once: until then, other limits hold. It leaves no trace.
func contact(t *testing.T, f *fake, c *Client) {
	t.Helper()
	_, err := operations["alert"].call(t.Context(), c)
	if err = errors.Join(err, readPipe(t.Context(), c)); err != nil {
		t.Fatal(err)
	}
	c.rest.Transport().CloseIdleConnections()
	f.ResetJournal()
}

// object is what the tests read of any object.
type object struct {
	Name        *string `json:"name"`
	NumReplicas *int    `json:"numReplicas"`
}

func (o *object) read(raw jsontext.Value) error {
	if json.Unmarshal(raw, o) != nil {
		return errors.New("a field has another type")
	}
	return nil
}

// reading returns what a call reads last, nil if it reads nothing.
func reading(call func(Read) error) (*object, error) {
	var last *object
	err := call(func(raw jsontext.Value) error {
		last = new(object)
		return last.read(raw)
	})
	return last, err
}

// operation is one of the calls under test.
type operation struct {
	method string
	call   func(ctx context.Context, c *Client) (any, error)
}

// mappings replaces a table mapping by itself, which the fake accepts any number
// of times.
var mappings = func() map[string]any {
	name := map[string]string{"sourceSchemaName": "public", "sourceTable": "customers", "targetTable": "customers"}
	changes := map[string]any{"tableMappingsToRemove": []any{name}, "tableMappingsToAdd": []any{name}}
	return map[string]any{"source": map[string]any{"postgres": changes}}
}()

var operations = map[string]operation{
	"service": {"GET", func(ctx context.Context, c *Client) (any, error) {
		return reading(func(read Read) error { return c.GetService(ctx, testOrganization, testService, read) })
	}},
	"list": {"GET", func(ctx context.Context, c *Client) (any, error) {
		return reading(func(read Read) error { return c.ListServices(ctx, testOrganization, nil, read) })
	}},
	"pipe": {"GET", func(ctx context.Context, c *Client) (any, error) {
		return reading(func(read Read) error { return c.GetPipe(ctx, testOrganization, testService, testPipe, read) })
	}},
	"alert": {"GET", func(ctx context.Context, c *Client) (any, error) {
		return reading(func(read Read) error { return c.GetAlert(ctx, testAlert, read) })
	}},
	"scaling": {"PATCH", func(ctx context.Context, c *Client) (any, error) {
		return reading(func(read Read) error {
			return c.UpdateServiceScaling(ctx, testOrganization, testService, map[string]any{"numReplicas": 3}, read)
		})
	}},
	"update": {"PATCH", func(ctx context.Context, c *Client) (any, error) {
		return updatePipe(ctx, c, PipePatch{Body: renamed})
	}},
	// It reads the pipe and sends the same body again.
	"asked": {"PATCH", func(ctx context.Context, c *Client) (any, error) {
		return updatePipe(ctx, c, askedPatch(c))
	}},
	"key": {"POST", func(ctx context.Context, c *Client) (any, error) { return createKey(ctx, c, false) }},
}

var renamed = map[string]any{"name": "n"}

// readPipe is the operation that most tests use.
func readPipe(ctx context.Context, c *Client) error {
	return c.GetPipe(ctx, testOrganization, testService, testPipe, new(object).read)
}

func updatePipe(ctx context.Context, c *Client, patch PipePatch) (*object, error) {
	return reading(func(read Read) error { return c.UpdatePipe(ctx, testOrganization, testService, testPipe, patch, read) })
}

// askedPatch changes mappings, as they were read just now. Its question reads the pipe, and
// the same is left to be sent.
func askedPatch(c *Client) PipePatch {
	return PipePatch{Body: mappings, AsOf: time.Now(), Ask: func(ctx context.Context, _ bool) (*PipePatch, error) {
		again := askedPatch(c)
		return &again, readPipe(ctx, c)
	}}
}

func createKey(ctx context.Context, c *Client, hashed bool) (*CreatedAPIKey, error) {
	body := map[string]any{"name": "n", "roles": []string{"admin"}}
	if hashed {
		body["hashData"] = map[string]any{}
	}
	return c.CreateAPIKey(ctx, testOrganization, body)
}

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
