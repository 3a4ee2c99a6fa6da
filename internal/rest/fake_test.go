package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/resttest"
)

const (
	inOrganization = " in organization " + mockplatform.OrganizationID
	testService    = mockplatform.ServiceID
	testPipe       = mockplatform.PostgresPipeID
	testHost       = resttest.Host
)

type (
	fake  = resttest.Fake
	fault = mockplatform.Fault
)

var (
	good, reset, hang    = resttest.Good, resttest.Reset, resttest.Hang
	respond, slow, crowd = resttest.Respond, resttest.Slow, resttest.Crowd
)

// client is a client of both APIs of the fake.
type client struct {
	*Client
	management, alerts *API
}

func newTestClient(t testing.TB, address string, change ...func(*Config)) *client {
	t.Helper()
	config := Config{RequestTimeout: resttest.RequestTimeout, RetryTimeout: resttest.RetryTimeout, MaxConcurrentRequests: 10, UserAgent: "test/1"}
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
			Base:      base(resttest.ManagementPrefix),
			Authorize: func(r *http.Request) { r.SetBasicAuth(resttest.KeyID, resttest.KeySecret) },
		},
		alerts: &API{
			About:     About{Name: "alerting API", URLSetting: "alerts_base_url", Credentials: "alerts_access_token", Unauthorized: "Check alerts_access_token."},
			Base:      base(""),
			Authorize: func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+resttest.AccessToken) },
		},
	}
	c.Add(c.management)
	c.Add(c.alerts)
	t.Cleanup(c.Transport().CloseIdleConnections)
	return c
}

// bubble runs a test with a fake and a client of it, in the time of a bubble.
func bubble(t *testing.T, test func(t *testing.T, f *fake, c *client), change ...func(*Config)) {
	t.Helper()
	resttest.Bubble(t, func(t *testing.T, f *fake) {
		c := newTestClient(t, resttest.Address, change...)
		f.Connect(t, c.Transport())
		test(t, f, c)
	})
}

// contact lets both APIs respond once: until then, other limits hold. It leaves no trace.
func contact(t *testing.T, f *fake, c *client) {
	t.Helper()
	if err := errors.Join(operations["alert"].call(t.Context(), c), readPipe(t.Context(), c)); err != nil {
		t.Fatal(err)
	}
	c.Transport().CloseIdleConnections()
	f.ResetJournal()
}

// operation declares one of the requests under test.
type operation func(c *client) *Request

func (o operation) call(ctx context.Context, c *client) error { return c.Do(ctx, o(c)) }

func managementRequest(c *client, method, operation, subject, body string, path ...string) *Request {
	r := &Request{
		Operation: operation, Subject: subject + inOrganization, API: c.management, Realm: inOrganization,
		Method: method, Path: append([]string{"v1", "organizations", mockplatform.OrganizationID}, path...),
		NamesObject: true, NotFoundAdvice: "Check the IDs.", Accept: accept(method == http.MethodPatch),
	}
	if body != "" {
		r.Body = []byte(body)
	}
	return r
}

func pipeRequest(c *client, method, operation, body string) *Request {
	r := managementRequest(c, method, operation, "pipe "+testPipe+" of service "+testService, body, "services", testService, "pipes", testPipe)
	r.GoneAdvice = "Or remove it."
	return r
}

func readPipeRequest(c *client) *Request { return pipeRequest(c, http.MethodGet, "read pipe", "") }

func readPipe(ctx context.Context, c *client) error { return c.Do(ctx, readPipeRequest(c)) }

// askedRequest replaces a table mapping by itself, which the fake accepts any number of
// times, and asks before it does so again.
func askedRequest(c *client) *Request {
	const body = `{"source":{"postgres":{
		"tableMappingsToRemove":[{"sourceSchemaName":"public","sourceTable":"customers","targetTable":"customers"}],
		"tableMappingsToAdd":[{"sourceSchemaName":"public","sourceTable":"customers","targetTable":"customers"}]}}}`
	r := pipeRequest(c, http.MethodPatch, "update pipe", body)
	r.AsOf = time.Now()
	r.Ask = func(ctx context.Context, _ bool) (bool, error) {
		err := readPipe(ctx, c)
		r.AsOf = time.Now()
		return true, err
	}
	return r
}

// operations are one of each kind of request that a client sends.
var operations = map[string]operation{
	"pipe": readPipeRequest,
	"alert": func(c *client) *Request {
		return &Request{
			Operation: "read alert", Subject: "alert", API: c.alerts, Method: http.MethodGet,
			Path: []string{"api", "v2", "alerts", mockplatform.AlertID}, NotFoundAdvice: "Check the ID.", Accept: accept(false),
		}
	},
	"update": func(c *client) *Request { return pipeRequest(c, http.MethodPatch, "update pipe", `{"name":"n"}`) },
	"key": func(c *client) *Request {
		r := managementRequest(c, http.MethodPost, "create API key", "API key", `{"name":"n","roles":["admin"]}`, "keys")
		r.Unrepeatable = true
		return r
	},
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
		var envelope map[string]any
		if err := json.Unmarshal(r.Body, &envelope, Lenient); err != nil {
			return &Reworded{"it is not what was expected", err}
		}
		if id, exists := envelope["requestId"].(string); exists {
			r.RequestID = id
		}
		if envelope["result"] == nil && envelope["data"] == nil && !optional {
			return errors.New("it has no result")
		}
		return nil
	}
}

func isAmbiguous(err error) bool {
	e := new(Error)
	return errors.As(err, &e) && e.Ambiguous
}
