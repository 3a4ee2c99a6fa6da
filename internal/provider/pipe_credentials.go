package provider

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/adopt"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// The credentials of a source. The API returns none of them but the connection string of object storage, which the
// resource does not store. Secrets are taken from the configuration itself, because Terraform keeps write-only values
// out of plan and state. A version beside each says when to send it again.

const credentialsName = "source_credentials"

// credential is one secret of a kind of source. It is sent if the run has it (secret) and
//
//   - it is renewed: its version or its user changes; or
//   - the PATCH changes its kind of source, which the platform may accept only together with the
//     secret, and ignore_changes does not have its version.
type credential struct {
	kind             string
	secret           string // its attribute, which has a version beside it
	user             string // the attribute that is sent with it and is not secret, or ""
	inside           string // the object in a request that has both, or ""
	label, userLabel string // in descriptions
}

var credentials = []credential{
	{"kafka", "password_wo", "username", "credentials", "Password", "User name"},
	{"object_storage", "secret_key_wo", "access_key_id", "accessKey", "Secret of the access key", "Access key ID"},
	{"object_storage", "connection_string_wo", "", "", "Connection string of the blob storage", ""},
	{"cloud_stream", "secret_key_wo", "access_key_id", "accessKey", "Secret of the access key", "Access key ID"},
	{"postgres", "password_wo", "username", "credentials", "Password", "User name"},
}

func (c credential) addTo(body jsonObject, change adopt.Change) {
	object := body.at("source", pipeRules.Member(tfvalue.Path{c.kind}))
	if c.inside != "" {
		object = object.at(c.inside)
	}
	for attribute, value := range map[string]tfvalue.Value{
		c.user:                              c.of(change.Plan, c.user),
		strings.TrimSuffix(c.secret, "_wo"): c.of(change.Config, c.secret),
	} {
		if isSet(value) {
			object[pipeRules.Member(tfvalue.Path{attribute})] = value.Text()
		}
	}
}

func pipeCredentialsAttribute() schema.Attribute {
	kinds := map[string]schema.Attribute{}
	for _, c := range credentials {
		attributes := c.attributes()
		if other, ok := kinds[c.kind].(schema.SingleNestedAttribute); ok {
			maps.Copy(attributes, other.Attributes)
		}
		kinds[c.kind] = optional.object("Credentials of the `"+c.kind+"` source.", attributes)
	}
	return optional.object("Credentials of the source, by kind. "+
		"Secrets are write-only and require Terraform 1.11 or OpenTofu 1.11, or later.", kinds)
}

func (c credential) attributes() map[string]schema.Attribute {
	// Nothing else shows that a secret has changed, and the platform may not keep it beside a new user.
	withVersion := stringvalidator.AlsoRequires(path.MatchRelative().AtParent().AtName(c.version()))
	attributes := map[string]schema.Attribute{
		c.secret: schema.StringAttribute{
			Optional: true, WriteOnly: true, Sensitive: true,
			MarkdownDescription: c.label + ". Requires `" + c.version() + "`.",
			Validators:          []validator.String{secretText, withVersion},
		},
		c.version(): optional.number("Change it to send `"+c.secret+"` again.", integer),
	}
	if c.user != "" {
		attributes[c.user] = optional.string(c.userLabel+". Requires `"+c.version()+"`.", withVersion)
	}
	return attributes
}

func (c credential) version() string { return c.secret + "_version" }

func (c credential) path() tfvalue.Path { return tfvalue.Path{credentialsName, c.kind, c.secret} }

// of is the value of one attribute of the credential, null if attribute is "".
func (c credential) of(object tfvalue.Value, attribute string) tfvalue.Value {
	if attribute == "" {
		return tfvalue.Optional("")
	}
	return object.At(credentialsName, c.kind, attribute)
}

// isRenewed reports whether the leaves of a PATCH have the version or the user.
func (c credential) isRenewed(leaves tfvalue.Value) bool {
	return !c.of(leaves, c.version()).IsNull() || !c.of(leaves, c.user).IsNull()
}

// isVersionIgnored reports whether plan and configuration have different versions because of ignore_changes, so that
// the configured secret is not that of the planned version. Unknown versions do not differ yet.
func (c credential) isVersionIgnored(change adopt.Change) bool {
	configured, planned := c.of(change.Config, c.version()), c.of(change.Plan, c.version())
	return configured.IsKnown() && planned.IsKnown() && !pipeRules.Same(c.version(), configured, planned)
}

// isSent reports whether a patch has the credential: see credential.
func (c credential) isSent(change adopt.Change, patch adopt.Content) bool {
	isOfSource := patch.All().At("source", c.kind).AnyLeaf() || tableMappingsPath[1] == c.kind && !patch.Edit.IsEmpty()
	return (isOfSource || patch.Leaves.At(credentialsName, c.kind).AnyLeaf()) && !c.of(change.Config, c.secret).IsNull() &&
		(c.isRenewed(patch.Leaves) || !c.isVersionIgnored(change))
}

// addCredentials keeps the configured secrets out of errors and logs, since a response may repeat what was sent.
func addCredentials(client *platform.Client, config tfvalue.Value) {
	for _, c := range credentials {
		secret, parts := c.of(config, c.secret).Text(), []string(nil)
		if c.secret == "connection_string_wo" {
			parts = secretsIn(secret)
		}
		client.AddSecret(secret, parts...)
	}
}

