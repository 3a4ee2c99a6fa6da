package mockplatform_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// documentFields are the fields of the API document. The seed has each of them,
// since no test of a client sees a field that the seed lacks.
var documentFields = map[string]string{
	"service": `id name engineVersion endpoints.protocol endpoints.host endpoints.port endpoints.username
		minTotalMemoryGb maxTotalMemoryGb minReplicaMemoryGb maxReplicaMemoryGb numReplicas idleScaling
		idleTimeoutMinutes ipAccessList.source ipAccessList.description createdAt encryptionKey
		encryptionAssumedRoleIdentifier iamRole privateEndpointIds availablePrivateEndpointIds dataWarehouseId
		isPrimary isReadonly byocId hasTransparentDataEncryption transparentDataEncryptionKeyId encryptionRoleId`,
	"pipe": `id serviceId name state scaling.replicas scaling.concurrency scaling.replicaCpuMillicores
		scaling.replicaMemoryGb fieldMappings.sourceField fieldMappings.destinationField createdAt updatedAt
		source.kafka.brokers source.kafka.topics source.kafka.consumerGroup source.kafka.iamRole
		source.kafka.offset.timestamp source.kafka.schemaRegistry.url source.kafka.schemaRegistry.caCertificate
		source.kafka.caCertificate source.kafka.reversePrivateEndpointIds
		source.objectStorage.url source.objectStorage.delimiter source.objectStorage.compression
		source.objectStorage.isContinuous source.objectStorage.queueUrl source.objectStorage.iamRole
		source.objectStorage.connectionString source.objectStorage.path source.objectStorage.azureContainerName
		source.cloudStream.streamName source.cloudStream.region source.cloudStream.useEnhancedFanOut
		source.cloudStream.timestamp source.cloudStream.iamRole
		source.postgres.host source.postgres.port source.postgres.database
		source.postgres.settings.syncIntervalSeconds source.postgres.settings.pullBatchSize
		source.postgres.settings.publicationName source.postgres.settings.replicationSlotName
		source.postgres.settings.allowNullableColumns source.postgres.settings.initialLoadParallelism
		source.postgres.settings.snapshotNumRowsPerPartition source.postgres.settings.snapshotNumberOfParallelTables
		source.postgres.settings.enableFailoverSlots
		source.postgres.tableMappings.sourceSchemaName source.postgres.tableMappings.sourceTable
		source.postgres.tableMappings.targetTable source.postgres.tableMappings.excludedColumns
		source.postgres.tableMappings.useCustomSortingKey source.postgres.tableMappings.sortingKeys
		destination.database destination.table destination.managedTable
		destination.tableDefinition.engine.versionColumnId destination.tableDefinition.engine.columnIds
		destination.tableDefinition.sortingKey destination.tableDefinition.partitionBy
		destination.tableDefinition.primaryKey destination.columns.name destination.columns.type
		settings.streaming_max_insert_wait_ms settings.object_storage_concurrency
		settings.object_storage_polling_interval_ms settings.object_storage_max_insert_bytes
		settings.object_storage_max_file_count settings.engine_max_threads settings.engine_max_insert_threads
		settings.engine_min_insert_block_size_bytes settings.engine_max_download_threads
		settings.engine_parallel_distributed_insert_select settings.object_storage_use_cluster_function
		settings.engine_parallel_view_processing`,
	"alert": `id name message threshold interval thresholdType source state channel.type channel.webhookId team
		tileId dashboard createdAt updatedAt`,
}

// leaves adds the paths of all values in a document except objects and arrays of
// objects.
func leaves(prefix string, value any, found map[string]bool) {
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			if name == "tags" {
				found[name] = true
				continue
			}
			leaves(strings.TrimPrefix(prefix+"."+name, "."), member, found)
		}
	case []any:
		if len(value) > 0 {
			if _, ok := value[0].(map[string]any); ok {
				for _, element := range value {
					leaves(prefix, element, found)
				}
				return
			}
		}
		found[prefix] = true
	default:
		found[prefix] = true
	}
}

func TestSeedHasEveryField(t *testing.T) {
	t.Parallel()
	seed := mockplatform.DefaultSeed()
	docs := map[string][]mockplatform.Document{"alert": seed.Alerts}
	for _, organization := range seed.Organizations {
		docs["service"] = append(docs["service"], organization.Services...)
		docs["pipe"] = append(docs["pipe"], organization.Pipes...)
	}
	for kind, fields := range documentFields {
		found := map[string]bool{}
		for _, doc := range docs[kind] {
			leaves("", doc, found)
		}
		known := map[string]bool{"tags": kind == "service"} // for filters, never returned
		for _, field := range strings.Fields(fields) {
			known[field] = true
			if !found[field] {
				t.Errorf("no %s of the seed has %s", kind, field)
			}
		}
		for field := range found {
			if !known[field] {
				t.Errorf("a %s of the seed has %s, which the API document does not have", kind, field)
			}
		}
	}
	full := map[string]bool{}
	leaves("", mockplatform.New(seed).Service(mockplatform.FullServiceID), full)
	equal(t, "fields of the full service", len(full), len(strings.Fields(documentFields["service"])))
}

