package platform

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// show spells a key in one line: ID, secret, key.
func show(k *CreatedAPIKey) string {
	text := func(s *string) string {
		if s == nil {
			return "-"
		}
		return *s
	}
	all := text(k.KeyID) + " " + text(k.KeySecret)
	if k.Key != nil {
		all += " " + text(k.Key.ID) + " " + text(k.Key.Name) + " " + strings.Join(k.Key.Roles, "+")
	}
	if k.Incomplete != nil {
		all += " incomplete"
	}
	return all
}

func TestKeyIsKeptWhateverTheResponse(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		status int
		body   string
		hashed bool
		want   string
	}{
		"whole":                 {200, `{"result":{"key":{"id":"k","name":"n","roles":["admin"]},"keyId":"i","keySecret":"s3cr3t"}}`, false, "i s3cr3t k n admin"},
		"no secret":             {200, `{"result":{"key":{"id":"k"},"keyId":"i"}}`, false, "i - k - "},
		"nothing, hashed":       {200, `{"result":{"key":{"id":"k"}}}`, true, "- - k - "},
		"other types":           {200, `{"result":{"key":{"id":"k","name":7,"roles":"admin"},"keyId":"i","keySecret":"s3cr3t"}}`, false, "i s3cr3t k -  incomplete"},
		"key of another type":   {200, `{"result":{"key":[1],"keyId":"i","keySecret":"s3cr3t"}}`, false, "i s3cr3t - -  incomplete"},
		"id a number":           {200, `{"result":{"keyId":7,"keySecret":"s3cr3t"}}`, false, "7 s3cr3t"},
		"JSON cut after":        {200, `{"result":{"keyId":"i","keySecret":"s3cr3t","key":{"id":"k","name":"n","ro`, false, "ambiguous"},
		"broken before":         {200, `{"result":{"key":{"id":"k","name":"\x"},"keyId":"i","keySecret":"s3\u0063r3t"}}`, false, "ambiguous"},
		"contradiction":         {200, `{"status":500,"result":{"keyId":"i","keySecret":"s3cr3t"}}`, false, "i s3cr3t incomplete"},
		"no envelope":           {200, `{"keyId":"i","keySecret":"s3cr3t"}`, false, "i s3cr3t incomplete"},
		"more after":            {200, `{"result":{"keyId":"i","keySecret":"s3cr3t"}} and more`, false, "i s3cr3t incomplete"},
		"500 with a key":        {500, `{"result":{"keyId":"i","keySecret":"s3cr3t"}}`, false, "i s3cr3t incomplete"},
		"cut in the secret":     {200, `{"result":{"keyId":"i","keySecret":"s3cr`, false, "ambiguous"},
		"a name like a secret":  {200, `{"result":{"key":{"name":"\"keyId\":\"x\",\"keySecret\":\"forged\""},`, false, "ambiguous"},
		"null":                  {200, `{"result":null}`, false, "ambiguous"},
		"400 cut in the secret": {400, `{"result":{"keySecret":"s3cr3t"},"message":"` + strings.Repeat("x", testMaxMessage-3) + `s3cr3t"}`, false, "failed"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, f *fake, c *Client) {
				f.Always(respond(test.status, test.body))
				key, err := createKey(t.Context(), c, test.hashed)
				got := outcome(err)
				if err == nil {
					got = show(key)
				}
				if got != test.want || f.Sent("POST") != 1 {
					t.Errorf("%q, want %q: %v", got, test.want, err)
				}
				if strings.Contains(fmt.Sprint(err), "s3c") || strings.Contains(c.Mask("s3cr3t"), "s3") && strings.Contains(test.body, `"s3`) {
					t.Error("the secret is not masked")
				}
			})
		})
	}
}

// The connection breaks after each byte of the response: unless the result is whole, the
// error says that a key may exist, and what arrived of its secret is masked.
func TestKeyResponseCutAnywhere(t *testing.T) {
	t.Parallel()
	const body = `{"status":200,"result":{"keyId":"the-id","keySecret":"the-secret","key":{"id":"k"}}}`
	for n := range len(body) {
		bubble(t, func(t *testing.T, f *fake, c *Client) {
			f.Always(fault{Status: 200, Text: body, Cut: mockplatform.CutBody, CutBytes: n})
			_, err := createKey(t.Context(), c, false)
			if (n < len(body)-1) != IsAmbiguous(err) || f.Sent("POST") != 1 {
				t.Errorf("cut after %s: %v", body[:n], err)
			}
			if arrived := strings.Index(body, "the-secret"); n >= arrived+4 && !strings.HasPrefix(c.Mask("the-secret"), "***") {
				t.Errorf("cut after %s: not masked", body[:n])
			}
		})
	}
}
