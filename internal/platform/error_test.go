package platform

import (
	"errors"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/resttest"
)

// The complete texts.
func TestErrorTexts(t *testing.T) {
	t.Parallel()
	const (
		html          = "it is an HTML page, not a response of the API, with the title \"Sign in\""
		deleted       = "If the pipe was deleted, remove it from the configuration, and from the state with terraform state rm, or create it again in the platform's console and set its ID."
		stateConflict = "The object's current state does not allow the request: apply again once it does"
	)
	organization := " in organization " + testOrganization
	tried := map[string]string{
		"pipe":    "Tried to read pipe " + testPipe + " of service " + testService + organization + " at " + resttest.Host + ". ",
		"list":    "Tried to list services of organization " + testOrganization + " at " + resttest.Host + ". ",
		"key":     "Tried to create API key" + organization + " at " + resttest.Host + ". ",
		"scaling": "Tried to update the scaling of service " + testService + organization + " at " + resttest.Host + ". ",
		"alert":   "Tried to read alert \"" + testAlert + "\" at " + resttest.Address + ". ",
	}
	tests := map[string]struct {
		operation string
		fault     fault
		want      string
	}{
		"422": {"pipe", respond(422, `{"requestId":"r1","error":"numReplicas is too small"}`),
			"The API returned HTTP 422 Unprocessable Entity (request ID r1): numReplicas is too small.\n\nCorrect the value that the message names, or ask the platform's support with the request ID."},
		"409": {"pipe", respond(409, `{"error":"busy:"}`),
			"The API returned HTTP 409 Conflict: busy.\n\n" + stateConflict + "."},
		"400": {"pipe", respond(400, "", "X-Request-Id: r4"),
			"The API returned HTTP 400 Bad Request (request ID r4) without a message.\n\nAsk the platform's support with the request ID."},
		"400 with a secret": {"pipe", respond(400, `{"requestId":"r4","error":"no %62asic-secret"}`),
			"The API returned HTTP 400 Bad Request (request ID r4): the message is withheld because it contains a secret.\n\nAsk the platform's support with the request ID."},
		"401": {"pipe", respond(401, "", "X-Request-Id: r2"),
			"The API returned HTTP 401 Unauthorized (request ID r2) without a message.\n\nCheck key_id and key_secret. The key may be wrong, expired, disabled or revoked."},
		"401 of a token": {"alert", respond(401, ""),
			"The API returned HTTP 401 Unauthorized without a message.\n\nCheck alerts_access_token. It may be wrong, expired or revoked."},
		"403": {"pipe", respond(403, `{"message":"no!"}`),
			"The API returned HTTP 403 Forbidden: no!\n\nThe credentials (key_id and key_secret) are valid but lack permission: check the roles of the API key and its IP access list."},
		"404": {"pipe", respond(404, ownError),
			"The API returned HTTP 404 Not Found (request ID r): what a pity.\n\nCheck the IDs."},
		"404 of a list": {"list", respond(404, ownError),
			"The API returned HTTP 404 Not Found (request ID r): what a pity.\n\nCheck organization_id and base_url."},
		"404 of a key": {"key", respond(404, ownError),
			"The API returned HTTP 404 Not Found (request ID r): what a pity.\n\nCheck organization_id and base_url."},
		"404 router": {"pipe", respond(404, `{"error":"path not found"}`),
			"The API returned HTTP 404 Not Found: path not found.\n\nCheck base_url: the response does not look like the platform's. " + deleted},
		"404 router, of a service": {"scaling", respond(404, `{"error":"path not found"}`),
			"The API returned HTTP 404 Not Found: path not found.\n\nCheck base_url: the response does not look like the platform's."},
		"404 of an alert": {"alert", respond(404, `{"error":"gone"}`),
			"The API returned HTTP 404 Not Found: gone.\n\nCheck the ID and alerts_base_url."},
		"404 page": {"pipe", respond(404, resttest.Page),
			"The API returned HTTP 404 Not Found: " + html + ".\n\nCheck base_url: the response does not look like the platform's. " + deleted},
		"502 page of a proxy": {"pipe", respond(502, resttest.Page),
			"The API returned HTTP 502 Bad Gateway: " + html + ".\n\nRun the command again once the platform has recovered."},
		"302": {"pipe", respond(302, "", "Location: https://login.example/x?secret"),
			"The API returned HTTP 302 Found: a redirect to https://login.example, which is not followed because it would send the credentials elsewhere.\n\nCheck base_url."},
		"200 page": {"alert", respond(200, resttest.Page),
			"The API returned HTTP 200 OK, but the response cannot be used: " + html + ".\n\nCheck alerts_base_url: the response is from a login page or a gateway."},
		"200 without result": {"pipe", respond(200, `{"requestId":"r3"}`),
			"The API returned HTTP 200 OK (request ID r3), but the response cannot be used: it has no \"result\".\n\nAsk the platform's support with the request ID."},
		"200 contradiction": {"pipe", respond(200, `{"status":404,"error":{"message":"gone"},"result":{}}`),
			"The API returned HTTP 200 OK, but the response cannot be used: it contradicts itself: HTTP 200, but its envelope has status 404: gone.\n\nCheck base_url. If it is right, ask the platform's support."},
		"200 other type": {"pipe", respond(200, `{"result":{"scaling":{"replicas":"two"}}}`),
			"The API returned HTTP 200 OK, but the response cannot be used: \"scaling.replicas\" is a string, and the API document has another type.\n\nCheck base_url. If it is right, ask the platform's support."},
		"200 other type in a list": {"list", respond(200, `{"result":[{"id":"`+testService+`","numReplicas":"many"}]}`),
			"The API returned HTTP 200 OK, but the response cannot be used: service " + testService + ": \"numReplicas\" is a string, and the API document has another type."},
		"lost read": {"pipe", reset,
			"The request was sent, but no complete response arrived: EOF.\n\nCheck base_url, and HTTPS_PROXY if it is set."},
	}
	for name, test := range tests {
		bubble(t, func(t *testing.T, f *fake, c *Client) {
			f.Always(test.fault)
			_, err := operations[test.operation].call(t.Context(), c)
			e := new(Error)
			if !errors.As(err, &e) || e.Detail() != tried[test.operation]+test.want || strings.Contains(e.Error(), "\n") {
				t.Errorf("%s:\n got %q\nwant %q", name, e.Detail(), tried[test.operation]+test.want)
			}
		}, func(c *Config) { c.RetryTimeout = 0 })
	}
}

