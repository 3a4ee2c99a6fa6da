package provider

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// adoptionLines are what the warning of an adoption says is overwritten, a line each.
func adoptionLines(t *testing.T, warnings []string) []string {
	t.Helper()
	warnings = slices.DeleteFunc(warnings, func(warning string) bool { return strings.HasPrefix(warning, "Table mappings of") })
	if len(warnings) != 1 {
		t.Fatalf("%d warnings, want one of an adoption: %q", len(warnings), warnings)
	}
	_, list, found := strings.Cut(folded(warnings[0]), "The pipe already exists. These current values will be replaced: - ")
	list, rest, kept := strings.Cut(list, " To keep a value, remove its argument from the configuration. ")
	want := "To see old and new values in the plan, and in its JSON, use an import block."
	if !found || !kept || strings.TrimSpace(rest) != want {
		t.Errorf("the warning is %q, and should end with %q", warnings[0], want)
	}
	return strings.Split(list, " - ")
}

// TestAdoptionSaysWhatItOverwrites has each attribute and credential, and nothing of what
// stays.
func TestAdoptionSaysWhatItOverwrites(t *testing.T) {
	for name, test := range map[string]struct {
		kind, arguments string
		want            []string
	}{
		"attributes": {mockplatform.KafkaPipeID, `
  name     = "n"
  settings = { engine_max_threads = 3, engine_max_insert_threads = 2 }
  source   = { kafka = { iam_role = "", reverse_private_endpoint_ids = ["other"] } }`,
			[]string{`name (currently "orders")`, "settings.engine_max_threads (currently 8)", `source.kafka.iam_role (currently "role:orders-reader")`, `source.kafka.reverse_private_endpoint_ids (currently ["rpe-north", "rpe-south"])`}},
		"credentials beside a leaf": {mockplatform.ObjectStoragePipeID, `
  source             = { object_storage = { path = "other" } }
  source_credentials = { object_storage = { connection_string_wo = "hush-hush", connection_string_wo_version = 1, access_key_id = "a", secret_key_wo = "hush-hush", secret_key_wo_version = 1 } }`,
			[]string{`source.object_storage.path (currently "visits/*.parquet")`, "credentials of source_credentials.object_storage (the API does not return the current ones)"}},
		"nothing": {mockplatform.PostgresPipeID, "name = \"customers\"\n" + mappings(customersMapping, addressesMapping, leadsMapping), nil},
		// What is not known yet may turn out to be any of the mappings.
		"mappings that are unknown": {mockplatform.PostgresPipeID, `source = { postgres = { table_mappings = later.all } }`, nil},
		"a mapping that is partly unknown": {mockplatform.PostgresPipeID, mappings(customersMapping,
			`{ source_schema_name = "public", source_table = later.text, target_table = "x", excluded_columns = [] }`), nil},
		"a mapping that is new": {mockplatform.PostgresPipeID, mappings(customersMapping, addressesMapping, leadsMapping, wanted("public.new", "new", "excluded_columns = []")), nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.UpdatePipe(mockplatform.ObjectStoragePipeID, func(doc mockplatform.Document) { setMember(doc, "source.objectStorage.path", "visits/*.parquet") })
			r := f.pipe(test.kind, test.arguments).plan()
			f.wantWrites()
			if test.want == nil {
				wantWarning(t, r.warnings, "")
				return
			}
			if got := adoptionLines(t, r.warnings); !slices.Equal(got, test.want) {
				t.Errorf("the warning says\n%q\nwant\n%q", got, test.want)
			}
			wantNoText(t, r.warnings[0], "hush-hush", "other")
		})
	}
}

// TestPipeUnknownAtPlan adopts pipes of which the plan knows neither ID nor provider:
// what a plan checks is checked at the apply, before anything is sent.
func TestPipeUnknownAtPlan(t *testing.T) {
	wants := mappings(customersMapping, addressesMapping, leadsMapping, wanted("public.new", "new", `excluded_columns = []`))
	unknownID := func(f *fixture, id, arguments string) (b *managed, inPlan server) {
		b = f.pipe(id, arguments)
		delete(b.ids, "pipe_id")
		b.arguments += "\n  pipe_id = later.id"
		b.later = cty.ObjectVal(map[string]cty.Value{"id": cty.StringVal(id), "number": cty.NumberIntVal(5), "none": cty.NullVal(cty.String), "schema": cty.StringVal("sales")})
		return b, f.start()
	}
	for name, test := range map[string]func(f *fixture) (*managed, server){
		"id": func(f *fixture) (*managed, server) { return unknownID(f, mockplatform.PostgresPipeID, wants) },
		"provider": func(f *fixture) (*managed, server) {
			return f.pipe(mockplatform.PostgresPipeID, wants), f.start(map[string]any{"key_id": tftypes.UnknownValue})
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			b, inPlan := test(f)
			r := b.must(b.tryPlan(inPlan))
			f.wantRequests()
			b.applyPlan(r)
			b.sends(`{"source": {"postgres": {"tableMappingsToAdd": [` + newMapping + `]}}}`)
			b.wantQuiet()
		})
	}
	for name, test := range map[string]struct{ id, arguments, text string }{
		"another mapping": {mockplatform.PostgresPipeID, customersSorted, "has other table mappings"},
		"wrong kind":      {mockplatform.KafkaPipeID, `source = { postgres = { host = "h" } }`, "source.postgres is set, but the source of pipe"},
		"wrong kind of credentials": {mockplatform.KafkaPipeID, `source_credentials = { postgres = { username = "u" } }`,
			"source_credentials.postgres is set, but the source of pipe"},
		"no such pipe":    {"40000000-0000-4000-8000-00000000ffff", `name = "n"`, "There is no pipe 40000000-0000-4000-8000-00000000ffff"},
		"invalid id":      {"none", `name = "n"`, "must be a UUID"},
		"version, secret": {mockplatform.KafkaPipeID, `source_credentials = { kafka = { password_wo_version = later.number } }`, "password_wo must be set in this run"},
		"fraction":        {mockplatform.PostgresPipeID, `source = { postgres = { port = later.number + 0.5 } }`, "must be a whole number between 1 and 65535"},
		"null element":    {mockplatform.KafkaPipeID, `source = { kafka = { reverse_private_endpoint_ids = [later.none] } }`, "null"},
		"mapped twice": {mockplatform.PostgresPipeID, mappings(leadsMapping,
			`{ source_schema_name = later.schema, source_table = "leads", target_table = "sales_leads", excluded_columns = [], sorting_keys = ["x"] }`), "more than once"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			b, inPlan := unknownID(f, test.id, test.arguments)
			r := b.must(b.tryPlan(inPlan))
			b.carryOut(f.start(), r)
			b.refuses(r, test.text)
			if !b.state.IsNull() {
				t.Error("a failed adoption is in the state")
			}
		})
	}
}