func TestNewCopiesTheSeed(t *testing.T) {
	t.Parallel()
	seed := mockplatform.DefaultSeed()
	platform := mockplatform.New(seed)
	seed.Organizations[0].Services[0]["name"] = "changed"
	objectAt(seed.Organizations[0].Pipes[0], "settings")["engine_max_threads"] = 99
	equal(t, "service", platform.Service(mockplatform.ServiceID)["name"], "events-eu")
	equal(t, "pipe", at(platform.Pipe(mockplatform.KafkaPipeID), "settings", "engine_max_threads"), 8)
}

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
		"no key ID":              {"credentials.json", `{"keyID":"k","keySecret":"s","accessToken":"t"}`, "credentials.json: keyId, keySecret and accessToken must be strings"},
		"end of file":            {service, "{\n", service + ": line 2: unexpected EOF"},
		"not an object":          {service, "[]", service + ": not a JSON object"},
		"more after the object":  {service, "{}\n{}", service + ": line 2: invalid character '{' after top-level value"},
		"duplicate member":       {service, `{"id":"a","id":"b"}`, service + `: member "id" occurs twice`},
		"duplicate member below": {pipe, `{"source":{"kafka":{"topics":"a","brokers":"b","topics":"c"}}}`, pipe + `: member "source.kafka.topics" occurs twice`},
		"organization ID":        {organization, `{"id":"mine"}`, organization + ": id must be a UUID in lower case, got mine"},
		"service ID":             {service, `{"id":7}`, service + ": id must be a UUID in lower case, got 7"},
		"service ID in capitals": {service, `{"id":"2000000A-0000-4000-8000-000000000001"}`, service + ": id must be a UUID in lower case"},
		"pipe ID":                {pipe, `{"id":"a","serviceId":"` + mockplatform.ServiceID + `"}`, pipe + ": id must be a UUID in lower case, got a"},
		"alert ID":               {alert, `{"name":"a"}`, alert + ": id must be a string that is not empty, got <nil>"},
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
	files := goodSeed()
	for name := range files {
		if strings.HasPrefix(name, "organizations/") {
			delete(files, name)
		}
	}
	if _, err := mockplatform.LoadSeed(files); err == nil || !strings.HasPrefix(err.Error(), "organizations/*/organization.json is missing") {
		t.Errorf("no organizations: got error %v", err)
	}
}

func TestChangesOutsideTheAPI(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	names := func() []string {
		out := []string{}
		for _, service := range listAt(b.send("GET", servicesPath, "").body, "result") {
			out = append(out, textAt(service, "name"))
		}
		return out
	}
	equal(t, "seed", names(), []string{"events-eu", "events-eu-readers", "ledger-us"})
	b.platform.UpdateService(mockplatform.ServiceID, func(doc mockplatform.Document) { doc["name"] = "renamed" })
	b.platform.SetService(mockplatform.OrganizationID, mockplatform.Document{"id": elsewhere, "name": "new", "numReplicas": 3})
	b.platform.RemoveService(mockplatform.FullServiceID)
	equal(t, "changed", names(), []string{"renamed", "events-eu-readers", "new"})
	b.platform.SetService(mockplatform.OtherOrganizationID, mockplatform.Document{"id": elsewhere, "name": "moved"})
	equal(t, "moved to another organization", names(), []string{"renamed", "events-eu-readers"})
	b.platform.RemoveServices(mockplatform.OrganizationID)
	equal(t, "all removed", names(), []string{})
	equal(t, "removed service", b.platform.Service(mockplatform.ServiceID), nil)
	equal(t, "pipe of a removed service", b.send("GET", kafkaPath, "").status, 404)

	b.platform.SetPipe(mockplatform.Document{"id": elsewhere, "serviceId": mockplatform.BeaconServiceID, "name": "p"})
	path := otherOrgPath + "/" + mockplatform.BeaconServiceID + "/pipes/" + elsewhere
	b.platform.UpdatePipe(elsewhere, func(doc mockplatform.Document) { doc["name"] = "q" })
	equal(t, "pipe", b.must("GET", path, "")["name"], "q")
	b.platform.RemovePipe(elsewhere)
	equal(t, "removed pipe", b.send("GET", path, "").status, 404)

	b.platform.SetAlert(mockplatform.Document{"id": "a b", "name": "spaced"})
	b.platform.UpdateAlert("a b", func(doc mockplatform.Document) { doc["state"] = "OK" })
	equal(t, "alert", b.must("GET", alertsPath+"a%20b", "")["state"], "OK")
}
