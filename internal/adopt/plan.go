package adopt

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// plan returns the planned state, and the attributes that force replacement. Of the
// proposed state it uses only whether it is null, as in a destroy: the rest follows
// from configuration and prior state.
func (e *Engine) plan(ctx context.Context, c *conn.Connection, change Change, last memory, diags *diag.Diagnostics) (tfvalue.Value, []string) {
	config, prior := change.Config, change.Prior
	if change.Plan.IsNull() {
		e.warnDestroy(c, prior, diags)
		return change.Plan, nil
	}
	plan := e.Rules.Suppress(e.propose(config, prior), prior)
	plan = e.planOrganization(c, config, plan, prior, diags)
	if diags.HasError() {
		return plan, nil
	}
	if prior.IsNull() {
		adoption := e.reviewAdoption(ctx, c, config, plan, diags)
		if !diags.HasError() {
			e.warnOverwritten(c, adoption, diags)
		}
		return plan, nil
	}
	plan = e.keepIDs(plan, prior)
	if replaces := e.replaced(plan, prior); len(replaces) > 0 {
		if last.importedIn != "" && last.importedIn == c.Run {
			e.checkImport(plan, prior, replaces, diags)
		}
		if !diags.HasError() {
			e.warnReplaced(c, prior, replaces, diags)
		}
		return plan, replaces
	}
	return e.planUpdate(config, plan, prior, diags), nil
}

// reviewAdoption reads the object, and reviews its adoption. Values from the platform
// stay unknown in the plan, since they may change before the apply: Terraform plans a
// creation again there, and rejects a plan that differs from the first one.
func (e *Engine) reviewAdoption(ctx context.Context, c *conn.Connection, config, plan tfvalue.Value, diags *diag.Diagnostics) reviewed {
	change := Change{config, plan, tfvalue.Null(e.objectType)}
	remote := e.readForPlan(ctx, c, plan, e.owned(change), diags)
	if diags.HasError() {
		return reviewed{}
	}
	return e.review(change, remote, remote, diags)
}

// planUpdate compares with the prior state, which a refresh has made equal to the
// remote object.
func (e *Engine) planUpdate(config, plan, prior tfvalue.Value, diags *diag.Diagnostics) tfvalue.Value {
	r := e.review(Change{config, plan, prior}, prior, prior, diags)
	if !r.IsEmpty() {
		for _, name := range e.Moves(r.Leaves) {
			plan = plan.With(tfvalue.Unknown(plan.At(name).Type()), name)
		}
	}
	return plan
}

func (e *Engine) planOrganization(c *conn.Connection, config, plan, prior tfvalue.Value, diags *diag.Diagnostics) tfvalue.Value {
	own := config.At("organization_id")
	if !own.IsNull() || !prior.At("organization_id").IsNull() {
		return plan // an object keeps its organization when the provider's default changes
	}
	return plan.With(c.Organization(own, diags), "organization_id")
}

// keepIDs returns the plan with the prior spelling of IDs that differ only in letter
// case.
func (e *Engine) keepIDs(plan, prior tfvalue.Value) tfvalue.Value {
	for _, name := range e.identifiers() {
		if kept := prior.At(name); !kept.IsNull() && strings.EqualFold(kept.Text(), plan.At(name).Text()) {
			plan = plan.With(kept, name)
		}
	}
	return plan
}

func (e *Engine) replaced(plan, prior tfvalue.Value) []string {
	var changed []string
	for _, name := range e.identifiers() {
		if !plan.At(name).Equal(prior.At(name)) {
			changed = append(changed, name)
		}
	}
	return changed
}

// checkImport reports an import of one object into a resource whose configuration names
// another. An ID that is not known yet may be the same. Only the plan of the import is checked:
// after it, and after the command terraform import, an ID may be changed on purpose.
func (e *Engine) checkImport(plan, prior tfvalue.Value, replaces []string, diags *diag.Diagnostics) {
	var differ []string
	for _, name := range replaces {
		if plan.At(name).IsKnown() {
			differ = append(differ, fmt.Sprintf("%s is %s in the import and %s in the configuration", name, prior.At(name).Text(), plan.At(name).Text()))
		}
	}
	if len(differ) == 0 {
		return
	}
	diags.AddError("Import does not match the configuration",
		fmt.Sprintf("The import and the configuration of this resource name different %ss: %s. "+
			"Terraform would import the first and replace it with the second. Correct the import, or the configuration.", e.Noun, strings.Join(differ, "; ")))
}

// readForPlan reads the object to be adopted. It returns null if an ID or a setting of the
// provider is known only after apply.
func (e *Engine) readForPlan(ctx context.Context, c *conn.Connection, plan, owned tfvalue.Value, diags *diag.Diagnostics) tfvalue.Value {
	id := e.identity(plan)
	if !id.known() || c.Waits(conn.ManagementSettings...) {
		return tfvalue.Null(e.objectType)
	}
	client, ok := c.Ready(conn.ManagementSettings, diags)
	if !ok {
		return tfvalue.Null(e.objectType)
	}
	now, err := e.readToAdopt(ctx, client, id, owned)
	if err != nil {
		e.addAdoptError(diags, id, err)
		return tfvalue.Null(e.objectType)
	}
	return now.read
}

// readToAdopt reads an object of which there is no state.
func (e *Engine) readToAdopt(ctx context.Context, client *platform.Client, id Identity, owned tfvalue.Value) (observed, error) {
	none := tfvalue.Null(e.objectType)
	now, err := e.observe(ctx, client, id, known{last: none, elements: none.At(e.KeyedSet...), needsSet: e.ownsSet(owned)})
	now.remote = now.read
	return now, err
}

func (e *Engine) addAdoptError(diags *diag.Diagnostics, id Identity, err error) {
	if !platform.IsNotFound(err) {
		conn.AddError(diags, "Cannot read "+e.Noun, err)
		return
	}
	why := platform.Absence(err)
	names := e.identifiers()
	slices.Reverse(names) // the object's own ID first
	diags.AddAttributeError(
		path.Root(names[0]),
		fmt.Sprintf("No such %s", e.Noun),
		fmt.Sprintf("There is no %s: %s This resource adopts an existing %s and cannot create one. Check %s. "+
			"If the %s was deleted, remove its resource or for_each entry from the configuration: that unblocks the plan, and touches nothing else. "+
			"To have it again, create it in the platform's console and set its ID here.",
			e.place(id), why, e.Noun, platform.Enumerate(names), e.Noun),
	)
}
