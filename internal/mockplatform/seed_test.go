package mockplatform_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// seedFolder is the folder of the organization in a seed.
const seedFolder = "organizations/mine/"

func TestBadSeedIsRejected(t *testing.T) {
	t.Parallel()
	const organization, service, alert = seedFolder + "organization.json", seedFolder + "services/a.json", "alerts/a.json"
	for name, row := range map[string]struct{ file, content, message string }{
		"no credentials":   {"credentials.json", "", "open credentials.json: "},
		"end of file":      {service, "{\n", service + ": line 2: unexpected end of JSON input"},
		"not an object":    {service, "[]", service + ": not a JSON object"},
		"organization ID":  {organization, `{"id":"mine"}`, organization + ": id must be a UUID in lower case, got mine"},
		"alert ID":         {alert, `{"name":"a"}`, alert + ": id must be a string that is not empty, got <nil>"},
		"no organizations": {organization, "", "organizations/*/organization.json is missing"},
	} {
		files := fstest.MapFS{
			"credentials.json":               &fstest.MapFile{Data: []byte(`{"keyId":"k","keySecret":"s","accessToken":"t"}`)},
			seedFolder + "organization.json": &fstest.MapFile{Data: []byte(`{"id":"` + elsewhere + `","name":"Mine"}`)},
			".git/config":                    &fstest.MapFile{},
		}
		if _, err := mockplatform.LoadSeed(files); err != nil {
			t.Fatal(err)
		}
		files[row.file] = &fstest.MapFile{Data: []byte(row.content)}
		if row.content == "" {
			delete(files, row.file)
		}
		if _, err := mockplatform.LoadSeed(files); err == nil || !strings.Contains(err.Error(), row.message) {
			t.Errorf("%s: got error %v, want %q", name, err, row.message)
		}
	}
}
