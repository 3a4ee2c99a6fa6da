package platform

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/resttest"
)

const ownError = `{"status":404,"requestId":"r","error":"what a pity"}`

// What becomes of a request is decided in package rest, from what each operation declares and
// from what it accepts: a row for each difference between them. How often a request is sent
// whose first attempt ends like that, and how the call ends.
func TestAttemptsAndOutcomeOfFaults(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault                    fault
		read, others, patch, key string // of a pipe; the other reads
	}{
		"none":               {good, "1 ok", "1 ok", "1 ok", "1 ok"},
		"connection reset":   {resttest.Reset, "2 ok", "2 ok", "2 ok", "1 ambiguous"},
		"404 of the API":     {respond(404, ownError), "1 not found", "1 failed", "1 not found", "1 failed"},
		"200 page":           {respond(200, resttest.Page), "1 failed", "1 failed", "1 ambiguous", "1 ambiguous"},
		"200 empty":          {respond(200, ""), "1 failed", "1 failed", "1 ok", "1 ambiguous"},
		"200 without result": {respond(200, `{"message":"done"}`), "1 failed", "1 failed", "1 ok", "1 ambiguous"},
		"200 and an error":   {respond(200, `{"error":"no"}`), "1 failed", "1 failed", "1 ambiguous", "1 ambiguous"},
		"200 of status 400":  {respond(200, `{"status":400}`), "1 failed", "1 failed", "1 ambiguous", "1 ambiguous"},
		"200 ID no text":     {respond(200, `{"result":{"id":{}},"data":{"id":{}}}`), "1 failed", "1 failed", "1 ambiguous", "1 ok"},
		"200 ID null":        {respond(200, `{"result":{"id":null}}`), "1 ok", "1 failed", "1 ok", "1 ok"},
		"200 after a mark":   {respond(200, "\ufeff"+`{"result":{"keySecret":"s3cr3t"}}`), "1 ok", "1 failed", "1 ok", "1 ok"},
		"200 about another":  {respond(200, `{"result":{"id":"x"},"data":{"id":"x"}}`), "1 failed", "1 failed", "1 ambiguous", "1 ok"},
		"200 cut after JSON": {fault{Status: 200, Text: "{} ", Cut: mockplatform.CutBody, CutBytes: 2}, "2 ok", "2 ok", "2 ok", "1 ambiguous"},
		"200 and more":       {respond(200, `{"result":[],"data":{}} x`), "1 failed", "1 failed", "1 ambiguous", "1 ambiguous"},
	} {
		for operations, want := range map[string]string{"pipe": test.read, "service list alert": test.others, "scaling update": test.patch, "key": test.key} {
			for operation := range strings.FieldsSeq(operations) {
				bubble(t, func(t *testing.T, f *fake, c *Client) {
					f.InjectEach(test.fault)
					_, err := do(t.Context(), c, operation)
					if got := fmt.Sprint(f.Sent(""), " ", outcome(err)); got != want {
						t.Errorf("%s, %s: %s, want %s (%v)", name, operation, got, want, err)
					}
				})
			}
		}
	}
}
