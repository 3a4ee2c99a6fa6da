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
			respond(400, `{"message":"`+url.QueryEscape(body)+`"}`), respond(500, html.EscapeString(url.PathEscape(body)), "Content-Type: text/plain", "X-Request-Id: "+url.PathEscape(body)),
			respond(302, "", "Location: https://"+url.PathEscape(body)+".example/"+url.PathEscape(body)),
			respond(400, `{"message":"`+strings.Repeat("x", testMaxMessage-8)+jsonInside(body)+`"}`), // cut in the middle
			respond(201, `{"result":{"`+jsonInside(body)+`":1}}`), respond(200, `{"result":{"scaling":`+quoted+`}}`),
		}
	}
	sent := password + " " + token + " basic-secret " + base64.StdEncoding.EncodeToString([]byte("key-id:basic-secret"))
	var out strings.Builder
	for i, fault := range echo(sent) {
		for name, o := range operations {
			bubble(t, func(t *testing.T, f *fake, c *Client) {
				c.AddSecret(password)
				f.Always(fault)
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
