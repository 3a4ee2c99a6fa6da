package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// refusedPipe is a configuration of a pipe that no plan accepts, and what its
// error says.
type refusedPipe struct {
	kind, arguments, text string
}

// wantRefused makes one plan of all of them: none is hidden by another, and
// nothing is sent.
func (w *workspace) wantRefused(pipes []refusedPipe) {
	w.t.Helper()
	var config strings.Builder
	config.WriteString(w.provider())
	for i, pipe := range pipes {
		config.WriteString(onePipe(fmt.Sprintf("p%d", i), w.clonePipe(pipe.kind), pipe.arguments))
	}
	w.file("main.tf", config.String())
	said := w.diagnostics("plan", "-input=false")
	for i, pipe := range pipes {
		address := fmt.Sprintf("dataplatform_pipe.p%d", i)
		if errors := said[address].errors; len(errors) != 1 {
			w.t.Errorf("%d errors about %s, want 1: %q", len(errors), pipe.arguments, errors)
		} else {
			wantText(w.t, errors[0], pipe.text)
			wantNoText(w.t, errors[0], "hush-hush")
		}
		delete(said, address)
	}
	for address, of := range said {
		if len(of.errors) > 0 {
			w.t.Errorf("errors about %q: %q", address, of.errors)
		}
	}
	w.wantWrites()
}

func TestPipeRejected(t *testing.T) {
	const (
		kafka, storage, stream, postgres = mockplatform.KafkaPipeID, mockplatform.ObjectStoragePipeID, mockplatform.CloudStreamPipeID, mockplatform.PostgresPipeID

		mapping = `source_schema_name = "s", source_table = "t", target_table = "u"`
	)
	f := newFixture(t)
	w := f.workspace("")
	// By the schema alone.
	w.wantRefused([]refusedPipe{
		{kafka, `source_credentials = { kafka = { password_wo = "hush-hush" } }`, "source_credentials.kafka.password_wo_version"},
		{postgres, `source_credentials = { postgres = { password_wo = "hush-hush" } }`, "source_credentials.postgres.password_wo_version"},
		{stream, `source_credentials = { cloud_stream = { secret_key_wo = "hush-hush" } }`, "source_credentials.cloud_stream.secret_key_wo_version"},
		{storage, `source_credentials = { object_storage = { secret_key_wo = "hush-hush" } }`, "source_credentials.object_storage.secret_key_wo_version"},
		{storage, `source_credentials = { object_storage = { connection_string_wo = "hush-hush" } }`, "source_credentials.object_storage.connection_string_wo_version"},
		{postgres, mappings(`{ `+mapping+` }`, `{ `+mapping+`, excluded_columns = ["x"] }`), "s.t"},
		{postgres, mappings(`null`), "null"},
		{postgres, mappings(`{ ` + mapping + `, excluded_columns = [null] }`), "null"},
		{postgres, mappings(`{ ` + mapping + `, sorting_keys = ["a", null] }`), "null"},
		{postgres, `source = { postgres = { settings = { pull_batch_size = 1.5 } } }`, "whole number"},
		{kafka, `settings = { object_storage_max_insert_bytes = 0.5 }`, "whole number"},
		{kafka, `field_mappings = [null]`, "null"},
		{kafka, `destination = { columns = [null] }`, "null"},
	})
	// Given what the platform holds.
	w.wantRefused([]refusedPipe{
		{kafka, `source_credentials = { kafka = { username = "u", password_wo_version = 1 } }`, "password_wo must be set in this run"},
		{postgres, `source_credentials = { postgres = { password_wo_version = 1 } }`, "password_wo must be set in this run"},
		{stream, `source_credentials = { cloud_stream = { secret_key_wo_version = 1 } }`, "secret_key_wo must be set in this run"},
		{storage, `source_credentials = { object_storage = { secret_key_wo_version = 1 } }`, "secret_key_wo must be set in this run"},
		{storage, `source_credentials = { object_storage = { connection_string_wo_version = 1 } }`, "connection_string_wo must be set in this run"},
		{kafka, `source = { postgres = { port = 1 } }`, "source.postgres is set, but the source of pipe"},
		{postgres, `source = { object_storage = {} }`, "source.object_storage is set, but the source of pipe"},
		{storage, `source_credentials = { cloud_stream = { access_key_id = "a" } }`, "source_credentials.cloud_stream is set, but the source of pipe"},
		{stream, `source = { kafka = { iam_role = "r" } }`, "is cloud_stream, and the kind of a source cannot be changed"},
	})
}

// TestPipeCredentialRenewals changes versions and users without the secret.
func TestPipeCredentialRenewals(t *testing.T) {
	const credentials = "source_credentials = { kafka = { username = %q, password_wo_version = %d %s } }"
	f := newFixture(t)
	pipe := func(user string, version int, rest string) string {
		return f.provider() + onePipe("this", mockplatform.KafkaPipeID, fmt.Sprintf(credentials, user, version, rest))
	}
	w := f.workspace(pipe("u", 1, `, password_wo = "first"`))
	w.apply()
	f.ResetJournal()
	for _, config := range []string{pipe("u", 2, ""), pipe("v", 1, "")} {
		w.file("main.tf", config)
		wantText(t, w.refused(thisPipe, "plan", "-input=false"), "Credential missing", "source_credentials.kafka.password_wo must be set in this run, because password_wo_version or username is new or has changed. Later runs can omit it.")
	}
	w.file("main.tf", pipe("u", 1, ""))
	w.wantEmptyPlan()
	f.wantWrites()

	// A PATCH that fails leaves the version for the next apply.
	w.file("main.tf", pipe("u", 2, `, password_wo = "second"`))
	f.Inject(mockplatform.Fault{Operation: mockplatform.UpdatePipe, Status: 400})
	wantText(t, w.refused(thisPipe, "apply", "-auto-approve", "-input=false"), "Cannot update pipe", "HTTP 400")
	w.apply()
	f.wantWrites(
		`{"source": {"kafka": {"credentials": {"username": "u", "password": "second"}}}}`,
		`{"source": {"kafka": {"credentials": {"username": "u", "password": "second"}}}}`,
	)
	w.wantEmptyPlan()

	// With a version gone, the user alone is left; with all gone, nothing.
	w.file("main.tf", f.provider()+onePipe("this", mockplatform.KafkaPipeID, `source_credentials = { kafka = { username = "w" } }`))
	w.apply()
	f.wantWrites(`{"source": {"kafka": {"credentials": {"username": "w"}}}}`)
	w.file("main.tf", f.provider()+onePipe("this", mockplatform.KafkaPipeID, `source_credentials = { kafka = {} }`))
	w.apply()
	f.wantWrites()
	w.wantEmptyPlan()
}