// A short secret that is a word of the provider's own sentences, or a part of an ID,
// alters neither.
func TestOwnWordsAreNotMasked(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		for _, word := range []string{"wrong", "pipe", "status", "Check", "response", testPipe[:8], testService[9:13]} {
			c.AddSecret(word)
		}
		const id = "5f0e0e0e-0000-4000-8000-" + "40000000" + "0000"
		f.InjectEach(respond(401, `{"requestId":"`+id+`","message":"the pipe is wrong"}`), hang)
		want := "Tried to read pipe " + testPipe + " of service " + testService + " in organization " + testOrganization +
			" at " + resttest.Host + ". The API returned HTTP 401 Unauthorized (request ID " + id + "): the *** is ***.\n\nCheck key_id and key_secret. The key may be wrong, expired, disabled or revoked."
		if e := new(Error); !errors.As(readPipe(t.Context(), c), &e) || e.Detail() != want {
			t.Errorf("%s\nwant %s", e.Detail(), want)
		}
		c.AddSecret(id)
		f.ClearFaults()
		f.InjectEach(respond(403, `{"status":403,"message":"`+id+`"}`, "X-Request-Id: "+id))
		if _, err := operations["alert"].call(t.Context(), c); err == nil || strings.Contains(err.Error(), id) || !strings.Contains(err.Error(), "(request ID ***): the message is withheld because it contains a secret.") {
			t.Error(err)
		}
	}, func(c *Config) { c.RetryTimeout = 0 })
}
