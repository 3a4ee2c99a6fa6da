package platform

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// The response repeats all that was sent, in each place that messages and logs read, and no
// error and no log contains a secret. In which way it may be escaped is tested in package rest.
func TestNoSecretComesOut(t *testing.T) {
	t.Parallel()
	sent := "pass<word> bearer-secret basic-secret " + base64.StdEncoding.EncodeToString([]byte("key-id:basic-secret"))
	var out strings.Builder
	for i, fault := range []fault{
		respond(400, `{"message":"`+sent+`"}`), respond(400, `{"error":{"errors":["`+sent+`"]}}`),
		respond(400, sent, "Content-Type: text/plain", "X-Request-Id: "+sent), respond(404, "<title>"+sent+"</title>"),
		respond(200, `{"status":400,"error":"`+sent+`"}`), respond(200, `{"requestId":"`+sent+`"}`), respond(404, `{"requestId":"`+sent+`"}`),
		respond(302, "", "Location: https://"+url.PathEscape(sent)+".example/"+url.PathEscape(sent)),
		respond(400, `{"message":"`+strings.Repeat("x", testMaxMessage-8)+sent+`"}`), // cut in the middle
		respond(201, `{"result":{"`+sent+`":1}}`), respond(200, `{"result":{"id":"`+sent+`"},"data":{"id":"`+sent+`"}}`),
		respond(200, `{"result":[{"id":"`+sent+`","name":7}]}`),
	} {
		for name := range operations {
			bubble(t, func(t *testing.T, f *fake, c *Client) {
				c.AddSecret("pass<word>")
				f.Always(fault)
				_, err := do(t.Context(), c, name)
				fmt.Fprintln(&out, i, name, err)
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
