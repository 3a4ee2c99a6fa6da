package provider

import (
	"fmt"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/adopt"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// warnCredentials warns about what the plan shows as something else, or not at all: credentials that leave the
// configuration ("-> null", although the platform keeps them), and secrets that are sent with another change.
func warnCredentials(r adopt.Review) {
	var unmanaged, sent []string
	for _, c := range credentials {
		switch {
		case r.Prior.IsNull():
		case !c.of(r.Prior, c.version()).IsNull() && c.of(r.Plan, c.version()).IsNull():
			unmanaged = append(unmanaged, tfvalue.Path{credentialsName, c.kind, c.secret}.String())
		case c.isSent(r.Change, r.Content) && !c.isRenewed(r.Leaves):
			sent = append(sent, tfvalue.Path{credentialsName, c.kind, c.secret}.String())
		}
	}
	if len(unmanaged) > 0 {
		r.Diags.AddWarning("Credentials are no longer managed: "+r.Label,
			fmt.Sprintf("This removes %s from the configuration only. The platform keeps what it has, and later changes to the source are sent without it.",
				words.Enumerate(unmanaged)))
	}
	if len(sent) > 0 {
		// One summary for all pipes, so that Terraform folds it: nothing is wrong.
		r.Diags.AddWarning("Credentials may be sent with another change",
			fmt.Sprintf("With a change to the source of %s, the apply also sends what its own run has as %s, although this plan changes no version. "+
				"It does not if ignore_changes hides another version.", r.Label, words.Enumerate(sent)))
	}
}
