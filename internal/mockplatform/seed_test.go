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
		"organizations/.DS_Store":         "",
		".git/config":                     "",
	} {
		files[name] = &fstest.MapFile{Data: []byte(content)}
	}
	return files
}

func TestLoadSeed(t *testing.T) {
	t.Parallel()
	seed, err := mockplatform.LoadSeed(goodSeed())
	if err != nil {
		t.Fatal(err)
	}
	services := seed.Organizations[0].Services
	equal(t, "order", services[0]["id"], mockplatform.ReadonlyServiceID)
	equal(t, "digits of a number", services[1]["big"], json.Number("12345678901234567890.10"))
	equal(t, "pipes", len(seed.Organizations[0].Pipes), 1)
	equal(t, "stored tags", mockplatform.New(seed).Service(mockplatform.ServiceID)["tags"], nil)
}

func TestLoadSeedRejects(t *testing.T) {
	t.Parallel()
	const organization, service, pipe, alert = seedFolder + "organization.json", seedFolder + "services/a.json", seedFolder + "pipes/a.json", "alerts/a.json"
	for name, row := range map[string]struct{ file, content, message string }{
		"no credentials":         {"credentials.json", "", "open credentials.json: "},
		"end of file":            {service, "{\n", service + ": line 2: unexpected end of JSON input"},
		"more after it":          {service, "{}\n{}", service + ": line 2: invalid character '{' after top-level value"},
		"not UTF-8":              {service, "{\"name\":\"\xff\"}", service + ": not UTF-8"},
		"not an object":          {service, "[]", service + ": not a JSON object"},
		"duplicate member":       {service, `{"id":"a","id":"b"}`, service + `: member "id" occurs twice`},
		"duplicate member below": {pipe, `{"source":{"kafka":{"topics":"a","brokers":"b","topics":"c"}}}`, pipe + `: member "source.kafka.topics" occurs twice`},
		"organization ID":        {organization, `{"id":"mine"}`, organization + ": id must be a UUID in lower case, got mine"},
		"service ID in capitals": {service, `{"id":"2000000A-0000-4000-8000-000000000001"}`, service + ": id must be a UUID in lower case"},
		"alert ID":               {alert, `{"name":"a"}`, alert + ": id must be a string that is not empty, got <nil>"},
		"no organizations":       {organization, "", "organizations/*/organization.json is missing"},
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

func TestChangesOutsideTheAPI(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	names := func() []any { return b.names(servicesPath) }
	equal(t, "seed", names(), []string{"events-eu", "events-eu-readers", "ledger-us"})
	b.platform.UpdateService(mockplatform.ServiceID, func(doc mockplatform.Document) { doc["name"] = "renamed" })
	b.platform.SetService(mockplatform.OrganizationID, mockplatform.Document{"id": elsewhere, "name": "new", "numReplicas": 3})
	b.platform.RemoveService(mockplatform.FullServiceID)
	equal(t, "changed", names(), []string{"renamed", "events-eu-readers", "new"})
	b.platform.SetService(mockplatform.OtherOrganizationID, b.platform.Service(elsewhere))
	equal(t, "moved to another organization", names(), []string{"renamed", "events-eu-readers"})
	b.platform.RemoveServices(mockplatform.OrganizationID)
	equal(t, "all removed", names(), []string{})
	equal(t, "removed service", b.platform.Service(mockplatform.ServiceID), nil)
	equal(t, "pipe of a removed service", b.send("GET", kafkaPath, "").status, 404)

	b.platform.RemoveAlert(mockplatform.AlertID)
	b.platform.SetAlert(mockplatform.Document{"id": mockplatform.AlertID, "name": "another"})
	b.platform.RestoreAlert(mockplatform.AlertID)
	equal(t, "set since its removal", b.platform.Alert(mockplatform.AlertID)["name"], "another")

	b.platform.SetAlert(mockplatform.Document{"id": "a b", "name": "spaced"})
	b.platform.UpdateAlert("a b", func(doc mockplatform.Document) { doc["state"] = "OK" })
	equal(t, "alert", b.must("GET", alertsPath+"a%20b", "")["state"], "OK")
}
