package platform

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/resttest"
)

const (
	requestID = "5c0e8f6a-1111-4a4a-8b8b-000000000001"
	ownError  = `{"status":404,"requestId":"` + requestID + `","error":"what a pity"}`
)

// What becomes of a request is decided in package rest, from what each operation declares and
// from what it accepts: a row for each difference between them. How often a request is sent
// whose first attempt ends like that, how the call ends, and what an error says of the
// platform's envelope.
func TestAttemptsAndOutcomeOfFaults(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault                    fault
		read, others, patch, key string // of a pipe; the other reads
		says                     string // of a pipe
	}{
		"none":               {good, "1 ok", "1 ok", "1 ok", "1 ok", ""},
		"connection reset":   {resttest.Reset, "2 ok", "2 ok", "2 ok", "1 ambiguous", ""},
		"no response":        {resttest.Hang, "1 failed", "1 failed", "1 ambiguous", "1 ambiguous", "no response within request_timeout of 30s."},
		"404 of the API":     {respond(404, ownError), "1 not found", "1 failed", "1 not found", "1 failed", "(request ID " + requestID + "): what a pity.\n\nThe API itself has no such object: check the IDs."},
		"404 of a router":    {respond(404, ""), "1 failed", "1 failed", "1 failed", "1 ambiguous", "The response does not look like the platform's: check base_url, and HTTPS_PROXY if it is set. If the pipe was deleted, remove it from the configuration, and from the state with terraform state rm, or create it again in the platform's console and set its ID."},
		"200 page":           {respond(200, resttest.Page), "1 failed", "1 failed", "1 ambiguous", "1 ambiguous", "A login page or gateway seems to have answered instead of the API: HTTP 200 OK, an HTML page: Sign in no."},
		"200 empty":          {respond(200, ""), "1 failed", "1 failed", "1 ok", "1 ambiguous", "the response cannot be used: it is not a JSON object."},
		"200 text":           {respond(200, "no"), "1 failed", "1 failed", "1 ambiguous", "1 ambiguous", "HTTP 200 OK, a text: no."},
		"200 array":          {respond(200, "[]"), "1 failed", "1 failed", "1 ambiguous", "1 ambiguous", "HTTP 200 OK, JSON that is not the API's: []."},
		"200 cut":            {respond(200, `{"result":`), "2 ok", "2 ok", "2 ok", "1 ambiguous", ""},
		"200 cut after JSON": {fault{Status: 200, Text: "{} ", Cut: mockplatform.CutBody, CutBytes: 2}, "2 ok", "2 ok", "2 ok", "1 ambiguous", ""},
		"200 without result": {respond(200, `{"requestId":"`+requestID+`","message":"later"}`, "X-Request-Id: r4"), "1 failed", "1 failed", "1 ok", "1 ambiguous", "HTTP 200 OK (request ID " + requestID + "), but the response cannot be used: it has no \"result\": later."},
		"200 of a session":   {respond(200, `{"message":"Session expired"}`, "X-Request-Id: r4"), "1 failed", "1 failed", "1 ambiguous", "1 ambiguous", "HTTP 200 OK (request ID r4), JSON that is not the API's: Session expired."},
		"200 and an error":   {respond(200, `{"requestId":"`+requestID+`","error":"no"}`), "1 failed", "1 failed", "1 ambiguous", "1 ambiguous", "but the response cannot be used: it has no \"result\": no."},
		"200 of status 400":  {respond(200, `{"status":400,"error":{"message":"gone"},"result":{}}`), "1 failed", "1 failed", "1 ambiguous", "1 ambiguous", "it contradicts itself: HTTP 200, but its envelope has status 400: gone."},
		"200 other type":     {respond(200, `{"result":{"name":7,"keySecret":"s3cr3t"}}`), "1 failed", "1 failed", "1 ambiguous", "1 ok", "a field has another type."},
		"200 ID no text":     {respond(200, `{"result":{"id":{}},"data":{"id":{}}}`), "1 failed", "1 failed", "1 ambiguous", "1 ok", "the ID of its object is not a text."},
		"200 ID null":        {respond(200, `{"result":{"id":null}}`), "1 ok", "1 failed", "1 ok", "1 ok", ""},
		"200 after a mark":   {respond(200, "\ufeff"+`{"result":{"keySecret":"s3cr3t"}}`), "1 ok", "1 failed", "1 ok", "1 ok", ""},
		"200 about another":  {respond(200, `{"result":{"id":"x"},"data":{"id":"x"}}`), "1 failed", "1 failed", "1 ambiguous", "1 ok", "it is about another object: the request was for ID " + testPipe + ", and the response has ID x."},
		"200 of 16 MiB":      {respond(200, `{"result":{}}`+strings.Repeat(" ", 16<<20)), "1 failed", "1 failed", "1 ambiguous", "1 ambiguous", "it is larger than the provider accepts (16 MiB)."},
		"200 and more":       {respond(200, `{"result":[],"data":{}} x`), "1 failed", "1 failed", "1 ambiguous", "1 ambiguous", "HTTP 200 OK, a text: {\"result\":[],\"data\":{}} x."},
	} {
		for operations, want := range map[string]string{"pipe": test.read, "service list alert": test.others, "scaling update": test.patch, "key": test.key} {
			for operation := range strings.FieldsSeq(operations) {
				bubble(t, func(t *testing.T, f *fake, c *Client) {
					f.InjectEach(test.fault)
					_, err := do(t.Context(), c, operation)
					if got := fmt.Sprint(f.Sent(""), " ", outcome(err)); got != want || operation == "pipe" && err != nil && !strings.Contains(detail(err), test.says) {
						t.Errorf("%s, %s: %s, want %s and %s: %s", name, operation, got, want, test.says, detail(err))
					}
				})
			}
		}
	}
}

