package provider

import (
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
)

// TestPipeAttributesHaveAllTheirPlaces checks the places outside the schema that
// a new attribute of a pipe needs, and names the file of one that was forgotten.
// TestFieldsAndAttributesAgree checks the field and the attribute themselves.
func TestPipeAttributesHaveAllTheirPlaces(t *testing.T) {
	t.Parallel()
	sent := map[string]bool{}
	fieldPaths("", reflect.TypeFor[platform.PipeUpdate](), sent)
	for _, path := range settableLeaves("", schemasOnce().ResourceSchemas["dataplatform_pipe"].Block.Attributes) {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			if !sent[path] {
				t.Errorf("%s is never sent: add its field to PipeUpdate, or to the struct of its object, in internal/platform/pipe.go", path)
			}
			seed := mockplatform.DefaultSeed()
			field := fieldOf(path)
			pipe, value := seededPipe(seed, field)
			switch {
			case pipe == nil:
				t.Errorf("no pipe of the fake has %s: add it to a pipe in internal/mockplatform/seed, such as organizations/01-nordwind/pipes/01-orders.json", field)
			case path == tableMappingsPath.String(): // sent as a difference
			default:
				body := toJSON(t, nested(field, value))
				request := httptest.NewRequestWithContext(t.Context(), http.MethodPatch, "/v1/organizations/"+mockplatform.OrganizationID+
					"/services/"+pipe["serviceId"].(string)+"/pipes/"+pipe["id"].(string), strings.NewReader(body))
				request.SetBasicAuth(seed.KeyID, seed.KeySecret)
				request.Header.Set("Content-Type", "application/json")
				response := httptest.NewRecorder()
				mockplatform.New(seed).ServeHTTP(response, request)
				if response.Code != http.StatusOK {
					t.Errorf("the fake rejects %s: add %s to internal/mockplatform/bodies/pipe.json. It returned %s", body, field, response.Body)
				}
			}
		})
	}
}

// settableLeaves are the attributes that a PATCH accepts.
func settableLeaves(at string, attributes []*tfprotov6.SchemaAttribute) (found []string) {
	for _, a := range attributes {
		switch {
		case !a.Optional || !a.Computed || at+a.Name == "organization_id":
		case a.NestedType != nil && a.NestedType.Nesting == tfprotov6.SchemaObjectNestingModeSingle:
			found = append(found, settableLeaves(at+a.Name+".", a.NestedType.Attributes)...)
		default:
			found = append(found, at+a.Name)
		}
	}
	return found
}

// fieldOf is where the API document has an attribute.
func fieldOf(path string) string {
	names := strings.Split(path, ".")
	for i, name := range names {
		if i == 0 || names[0] != "settings" {
			names[i] = camelCase(name)
		}
	}
	return strings.Join(names, ".")
}

// seededPipe is a pipe of the seed that has a field, with its value.
func seededPipe(seed mockplatform.Seed, field string) (pipe mockplatform.Document, value any) {
	for _, organization := range seed.Organizations {
		for _, pipe := range organization.Pipes {
			if value := member(pipe, field); value != nil {
				return pipe, value
			}
		}
	}
	return nil, nil
}

// nested is an object that has only this value, at a path.
func nested(path string, value any) object {
	name, below, found := strings.Cut(path, ".")
	if !found {
		return object{name: value}
	}
	return object{name: nested(below, value)}
}
