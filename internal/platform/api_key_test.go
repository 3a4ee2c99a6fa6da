package platform

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// What a response has of a key is kept, and its secret is masked.
func TestKeyIsKeptWhateverTheResponse(t *testing.T) {
	t.Parallel()
	const key, id, secret = `"key":{"id":"k","name":7,"roles":"admin"}`, `"keyId":"i"`, `"keySecret":"s3cr3t"`
	long := strings.Repeat("x", testMaxMessage-3)
	for name, test := range map[string]struct {
		status int
		body   string
		hashed bool
		want   string
	}{
		"whole":                 {200, `{"result":{` + key + `,` + id + `,` + secret + `}}`, false, `{` + key + `,` + id + `,` + secret + `}`},
		"no secret":             {200, `{"result":{"key":{"id":"k"},` + id + `}}`, false, `{"key":{"id":"k"},` + id + `}`},
		"cut in the secret":     {200, `{"result":{` + id + `,"keySecret":"s3cr3t`, false, "ambiguous"},
		"an escaped name":       {200, `{"result":{"keySecr\u0065t":"s3cr3t"}}`, false, `{` + secret + `}`},
		"broken before":         {200, `{"result":{"key":{"id":"k","name":"\x"},"keyId":"i","keySecret":"s3\u0063r3t"}}`, false, "ambiguous"},
		"hashed":                {200, `{"result":{"key":{"id":"k"}}}`, true, `{"key":{"id":"k"}}`},
		"no envelope":           {200, `{` + secret + `}`, false, `{` + secret + `} but it has no result: {"keySecret":"***"}`},
		"500 with a key":        {500, `{"result":{` + secret + `}}`, false, `{` + secret + `} but it has HTTP status 500`},
		"403 of a filter":       {403, `<p>no`, false, "ambiguous"},
		"500 in the body":       {200, `{"status":500,"requestId":"` + requestID + `","error":"no"}`, false, "ambiguous"},
		"another status":        {200, `{"status":"s3cr3t","result":{` + secret + `}}`, false, `{` + secret + `} but its status is "***": {"status":"***","result":{"keySecret":"***"}}`},
		"400 cut in the secret": {400, `{"result":{` + secret + `},"message":"` + long + `s3cr3t"}`, false, "failed"},
	} {
		bubble(t, func(t *testing.T, f *fake, c *Client) {
			f.Always(respond(test.status, test.body))
			key, err := createKey(t.Context(), c, test.hashed)
			got := outcome(err)
			if err == nil {
				kept, _ := json.Marshal(map[string]any{"key": key.Key, "keyId": key.KeyID, "keySecret": key.KeySecret})
				got = noMember.ReplaceAllString(string(kept), "")
				if key.Incomplete != nil {
					got += " but " + key.Incomplete.Error()
				}
			}
			if got != test.want || f.Sent("POST") != 1 {
				t.Errorf("%s: %s, want %s: %v", name, got, test.want, err)
			}
			if strings.Contains(fmt.Sprint(err), "s3c") {
				t.Errorf("%s: the secret is not masked: %v", name, err)
			}
		})
	}
}

// noMember is a member that was not returned.
var noMember = regexp.MustCompile(`,?"\w+":(null|""),?`)
