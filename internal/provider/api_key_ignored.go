package provider

import (
	"crypto/sha256"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// Terraform takes what ignore_changes lists out of the configuration with which it asks for the plan of a
// key that exists, and not out of that of the new key, whose warnings it does not show. But it has validated
// the whole configuration just before, in the same run. So a configuration that was never validated is one
// from which something was taken.

// validated remembers a configuration.
func (r *apiKeyResource) validated(config tfvalue.Value) {
	r.Validated.Add("any")
	r.Validated.Add(digest(config))
}

// ignoredChanges says that the new key gets what ignore_changes hides, "" if it hides nothing.
func (r *apiKeyResource) ignoredChanges(config tfvalue.Value) string {
	if !r.Validated.Has("any") || r.Validated.Has(digest(config)) {
		return ""
	}
	return "ignore_changes lists arguments whose configured values differ from those of the old key. It does not apply to the new key, " +
		"which gets the configured values, as the plan shows."
}

func digest(config tfvalue.Value) string {
	sum := sha256.Sum256([]byte(config.Value.String()))
	return string(sum[:])
}
