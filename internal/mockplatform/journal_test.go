package mockplatform_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

// The journal keeps no credentials, and its text no secret of a body.
func TestJournalHasNoSecrets(t *testing.T) {
	t.Parallel()
	b := newBench(t, mockplatform.Behaviour{})
	b.send("PATCH", kafkaPath, `{"source":{"kafka":{"iamRole":"<r>","credentials":{"username":"canary","password":"canary"}}}}`)
	b.send("PATCH", kafkaPath, `{"source":{"objectStorage":{"connectionString":"canary","accessKey":{"accessKeyId":"canary","secretKey":"canary"}}}}`)
	b.send("PATCH", kafkaPath, `{"source":"canary`)
	b.send("POST", keysPath, `{"name":"ci","hashData":{"keyIdHash":"canary","keyIdSuffix":"canary","keySecretHash":"canary"}}`)
	for _, r := range b.platform.Requests() {
		equal(t, "credentials", r.Header.Get("Authorization"), "")
	}
	text := fmt.Sprint(b.platform.Requests())
	for _, want := range []string{
		"PATCH " + kafkaPath + " 200\n" + `  {"source":{"kafka":{"credentials":{"password":"***","username":"***"},"iamRole":"<r>"}}}` + "\n",
		`"connectionString":"***"`, " 400\n  (17 bytes that are not JSON)\n",
	} {
		terraformtest.WantText(t, text, want)
	}
	if strings.Contains(text, "canary") {
		t.Errorf("secrets in %s", text)
	}
}
