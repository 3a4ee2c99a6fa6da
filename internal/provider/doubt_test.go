package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// What a PATCH was accepted for, and its response does not show.

// TestPatchReturnsNoResult has PATCHes that are carried out, and return nothing, or the
// object as it was before. A read shows the outcome, between the two stages of a change of
// mappings as well.
func TestPatchReturnsNoResult(t *testing.T) {
	for name, test := range map[string]struct {
		answers     mockplatform.Answers
		credentials int // reads of the pipe of which credentials alone are sent
	}{
		"nothing":           {mockplatform.Answers{PatchResult: mockplatform.ResultMissing}, 3},
		"the object before": {mockplatform.Answers{PatchResult: mockplatform.ResultBefore}, 2}, // no response can show credentials
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.Configure(func(b *mockplatform.Behaviour) { b.Answers = test.answers })
			w := f.workspace(f.provider() + scalingConfig(mockplatform.ServiceID, "num_replicas = 4") +
				onePipe("settings", mockplatform.KafkaPipeID, "name = \"n\"\n  settings = { engine_max_threads = 3 }") +
				onePipe("credentials", mockplatform.CloudStreamPipeID, `source_credentials = { cloud_stream = { access_key_id = "a", secret_key_wo = "s", secret_key_wo_version = 1 } }`) +
				onePipe("mappings", mockplatform.PostgresPipeID, remapped))
			wantNoText(t, w.apply(), "API does not return all values", "also changed unmanaged values")
			f.wantPatches(mockplatform.KafkaPipeID, `{"name": "n", "settings": {"engine_max_threads": 3}}`)
			f.wantPatches(mockplatform.CloudStreamPipeID, `{"source": {"cloudStream": {"accessKey": {"accessKeyId": "a", "secretKey": "s"}}}}`)
			f.wantPatches(mockplatform.PostgresPipeID, firstRemap, secondRemap)
			if n := len(f.RequestsOf(mockplatform.UpdateScaling)); n != 1 {
				t.Errorf("%d updates of the service, want 1", n)
			}
			// Plan and apply read once each, and each PATCH is followed by one read.
			for id, want := range map[string]int{mockplatform.KafkaPipeID: 3, mockplatform.CloudStreamPipeID: test.credentials, mockplatform.PostgresPipeID: 4} {
				if n := f.gets(id); n != want {
					t.Errorf("pipe %s was read %d times, want %d", id, n, want)
				}
			}
			state := w.state()
			if got := state[thisScaling]["num_replicas"]; fmt.Sprint(got) != "4" {
				t.Errorf("the state has %v replicas", got)
			}
			for name, id := range map[string]string{"settings": mockplatform.KafkaPipeID, "mappings": mockplatform.PostgresPipeID} {
				checkPipeState(t, f, "dataplatform_pipe."+name, state, id)
			}
			f.ResetJournal()
			w.wantEmptyPlan()
			f.wantWrites()
		})
	}
}

// TestHiddenValue sets the idle timeout of a service that does not return it while idle
// scaling is off: a warning each time it is sent, and the planned value in the state.
func TestHiddenValue(t *testing.T) {
	f := newFixture(t)
	f.Configure(func(b *mockplatform.Behaviour) {
		b.Answers.Hidden = []mockplatform.Hidden{{Hide: "idleTimeoutMinutes", While: "idleScaling", Is: false}}
	})
	w := f.workspace("")
	warning := "API does not return all values of service \"events-eu\" (" + mockplatform.ServiceID + ")"
	for _, step := range []struct {
		arguments, sent string
		timeout         int
		warns           bool
	}{
		{"idle_scaling = false\n  idle_timeout_minutes = 20", `{"idleScaling": false, "idleTimeoutMinutes": 20}`, 20, true},
		{"idle_scaling = false\n  idle_timeout_minutes = 20\n  num_replicas = 4", `{"numReplicas": 4}`, 20, false},
		{"idle_scaling = false\n  idle_timeout_minutes = 25\n  num_replicas = 4", `{"idleTimeoutMinutes": 25}`, 25, true},
		{"idle_scaling = true\n  idle_timeout_minutes = 25\n  num_replicas = 4", `{"idleScaling": true}`, 25, false},
	} {
		w.file("main.tf", f.provider()+scalingConfig(mockplatform.ServiceID, step.arguments))
		out := w.apply()
		if step.warns {
			wantText(t, out, warning, "neither its response nor a further read contains them", ": - idle_timeout_minutes The state has the planned values.")
		} else {
			wantNoText(t, out, "API does not return all values")
		}
		// Plan and apply read once each. What is missing in the response is read once more.
		if want := map[bool]int{true: 3, false: 2}[step.warns]; len(f.RequestsOf(mockplatform.ListServices)) != want {
			t.Errorf("%s: %d reads, want %d", step.arguments, len(f.RequestsOf(mockplatform.ListServices)), want)
		}
		f.wantWrites(step.sent)
		if got := w.state()[thisScaling]["idle_timeout_minutes"]; fmt.Sprint(got) != fmt.Sprint(step.timeout) {
			t.Errorf("%s: the state has a timeout of %v", step.arguments, got)
		}
		w.wantEmptyPlan()
		f.wantWrites()
	}
	if got := f.Service(mockplatform.ServiceID)["idleTimeoutMinutes"]; fmt.Sprint(got) != "25" {
		t.Errorf("the platform has a timeout of %v", got)
	}
}

