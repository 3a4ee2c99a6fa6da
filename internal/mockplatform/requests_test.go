package mockplatform_test

import (
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

const (
	elsewhere    = "99999999-9999-4999-8999-999999999999"
	otherOrgPath = "/v1/organizations/" + mockplatform.OtherOrganizationID + "/services"
	kafkaPath    = pipesPath + mockplatform.KafkaPipeID
	postgresPath = pipesPath + mockplatform.PostgresPipeID
)

func TestRejectedRequests(t *testing.T) {
	t.Parallel()
	const mapping = `{"source":{"postgres":{"tableMappingsToAdd":[{"sourceTable":"b"}]}}}`
	for _, row := range []struct {
		name, method, path, body string
		status                   int
		message                  string
	}{
		{"unknown path", "GET", "/v1/nothing", "", 404, "path not found"},
		{"method", "DELETE", kafkaPath, "", 405, "method not allowed"},
		{"organization is not a UUID", "GET", "/v1/organizations/acme/services", "", 400, "organizationId must be a UUID"},
		{"service of another organization", "PATCH", otherOrgPath + "/" + mockplatform.ServiceID + "/scaling", `{}`, 404, "service not found"},
		{"unknown pipe", "GET", pipesPath + elsewhere, "", 404, "pipe not found"},
		{"body on GET", "GET", kafkaPath, `{}`, 400, "the body must be empty"},
		{"not JSON", "PATCH", scalingPath, `{"numReplicas":`, 400, "not valid JSON"},
		{"too large", "PATCH", scalingPath, `{"numReplicas":7}` + strings.Repeat(" ", 4<<20), 413, "the body must not exceed 4194304 bytes"},

		{"unknown member", "PATCH", scalingPath, `{"minReplicaMemoryGb":8}`, 400, "minReplicaMemoryGb is not a known member"},
		{"null", "PATCH", scalingPath, `{"numReplicas":null}`, 400, "numReplicas must be of type integer"},
		{"one replica, first in warehouse", "PATCH", scalingPath, `{"numReplicas":1}`, 400, "at least 2"},
		{"memory not a multiple of 12", "PATCH", scalingPath, `{"maxTotalMemoryGb":50}`, 400, "multiple of 12"},
		{"minimum memory above maximum", "PATCH", scalingPath, `{"minTotalMemoryGb":72,"maxTotalMemoryGb":60}`, 400, "minTotalMemoryGb"},

		{"key without roles", "POST", keysPath, `{"name":"a"}`, 400, "roles is required"},
		{"expiry", "POST", keysPath, `{"name":"a","roles":["admin"],"expireAt":"2031-01-01"}`, 400, "expireAt must be an RFC 3339"},

		{"column", "PATCH", kafkaPath, `{"destination":{"columns":[{"name":"a","kind":"b"}]}}`, 400, "destination.columns[0].kind is not a known member"},
		{"source kind", "PATCH", kafkaPath, `{"source":{"postgres":{"host":"a"}}}`, 400, "the pipe has no source.postgres"},
		{"mapping without schema", "PATCH", postgresPath, mapping, 400, "sourceSchemaName is required"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, mockplatform.Behaviour{})
			services, pipe := b.platform.Service(mockplatform.ServiceID), b.platform.Pipe(mockplatform.KafkaPipeID)
			out := b.send(row.method, row.path, row.body)
			equal(t, "status", out.status, row.status)
			terraformtest.WantText(t, out.text, row.message)
			equal(t, "keys", len(b.platform.Keys()), 0)
			equal(t, "service", b.platform.Service(mockplatform.ServiceID), services)
			equal(t, "pipe", b.platform.Pipe(mockplatform.KafkaPipeID), pipe)
		})
	}
}
