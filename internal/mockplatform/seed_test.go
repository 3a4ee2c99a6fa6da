package mockplatform_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/uuid"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// The fields of the API document, so that none is missing from the seed: what
// the seed lacks, no test of a client sees.
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

// leaves adds the paths of a document, with arrays of objects left through.
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
				t.Errorf("a %s of the seed has %s, which the API document hasn't", kind, field)
			}
		}
	}
	full := map[string]bool{}
	leaves("", mockplatform.New(seed).Service(mockplatform.FullServiceID), full)
	equal(t, "fields of the full service", len(full), len(strings.Fields(documentFields["service"])))
}

func TestSeedIDs(t *testing.T) {
	t.Parallel()
	platform := mockplatform.New(mockplatform.DefaultSeed())
	for name, id := range map[string]string{
		"events-eu":           mockplatform.ServiceID,
		"events-eu-readers":   mockplatform.ReadonlyServiceID,
		"ledger-us":           mockplatform.FullServiceID,
		"beacon":              mockplatform.BeaconServiceID,
		"orders":              mockplatform.KafkaPipeID,
		"clickstream-archive": mockplatform.ObjectStoragePipeID,
		"sensor-readings":     mockplatform.CloudStreamPipeID,
		"customers":           mockplatform.PostgresPipeID,
	} {
		doc := platform.Service(id)
		if doc == nil {
			doc = platform.Pipe(id)
		}
		equal(t, id, doc["name"], name)
		parsed, err := uuid.Parse(id)
		if err != nil || parsed.Version() != 4 || parsed.Variant() != uuid.RFC4122 {
			t.Errorf("%s is no UUID of version 4", id)
		}
	}
	equal(t, "alert", platform.Alert(mockplatform.AlertID)["name"], "Ingest lag")
	equal(t, "alert", platform.Alert(mockplatform.FiringAlertID)["name"], "Error rate")
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

func TestLoadSeed(t *testing.T) {
	t.Parallel()
	file := func(content string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(content)} }
	good := func() fstest.MapFS {
		return fstest.MapFS{
			"credentials.json":                       file(`{"keyId":"k","keySecret":"s","accessToken":"t"}`),
			"organizations/mine/organization.json":   file(`{"id":"` + elsewhere + `","name":"Mine"}`),
			"organizations/mine/services/b.json":     file(`{"id":"b","big":12345678901234567890.10,"tags":{"env":"test"}}`),
			"organizations/mine/services/a.json":     file(`{"id":"a"}`),
			"organizations/mine/services/readme.txt": file(`not read`),
		}
	}
	seed, err := mockplatform.LoadSeed(good())
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "order", seed.Organizations[0].Services[0]["id"], "a")
	equal(t, "digits", seed.Organizations[0].Services[1]["big"], json.Number("12345678901234567890.10"))
	equal(t, "tags are not stored", mockplatform.New(seed).Service("b")["tags"], nil)

	for name, spoil := range map[string]func(fstest.MapFS){
		"credentials.json": func(files fstest.MapFS) { delete(files, "credentials.json") },
		"no organizations": func(files fstest.MapFS) { delete(files, "organizations/mine/organization.json") },
		`a.json: member "source.kafka.topics" occurs twice`: func(files fstest.MapFS) {
			files["organizations/mine/services/a.json"] = file(`{"id":"a","source":{"kafka":{"topics":"a","brokers":"b","topics":"c"}}}`)
		},
		"a.json: line 2: ": func(files fstest.MapFS) {
			files["organizations/mine/services/a.json"] = file("{\"id\":\"a\"}\ngarbage")
		},
		"services/a.json":    func(files fstest.MapFS) { files["organizations/mine/services/a.json"] = file(`{`) },
		"not a JSON object":  func(files fstest.MapFS) { files["organizations/mine/services/a.json"] = file(`[]`) },
		"alerts/x.json: no ": func(files fstest.MapFS) { files["alerts/x.json"] = file(`{"name":"a"}`) },
	} {
		files := good()
		spoil(files)
		_, err := mockplatform.LoadSeed(files)
		if wanted := strings.TrimPrefix(name, "no organizations"); err == nil || !strings.Contains(err.Error(), wanted) {
			t.Errorf("%s: have error %v", name, err)
		}
	}
}

func TestDriftFromOutside(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	names := func() []string {
		out := []string{}
		for _, service := range listAt(b.send("GET", servicesPath, "").body, "result") {
			out = append(out, textAt(service, "name"))
		}
		return out
	}
	equal(t, "seeded", names(), []string{"events-eu", "events-eu-readers", "ledger-us"})
	b.platform.UpdateService(mockplatform.ServiceID, func(doc mockplatform.Document) { doc["name"] = "renamed" })
	b.platform.SetService(mockplatform.OrganizationID, mockplatform.Document{"id": elsewhere, "name": "new", "numReplicas": 3})
	b.platform.RemoveService(mockplatform.FullServiceID)
	equal(t, "changed", names(), []string{"renamed", "events-eu-readers", "new"})
	b.platform.SetService(mockplatform.OtherOrganizationID, mockplatform.Document{"id": elsewhere, "name": "moved"})
	equal(t, "moved away", names(), []string{"renamed", "events-eu-readers"})
	b.platform.RemoveServices(mockplatform.OrganizationID)
	equal(t, "emptied", names(), []string{})
	equal(t, "gone", b.platform.Service(mockplatform.ServiceID), nil)
	equal(t, "its pipe", b.send("GET", kafkaPath, "").status, 404)

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
