package platform

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"

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
	const (
		gone = "check base_url, and HTTPS_PROXY if it is set. If the pipe was deleted, remove it from the configuration, " +
			"and from the state with terraform state rm, or create it again in the platform's console and set its ID."
		another = "it is about another object: its id is x, not " + testPipe + "."
		later   = `), but the response cannot be used: it has no result: later.`
		noText  = `{"result":{"id":{}},"data":{"id":{}}}`
	)
	withID := func(more string) fault { return respond(200, `{"requestId":"`+requestID+`"`+more+`}`) }
	for name, test := range map[string]struct {
		fault fault
		want  string // of a pipe, the other reads, updates and a key
		says  string // of a pipe
	}{
		"none":               {good, "1 ok, 1 ok, 1 ok, 1 ok", ""},
		"connection reset":   {resttest.Reset, "2 ok, 2 ok, 2 ok, 1 ambiguous", ""},
		"404 of the API":     {respond(404, ownError), "1 not found, 1 failed, 1 not found, 1 failed", "what a pity.\n\nThe API itself has no such object"},
		"404 of a router":    {respond(404, ""), "1 failed, 1 failed, 1 failed, 1 ambiguous", gone},
		"200 empty":          {respond(200, ""), "1 failed, 1 failed, 1 ok, 1 ambiguous", "the response cannot be used: it has no result."},
		"200 without result": {withID(`,"message":"later"`), "1 failed, 1 failed, 1 ok, 1 ambiguous", requestID + later},
		"200 other type":     {respond(200, `{"result":{"name":7,"keySecret":"s3cr3t"}}`), "1 failed, 1 failed, 1 ambiguous, 1 ok", "a field has another type."},
		"200 ID no text":     {respond(200, noText), "1 failed, 1 failed, 1 ambiguous, 1 ok", "it is about another object"},
		"200 about another":  {respond(200, `{"result":{"id":"x"},"data":{"id":"x"}}`), "1 failed, 1 failed, 1 ambiguous, 1 ok", another},
	} {
		want := strings.Split(test.want, ", ")
		for i, operations := range []string{"pipe", "service list alert", "scaling update", "key"} {
			for operation := range strings.FieldsSeq(operations) {
				bubble(t, func(t *testing.T, f *fake, c *Client) {
					f.InjectEach(test.fault)
					_, err := do(t.Context(), c, operation)
					if got := fmt.Sprint(f.Sent(""), " ", outcome(err)); got != want[i] {
						t.Errorf("%s, %s: %s: %v", name, operation, got, err)
					}
					if operation == "pipe" && err != nil && !strings.Contains(detail(err), test.says) {
						t.Errorf("%s: %s", name, detail(err))
					}
				})
			}
		}
	}
}

func detail(err error) string { return AsError(err).Detail() }

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
	withID := func(more string) fault { return respond(200, `{"requestId":"`+requestID+`",`+more+`}`) }
	for name, test := range map[string]struct {
		operation   string
		fault       fault
		tried, says string
	}{
		"401":               {"pipe", respond(401, ""), pipe, "Check key_id and key_secret. The key may be wrong, expired, disabled or revoked."},
		"401 of a token":    {"alert", respond(401, ""), alert, "Check alerts_access_token. It may be wrong, expired or revoked."},
		"403":               {"key", respond(403, ""), key, "This may mean that the API key lacks a role, is disabled, has expired or belongs"},
		"409":               {"key", respond(409, ""), key, "No key was created. If the message says that the name is taken, another key has it"},
		"404 of a list":     {"list", respond(404, ownError), list, "Check organization_id."},
		"404 of an alert":   {"alert", respond(404, ""), alert, "Check the ID. Otherwise check alerts_base_url."},
		"404 of a router":   {"scaling", respond(404, ""), scaling, "The response does not look like the platform's: check base_url"},
		"gone":              {"service", respond(200, `{"result":[]}`), service, "has no service " + testService + ": two consecutive lists"},
		"no list":           {"list", withID(`"result":{}`), list, "its result is not as the API documents it."},
		"no ID in a list":   {"list", respond(200, `{"result":[{"id":"x"},{"name":"y"}]}`), list, "service 2 of the list has no ID."},
		"a type in a list":  {"list", withID(`"result":[{"id":"x","name":7}]`), list, "cannot be used: service x: a field has another type."},
		"an alert's result": {"alert", withID(`"result":{}`), alert, "it has no result: "},
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

// The response repeats all that was sent, in each place that messages and logs read, and no
// error and no log contains a secret. In which way it may be escaped is tested in package rest.
func TestNoSecretComesOut(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	const sent = "pass<word> bearer-secret basic-secret a2V5LWlkOmJhc2ljLXNlY3JldA=="
	for _, fault := range []fault{
		respond(400, `{"message":"`+sent+`"}`), respond(400, sent, "X-Request-Id: "+sent), respond(200, `{"requestId":"`+sent+`"}`),
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
	for _, canary := range []string{"pass", "bearer-sec", "basic-sec", "word>", "a2V5LWlk"} {
		if at := strings.Index(out.String(), canary); at >= 0 {
			t.Errorf("%q came out: …%s…", canary, out.String()[max(0, at-200):min(out.Len(), at+200)])
		}
	}
}
