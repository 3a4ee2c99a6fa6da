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
	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// plan returns the planned state, and the attributes that force replacement. Of Terraform's proposed state it uses only
// whether it is null, as in a destroy: all else follows from configuration and prior state.
func (e *Engine) plan(ctx context.Context, c *conn.Connection, change Change, last memory, diags *diag.Diagnostics) (plan tfvalue.Value, replaces []string) {
	config, prior := change.Config, change.Prior
	if !e.checkIDs(prior, diags) {
		return prior, nil
	}
	if change.Plan.IsNull() {
		e.warnDestroy(c, prior, diags)
		return change.Plan, nil
	}
	plan = e.proposeIn(c, config, prior, diags)
	switch {
	case diags.HasError():
	case prior.IsNull():
		e.warnOverwritten(c, e.reviewAdoption(ctx, c, config, plan, diags), diags)
	default:
		c.WarnOrganization(config.At("organization_id"), prior.At("organization_id"), e.label(prior, prior), "", diags)
		// An ID that is only unknown, such as of a data source that waits for a module's depends_on, is hardly
		// another one. If it is, Terraform stops the apply before anything is sent.
		replaces = slices.DeleteFunc(e.identifiers(), func(name string) bool { return !plan.At(name).IsKnown() || plan.At(name).Equal(prior.At(name)) })
		if len(replaces) == 0 {
			return e.planUpdate(Change{config, plan, prior}, last, diags), nil
		}
		if last.ImportedIn != "" && last.ImportedIn == c.Run {
			e.checkImport(plan, prior, replaces, diags)
		}
		if !diags.HasError() {
			e.warnReplaced(ctx, c, config, prior, replaces, diags)
		}
	}
	return plan, replaces
}

// planUpdate compares with the prior state, which is the remote object as of the last refresh. That may
// be long ago, with -refresh=false: the apply reads the object again. An ID that is unknown stays so.
func (e *Engine) planUpdate(change Change, last memory, diags *diag.Diagnostics) tfvalue.Value {
	plan := change.Plan
	for _, name := range e.identifiers() {
		change.Plan = change.Plan.With(change.Prior.At(name), name)
	}
	now := e.startObserving(nil, e.identity(change.Prior), last, change.Prior)
	now.returned = change.Prior
	r := e.review(change, now, diags)
	if !r.IsEmpty() {
		for _, name := range e.AlsoChanges(r.Leaves) {
			plan = plan.With(tfvalue.Unknown(plan.At(name).Type()), name)
		}
	}
	return plan
}

// proposeIn returns a plan before the object is read, with its organization: the prior one, even if
// the provider's default has changed.
func (e *Engine) proposeIn(c *conn.Connection, config, prior tfvalue.Value, diags *diag.Diagnostics) tfvalue.Value {
	plan := e.Rules.Suppress(e.traits.Propose(config, prior), prior)
	if own := config.At("organization_id"); own.IsNull() && prior.At("organization_id").IsNull() {
		plan = plan.With(c.Organization(own, diags), "organization_id")
	}
	return plan
}

// reviewAdoption reads the object, and reviews its adoption. If an ID or a setting of the provider is known only after
// apply, nothing is read yet. Values from the platform stay unknown in the plan, since they may change before the
// apply: Terraform plans a creation again there, and rejects a plan that differs from the first one.
func (e *Engine) reviewAdoption(ctx context.Context, c *conn.Connection, config, plan tfvalue.Value, diags *diag.Diagnostics) Review {
	nothing := tfvalue.Null(e.objectType)
	change, id := Change{config, plan, nothing}, e.identity(plan)
	now := e.startObserving(nil, id, memory{}, nothing)
	if id.isKnown() && !c.Waits(conn.ManagementSettings...) {
		var ok bool
		if now, ok = e.readToChange(ctx, c, change, memory{}, diags); !ok {
			return Review{observed: observed{remote: nothing}}
		}
	}
	return e.review(change, now, diags)
}

// checkImport reports an import of one object into a resource whose configuration names another. Only the plan of
// the import is checked: after it, and after the command terraform import, an ID may be changed on purpose.
func (e *Engine) checkImport(plan, prior tfvalue.Value, replaces []string, diags *diag.Diagnostics) {
	var differ []string
	for _, name := range replaces {
		differ = append(differ, fmt.Sprintf("%s is %s in the import and %s in the configuration", name, prior.At(name).Text(), plan.At(name).Text()))
	}
	diags.AddError("Import does not match the configuration",
		fmt.Sprintf("The import and the configuration of this resource name different %ss: %s. "+
			"Terraform would import the first and replace it with the second. Correct the import, or the configuration.", e.Noun, strings.Join(differ, "; ")))
}

func (e *Engine) addAdoptError(diags *diag.Diagnostics, id Identity, err error) {
	if !platform.AsError(err).NotFound {
		diags.AddError(e.CannotRead, conn.Detail(err))
		return
	}
	names := e.identifiers()
	slices.Reverse(names) // the object's own ID first
	diags.AddAttributeError(path.Root(names[0]), e.NoSuch,
		fmt.Sprintf("There is no %s: %s This resource adopts an existing %s and cannot create one. Check %s. "+
			"If the %s was deleted, remove its resource or for_each entry from the configuration: that unblocks the plan, and touches nothing else. "+
			"To have it again, create it in the platform's console and set its ID here.",
			e.fullName(id), platform.Absence(err), e.Noun, words.Enumerate(names), e.Noun))
}