func detail(err error) string { return asError(err).Detail() }

// What an error says of its object, and what to do. A secret that is a word of these sentences, or a
// part of an ID, changes neither the sentence nor the ID.
func TestErrorNamesItsObjectAndWhatToDo(t *testing.T) {
	t.Parallel()
	const (
		organization = " in organization " + testOrganization + " at " + resttest.Host + ". "
		pipe         = "Tried to read pipe " + testPipe + " of service " + testService + organization
		service      = "Tried to read service " + testService + organization
		list         = "Tried to list services" + organization
		key          = "Tried to create an API key" + organization
		scaling      = "Tried to update the scaling of service " + testService + organization
		alert        = "Tried to read alert \"" + testAlert + "\" at " + resttest.Address + ". "
	)
	for name, test := range map[string]struct {
		operation   string
		fault       fault
		tried, says string
	}{
		"401":               {"pipe", respond(401, ""), pipe, "Check key_id and key_secret. The key may be wrong, expired, disabled or revoked."},
		"401 of a token":    {"alert", respond(401, ""), alert, "Check alerts_access_token. It may be wrong, expired or revoked."},
		"403":               {"key", respond(403, ""), key, "This may mean that the API key lacks a role, is disabled, has expired or belongs to another organization, "},
		"404 of a list":     {"list", respond(404, ownError), list, "Check organization_id."},
		"404 of an alert":   {"alert", respond(404, ""), alert, "Check the ID. Otherwise check alerts_base_url."},
		"404 of a router":   {"scaling", respond(404, ""), scaling, "The response does not look like the platform's: check base_url"},
		"another case":      {"alert", respond(200, `{"data":{"id":"`+strings.ToUpper(testAlert)+`"}}`), alert, "it is about another object: the request was for ID " + testAlert},
		"gone":              {"service", respond(200, `{"result":[]}`), service, "Organization " + testOrganization + " has no service " + testService + ": two consecutive lists of its services omit it."},
		"no list":           {"list", respond(200, `{"requestId":"`+requestID+`","result":{}}`), list, "its result is not an array."},
		"no ID in a list":   {"list", respond(200, `{"result":[{"id":"x"},{"name":"y"}]}`), list, "service 2 of the list has no ID."},
		"a type in a list":  {"list", respond(200, `{"requestId":"`+requestID+`","result":[{"id":"x","name":7}]}`), list, "The API returned HTTP 200 OK (request ID " + requestID + "), but the response cannot be used: service x: a field has another type."},
		"an alert's result": {"alert", respond(200, `{"requestId":"`+requestID+`","result":{}}`), alert, "it has no \"data\"."},
	} {
		bubble(t, func(t *testing.T, f *fake, c *Client) {
			for _, word := range []string{"Tried", "response", "Check", testPipe[:8]} {
				c.AddSecret(word)
			}
			f.Always(test.fault)
			_, err := do(t.Context(), c, test.operation)
			if text := detail(err); !strings.HasPrefix(text, test.tried) || !strings.Contains(text, test.says) {
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
		"two consecutive lists of its services omit it.":               &Error{},
	} {
		if got := Absence(err); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// The response repeats all that was sent, in each place that messages and logs read, and no
// error and no log contains a secret. In which way it may be escaped is tested in package rest.
func TestNoSecretComesOut(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	for _, sent := range []string{"pass<word> bearer-secret basic-secret", base64.StdEncoding.EncodeToString([]byte("key-id:basic-secret"))} {
		for _, fault := range []fault{
			respond(400, `{"message":"`+sent+`"}`), respond(400, sent, "Content-Type: text/plain", "X-Request-Id: "+sent),
			respond(200, `{"status":400,"error":"`+sent+`"}`), respond(200, `{"requestId":"`+sent+`"}`), respond(404, `{"requestId":"`+sent+`"}`),
			respond(302, "", "Location: https://"+url.PathEscape(sent)+".example/"+url.PathEscape(sent)),
			respond(201, `{"result":{"`+sent+`":1}}`), respond(200, `{"result":{"id":"`+sent+`"},"data":{"id":"`+sent+`"}}`),
			respond(200, `{"result":[{"id":"`+sent+`","name":7}]}`), respond(200, `{"result":[],"`+sent+`_next":1}`),
		} {
			for _, name := range operations {
				bubble(t, func(t *testing.T, f *fake, c *Client) {
					c.AddSecret("pass<word>")
					f.Always(fault)
					_, err := do(t.Context(), c, name)
					fmt.Fprintln(&out, name, err)
				}, func(c *Config) {
					c.RetryTimeout = 0
					c.Log = func(_ context.Context, msg string, fields ...map[string]any) { fmt.Fprintln(&out, msg, fields) }
				})
			}
		}
	}
	for _, canary := range []string{"pass", "bearer-sec", "basic-sec", "word>", "a2V5LWlk"} {
		if at := strings.Index(out.String(), canary); at >= 0 {
			t.Errorf("%q came out: …%s…", canary, out.String()[max(0, at-200):min(out.Len(), at+200)])
		}
	}
}
