package provider

import (
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

// walked is a resource or a data source, and where the places of its attributes are.
type walked struct {
	schema    *tfprotov6.Schema
	documents []mockplatform.Document // of the fake
	body      string                  // the file of a request, in internal/mockplatform/bodies; "" for none
	own       []string                // attributes beside organization_id that are no field of the API, or that requests alone have
	hidden    []string                // fields that no attribute shows, in the spelling of attributes
	isPart    bool                    // most fields have no attribute
}

// allWalked are all that are served.
func allWalked(t *testing.T) map[string]walked {
	t.Helper()
	var services, listed, pipes []mockplatform.Document
	seed := mockplatform.DefaultSeed()
	for _, organization := range seed.Organizations {
		services = append(services, organization.Services...)
		pipes = append(pipes, organization.Pipes...)
	}
	for _, service := range services {
		listed = append(listed, mockplatform.Document{"services": service})
	}
	f := newFixture(t)
	f.Configure(func(b *mockplatform.Behaviour) { b.Responses.KeyState = true })
	f.key("expire_at = \"2999-01-01T00:00:00Z\"\nip_access_list = [{ source = \"192.0.2.1\", description = \"d\" }]").apply()
	created := member(f.Keys()[0], "result.key").(mockplatform.Document)
	return map[string]walked{
		"data dataplatform_service": {documents: services, hidden: []string{"tags"}},
		"data dataplatform_services": {
			documents: listed, own: []string{"filter", "encryption_keys"}, hidden: []string{"services.tags", "services.encryption_key"},
		},
		"data dataplatform_pipe":                {documents: pipes, own: []string{"pipe_id"}, hidden: []string{"id"}},
		"data dataplatform_alert":               {documents: seed.Alerts},
		"resource dataplatform_service_scaling": {documents: services, body: "scaling.json", own: []string{"service_id"}, isPart: true},
		"resource dataplatform_pipe": {
			documents: pipes, body: "pipe.json", own: []string{"service_id", "pipe_id", "source_credentials", "source.validate_samples"},
			hidden: []string{"id", "source.object_storage.connection_string"},
		},
		"resource dataplatform_api_key": {
			documents: []mockplatform.Document{created}, body: "key.json",
			own: []string{"validity_hours", "early_renewal_hours", "ready_for_renewal", "rotation_triggers", "hash_data", "key_id", "key_secret",
				"secret_recipients", "encrypted_key_secret", "secret_version", "used_at"},
		},
	}
}

// TestAttributesHaveAllTheirPlaces walks what is served: each attribute has a value in the fake's documents, and a
// settable one is accepted in its requests; each field of those has an attribute. The error says which place was
// forgotten.
func TestAttributesHaveAllTheirPlaces(t *testing.T) {
	all := allWalked(t)
	for name, schema := range allSchemas() {
		if name == "provider" || strings.HasPrefix(name, "ephemeral ") { // the API has no such object
			continue
		}
		b, found := all[name]
		if b.schema = schema; !found {
			t.Errorf("%s is served: add it to allWalked", name)
		}
		all[name] = b
	}
	terraformtest.Rows(t, all, func(t *testing.T, b walked) {
		returned, accepted, shown := map[string]bool{}, map[string]bool{}, map[string]bool{}
		for _, document := range b.documents {
			fieldsOf("", document, returned)
		}
		if b.body != "" {
			acceptedFields("", fromJSON(t, terraformtest.FileText(t, "../mockplatform/bodies/"+b.body)).(object), accepted)
		}
		eachAttribute("", b.schema.Block.Attributes, func(path string, a *tfprotov6.SchemaAttribute) {
			path = path[1:]
			isSettable := a.Optional || a.Required
			shown[path] = true
			switch {
			case path == "organization_id" || within(path, b.own):
			case !returned[path]:
				t.Errorf("%s is null for every object of the fake: add it to internal/mockplatform/seed, or correct it in the schema", path)
			case b.body != "" && isSettable && !accepted[path]:
				t.Errorf("%s cannot be set on the fake: add it to internal/mockplatform/bodies/%s", path, b.body)
			case !isSettable && accepted[path]:
				t.Errorf("%s can be set by a request, and not in the schema", path)
			}
		})
		if b.isPart {
			returned = nil
		}
		for from, fields := range map[string]map[string]bool{"accepts": accepted, "returns": returned} {
			for path := range fields {
				if !shown[path] && !within(path, b.hidden) {
					t.Errorf("the fake %s %s, which no attribute has: add one to the schema", from, path)
				}
			}
		}
	})
}

// within reports whether a path is one of these, or below one.
func within(path string, exceptions []string) bool {
	return slices.ContainsFunc(exceptions, func(e string) bool { return path == e || strings.HasPrefix(path, e+".") })
}

// fieldsOf finds the paths of the members that a document has, those of list elements too, as attributes spell them.
func fieldsOf(at string, value any, found map[string]bool) {
	for _, element := range listOf(value) {
		fieldsOf(at, element, found)
	}
	members, _ := value.(object)
	for name, below := range members {
		if below != nil {
			found[at+snake(name)] = true
			fieldsOf(at+snake(name)+".", below, found)
		}
	}
}

// acceptedFields finds those that a schema of a request has. Credentials are attributes of their own, and table
// mappings are sent as a difference.
func acceptedFields(at string, schema object, found map[string]bool) {
	if items, ok := schema["items"].(object); ok {
		acceptedFields(at, items, found)
	}
	members, _ := schema["properties"].(object)
	for name, below := range members {
		if !slices.Contains([]string{"credentials", "accessKey", "tableMappingsToRemove"}, name) {
			name = snake(strings.TrimSuffix(name, "ToAdd"))
			found[at+name] = true
			acceptedFields(at+name+".", below.(object), found)
		}
	}
}
