package provider

import (
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"

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
	// value and version are the attributes of the secret. user is the attribute
	// that is sent with it and is not secret, or "".
	value, version, user string
	// set puts user and secret into the update of the kind.
	set func(update *platform.PipeSourceUpdate, user, secret *string)
}

// credentials are all credentials: a new kind of source is an entry here.
var credentials = []credential{
	{"kafka", "password_wo", "password_wo_version", "username", func(u *platform.PipeSourceUpdate, user, secret *string) {
		allocated(&u.Kafka).Credentials = &platform.Credentials{Username: user, Password: secret}
	}},
	{"object_storage", "secret_key_wo", "secret_key_wo_version", "access_key_id", func(u *platform.PipeSourceUpdate, user, secret *string) {
		allocated(&u.ObjectStorage).AccessKey = &platform.AccessKey{AccessKeyID: user, SecretKey: secret}
	}},
	{"object_storage", "connection_string_wo", "connection_string_wo_version", "", func(u *platform.PipeSourceUpdate, _, secret *string) {
		allocated(&u.ObjectStorage).ConnectionString = secret
	}},
	{"cloud_stream", "secret_key_wo", "secret_key_wo_version", "access_key_id", func(u *platform.PipeSourceUpdate, user, secret *string) {
		allocated(&u.CloudStream).AccessKey = &platform.AccessKey{AccessKeyID: user, SecretKey: secret}
	}},
	{"postgres", "password_wo", "password_wo_version", "username", func(u *platform.PipeSourceUpdate, user, secret *string) {
		allocated(&u.Postgres).Credentials = &platform.Credentials{Username: user, Password: secret}
	}},
}

// allocated is what a pointer points to, allocated if it is nil.
func allocated[T any](p **T) *T {
	if *p == nil {
		*p = new(T)
	}
	return *p
}

// of is one attribute of a credential, null if it has no such attribute.
func (c credential) of(object tfvalue.Value, attribute string) tfvalue.Value {
	if attribute == "" {
		return tfvalue.Optional(nil)
	}
	return object.At(credentialsName, c.kind, attribute)
}

// renewed reports whether the version or the user differs from the state, so that
// the credential is sent. An unknown one may differ.
func (c credential) renewed(change adopt.Change) bool {
	return slices.ContainsFunc([]string{c.version, c.user}, func(attribute string) bool {
		now := c.of(change.Plan, attribute)
		return !now.IsNull() && !pipeRules.Same(attribute, now, c.of(change.Prior, attribute))
	})
}

// ignored reports whether version or user differ between plan and configuration,
// which is the effect of ignore_changes. Unknown ones don't differ yet.
func (c credential) ignored(change adopt.Change) bool {
	return slices.ContainsFunc([]string{c.version, c.user}, func(attribute string) bool {
		configured, planned := c.of(change.Config, attribute), c.of(change.Plan, attribute)
		return configured.IsKnown() && planned.IsKnown() && !pipeRules.Same(attribute, configured, planned)
	})
}

// available reports whether the configuration has all parts of a credential. A
// user without its declared secret is not sent: the API document doesn't say that
// the platform would keep the secret.
func (c credential) available(config tfvalue.Value) bool {
	secret := c.of(config, c.value)
	if c.of(config, c.version).IsNull() && secret.IsNull() {
		return !c.of(config, c.user).IsNull()
	}
	return !secret.IsNull() && secret.IsKnown()
}

// checkCredentials reports a version that changes without its value. The schema
// rejects a value without a version, and the apply checks what is unknown yet.
func checkCredentials(change adopt.Change, diags *diag.Diagnostics) {
	for _, c := range credentials {
		decided := c.of(change.Plan, c.version).IsKnown() && c.of(change.Plan, c.user).IsKnown()
		if !c.of(change.Config, c.value).IsNull() || c.of(change.Plan, c.version).IsNull() || !decided || c.ignored(change) || !c.renewed(change) {
			continue
		}
		changed := c.version
		if c.user != "" {
			changed += " or " + c.user
		}
		diags.AddAttributeError(
			conn.AttributePath(tfvalue.Path{credentialsName, c.kind, c.value}),
			"Credential missing",
			fmt.Sprintf("%s.%s.%s must be set in this run, because %s is new or has changed. Later runs can omit it.",
				credentialsName, c.kind, c.value, changed),
		)
	}
}

// renewedKinds are the kinds of source that have a credential to send, whether
// or not another leaf of theirs is sent.
func renewedKinds(change adopt.Change) []string {
	var kinds []string
	for _, c := range credentials {
		if c.renewed(change) && !c.ignored(change) && !slices.Contains(kinds, c.kind) {
			kinds = append(kinds, c.kind)
		}
	}
	return kinds
}

// maskCredentials keeps the configured secrets out of errors and logs: a
// response may repeat what was sent.
func maskCredentials(client *platform.Client, config tfvalue.Value) {
	for _, c := range credentials {
		client.AddSecret(c.of(config, c.value).Text())
	}
}

// sent reports whether a credential goes with a change of its kind of source.
func (c credential) sent(change adopt.Change) bool {
	return c.available(change.Config) && !c.ignored(change)
}

// setCredentials puts the configured credentials of these kinds into an
// update, and returns the kinds that have some.
func setCredentials(update *platform.PipeSourceUpdate, kinds []string, change adopt.Change) []string {
	var set []string
	for _, c := range credentials {
		if slices.Contains(kinds, c.kind) && c.sent(change) {
			c.set(update, c.of(change.Config, c.user).TextOrNil(), c.of(change.Config, c.value).TextOrNil())
			set = append(set, c.kind)
		}
	}
	return set
}

// overwrittenCredentials names the kinds of source whose credentials are sent
// with a change.
func overwrittenCredentials(change adopt.Change, send tfvalue.Value) []string {
	var lines []string
	for _, kind := range sentKinds(change, send) {
		lines = append(lines, fmt.Sprintf("%s.%s: its credentials (the API does not return the current ones)", credentialsName, kind))
	}
	return lines
}

// sentKinds are the kinds of source whose credentials are sent with a change.
func sentKinds(change adopt.Change, send tfvalue.Value) []string {
	renewed := renewedKinds(change)
	var kinds []string
	for _, c := range credentials {
		goes := slices.Contains(renewed, c.kind) || send.At("source", c.kind).AnyLeaf()
		if goes && c.sent(change) && !slices.Contains(kinds, c.kind) {
			kinds = append(kinds, c.kind)
		}
	}
	return kinds
}

// warnCredentialsMissing warns of a change of a source that is sent without its
// secret, although the configuration has a version of it.
func warnCredentialsMissing(label string, change adopt.Change, send tfvalue.Value, diags *diag.Diagnostics) {
	for _, c := range credentials {
		if !send.At("source", c.kind).AnyLeaf() || c.of(change.Config, c.version).IsNull() || !c.of(change.Config, c.value).IsNull() || c.ignored(change) {
			continue
		}
		secret := tfvalue.Path{credentialsName, c.kind, c.value}
		diags.AddAttributeWarning(
			conn.AttributePath(secret),
			fmt.Sprintf("Source of %s changes without its credentials", label),
			fmt.Sprintf("source.%s changes, but this run does not set %s, so no credentials are sent. Set %s if the platform requires it.",
				c.kind, secret, secret),
		)
	}
}
