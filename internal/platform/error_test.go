package platform

import (
	"errors"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/resttest"
)

// What an error says of its object, of the platform's envelope, and what to do: the texts of
// this package. Those that depend on the status alone are in package rest. A secret that is a
// word of these sentences, or a part of an ID, changes neither the sentence nor the ID.
func TestErrorTextsOfThePlatform(t *testing.T) {
	t.Parallel()
	const (
		organization = " in organization " + testOrganization + " at " + resttest.Host + ". "
		pipe         = "Tried to read pipe " + testPipe + " of service " + testService + organization
		service      = "Tried to read service " + testService + organization
		list         = "Tried to list services" + organization
		key          = "Tried to create an API key" + organization
		scaling      = "Tried to update the scaling of service " + testService + organization
		alert        = "Tried to read alert \"" + testAlert + "\" at " + resttest.Address + ". "
		noKey        = "The credentials (key_id and key_secret) are valid but lack permission: check organization_id, and the roles of the API key and its IP access list."
		notPlatform  = "Check base_url: the response does not look like the platform's."
	)
	for name, test := range map[string]struct {
		operation   string
		fault       fault
		tried, says string
	}{
		"401":                 {"pipe", respond(401, ""), pipe, "Check key_id and key_secret. The key may be wrong, expired, disabled or revoked."},
		"401 of a token":      {"alert", respond(401, ""), alert, "Check alerts_access_token. It may be wrong, expired or revoked."},
		"403":                 {"pipe", respond(403, ""), pipe, noKey},
		"404 of a pipe":       {"pipe", respond(404, ownError), pipe, "(request ID r): what a pity.\n\nCheck the IDs."},
		"404 of a list":       {"list", respond(404, ownError), list, "Check organization_id and base_url."},
		"404 of a key":        {"key", respond(404, ownError), key, "Check organization_id and base_url."},
		"404 of an alert":     {"alert", respond(404, ""), alert, "Check the ID and alerts_base_url."},
		"404 of a router":     {"scaling", respond(404, ""), scaling, notPlatform},
		"404, pipe, router":   {"pipe", respond(404, ""), pipe, notPlatform + " If the pipe was deleted, remove it from the configuration, and from the state with terraform state rm, or create it again in the platform's console and set its ID."},
		"200 page":            {"alert", respond(200, resttest.Page), alert, "Check alerts_base_url: the response is from a login page or a gateway."},
		"200 empty":           {"pipe", respond(200, ""), pipe, "the response cannot be used: it is empty."},
		"200 text":            {"pipe", respond(200, "no"), pipe, "it is not JSON (at byte 1)."},
		"200 cut":             {"pipe", respond(200, `{"result":`), pipe, "its JSON is cut short."},
		"200 array":           {"pipe", respond(200, `[]`), pipe, "it is JSON, but not an object."},
		"200 without result":  {"pipe", respond(200, `{"requestId":"r3","message":"later"}`), pipe, "HTTP 200 OK (request ID r3), but the response cannot be used: it has no \"result\": later."},
		"200 ID of a header":  {"pipe", respond(200, `{"message":"later"}`, "X-Request-Id: r4"), pipe, "HTTP 200 OK (request ID r4), but"},
		"200 ID of two lines": {"pipe", respond(200, `{"requestId":"r\n5"}`, "X-Request-Id: r4"), pipe, "HTTP 200 OK (request ID r 5), but"},
		"200 gone":            {"service", respond(200, `{"result":[]}`), service, "Organization " + testOrganization + " has no service " + testService + ": two consecutive lists of its services omit it."},
		"200 and an error":    {"pipe", respond(200, `{"error":"no"}`), pipe, "it has no \"result\": no."},
		"200 without data":    {"alert", respond(200, `{"requestId":"r3"}`), alert, "HTTP 200 OK, but the response cannot be used: it has no \"data\"."},
		"200 contradiction":   {"pipe", respond(200, `{"status":404,"error":{"message":"gone"},"result":{}}`), pipe, "it contradicts itself: HTTP 200, but its envelope has status 404: gone."},
		"200 other type":      {"pipe", respond(200, `{"result":{"name":7}}`), pipe, "a field has another type."},
		"200 about another":   {"pipe", respond(200, `{"result":{"id":"x"}}`), pipe, "it is about another object: the request was for ID " + testPipe + ", and the response has ID x."},
		"200 ID an array":     {"pipe", respond(200, `{"result":{"id":[]}}`), pipe, "the ID of its object is not a text."},
		"200 ID a number":     {"scaling", respond(200, `{"result":{"id":7}}`), scaling, "the ID of its object is not a text."},
		"200 another case":    {"alert", respond(200, `{"data":{"id":"`+strings.ToUpper(testAlert)+`"}}`), alert, "it is about another object: the request was for ID " + testAlert},
		"200 about a long ID": {"pipe", respond(200, `{"result":{"id":"`+strings.Repeat("x", 101)+`"}}`), pipe, "and the response has ID " + strings.Repeat("x", 100) + "…."},
		"200 list later":      {"list", respond(200, `{"message":"later"}`), list, "it has no \"result\": later."},
		"200 no list":         {"list", respond(200, `{"result":{}}`), list, "its result is not an array."},
		"200 no ID in a list": {"list", respond(200, `{"result":[{"id":"x"},{"name":"y"}]}`), list, "service 2 of the list has no ID."},
		"200 type in a list":  {"list", respond(200, `{"result":[{"id":"x","name":7}]}`), list, "The API returned HTTP 200 OK, but the response cannot be used: service x: a field has another type."},
	} {
		bubble(t, func(t *testing.T, f *fake, c *Client) {
			for _, word := range []string{"Tried", "response", "Check", testPipe[:8]} {
				c.AddSecret(word)
			}
			f.Always(test.fault)
			_, err := do(t.Context(), c, test.operation)
			e := new(Error)
			if !errors.As(err, &e) || !strings.HasPrefix(e.Detail(), test.tried) || !strings.Contains(e.Detail(), test.says) {
				t.Errorf("%s: %v", name, err)
			}
		}, func(c *Config) { c.RetryTimeout = 0 })
	}
}

// The reason why an object is gone ends a sentence.
func TestReasonOfAbsenceEndsASentence(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"the API returned HTTP 404 Not Found (request ID r): no pipe.": &Error{Status: 404, RequestID: "r", Message: "no pipe."},
		"the API returned HTTP 404 Not Found without a message.":       &Error{Status: 404},
		"two consecutive lists of its services omit it.":               &Error{},
	} {
		if got := Absence(err); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
