package provider

import (
	"regexp"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

var anyUUID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// TestErrorsAreReadable adopts what is not there: an error says what is
// wrong and what to do about it. Nothing is sent but reads.
func TestErrorsAreReadable(t *testing.T) {
	const nowhere, ours, others = "49999999-0000-4000-8000-000000000009", mockplatform.OrganizationID, mockplatform.OtherOrganizationID
	f := newFixture(t)
	for _, test := range []struct {
		block *managed
		says  []string
	}{
		{f.pipe(nowhere, ""), []string{
			"No such pipe: There is no pipe " + nowhere + " of service " + mockplatform.ServiceID + " in organization " + ours + ": the API returned HTTP 404 Not Found (request ID ", "): pipe not found. ",
			"Check pipe_id, service_id and organization_id. If the pipe was deleted, remove this resource from the configuration, or create the pipe in the platform's console and set its ID here.",
		}},
		{f.scaling(nowhere, ""), []string{
			"No such service: There is no service " + nowhere + " in organization " + ours + ": two consecutive lists of its services omit it. ", "Check service_id and organization_id.",
		}},
		{f.scaling(mockplatform.ServiceID, `organization_id = "`+others+`"`), []string{"There is no service " + mockplatform.ServiceID + " in organization " + others + ": "}},
	} {
		r := test.block.tryPlan(f.start())
		test.block.refuses(r, test.says...)
		wantReadable(t, r.errors[0])
	}
}

// wantReadable fails unless an error is sentences that name an ID once.
func wantReadable(t *testing.T, text string) {
	t.Helper()
	text = folded(text)
	wantNoText(t, text, "..", "bug", "error in the provider")
	for _, id := range anyUUID.FindAllString(text, -1) {
		if strings.Count(text, id) > 1 {
			t.Errorf("%s stands %d times in %s", id, strings.Count(text, id), text)
		}
	}
	if !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "]") {
		t.Errorf("no sentence: %s", text)
	}
}
