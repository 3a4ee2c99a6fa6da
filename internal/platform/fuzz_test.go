package platform

import (
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/rest"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/resttest"
)

func fuzzResponse(body string) *rest.Response {
	return &rest.Response{Status: 200, Body: []byte(body), Mask: unmasked}
}

func unmasked(s string) string { return s }

// No response makes the client panic or run without end.
func FuzzResponse(f *testing.F) {
	for _, seed := range []string{
		`{"status":200,"requestId":"r","result":{"id":"a","settings":{"engine_max_threads":1e9}}}`, `{"status":200,"result":[{"id":"a"},{"id":"A","x":1}]}`,
		`{"data":{"id":"a","threshold":4e0,"channel":null}}`, `{"status":404.5,"error":{"message":"x"},"result":null}`,
		`{"result":{"key":{"id":"k","roles":["a"]},"keyId":"i","keySecret":"s"}}`, resttest.Page, ``, `{`, `[]`, `{"result":[1e999]}`, `{"result":{"scaling":{"replicas":1e400}}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		for _, a := range []*api{{member: "result"}, {member: "data"}} {
			_ = a.accept(testPipe, new(object).read)(fuzzResponse(body))
		}
		found := &list{}
		if found.accept(fuzzResponse(body)) == nil {
			for _, s := range found.services {
				_ = new(object).read(s.json)
			}
		}
		var key CreatedAPIKey
		_ = key.receive(fuzzResponse(body), false)
	})
}
