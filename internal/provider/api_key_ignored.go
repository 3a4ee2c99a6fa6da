package provider

import (
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// Terraform puts the old key's values of what ignore_changes lists into the configuration with which it asks for the
// plan of a key that exists, and not into that of the new key, whose warnings it does not show. But it has validated
// the whole configuration just before, in the same run.

// validated remembers a configuration.
func (r *apiKeyResource) validated(config tfvalue.Value) {
	r.Validated.Store(config.Value.String(), config)
}

// wholeConfig returns the configuration that the new key gets, and the arguments that it sets otherwise than the one of the
// plan. If several keys may have been validated so, isKnown is false.
func (r *apiKeyResource) wholeConfig(config, state tfvalue.Value) (whole tfvalue.Value, ignored []string, isKnown bool) {
	if _, isWhole := r.Validated.Load(config.Value.String()); isWhole {
		return config, nil, true
	}
	found := 0
	r.Validated.Range(func(_, value any) bool {
		var differing []string
		for name, set := range value.(tfvalue.Value).Members() {
			switch has := config.At(name); {
			case has.Equal(set):
			case !has.Equal(state.At(name)):
				return true // another key's
			case !set.IsNull():
				differing = append(differing, name)
			}
		}
		found++
		whole, ignored = value.(tfvalue.Value), differing
		return true
	})
	if found == 0 { // it was validated in another run
		return config, nil, true
	}
	return whole, ignored, found == 1
}

// ofNewKey are paragraphs about what a new key gets, below ignore_changes, too.
func (r *apiKeyResource) ofNewKey(config, state tfvalue.Value) []string {
	whole, ignored, isKnown := r.wholeConfig(config, state)
	if !isKnown {
		return []string{"ignore_changes does not apply to the new key, which gets the configured values, as the plan shows."}
	}
	all := []string{recipientChanges(whole, state), unlimited("The new key", whole)}
	if len(ignored) > 0 {
		all = append([]string{"ignore_changes does not apply to the new key: it gets the configured " + words.Enumerate(ignored) + ", as the plan shows."}, all...)
	}
	return all
}