// The lengths from which a value of a connection string counts as a secret, if it has the name of one,
// and whatever its name. The name of an account has at most 24 characters.
const minNamedLength, minKeyLength = 4, 32

var (
	// connectionPart has a value, and its name if it has one.
	connectionPart = regexp.MustCompile(`(?:([^;&?#\s=/]+)=)?([^;&?#\s]+)`)

	urlPassword = regexp.MustCompile(`://[^:/?#\s]*:(\S+)@`)
	secretName  = regexp.MustCompile(`(?i)(key|sig|signature|sas|token|pass|password|passphrase|pwd|secret)$`)
	host        = regexp.MustCompile(`^[\w-]+(\.[\w-]+)+(:\d+)?$`)
)

func isSecret(name, value string) bool {
	return len(value) >= minNamedLength && secretName.MatchString(name) || len(value) >= minKeyLength && !host.MatchString(value)
}

// secretsIn returns the secrets in a connection string or a URL, as it spells them and decoded. The rest, such as the
// host, may stand in a message. If nothing in a connection string looks like a secret, all of it is one.
func secretsIn(connection string) []string {
	found := []string{}
	add := func(name, value string) {
		decoded, _ := url.QueryUnescape(value)
		for _, one := range []string{value, decoded} {
			if isSecret(name, one) {
				found = append(found, one)
			}
		}
	}
	if password := urlPassword.FindStringSubmatch(connection); password != nil {
		add("password", password[1])
	}
	for _, part := range connectionPart.FindAllStringSubmatch(connection, -1) {
		name, values := part[1], part[2:]
		if strings.Contains(part[2], "://") {
			name, values = "", strings.FieldsFunc(part[2], func(r rune) bool { return r == '/' || r == '@' })
		}
		for _, value := range values {
			add(name, value)
		}
	}
	if len(found) == 0 && !strings.Contains(connection, "://") {
		return []string{connection}
	}
	return found
}

// checkCredentials checks every credential, and returns a line for each kind of source whose credentials are sent. It
// warns about what the plan shows as something else, or not at all: credentials that leave the configuration ("->
// null", although the platform keeps them), and secrets that are sent with another change.
func checkCredentials(r adopt.Review) []string {
	var lines, unmanaged, travelling []string
	for _, c := range credentials {
		c.check(r)
		isSent := c.isSent(r.Change, r.Content)
		if isSent {
			kind := tfvalue.Path{credentialsName, c.kind}
			lines = append(lines, fmt.Sprintf("credentials of %s (the API does not return the current ones)", kind))
		}
		switch {
		case r.Prior.IsNull():
		case !c.of(r.Prior, c.version()).IsNull() && c.of(r.Plan, c.version()).IsNull():
			unmanaged = append(unmanaged, c.path().String())
		case isSent && !c.isRenewed(r.Leaves):
			travelling = append(travelling, c.path().String())
		}
	}
	if len(unmanaged) > 0 {
		r.Diags.AddWarning("Credentials are no longer managed: "+r.Label,
			fmt.Sprintf("This removes %s from the configuration only. The platform keeps what it has, "+
				"and later changes to the source are sent without it.", words.Enumerate(unmanaged)))
	}
	if len(travelling) > 0 {
		// One summary for all pipes, so that Terraform folds it: nothing is wrong.
		r.Diags.AddWarning("Credentials may be sent with another change",
			fmt.Sprintf("With a change to the source of %s, the apply also sends what its own run has as %s, "+
				"although this plan changes no version. It does not if ignore_changes hides another version.",
				r.Label, words.Enumerate(travelling)))
	}
	return slices.Compact(lines)
}

// check reports a version or user that changes without the secret, and warns about another change to the source, other
// than to mappings, without a secret that has a version. A secret without a version, or a blank one, is rejected by
// validation, which Terraform repeats in the apply.
func (c credential) check(r adopt.Review) {
	at := c.path()
	isKnown := c.of(r.Plan, c.version()).IsKnown() && c.of(r.Plan, c.user).IsKnown()
	switch {
	case !c.of(r.Config, c.secret).IsNull():
	case isKnown && c.isRenewed(r.Leaves):
		changed := strings.TrimSuffix(c.version()+" or "+c.user, " or ")
		r.Diags.AddAttributeError(conn.AttributePath(at), "Credential missing",
			fmt.Sprintf("%s must be set in this run, because %s is new or changed. Later runs do not need it. "+
				"If it is set, but listed in ignore_changes, list %s there, too, or neither.", at, changed, c.version()))
	case !c.of(r.Config, c.version()).IsNull() && r.All().Without(tableMappingsPath...).At("source", c.kind).AnyLeaf():
		r.Diags.AddWarning("Source may change without its credentials: "+r.Label,
			fmt.Sprintf("source.%s changes, and this plan has no value of %s: either this run does not set it, or ignore_changes lists it. "+
				"If it is not set, no credentials are sent, and the API documentation does not say whether the platform keeps the current ones: "+
				"set it to send them along. If it is set, it is sent, unless another %s is ignored, too.", c.kind, at, c.version()))
	}
}
