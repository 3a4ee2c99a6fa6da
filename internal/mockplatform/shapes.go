package mockplatform

import "encoding/json"

// The bodies that the API document allows, member by member.

func object(members map[string]*shape) *shape { return &shape{kind: anObject, members: members} }
func array(element *shape) *shape             { return &shape{kind: anArray, element: element} }
func stringly() *shape                        { return &shape{kind: aString} }

// number and boolean take what a reset puts back.
func number(initial string) *shape {
	return &shape{kind: aNumber, initial: json.Number(initial)}
}

func whole(initial string) *shape {
	return &shape{kind: aWhole, initial: json.Number(initial)}
}

func boolean(initial bool) *shape { return &shape{kind: aBoolean, initial: initial} }

// secret is a string, or an object of strings, that no answer ever holds.
func secret(names ...string) *shape {
	out := object(map[string]*shape{})
	for _, name := range names {
		out.members[name] = stringly()
	}
	out.aside, out.secret = true, true
	return out
}

// order is what a request asks the platform to do, as opposed to hold.
func order(s *shape) *shape {
	s.aside = true
	return s
}

func (s *shape) within(lowest, highest, multiple float64) *shape {
	s.lowest, s.highest, s.multiple = lowest, highest, multiple
	return s
}

func (s *shape) requires(names ...string) *shape {
	s.required = names
	return s
}

var ipAccessListShape = array(object(map[string]*shape{"source": stringly(), "description": stringly()}))

var scalingShape = object(map[string]*shape{
	"minTotalMemoryGb":   number("24").within(24, 1068, 12),
	"maxTotalMemoryGb":   number("48").within(24, 1068, 12),
	"numReplicas":        whole("3").within(1, 20, 0),
	"idleScaling":        boolean(true),
	"idleTimeoutMinutes": number("15").within(5, 0, 0),
})

var keyShape = object(map[string]*shape{
	"name":     {kind: aString, filled: true},
	"expireAt": {kind: aString, nullable: true, date: true},
	"state":    {kind: aString, enum: []string{"enabled", "disabled"}},
	"hashData": object(map[string]*shape{
		"keyIdHash": stringly(), "keyIdSuffix": stringly(), "keySecretHash": stringly(),
	}),
	"roles": {
		kind: anArray, minItems: 1,
		element: &shape{kind: aString, enum: []string{"admin", "developer", "query_endpoints"}},
	},
	"ipAccessList": ipAccessListShape,
}).requires("name", "roles")

var pipeShape = object(map[string]*shape{
	"name":   stringly(),
	"source": sourceShape,
	"destination": object(map[string]*shape{
		"columns": array(object(map[string]*shape{"name": stringly(), "type": stringly()})),
	}),
	"fieldMappings": array(object(map[string]*shape{"sourceField": stringly(), "destinationField": stringly()})),
	"settings":      pipeSettingsShape,
})

var sourceShape = object(map[string]*shape{
	"kafka": object(map[string]*shape{
		"iamRole":                   stringly(),
		"caCertificate":             stringly(),
		"reversePrivateEndpointIds": array(stringly()),
		"credentials":               secret("username", "password"),
	}),
	"objectStorage": object(map[string]*shape{
		"iamRole":            stringly(),
		"connectionString":   {kind: aString, secret: true},
		"path":               stringly(),
		"azureContainerName": stringly(),
		"accessKey":          secret("accessKeyId", "secretKey"),
	}),
	"cloudStream": object(map[string]*shape{
		"iamRole":   stringly(),
		"accessKey": secret("accessKeyId", "secretKey"),
	}),
	"postgres": object(map[string]*shape{
		"host":        stringly(),
		"port":        number("5432"),
		"database":    stringly(),
		"credentials": secret("username", "password"),
		"settings": object(map[string]*shape{
			"syncIntervalSeconds": number("60"),
			"pullBatchSize":       number("100000"),
		}),
		"tableMappingsToAdd":    order(array(tableMappingShape)),
		"tableMappingsToRemove": order(array(tableShape)),
	}),
	"validateSamples": order(boolean(false)),
})

var tableMappingShape = object(map[string]*shape{
	"sourceSchemaName":    stringly(),
	"sourceTable":         stringly(),
	"targetTable":         stringly(),
	"excludedColumns":     array(stringly()),
	"useCustomSortingKey": boolean(false),
	"sortingKeys":         array(stringly()),
}).requires("sourceSchemaName", "sourceTable", "targetTable")

var tableShape = object(map[string]*shape{
	"sourceSchemaName": stringly(), "sourceTable": stringly(), "targetTable": stringly(),
}).requires("sourceSchemaName", "sourceTable", "targetTable")

var pipeSettingsShape = object(map[string]*shape{
	"streaming_max_insert_wait_ms":              whole("5000"),
	"object_storage_concurrency":                whole("1"),
	"object_storage_polling_interval_ms":        whole("30000"),
	"object_storage_max_insert_bytes":           whole("10737418240"),
	"object_storage_max_file_count":             whole("100"),
	"engine_max_threads":                        whole("8"),
	"engine_max_insert_threads":                 whole("1"),
	"engine_min_insert_block_size_bytes":        whole("1073741824"),
	"engine_max_download_threads":               whole("4"),
	"engine_parallel_distributed_insert_select": number("2"),
	"object_storage_use_cluster_function":       boolean(true),
	"engine_parallel_view_processing":           boolean(false),
})
