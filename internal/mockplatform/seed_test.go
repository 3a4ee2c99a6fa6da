package mockplatform_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// seedFolder is the folder of the organization in goodSeed.
const seedFolder = "organizations/mine/"

func goodSeed() fstest.MapFS {
	files := fstest.MapFS{}
	for name, content := range map[string]string{
		"credentials.json":                `{"keyId":"k","keySecret":"s","accessToken":"t"}`,
		seedFolder + "organization.json":  `{"id":"` + elsewhere + `","name":"Mine"}`,
		seedFolder + "services/b.json":    `{"id":"` + mockplatform.ServiceID + `","big":12345678901234567890.10,"tags":{"env":"test"}}`,
		seedFolder + "services/a.json":    `{"id":"` + mockplatform.ReadonlyServiceID + `"}`,
		seedFolder + "pipes/a.json":       `{"id":"` + mockplatform.KafkaPipeID + `","serviceId":"` + mockplatform.ServiceID + `"}`,
		"alerts/a.json":                   `{"id":"a b"}`,
		seedFolder + "pipes/.hidden.json": `{`,
		".git/config":                     "",
	} {
		files[name] = &fstest.MapFile{Data: []byte(content)}
	}
	return files
}

func TestSeedIsLoaded(t *testing.T) {
	t.Parallel()
	seed, err := mockplatform.LoadSeed(goodSeed())
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "organization", seed.Organizations, []mockplatform.Organization{{
		ID: elsewhere,
		Services: []mockplatform.Document{
			{"id": mockplatform.ReadonlyServiceID},
			{"id": mockplatform.ServiceID, "big": json.Number("12345678901234567890.10"), "tags": map[string]string{"env": "test"}},
		},
		Pipes: []mockplatform.Document{{"id": mockplatform.KafkaPipeID, "serviceId": mockplatform.ServiceID}},
	}})
	equal(t, "stored tags", mockplatform.New(seed).Service(mockplatform.ServiceID)["tags"], nil)
}

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
		files := goodSeed()
		files[row.file] = &fstest.MapFile{Data: []byte(row.content)}
		if row.content == "" {
			delete(files, row.file)
		}
		if _, err := mockplatform.LoadSeed(files); err == nil || !strings.Contains(err.Error(), row.message) {
			t.Errorf("%s: got error %v, want %q", name, err, row.message)
		}
	}
}