// TestReplacementUnderIgnoreChanges moves a resource to a pipe of another kind, with its
// source under ignore_changes. Terraform plans that twice: with the source of the old pipe,
// and without ignore_changes for the new one.
func TestReplacementUnderIgnoreChanges(t *testing.T) {
	f := newFixture(t)
	const ignored = "\n  lifecycle { ignore_changes = [source] }"
	w := f.workspace(f.provider() + onePipe("this", mockplatform.KafkaPipeID, `source = { kafka = { iam_role = "role:orders-reader" } }`+ignored))
	w.apply()
	f.wantWrites()
	w.file("main.tf", f.provider()+onePipe("this", mockplatform.PostgresPipeID, "name = \"n\"\n  source = { postgres = { host = \"other\" } }"+ignored))
	warnings, changes := w.planWithWarnings()
	if got := fmt.Sprint(changes[thisPipe].Change.Actions); got != "[delete create]" {
		t.Errorf("the plan is to %s", got)
	}
	wantText(t, strings.Join(warnings[thisPipe], "\n"),
		`This resource stops managing pipe "orders" (`+mockplatform.KafkaPipeID+")",
		`This replacement overwrites current values of pipe "customers" (`+mockplatform.PostgresPipeID+")", `- name (currently "customers")`,
		"The lifecycle argument ignore_changes does not apply to a new object.")
	w.apply()
	f.wantPatches(mockplatform.KafkaPipeID)
	f.wantPatches(mockplatform.PostgresPipeID, `{"name": "n", "source": {"postgres": {"host": "other"}}}`)
	checkPipeState(t, f, thisPipe, w.state(), mockplatform.PostgresPipeID)
	w.wantEmptyPlan()
}

// TestImportOfAnother imports another object than the one that is configured: Terraform
// would import the first and replace it by the other.
func TestImportOfAnother(t *testing.T) {
	f := newFixture(t)
	skipIfTooOld(t, "import {")
	w := f.workspace(f.provider() + scalingConfig(mockplatform.ReadonlyServiceID, "num_replicas = 2") +
		fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", thisScaling, mockplatform.ServiceID))
	warnings, _ := w.planWithWarnings()
	said := strings.Join(warnings[thisScaling], "\n")
	wantText(t, said, `Imported service "events-eu" (`+mockplatform.ServiceID+") is not the configured one",
		"- service_id: imported "+mockplatform.ServiceID+", configured "+mockplatform.ReadonlyServiceID+" Make both IDs the same.",
		`This replacement overwrites current values of service "events-eu-readers"`)
	wantNoText(t, said, "Destroy does not delete")
	f.wantWrites()
}

// TestBlankSecret has a secret that is known to be blank only in the apply: nothing is
// sent. One that ends with a line break is sent as it is, with a warning.
func TestBlankSecret(t *testing.T) {
	f := newFixture(t)
	secret := func(value string) string {
		return f.provider() + fmt.Sprintf("resource \"terraform_data\" \"later\" { input = %q }\n", value) +
			onePipe("this", mockplatform.KafkaPipeID, "name = \"n\"\n  source_credentials = { kafka = { username = \"u\", password_wo = terraform_data.later.output, password_wo_version = 1 } }")
	}
	for _, blank := range []string{"", " \n"} {
		w := f.workspace(secret(blank))
		errors := w.diagnostics("apply", "-auto-approve", "-input=false")[thisPipe].errors
		if len(errors) != 1 {
			t.Fatalf("%d errors, want 1: %q", len(errors), errors)
		}
		wantText(t, errors[0], "Secret is blank", "source_credentials.kafka.password_wo must not be empty or blank: the platform could no longer read the source.")
		f.wantWrites()
	}
	w := f.workspace(strings.Replace(secret(""), "terraform_data.later.output", `"hush-hush\n"`, 1))
	out := w.apply()
	wantText(t, out, "Secret ends with a line break", "source_credentials.kafka.password_wo ends with a line break")
	wantNoText(t, out, "hush-hush")
	f.wantWrites(`{"name": "n", "source": {"kafka": {"credentials": {"username": "u", "password": "hush-hush\n"}}}}`)
}

// TestResetBehindAnOldResponse has a platform that resets what a PATCH omits, and returns
// the object as it was before: the read that follows shows the reset.
func TestResetBehindAnOldResponse(t *testing.T) {
	f := newFixture(t)
	f.Configure(func(b *mockplatform.Behaviour) {
		b.Answers.PatchResult = mockplatform.ResultBefore
		b.Patches.Resets = mockplatform.Resets{TopLevel: true, To: mockplatform.ToAbsent}
	})
	w := f.workspace(f.provider() + pipeConfig(mockplatform.KafkaPipeID, "name = \"n\"\n  settings = { engine_max_threads = 8 }"))
	wantText(t, w.apply(), `Updating pipe "orders"`, "- settings.engine_max_insert_threads: was 2, is now not set")
	f.wantWrites(`{"name": "n"}`, `{"name": "n", "settings": {"engine_max_threads": 8}}`)
	w.wantEmptyPlan()
}

// TestFloatBeyond63Bits has a number that the protocol does not carry unchanged from
// Terraform to the provider and back.
func TestFloatBeyond63Bits(t *testing.T) {
	f := newFixture(t)
	w := f.workspace(f.provider() + pipeConfig(mockplatform.KafkaPipeID, "settings = { engine_parallel_distributed_insert_select = pow(2, 66) }"))
	wantText(t, w.refused(thisPipe, "plan", "-input=false"), "Invalid number", "settings.engine_parallel_distributed_insert_select must be")
}
