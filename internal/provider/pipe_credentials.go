package provider

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/adopt"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// What a source accepts and never returns. The values come from the
// configuration itself, since Terraform keeps write-only values out of plan and
// state; a version beside each says when to send it again.

const credentialsName = "source_credentials"

// credential is one secret of a kind of source, with its version and user.
type credential struct {
	kind string
	// value is the attribute of the secret. user is the attribute that is sent with it
	// and is not secret, or "".
	value, user string
	// inside is the object of the request that has both, or "".
	inside string
}

// credentials are all credentials: a new kind of source is an entry here.
var credentials = []credential{
	{"kafka", "password_wo", "username", "credentials"},
	{"object_storage", "secret_key_wo", "access_key_id", "accessKey"},
	{"object_storage", "connection_string_wo", "", ""},
	{"cloud_stream", "secret_key_wo", "access_key_id", "accessKey"},
	{"postgres", "password_wo", "username", "credentials"},
}

// set puts the credential into the JSON of its kind of source.
func (c credential) set(source jsonObject, user, secret tfvalue.Value) {
	if c.inside != "" {
		source = source.at(c.inside)
	}
	for attribute, value := range map[string]tfvalue.Value{c.user: user, strings.TrimSuffix(c.value, "_wo"): secret} {
		if !value.IsNull() && value.IsKnown() {
			source[pipeRules.Member(tfvalue.Path{attribute})] = value.Text()
		}
	}
}

func (c credential) jsonKind() string { return pipeRules.Member(tfvalue.Path{c.kind}) }

// credentialLabels begin the descriptions of the attributes of credentials.
var credentialLabels = map[string]string{
	"password_wo":          "Password",
	"secret_key_wo":        "Secret of the access key",
	"connection_string_wo": "Connection string of the blob storage",
	"username":             "User name",
	"access_key_id":        "Access key ID",
}

func pipeCredentialsAttribute() schema.Attribute {
	kinds := map[string]schema.Attribute{}
	for _, kind := range sourceKinds {
		attributes := map[string]schema.Attribute{}
		for _, c := range credentials {
			if c.kind == kind {
				maps.Copy(attributes, c.attributes())
			}
		}
		kinds[kind] = schema.SingleNestedAttribute{Optional: true, MarkdownDescription: "Credentials of the `" + kind + "` source.", Attributes: attributes}
	}
	return schema.SingleNestedAttribute{
		Optional: true,
		MarkdownDescription: "Credentials of the source, by kind. The API never returns them. " +
			"Secrets are write-only and require Terraform 1.11 or OpenTofu 1.11, or later.",
		Attributes: kinds,
	}
}

// attributes has the secret, which Terraform keeps out of plan and state, its version, and its
// user.
func (c credential) attributes() map[string]schema.Attribute {
	attributes := map[string]schema.Attribute{
		c.value: schema.StringAttribute{
			Optional: true, WriteOnly: true, Sensitive: true,
			MarkdownDescription: credentialLabels[c.value] + ". Requires `" + c.version() + "`.",
			Validators:          []validator.String{secretText},
		},
		c.version(): schema.NumberAttribute{
			Optional:            true,
			MarkdownDescription: "Version of `" + c.value + "`; change it to send the value again.",
			Validators:          []validator.Number{integer},
		},
	}
	if c.user != "" {
		attributes[c.user] = schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: credentialLabels[c.user] + ". Requires `" + c.version() + "`. Changing it has the effect of a new version. If omitted, only the secret is sent.",
		}
	}
	return attributes
}

// requireVersions rejects a secret or a user without the version of the secret: nothing else
// shows that the secret has changed, and the API document does not say whether the platform
// keeps it when it gets the user alone. A user that is not known yet may be null in the end.
func requireVersions(config tfvalue.Value, diags *diag.Diagnostics) {
	for _, c := range credentials {
		add := func(attribute, text string) {
			at := conn.AttributePath(tfvalue.Path{credentialsName, c.kind, attribute})
			diags.AddAttributeError(at, "Incomplete credential", at.String()+" "+text)
		}
		switch user := c.of(config, c.user); {
		case !c.of(config, c.version()).IsNull():
		case !c.of(config, c.value).IsNull():
			add(c.value, fmt.Sprintf("is sent when its version changes. Set %s.", c.version()))
		case !user.IsNull() && user.IsKnown():
			add(c.user, fmt.Sprintf("is sent only with its secret. Set %s, and %s in the run that sends it, or remove %s.", c.version(), c.value, c.user))
		}
	}
}

