// Package conn is what resources and data sources share: the client and settings of the provider,
// checks whether they can be used, the default organization, and values and diagnostics of the protocol.
package conn

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// Connection is the result of the provider's configuration.
type Connection struct {
	Client         *platform.Client
	OrganizationID string   // the default organization, or ""
	Unknown, Unset []string // the settings that are known only after apply, and those that are not set
	Run            string   // a unique name of this run: Terraform starts a provider for each plan and each apply

	// What this run remembers: the warnings that it does not repeat, the objects that no longer exist, the API keys that
	// it has read, as only a plan does, and whether it has created one, as only an apply does.
	Warned, Gone, ReadAPIKeys Keys
	HasCreatedAPIKey          atomic.Bool
}

// Keys is a set of keys that many goroutines may use. The zero value is empty.
type Keys struct{ all sync.Map }

// Add adds a key, and reports whether it is new.
func (k *Keys) Add(key string) (isNew bool) {
	_, exists := k.all.LoadOrStore(key, true)
	return !exists
}

// Has reports whether a key was added.
func (k *Keys) Has(key string) bool {
	_, exists := k.all.Load(key)
	return exists
}

// Unconfigured returns the connection before the provider is configured: every setting is unknown.
func Unconfigured() *Connection {
	return &Connection{Unknown: slices.Concat([]string{"organization_id"}, ManagementSettings, AlertingSettings)}
}

// The settings that each API needs. They are required only where they are used: a configuration that
// reads only an alert needs no management key.
var (
	transport          = []string{"allow_http", "request_timeout", "retry_timeout", "max_concurrent_requests"}
	ManagementSettings = append([]string{"base_url", "key_id", "key_secret"}, transport...)
	AlertingSettings   = append([]string{"alerts_base_url", "alerts_access_token"}, transport...)
)

// Waits reports whether what needs these settings has to wait for the apply: one of them is unknown.
func (c *Connection) Waits(settings ...string) bool {
	return slices.ContainsFunc(settings, func(s string) bool { return slices.Contains(c.Unknown, s) })
}

// SkipsRefresh reports whether a refresh has to wait for the apply, and warns about it: no setting is missing, but some
// are unknown, such as a key that this run replaces. An error would block the plan that replaces it.
func (c *Connection) SkipsRefresh(diags *diag.Diagnostics) bool {
	if len(only(ManagementSettings, c.Unset)) > 0 || !c.Waits(ManagementSettings...) {
		return false
	}
	diags.AddWarning("Refresh skipped: provider settings are unknown", words.Are(only(ManagementSettings, c.Unknown))+
		" known only after apply, so this plan uses the state as it is and does not detect drift. The next plan after the apply detects it.")
	return true
}

// Ready returns the client. If some of the settings are not set, or else not known yet, it reports
// these in one error and returns false.
func (c *Connection) Ready(settings []string, diags *diag.Diagnostics) (*platform.Client, bool) {
	unset, unknown := only(settings, c.Unset), only(settings, c.Unknown)
	if len(unset) > 0 {
		addMissing(diags, unset)
	} else if len(unknown) > 0 {
		diags.AddError("Unknown provider settings", words.Are(unknown)+" known only after apply, which is too late for this plan. "+
			"First apply the resources that provide a value (terraform apply -target=…), or set known values.")
	}
	return c.Client, len(unset)+len(unknown) == 0
}

// addMissing reports settings that are not set, once per object, and in one sentence, since every
// object that needs them has this error.
func addMissing(diags *diag.Diagnostics, settings []string) {
	const summary = "Missing provider settings"
	if slices.ContainsFunc(*diags, func(d diag.Diagnostic) bool { return d.Summary() == summary }) {
		return
	}
	detail := words.Are(settings) + " not set: " + ToSet(settings)
	if slices.Contains(settings, "organization_id") {
		detail += "; organization_id can also be set on this object"
	}
	diags.AddError(summary, detail+".")
}

// ToSet ends a sentence about settings that are not set. settings must not be empty.
func ToSet(settings []string) string {
	var variables []string
	for _, name := range settings {
		variables = append(variables, Environment(name))
	}
	if len(settings) == 1 {
		return "set it in the provider block, or with the environment variable " + variables[0]
	}
	return "set them in the provider block, or with the environment variables " + words.Enumerate(variables)
}

// only returns the settings that are among others.
func only(settings, among []string) []string {
	return slices.DeleteFunc(slices.Clone(settings), func(name string) bool { return !slices.Contains(among, name) })
}

// Management returns the client and the organization of an object that has to be read now, whose
// organization_id is own. If a setting is not set or not known yet, it reports an error and returns false.
func (c *Connection) Management(own tfvalue.Value, diags *diag.Diagnostics) (*platform.Client, tfvalue.Value, bool) {
	settings := ManagementSettings
	if own.Text() == "" {
		settings = append([]string{"organization_id"}, settings...)
	}
	client, ok := c.Ready(settings, diags)
	if !ok {
		return nil, own, false
	}
	return client, c.Organization(own, diags), !diags.HasError()
}

// Organization returns the organization of an object: its own, which must be null or known, or the
// provider's default, which may be unknown. If neither is set, it reports all settings that are not.
func (c *Connection) Organization(own tfvalue.Value, diags *diag.Diagnostics) tfvalue.Value {
	switch {
	case own.Text() != "":
		return own
	case c.Waits("organization_id"):
		return tfvalue.Unknown(tftypes.String)
	case c.OrganizationID == "":
		addMissing(diags, append([]string{"organization_id"}, only(ManagementSettings, c.Unset)...))
		return tfvalue.Null(tftypes.String)
	default:
		return tfvalue.String(c.OrganizationID)
	}
}

// WarnOrganization warns that an object without an organization_id of its own is in another
// organization than the provider's. All objects share one summary, so that Terraform folds the warnings.
func (c *Connection) WarnOrganization(own, prior tfvalue.Value, label, effect string, diags *diag.Diagnostics) {
	if !own.IsNull() || prior.IsNull() || c.OrganizationID == "" || strings.EqualFold(prior.Text(), c.OrganizationID) {
		return
	}
	diags.AddWarning("Organization differs from the provider's",
		fmt.Sprintf("Terraform keeps %s in organization %s, and the provider is set to %s.\n\n%sIf it is to stay where it is, set organization_id in the resource.",
			label, words.Clean(prior.Text(), words.MaxID), c.OrganizationID, effect))
}

// Environment returns the environment variable of a setting. The provider block takes precedence.
func Environment(setting string) string { return "DATAPLATFORM_" + strings.ToUpper(setting) }

// Detail returns the text of an error for below its summary, "" if there is none.
func Detail(err error) string {
	if err == nil {
		return ""
	}
	if failed := new(platform.Error); errors.As(err, &failed) {
		return failed.Detail()
	}
	// Go's errors begin in lower case and have no full stop.
	first, size := utf8.DecodeRuneInString(err.Error())
	return string(unicode.ToUpper(first)) + err.Error()[size:] + "."
}

// AttributePath converts a path for a diagnostic.
func AttributePath(names tfvalue.Path) path.Path {
	at := path.Empty()
	for _, name := range names {
		at = at.AtName(name)
	}
	return at
}
