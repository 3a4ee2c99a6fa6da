package platform

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

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

var good, respond, slow, crowd = resttest.Good, resttest.Respond, resttest.Slow, resttest.Crowd

// bubble runs a test with a fake and a client of it, in the time of a bubble.
func bubble(t *testing.T, test func(t *testing.T, f *fake, c *Client), change ...func(*Config)) {
	t.Helper()
	config := Config{
		BaseURL: resttest.Address + resttest.ManagementPrefix + "/", KeyID: resttest.KeyID, KeySecret: resttest.KeySecret,
		AlertsBaseURL: resttest.Address, AlertsAccessToken: resttest.AccessToken,
		Sending: Sending{RequestTimeout: resttest.RequestTimeout, RetryTimeout: resttest.RetryTimeout},
	}
	for _, set := range change {
		set(&config)
	}
	resttest.Bubble(t, func(t *testing.T, f *fake) {
		c, err := New(config)
		if err != nil {
			t.Fatal(err)
		}
		f.Connect(t, c.Transport)
		test(t, f, c)
	})
}

// object is what the tests read of any object.
type object struct {
	Name        *string `json:"name"`
	NumReplicas *int    `json:"numReplicas"`
}

func (o *object) read(decoded any) error {
	raw, err := json.Marshal(decoded)
	if err != nil || json.Unmarshal(raw, o) != nil {
		return errors.New("a field has another type")
	}
	return nil
}

// reading returns what a call reads last, nil if it reads nothing.
func reading(call func(Read) error) (*object, error) {
	var last *object
	err := call(func(decoded any) error {
		last = new(object)
		return last.read(decoded)
	})
	return last, err
}

var operations = []string{"service", "list", "pipe", "alert", "scaling", "update", "key"}

// do carries out an operation with arguments that the fake accepts, and returns what it reads last, nil
// if it reads nothing.
func do(ctx context.Context, c *Client, operation string) (*object, error) {
	return reading(func(read Read) error {
		switch operation {
		case "service":
			return c.GetService(ctx, testOrganization, testService, read)
		case "list":
			return c.ListServices(ctx, testOrganization, []string{"a=b", "c="}, read)
		case "pipe":
			return c.GetPipe(ctx, testOrganization, testService, testPipe, read)
		case "alert":
			return c.GetAlert(ctx, testAlert, read)
		case "scaling":
			return updateScaling(ctx, c, testService, map[string]any{"numReplicas": 3, "idleScaling": true}, read)
		case "update":
			ctx, u := c.UpdatePipe(ctx, testOrganization, testService, testPipe)
			return carryOut(ctx, u, map[string]any{"name": "n"}, read)
		default:
			_, err := createKey(ctx, c, false)
			return err
		}
	})
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
	switch {
	case err == nil:
		return "ok"
	case AsError(err).NotFound:
		return "not found"
	case AsError(err).Ambiguous:
		return "ambiguous"
	default:
		return "failed"
	}
}

// carryOut sends an update until it is decided.
func carryOut(ctx context.Context, u *Update, body map[string]any, read Read) error {
	defer u.End()
	for {
		if again, err := u.Send(ctx, Patch{Body: body}, read); !again {
			return err
		}
	}
}

func updateScaling(ctx context.Context, c *Client, id string, body map[string]any, read Read) error {
	ctx, u := c.UpdateServiceScaling(ctx, testOrganization, id)
	return carryOut(ctx, u, body, read)
}
