package conn_test

import (
	"errors"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// A rejection is one error, at an attribute only where the message names one that
// cannot be an ordinary word.
func TestRejectionIsOneError(t *testing.T) {
	t.Parallel()
	text := map[string]tftypes.Type{"name": tftypes.String, "num_replicas": tftypes.String, "idle_scaling": tftypes.String}
	sent := tfvalue.Of(tftypes.NewValue(tftypes.Object{AttributeTypes: text}, map[string]tftypes.Value{
		"name":         tftypes.NewValue(tftypes.String, "a"),
		"num_replicas": tftypes.NewValue(tftypes.String, "b"),
		"idle_scaling": tftypes.NewValue(tftypes.String, "c"),
	}))
	for name, test := range map[string]struct {
		status  int
		message string
		at      string
	}{
		"camelCase":        {400, "numReplicas is too large", "num_replicas"},
		"snake_case":       {422, "'num_replicas' is too large", "num_replicas"},
		"an ordinary word": {400, "the name is taken", ""},
		"two":              {400, "numReplicas needs idleScaling", ""},
		"a longer name":    {400, "maxnumReplicas is too large", ""},
		"none":             {400, "no", ""},
		"not the request":  {403, "numReplicas may not be set", ""},
	} {
		var diags diag.Diagnostics
		conn.AddSentError(&diags, "Cannot update service", &platform.Error{Status: test.status, Message: test.message}, sent)
		at := ""
		if located, ok := diags[0].(diag.DiagnosticWithPath); ok {
			at = located.Path().String()
		}
		if len(diags) != 1 || at != test.at {
			t.Errorf("%s: %d errors at %q, want one at %q: %v", name, len(diags), at, test.at, diags)
		}
	}
}

// The error of something else than a request becomes a sentence.
func TestDetail(t *testing.T) {
	t.Parallel()
	if got := conn.Detail(errors.New("écrire failed")); got != "Écrire failed." {
		t.Error(got)
	}
}