func (c credential) version() string { return c.value + "_version" }

// of is one attribute of a credential, null if it has no such attribute.
func (c credential) of(object tfvalue.Value, attribute string) tfvalue.Value {
	if attribute == "" {
		return tfvalue.Optional(nil)
	}
	return object.At(credentialsName, c.kind, attribute)
}

// renewed reports whether the version or the user is sent, and the credential with
// them.
func (c credential) renewed(send tfvalue.Value) bool {
	return !c.of(send, c.version()).IsNull() || !c.of(send, c.user).IsNull()
}

// versionIgnored reports whether the plan has another version than the
// configuration, which is the effect of ignore_changes: the secret is of a version
// that the plan does not show. Unknown ones do not differ yet.
func (c credential) versionIgnored(change adopt.Change) bool {
	configured, planned := c.of(change.Config, c.version()), c.of(change.Plan, c.version())
	return configured.IsKnown() && planned.IsKnown() && !pipeRules.Same(c.version(), configured, planned)
}

// goes reports whether a credential is sent with a patch: the run has the secret, the patch has
// the kind of source, and either the credential is renewed or its version is not ignored.
func (c credential) goes(change adopt.Change, patch adopt.Patch) bool {
	kind := changesKind(patch, c.kind) || patch.Leaves.At(credentialsName, c.kind).AnyLeaf()
	secret := c.of(change.Config, c.value)
	return kind && !secret.IsNull() && secret.IsKnown() && (c.renewed(patch.Leaves) || !c.versionIgnored(change))
}

func (c credential) path() tfvalue.Path { return tfvalue.Path{credentialsName, c.kind, c.value} }

// needed reports whether a credential is renewed, as far as the plan knows, so that its
// secret is needed.
func (c credential) needed(r adopt.Review) bool {
	return c.of(r.Plan, c.version()).IsKnown() && c.of(r.Plan, c.user).IsKnown() && c.renewed(r.Leaves)
}

// maskCredentials keeps the configured secrets out of errors and logs: a
// response may repeat what was sent.
func maskCredentials(client *platform.Client, config tfvalue.Value) {
	for _, c := range credentials {
		client.AddSecret(c.of(config, c.value).Text())
	}
}

// checkCredentials checks every credential, and returns the kinds of source whose credentials
// are sent.
func checkCredentials(r adopt.Review) []string {
	var lines []string
	for _, c := range credentials {
		c.check(r)
		line := fmt.Sprintf("credentials of %s.%s (the API does not return the current ones)", credentialsName, c.kind)
		if c.goes(r.Change, r.Patch) && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// check reports a version that changes without its value, and a change to the source that is
// sent without the value. The schema rejects a value without a version, and a blank one:
// Terraform validates a configuration again once its values are known.
func (c credential) check(r adopt.Review) {
	at := c.path()
	switch {
	case !c.of(r.Config, c.value).IsNull():
	case c.needed(r):
		changed := c.version()
		if c.user != "" {
			changed += " or " + c.user
		}
		r.Diags.AddAttributeError(conn.AttributePath(at), "Credential missing",
			fmt.Sprintf("%s must be set in this run, because %s is new or changed. Later runs do not need it. "+
				"If it is set, but listed in ignore_changes, list %s there, too, or neither.", at, changed, c.version()))
	case changesKind(r.Patch, c.kind) && !c.of(r.Config, c.version()).IsNull() && !c.versionIgnored(r.Change):
		r.Diags.AddAttributeWarning(conn.AttributePath(at),
			fmt.Sprintf("Source of %s changes without its credentials", r.Label),
			fmt.Sprintf("source.%s changes, but this run does not set %s, so no credentials are sent. Set %s if the platform requires it.", c.kind, at, at))
	}
}
