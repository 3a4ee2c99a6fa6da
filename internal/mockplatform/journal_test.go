package mockplatform_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

func TestJournalRecordsRequests(t *testing.T) {
	t.Parallel()
	var reported []int
	b := newBench(t, mockplatform.Behaviour{OnRequest: func(r mockplatform.Request) { reported = append(reported, r.Status) }})
	body := "{ \"numReplicas\" : 4.0 }"
	b.send("PATCH", scalingPath, body)
	b.send("GET", servicesPath+"?filter=a%3Db&filter=c%3Dd", "")
	b.send("GET", "/nowhere%2Felse", "")

	recorded := []string{}
	for _, r := range b.platform.Requests() {
		recorded = append(recorded, fmt.Sprintf("%s %d %s %s %s", r.Operation, r.Status, r.Path, r.Query["filter"], r.Body))
		equal(t, "credentials", r.Header.Get("Authorization"), "")
	}
	equal(t, "requests", recorded, []string{
		"UpdateScaling 200 " + scalingPath + " [] " + body,
		"ListServices 200 " + servicesPath + " [a=b c=d] ",
		" 404 /nowhere%2Felse [] ",
	})
	equal(t, "reported", reported, []int{200, 200, 404})
	equal(t, "counts", []int{b.platform.Count("", ""), b.platform.Count("GET", "/services"), b.platform.Count("", "/nowhere")}, []int{3, 1, 1})
	b.platform.ResetJournal()
	equal(t, "after a reset", len(b.platform.Requests()), 0)
}

func TestJournalAsTextHasNoSecrets(t *testing.T) {
	t.Parallel()
	b := newBench(t, mockplatform.Behaviour{})
	b.send("PATCH", kafkaPath, `{"source":{"kafka":{"iamRole":"<r>","credentials":{"username":"canary","password":"canary"}}}}`)
	b.send("PATCH", kafkaPath, `{"source":{"objectStorage":{"connectionString":"canary","accessKey":{"accessKeyId":"canary","secretKey":"canary"}}}}`)
	b.send("PATCH", kafkaPath, `{"source":"canary`)
	b.send("POST", keysPath, `{"name":"ci","hashData":{"keyIdHash":"canary","keyIdSuffix":"canary","keySecretHash":"canary"}}`)
	text := fmt.Sprint(b.platform.Requests())
	for _, want := range []string{
		"PATCH " + kafkaPath + " 200\n" + `  {"source":{"kafka":{"credentials":{"password":"***","username":"***"},"iamRole":"<r>"}}}` + "\n",
		`"connectionString":"***"`, " 400\n  (17 bytes that are not JSON)\n",
	} {
		wantPart(t, text, want)
	}
	if strings.Contains(text, "canary") {
		t.Errorf("secrets in %s", text)
	}
}
