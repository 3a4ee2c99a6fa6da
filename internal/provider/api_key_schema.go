package provider

import (
	"context"
	"fmt"
	"net/netip"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework-validators/numbervalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

func (r *apiKeyResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	hash := access{optional: true, sensitive: true}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Creates an API key. The API returns its secret only once, so the state stores it: " +
			"encrypted if you set `secret_recipients`, and in plain text otherwise. " +
			"The API cannot read, change or delete keys, so every change creates a new key.",
		Attributes: map[string]schema.Attribute{
			"organization_id": organizationID("key", " when the key is created, and keeps that value."+replaces),
			"name":            required.string("Name of the key. Must not be empty."+replaces, nonEmpty),
			"roles": required.stringSet("Roles of the key: at least one of `admin`, `developer` and `query_endpoints`."+replaces,
				setvalidator.SizeAtLeast(1), nonNullSet, setvalidator.ValueStringsAre(stringvalidator.OneOf("admin", "developer", "query_endpoints"))),
			"expire_at": settable.string("Expiry of the key, as an RFC 3339 timestamp. Must be later than the time of creation. "+
				"If both this and `validity_hours` are omitted, the key never expires, unless the API sets an expiry."+replaces,
				rfc3339, stringvalidator.ConflictsWith(path.MatchRoot("validity_hours"))),
			// A hundred years at most: a duration in Go ends after less than three hundred.
			"validity_hours": optional.number("Validity of the key in hours from its creation, between 1 and 876000. Conflicts with `expire_at`."+replaces,
				numberCheck{"must be a whole number between 1 and 876000", 1, 876_000, 1}),
			"early_renewal_hours": optional.number("Hours before the expiry from which an apply renews the key; less than `validity_hours`. Updated in place.",
				numberCheck{"must be a whole number between 0 and 876000", 0, 876_000, 1}, numbervalidator.AlsoRequires(path.MatchRoot("validity_hours"))),
			"ready_for_renewal": computed.bool("Whether the key is due for renewal, by `validity_hours` and `early_renewal_hours`. Set by every refresh."),
			"rotation_triggers": optional.stringMap("Arbitrary map of values, such as the release of an application; `{}` is the same as none." + replaces),
			"state": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString("enabled"),
				MarkdownDescription: "`enabled` or `disabled`. Defaults to `enabled`." + replaces,
				Validators:          []validator.String{stringvalidator.OneOf("enabled", "disabled")},
			},
			// Sensitive in its members alone: Upjet rejects an object that is sensitive as a whole, too.
			"hash_data": optional.object("Hashes of a key that was generated elsewhere, sent to the API as given."+replaces, map[string]schema.Attribute{
				"key_id_hash":     hash.string("Hash of the key ID."),
				"key_id_suffix":   hash.string("Suffix of the key ID."),
				"key_secret_hash": hash.string("Hash of the key secret."),
			}),
			"secret_recipients": optional.stringSet("Who can decrypt the secret, each alone: " +
				"age recipients (`age1…`, or post-quantum `age1pq1…` without others) and SSH public keys of type `ssh-ed25519` and `ssh-rsa`. " +
				"If set, `encrypted_key_secret` contains the secret, and `key_secret` is not set. Must not be empty. Conflicts with `hash_data`." + replaces),
			"ip_access_list": optional.objectSet("Addresses that may use the API with this key. Must not be empty. If omitted, the platform decides."+replaces,
				map[string]schema.Attribute{
					"source":      required.string("IP address or CIDR block.", ipSource),
					"description": optional.string("Description of the entry."),
				}),
			"id":                   computed.string("UUID of the key."),
			"key_id":               computed.string("ID to authenticate with."),
			"key_suffix":           computed.string("Suffix of the key, by which to find it in the platform's console."),
			"key_secret":           computedSecret.string("The secret, in plain text. Not set with `secret_recipients`."),
			"encrypted_key_secret": computedSecret.string("The secret in the ASCII armor of [age](https://age-encryption.org). Set if you set `secret_recipients`."),
			"secret_version":       computed.number("Whole number, another one for each key: the version of a write-only argument that receives the secret."),
			"created_at":           computed.string("Creation time."),
			"used_at":              computed.string("Time of the last use, as returned at creation. Not updated later."),
		},
	}
}

var keyRules = tfvalue.Rules{
	NotInJSON: []tfvalue.Path{
		{"organization_id"}, {"validity_hours"}, {"early_renewal_hours"}, {"rotation_triggers"}, {"ready_for_renewal"},
		{"secret_recipients"}, {"encrypted_key_secret"}, {"secret_version"},
	},
	Keys:     map[string]tfvalue.Key{"ip_access_list": {Members: []string{"source"}}},
	Instants: []string{"expire_at"},
	Folded:   []string{"organization_id"},
}

// rfc3339 accepts a timestamp of RFC 3339. Rejected: the framework's own type. Its error does not
// name the attribute, and the same instant with another offset is another value to it.
var rfc3339 = textCheck{
	"must be an RFC 3339 timestamp, such as 2031-01-01T00:00:00Z, or omitted for a key that never expires",
	func(at path.Path, must rule, text string, diags *diag.Diagnostics) {
		if _, err := tfvalue.ParseTime(text); err != nil || !rfc3339Form.MatchString(text) {
			diags.AddAttributeError(at, "Invalid timestamp", fmt.Sprintf("%s %s.", at, must))
		}
	},
}

// rfc3339Form is stricter than time.Parse, which also accepts "T1:00:00,5Z" and an offset of +24:00.
var rfc3339Form = regexp.MustCompile(`^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// looksLikeAddress matches dotted numbers (also several in one text), text in brackets, and groups
// separated by colons as in IPv6, with valid digits or not.
var looksLikeAddress = regexp.MustCompile(`^\s*([0-9]+[./][0-9./:,;\s]*|[0-9.]+/.*|\[.*|[0-9a-fA-F.]*:[0-9a-fA-F:.]*(/.*)?|` +
	`[0-9a-fA-F]{0,4}:([0-9a-zA-Z.]{0,4}:)+[0-9a-zA-Z.]*(%.*)?(/.*)?)\s*$`)

// ipSource rejects what looks like an IP address or a CIDR block and is not valid. The API document
// does not say what else a source may be, so a name passes.
var ipSource = textCheck{validAddress, func(at path.Path, must rule, source string, diags *diag.Diagnostics) {
	if !looksLikeAddress.MatchString(source) || isAddress(source) {
		return
	}
	// Of the resource, because the path of an element has the whole element, and Terraform prints all of a list. The message
	// repeats the source, since nothing else says which of many is invalid.
	diags.AddError("Invalid IP address", fmt.Sprintf("source %.100q of %s %s.", source, at.Steps()[:1], must))
}}

const validAddress = "must be a valid IP address, such as 192.0.2.7, or a valid CIDR block, such as 192.0.2.0/24"

func isAddress(source string) bool {
	if address, err := netip.ParseAddr(source); err == nil {
		return address.Zone() == "" // a zone means something on one machine alone
	}
	_, err := netip.ParsePrefix(source)
	return err == nil
}