// TestPipeAdoptionOfOtherMappings rejects an adoption that would change mappings, and has no
// warning that they will change.
func TestPipeAdoptionOfOtherMappings(t *testing.T) {
	f := newFixture(t)
	b := f.pipe(mockplatform.PostgresPipeID, customersSorted)
	r := b.tryPlan(b.start())
	b.refuses(r, "has other table mappings")
	if len(r.warnings) != 0 {
		t.Errorf("a rejected plan warns: %v", r.warnings)
	}
}

// TestPipeReplaced puts a pipe of another kind in the place of one: nothing of the first
// is compared with the second.
func TestPipeReplaced(t *testing.T) {
	f := newFixture(t)
	b := f.pipe(mockplatform.KafkaPipeID, `
  name   = "n"
  source = { kafka = { iam_role = "r" } }
  source_credentials = { kafka = { username = "u", password_wo = "pass", password_wo_version = 1 } }`)
	b.apply()
	f.ResetJournal()
	b.id = f.clonePipe(mockplatform.PostgresPipeID)
	b.ids["pipe_id"] = cty.StringVal(b.id)
	b.arguments = mappings(customersMapping, addressesMapping, leadsMapping, wanted("public.new", "new", `excluded_columns = []`)) + `
  name   = "n"
  source_credentials = { postgres = { username = "u", password_wo = "pass", password_wo_version = 1 } }`
	if r := b.plan(); r.action != "replace" {
		t.Errorf("the plan is to %s", r.action)
	}
	b.apply()
	f.wantWrites(`{"name": "n", "source": {"postgres": {` + credentialsBody + `, "tableMappingsToAdd": [` + newMapping + `]}}}`)
	b.wantQuiet()
	b.wantState()

	// Another spelling of the id is the same pipe.
	b.ids["pipe_id"] = cty.StringVal(strings.ToUpper(b.id))
	b.wantQuiet()
}

// TestPipeOfAnotherKind has a pipe recreated under its ID with another kind of source: that
// is rejected, with the kind that it has, and with or without a refresh.
func TestPipeOfAnotherKind(t *testing.T) {
	const role = `source = { kafka = { iam_role = "role:orders-reader" } }`
	for name, test := range map[string]struct {
		arguments, parent string
		sparse            []mockplatform.Sparse
	}{
		"source":                   {role, "source", nil},
		"credentials":              {`source_credentials = { kafka = { username = "u" } }`, "source_credentials", nil},
		"empty values are omitted": {role, "source", []mockplatform.Sparse{{Path: "**", OnlyEmpty: true, Zeros: true, EmptyObjects: true}}},
		"other kinds are null":     {role, "source", []mockplatform.Sparse{{Path: "source.kafka", Null: true}}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			b := f.pipe(mockplatform.KafkaPipeID, test.arguments)
			b.apply()
			other := f.Pipe(mockplatform.PostgresPipeID)
			other["id"] = mockplatform.KafkaPipeID
			f.SetPipe(other)
			f.Configure(func(b *mockplatform.Behaviour) { b.Responses.Sparse = test.sparse })
			f.ResetJournal()
			b.refuses(b.tryPlan(f.start()),
				"Pipe has another kind of source", fmt.Sprintf(`%s.kafka is set, but the source of pipe "customers" (%s) is postgres`, test.parent, mockplatform.KafkaPipeID),
				fmt.Sprintf("Set %s.postgres instead, or set pipe_id to that of a pipe whose source is kafka.", test.parent))
			b.arguments += "\n  name = \"n\""
			b.refuses(b.tryApplyWithoutRefresh(), "Pipe has another kind of source", "is postgres")

			b.applyAs("")
			if shown := b.shown(); member(shown, "source.kafka") != nil || member(shown, "source.postgres.host") != "customers.pg.example.com" {
				t.Errorf("the state has %v", shown["source"])
			}
			b.wantQuiet()
		})
	}
}
