package provider

import (
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// seedPipes are one pipe of each kind.
var seedPipes = map[string]string{
	"kafka":    mockplatform.KafkaPipeID,
	"storage":  mockplatform.ObjectStoragePipeID,
	"stream":   mockplatform.CloudStreamPipeID,
	"postgres": mockplatform.PostgresPipeID,
}

// TestImportsFail imports what is not there: the error says what was looked for and where. The acceptance tests of each noun import what is there.
func TestImportsFail(t *testing.T) {
	const nowhere, ours, others = "29999999-0000-4000-8000-000000000009", mockplatform.OrganizationID, mockplatform.OtherOrganizationID
	f := newFixture(t)
	for _, test := range []struct{ resource, id, says string }{
		{"dataplatform_service_scaling", nowhere, "There is no service " + nowhere + " in organization " + ours + ": two consecutive lists of its services omit it. Check the IDs"},
		{"dataplatform_service_scaling", others + "/" + mockplatform.ServiceID, "There is no service " + mockplatform.ServiceID + " in organization " + others},
		{"dataplatform_pipe", nowhere + "/" + mockplatform.KafkaPipeID, "There is no pipe " + mockplatform.KafkaPipeID + " of service " + nowhere + " in organization " + ours + ": the API returned HTTP 404"},
		{"dataplatform_pipe", mockplatform.KafkaPipeID, "expected SERVICE_ID/PIPE_ID or ORGANIZATION_ID/SERVICE_ID/PIPE_ID."},
		{"dataplatform_api_key", nowhere, "API keys cannot be imported: The API cannot read a key"},
	} {
		b := f.manage(test.resource, "", "", nil)
		b.refuses(b.reported(b.block.Import(f.start(), test.id)), test.says)
	}
}

// planImport plans what an import block asks for.
func (b *managed) planImport(id string) *result {
	b.t.Helper()
	b.write(true)
	return b.tell(&result{change: b.block.PlanImport(b.start(), id)}, b.block.State)
}
