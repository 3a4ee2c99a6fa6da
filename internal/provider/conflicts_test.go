package provider

import (
	"fmt"
	"strings"
	"testing"
)

// TestDestroyingManyIsFolded has warnings that share one summary, so that Terraform folds
// them in the plan; in a machine's output each names its object.
func TestDestroyingManyIsFolded(t *testing.T) {
	f := newFixture(t)
	config := f.provider() + scalings("all", ourServices, "")
	for name, id := range seedPipes {
		config += onePipe(name, id, "")
	}
	w := f.workspace(config)
	w.apply()
	f.ResetJournal()
	said := w.diagnostics("plan", "-destroy", "-input=false", "-out=tf.plan")
	const destroys = "Destroy does not delete services or pipes: This resource stops managing %s %q (%s), which keeps its current settings on the platform."
	for name, id := range seedPipes {
		wantWarning(t, said["dataplatform_pipe."+name].warnings, fmt.Sprintf(destroys, "pipe", f.Pipe(id)["name"], id))
	}
	for _, id := range ourServices {
		wantWarning(t, said[fmt.Sprintf("dataplatform_service_scaling.all[%q]", id)].warnings, fmt.Sprintf(destroys, "service", f.Service(id)["name"], id))
	}
	objects := len(seedPipes) + len(ourServices)
	// Terraform folds what has a place in the configuration, and gives the warnings of an
	// apply that destroys none: there is one for all.
	out := w.apply("-destroy")
	wantText(t, out, fmt.Sprintf("(and %d more similar warnings elsewhere)", objects-1))
	if n := strings.Count(out, "Warning: "); n != 2 {
		t.Errorf("%d warnings, want one in the plan and one in the apply:\n%s", n, out)
	}
	f.wantWrites()
}
