package provider

import (
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
)

// What a source accepts and never gives back. The values come from the
// configuration itself, since Terraform keeps write-only values out of plan
// and state; a version beside each tells when to send it again.

const credentialsName = "source_credentials"

// credential is one secret of a kind of source, with what goes with it.
type credential struct {
	kind string
	// value and version are the attributes of the secret; user is the one
	// that is no secret and counts as part of it, or "".
	value, version, user string
}

var pipeCredentials = []credential{
	{"kafka", "password_wo", "password_wo_version", "username"},
	{"object_storage", "secret_key_wo", "secret_key_wo_version", "access_key_id"},
	{"object_storage", "connection_string_wo", "connection_string_wo_version", ""},
	{"cloud_stream", "secret_key_wo", "secret_key_wo_version", "access_key_id"},
	{"postgres", "password_wo", "password_wo_version", "username"},
}

func (c credential) of(value tftypes.Value, attribute string) tftypes.Value {
	if attribute == "" {
		return tftypes.NewValue(tftypes.String, nil)
	}
	return at(value, credentialsName, c.kind, attribute)
}

// renewed tells whether the version, or the user, is another than the state
// has: then the credential is sent. Unknown ones may be.
func (c credential) renewed(plan, state tftypes.Value) bool {
	for _, attribute := range []string{c.version, c.user} {
		if now := c.of(plan, attribute); !now.IsNull() && !same(attribute, now, c.of(state, attribute)) {
			return true
		}
	}
	return false
}

// ignored tells whether the plan has another credential than the
// configuration: the user told Terraform to ignore the change. What is unknown
// yet can't differ yet.
func (c credential) ignored(config, plan tftypes.Value) bool {
	return slices.ContainsFunc([]string{c.version, c.user}, func(attribute string) bool {
		configured, planned := c.of(config, attribute), c.of(plan, attribute)
		return configured.IsKnown() && planned.IsKnown() && !same(attribute, configured, planned)
	})
}

// decided tells whether version and user are known.
func (c credential) decided(plan tftypes.Value) bool {
	return c.of(plan, c.version).IsKnown() && c.of(plan, c.user).IsKnown()
}

// atHand tells whether the configuration has all that belongs to a credential.
// A user without its declared secret is not sent: nothing says that the
// platform would keep the secret it has.
func (c credential) atHand(config tftypes.Value) bool {
	secret := c.of(config, c.value)
	if c.of(config, c.version).IsNull() && secret.IsNull() {
		return !c.of(config, c.user).IsNull()
	}
	return !secret.IsNull() && secret.IsKnown()
}

// checkCredentials reports a version that changes without its value. A value
// without a version is refused before, by the schema, and what is unknown yet
// is checked at the apply.
func checkCredentials(config, plan, state tftypes.Value, diags *diag.Diagnostics) {
	for _, c := range pipeCredentials {
		secret := c.of(config, c.value)
		if !secret.IsNull() || c.of(plan, c.version).IsNull() || !c.decided(plan) || c.ignored(config, plan) || !c.renewed(plan, state) {
			continue
		}
		diags.AddAttributeError(
			attributePath([]string{credentialsName, c.kind, c.value}),
			"Credential missing",
			fmt.Sprintf("%s.%s.%s is new or has changed (%s), and %s is not set. Set it for the run that changes the version; later runs do without.",
				credentialsName, c.kind, c.version, renewal(c), c.value),
		)
	}
}

func renewal(c credential) string {
	if c.user == "" {
		return "by its version"
	}
	return "by its version or by " + c.user
}

// renewedKinds are the kinds of source that have a credential to send, whether
// or not another leaf of theirs is sent.
func renewedKinds(config, plan, state tftypes.Value) []string {
	var kinds []string
	for _, c := range pipeCredentials {
		if c.renewed(plan, state) && !c.ignored(config, plan) && !slices.Contains(kinds, c.kind) {
			kinds = append(kinds, c.kind)
		}
	}
	return kinds
}

// maskCredentials keeps the configured secrets out of errors and logs: a
// platform may repeat in its answer what it was sent.
func maskCredentials(client *platform.Client, config tftypes.Value) {
	for _, c := range pipeCredentials {
		client.AddSecret(text(c.of(config, c.value)))
	}
}

// setCredentials puts the configured credentials of a kind into the body.
func setCredentials(update *platform.PipeSourceUpdate, kind string, config, plan tftypes.Value) {
	for _, c := range pipeCredentials {
		if c.kind != kind || !c.atHand(config) || c.ignored(config, plan) {
			continue
		}
		user, secret := optional(c.of(config, c.user)), optional(c.of(config, c.value))
		switch {
		case c.user == "":
			update.ObjectStorage.ConnectionString = secret
		case kind == "kafka":
			update.Kafka.Credentials = &platform.Credentials{Username: user, Password: secret}
		case kind == "postgres":
			update.Postgres.Credentials = &platform.Credentials{Username: user, Password: secret}
		case kind == "object_storage":
			update.ObjectStorage.AccessKey = &platform.AccessKey{AccessKeyID: user, SecretKey: secret}
		case kind == "cloud_stream":
			update.CloudStream.AccessKey = &platform.AccessKey{AccessKeyID: user, SecretKey: secret}
		}
	}
}

// optional is a string, or nil where it is null.
func optional(value tftypes.Value) *string {
	if value.IsNull() || !value.IsKnown() {
		return nil
	}
	s := text(value)
	return &s
}
