package guidestest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// TestPausedPipe does what the page of pipes says of a platform that demands a pause, and resumes the pipe after each
// request: one mapping changes, and another is removed, which takes three.
func TestPausedPipe(t *testing.T) {
	const resource = "../../docs/resources/pipe.md"
	wantText(t, chapterOf(t, resource, "Pause the pipe first").text,
		"A change takes up to three requests", "the apply fails after the first. Pause the pipe, plan and apply again, up to twice")
	w := newReader(t)
	w.File("main.tf", plainProvider)
	w.File("pipe.tf", chapterOf(t, resource, "Table mappings").block(t, "sales.invoices:sales_invoices").text)
	skipIfTooOld(t, w.Read("pipe.tf"))
	pause := fmt.Sprintf("curl -sS -o paused.json -X PATCH -d '{\"state\": \"Paused\"}' \"$DATAPLATFORM_BASE_URL/console/pipes/%s\"\n", mockplatform.PostgresPipeID)
	const (
		change = "sed -i.bak 's/\\[\"notes\"\\]/[\"notes\", \"email\"]/; /public.addresses/d' pipe.tf\n"
		apply  = "terraform apply -auto-approve\n"
		fails  = "! terraform apply -auto-approve\n"
	)
	offline := readPage(t, guide("offline"))
	start := offline.block(t, "./mockplatform ")
	start.text = strings.Replace(start.text, "-journal", "-demand-pause", 1)
	demand := block{text: "If the pipe has to be paused for this, pause it in the platform's console and apply again.\n"}
	w.withFake(&page{title: "pipe.md", blocks: []block{
		*start,
		*offline.block(t, "export DATAPLATFORM_BASE_URL="),
		{language: "shell", text: "terraform init\n" + pause + apply},
		{text: "Resources: 1 imported, 0 added, 1 changed, 0 destroyed.\n"}, // what is new alone takes one request
		{language: "shell", text: change + fails},
		demand,
		{language: "shell", text: "terraform plan\n" + pause + fails},
		{text: "~ excluded_columns\n"}, // nothing was changed before
		demand,
		{text: "Error: Table mappings are not as planned\n- \"sales.leads:sales_leads\": was excluded_columns = [\"notes\"]\n"},
		{language: "shell", text: "terraform plan\n" + pause + fails},
		{text: "+ \"sales.leads:sales_leads\"\n"},
		demand,
		{text: "Error: Table mappings are not as planned\n- \"public.addresses:addresses\": was excluded_columns = []\n"},
		{language: "shell", text: "terraform plan\n" + pause + apply},
		{text: "- \"public.addresses:addresses\"\nResources: 0 added, 1 changed, 0 destroyed.\n"},
		{language: "shell", text: "terraform plan -detailed-exitcode\n"},
		{text: "No changes.\n"},
	}})
}
