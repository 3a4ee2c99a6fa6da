package provider

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// pipesByKind are pipes of the fake, one of each kind of source.
var pipesByKind = map[string]string{
	"kafka": mockplatform.KafkaPipeID, "object_storage": mockplatform.ObjectStoragePipeID,
	"cloud_stream": mockplatform.CloudStreamPipeID, "postgres": mockplatform.PostgresPipeID,
}

// An empty success says of no credential that it has arrived.
func TestNoCredentialArrivesByAnEmptyResponse(t *testing.T) {
	t.Parallel()
	for _, c := range credentials {
		inBubble(func(t *testing.T, f *fixture) {
			f.Inject(mockplatform.Fault{Method: http.MethodPatch, After: true, Status: http.StatusOK, Body: mockplatform.BodyEmpty, Times: mockplatform.Always})
			b := f.pipe(pipesByKind[c.kind], fmt.Sprintf("source_credentials = { %s = { %s = \"hush-hush\", %s = 1 } }", c.kind, c.secret, c.version()))
			wantText(t, strings.Join(b.tryApply().errors, " "), "it does not say whether the credentials in the request have arrived", c.version())
		})(t)
	}
}
