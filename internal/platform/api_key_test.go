package platform

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// What a response has of a key is kept, and its secret is masked. TestAnswersToTheCreationOfAKey has each status.
func TestKeyIsKeptWhateverTheResponse(t *testing.T) {
	t.Parallel()
	const hidden = "its body is not shown, because it may have the secret "
	const key, id, secret = `"key":{"id":"k","name":7,"roles":"admin"}`, `"keyId":"i"`, `"keySecret":"s3cr3t"`
	long := strings.Repeat("x", testMaxMessage-3)
	for name, test := range map[string]struct {
		status int
		body   string
		hashed bool
		want   string
	}{
		"whole":                  {200, `{"result":{` + key + `,` + id + `,` + secret + `}}`, false, `{"id":"k",` + id + `,` + secret + `,"name":7,"roles":"admin"}`},
		"no secret":              {200, `{"result":{"key":{"id":"k"},` + id + `}}`, false, `{"id":"k",` + id + `}`},
		"an escaped name":        {200, `{"result":{"keySecr\u0065t":"s3cr3t"}}`, false, `{` + secret + `}`},
		"broken before":          {200, `{"result":{"key":{"id":"k","name":"\x"},"keyId":"i","keySecret":"s3\u0063r3t"}}`, false, "ambiguous"},
		"hashed":                 {200, `{"result":{"key":{"id":"k"}}}`, true, `{"id":"k"}`},
		"no envelope":            {200, `{` + secret + `}`, false, `{` + secret + `} but it has no result: ` + hidden + `(application/json, 22 bytes)`},
		"no object of the key":   {200, `{"result":{"id":17,"name":"n",` + secret + `}}`, false, `{"id":17,` + secret + `,"name":"n"}`},
		"numbers":                {200, `{"result":{"keyId":12345,"keySecret":67890}}`, false, `{"keyId":12345,"keySecret":67890}`},
		"409 with a key":         {409, `{"message":"exists","result":{` + secret + `}}`, false, `{` + secret + `} but it has HTTP status 409: exists`},
		"429 with a key":         {429, `{"result":{` + secret + `}}`, false, `{` + secret + `} but it has HTTP status 429: {"result":{"keySecret":"***"}}`},
		"another status":         {200, `{"status":"s3cr3t","result":{` + secret + `}}`, false, `{` + secret + `} but its status is "***": ` + hidden + `(application/json, 51 bytes)`},
		"429 in the body":        {200, `{"status":429,"requestId":"` + requestID + `","error":"slow","result":{` + secret + `}}`, false, `{` + secret + `} but its status is 429: slow`},
		"409 of a key of hashes": {200, `{"status":409,"requestId":"` + requestID + `","error":"busy","result":{"id":"k"}}`, true, `{"id":"k"} but its status is 409: busy`},
		"400 of a key of hashes": {400, `{"requestId":"` + requestID + `","error":"no","result":{"id":"k"}}`, true, "failed"},
		"400 cut in the secret":  {400, `{"result":{` + secret + `},"message":"` + long + `s3cr3t"}`, false, `{` + secret + `} but it has HTTP status 400: ` + long + "***"},
	} {
		var log strings.Builder
		bubble(t, func(t *testing.T, f *fake, c *Client) {
			f.Always(respond(test.status, test.body))
			key, err := createKey(t.Context(), c, test.hashed)
			got := outcome(err)
			if err == nil {
				delete(key.Key, "key") // whose members are beside it
				text, _ := json.Marshal(key.Key)
				got = string(text)
				if key.Doubt != nil {
					got += " but " + key.Doubt.Error()
				}
			}
			if got != test.want || f.Sent("POST") != 1 {
				t.Errorf("%s: %s, want %s: %v", name, got, test.want, err)
			}
			if text := fmt.Sprint(err, log.String()); strings.Contains(text, "s3c") || strings.Contains(text, "czNj") {
				t.Errorf("%s: the secret is not masked: %s", name, text)
			}
		}, func(c *Config) {
			c.Log = func(_ context.Context, msg string, fields ...map[string]any) { fmt.Fprintln(&log, msg, fields) }
		})
	}
}
