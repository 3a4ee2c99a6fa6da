package platform

import (
	"context"
	"encoding/base64"
	"fmt"
	"html"
	"net/url"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// jsonInside returns a text as a JSON string, without the quotes.
func jsonInside(s string) string {
	quoted, _ := json.Marshal(s)
	return string(quoted[1 : len(quoted)-1])
}

// Every secret differs, the response repeats all that was sent, and no error and
// no log contains a secret.
func TestNoSecretComesOut(t *testing.T) {
	t.Parallel()
	const password, token = `pass"word<b>` + "\n\t" + `ö`, "bearer-secret"
	echo := func(body string) []fault {
		quoted := `"` + jsonInside(body) + `"`
		return []fault{
			respond(400, body), respond(400, `{"message":`+quoted+`}`), respond(400, `{"error":{"errors":[`+quoted+`]}}`),
			respond(404, "<title>"+body+"</title>", "Content-Type: text/html"), respond(404, "<title>"+html.EscapeString(body)+"</title>"),
			respond(400, body, "Content-Type: text/plain"), respond(400, body, "X-Request-Id: "+strings.ReplaceAll(jsonInside(body), "\r\n", "")),
			respond(200, `{"status":400,"error":`+quoted+`}`), respond(200, `{"requestId":`+quoted+`}`),
			respond(302, "", "Location: https://"+url.PathEscape(body)+".example/"+url.PathEscape(body)),
			respond(400, `{"message":"`+strings.Repeat("x", testMaxMessage-8)+jsonInside(body)+`"}`), // cut in the middle
			respond(201, `{"result":{"`+jsonInside(body)+`":1}}`), respond(200, `{"result":{"scaling":`+quoted+`}}`),
		}
	}
	sent := password + " " + token + " basic-secret " + base64.StdEncoding.EncodeToString([]byte("key-id:basic-secret"))
	var out strings.Builder
	for i, fault := range echo(sent) {
		for name, o := range operations() {
			bubble(t, func(t *testing.T, f *fake, c *Client) {
				c.AddSecret(password)
				f.always(fault)
				_, err := o.call(t.Context(), c)
				fmt.Fprintln(&out, i, name, err)
			}, func(c *Config) {
				c.RetryTimeout = 0
				c.Log = func(_ context.Context, msg string, fields ...map[string]any) { fmt.Fprintln(&out, msg, fields) }
			})
		}
	}
	for _, canary := range []string{"pass", "bearer-sec", "basic-sec", "word", "a2V5LWlk"} {
		if at := strings.Index(out.String(), canary); at >= 0 {
			t.Errorf("%q came out: …%s…", canary, out.String()[max(0, at-200):min(out.Len(), at+200)])
		}
	}
}

// A message that repeats a secret in an escape is withheld as a whole, in the error and in
// the log.
func TestEscapedSecretIsWithheld(t *testing.T) {
	t.Parallel()
	for _, escaped := range []string{"p%c3%a4ss%20w%c3%b6rd", `p\u00e4ss w\u00f6rd`, `p\\u00e4ss w\\u00f6rd`, "p&auml;ss w&#246;rd", "p%26auml;ss+w%25C3%25B6rd"} {
		var log strings.Builder
		bubble(t, func(t *testing.T, f *fake, c *Client) {
			c.AddSecret("päss wörd")
			f.always(respond(400, "cannot log in with "+escaped+" today", "Content-Type: text/plain", "X-Request-Id: "+escaped))
			_, err := operations()["update"].call(t.Context(), c)
			for _, out := range []string{fmt.Sprint(err), log.String()} {
				if !strings.Contains(out, "the message is withheld because it contains a secret") || strings.Contains(out, "today") || strings.Contains(out, escaped) {
					t.Errorf("%s came out: %s", escaped, out)
				}
			}
		}, func(c *Config) {
			c.Log = func(_ context.Context, _ string, fields ...map[string]any) { fmt.Fprintln(&log, fields) }
		})
	}
}
