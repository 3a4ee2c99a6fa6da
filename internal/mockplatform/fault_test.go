package mockplatform_test

import (
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

const keyBody = `{"name":"ci","roles":["admin"]}`

// A rejection can repeat the request, of which tests that look for secrets would not miss anything.
func TestRejectionRepeatsTheRequest(t *testing.T) {
	t.Parallel()
	b := newBench(t, mockplatform.Behaviour{})
	for body, text := range map[mockplatform.BodyKind]string{
		mockplatform.BodyEcho: `{\"name\":\"ci\"`, mockplatform.BodyEchoWhole: "Authorization: Basic ",
	} {
		b.platform.Inject(mockplatform.Fault{Status: 400, Body: body})
		out := b.send("POST", keysPath, keyBody)
		equal(t, "status", out.status, 400)
		terraformtest.WantText(t, out.text, text)
		equal(t, "keys", len(b.platform.Keys()), 0)
	}
}
