package rest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/resttest"
)

const (
	testPipe = mockplatform.PostgresPipeID
	testHost = resttest.Host
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
	config := Config{RequestTimeout: resttest.RequestTimeout, RetryTimeout: resttest.RetryTimeout, MaxConcurrentRequests: 10}
	for _, set := range change {
		set(&config)
	}
	base, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	prefixed := *base
	prefixed.Path = resttest.ManagementPrefix
	about := About{Name: "management API", URLSetting: "base_url", Credentials: "key_id and key_secret", Unauthorized: "Check key_id and key_secret."}
	c := &client{
		management: &API{About: about, Base: &prefixed, Authorize: func(r *http.Request) { r.SetBasicAuth(resttest.KeyID, resttest.KeySecret) }},
		alerts:     &API{Base: base, Authorize: func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+resttest.AccessToken) }},
	}
	c.Client = New(config, c.management, c.alerts)
	t.Cleanup(c.Transport.CloseIdleConnections)
	return c
}

// bubble runs a test with a fake and a client of it, in the time of a bubble.
func bubble(t *testing.T, test func(t *testing.T, f *fake, c *client), change ...func(*Config)) {
	t.Helper()
	resttest.Bubble(t, func(t *testing.T, f *fake) {
		c := newTestClient(t, resttest.Address, change...)
		f.Connect(t, c.Transport)
		test(t, f, c)
	})
}

var (
	keysPath = []string{"v1", "organizations", mockplatform.OrganizationID, "keys"}
	pipePath = []string{"v1", "organizations", mockplatform.OrganizationID, "services", mockplatform.ServiceID, "pipes", testPipe}
)

// operations are one of each kind of request that a client sends.
var operations = map[string]Request{
	"pipe":   {Operation: "read pipe", Method: http.MethodGet, Path: pipePath},
	"update": {Operation: "update pipe", Method: http.MethodPatch, Path: pipePath, Body: []byte(`{"name":"n"}`)},
	"key":    {Operation: "create API key", Method: http.MethodPost, Path: keysPath, Body: []byte(`{"name":"n","roles":["admin"]}`), NonIdempotent: true},
	"alert":  {Operation: "read alert", Method: http.MethodGet, Path: []string{"api", "v2", "alerts", mockplatform.AlertID}},
}

func (c *client) request(operation string) *Request {
	r := operations[operation]
	r.API, r.Subject, r.Accept, r.Result = c.management, "pipe "+testPipe, accept, "result"
	if operation == "alert" {
		r.API, r.Result = c.alerts, "data"
	}
	return &r
}

func do(ctx context.Context, c *client, operation string) error {
	return c.Do(ctx, c.request(operation))
}

// accept reads a response as the API document has it.
func accept(r *Response) error {
	if !r.IsSuccess() || r.Cut != nil {
		return cmp.Or(r.Cut, errors.New("it is no success"))
	}
	var envelope struct {
		RequestID string `json:"requestId"`
	}
	if err := json.Unmarshal(r.Body, &envelope); err != nil {
		return &Reworded{"it is not what was expected", err}
	}
	r.RequestID = envelope.RequestID
	return nil
}

// failure is the error of a call that has to fail.
func failure(t *testing.T, err error) *Error {
	t.Helper()
	e := new(Error)
	if !errors.As(err, &e) {
		t.Fatalf("not an error of a request: %v", err)
	}
	return e
}
