package provider

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// What is known of a key: its state, and what was requested. The API cannot be asked.

var keyRules = tfvalue.Rules{
	Keys:     map[string]tfvalue.Key{"ip_access_list": {Members: []string{"source"}}},
	Instants: []string{"expire_at"},
	Folded:   []string{"organization_id"},
}

const (
	askedKey     = "asked"
	stateEnabled = "enabled"
)

// asked is what was requested for a key where the state doesn't distinguish it from
// what the platform chose. It is kept in private state.
type asked struct {
	// OrganizationID, ExpireAt and IPAccessList report whether the configuration
	// set the argument.
	OrganizationID bool   `json:"organization_id,omitempty"`
	ExpireAt       bool   `json:"expire_at"`
	State          string `json:"state"`
	IPAccessList   bool   `json:"ip_access_list,omitempty"`
	// Expiry is the requested expiry of a key with validity_hours, if renewal can't
	// use the one that the API returned.
	Expiry string `json:"expiry,omitempty"`
}

// asks is what is remembered of the request that has just created a key.
func asks(config, state tfvalue.Value, body platform.APIKeyCreate, now time.Time) asked {
	was := asked{
		OrganizationID: !config.At("organization_id").IsNull(),
		ExpireAt:       !config.At("expire_at").IsNull(),
		State:          stateAsked(config),
		IPAccessList:   !config.At("ip_access_list").IsEmpty(),
	}
	// The minimum time from a creation to the renewal: validity_hours and
	// early_renewal_hours are whole, and the first is larger.
	const shortestUse = time.Hour
	expires, err := tfvalue.ParseTime(state.At("expire_at").Text())
	if !state.At("validity_hours").IsNull() && (err != nil || expires.Add(-hours(state.At("early_renewal_hours"))).Before(now.Add(shortestUse))) {
		// There is none, it can't be parsed, or every plan would create a new key.
		was.Expiry = *body.ExpireAt
	}
	return was
}

func (was asked) encode() []byte {
	remembered, _ := json.Marshal(was) //nolint:errchkjson // strings and bools
	return remembered
}

// recall decodes what was requested for a key. Without a memory of it, the state
// stands in.
func recall(remembered []byte, state tfvalue.Value) asked {
	var was asked
	if remembered == nil || json.Unmarshal(remembered, &was) != nil {
		was = asked{State: stateAsked(state)}
	}
	return was
}

// stateAsked is the state that a configuration requests.
func stateAsked(config tfvalue.Value) string {
	if wanted := config.At("state").Text(); wanted != "" {
		return wanted
	}
	return stateEnabled
}

// due reports whether a key with validity_hours is to be replaced: within
// early_renewal_hours of its expiry, or after it.
func due(key tfvalue.Value, was asked, now time.Time) bool {
	expiry := was.Expiry
	if expiry == "" {
		expiry = key.At("expire_at").Text()
	}
	expires, err := tfvalue.ParseTime(expiry)
	return !key.At("validity_hours").IsNull() && err == nil && !now.Before(expires.Add(-hours(key.At("early_renewal_hours"))))
}

// passed reports whether a time is after an expiry.
func passed(expiry tfvalue.Value, now time.Time) bool {
	expires, err := tfvalue.ParseTime(expiry.Text())
	return err == nil && !now.Before(expires)
}

// hours is a number of hours, 0 if it is null or unknown.
func hours(value tfvalue.Value) time.Duration {
	if value.IsNull() || !value.IsKnown() {
		return 0
	}
	n, _ := value.Number().Int64()
	return time.Duration(n) * time.Hour
}

// keyLabel names a key in the summary of a warning, since Terraform folds warnings
// with the same summary.
func keyLabel(key tfvalue.Value) string {
	var label []string
	if name := key.At("name").Text(); name != "" {
		label = append(label, strconv.Quote(platform.CleanText(name)))
	}
	for _, name := range []string{"id", "key_id"} {
		if id := key.At(name).Text(); id != "" {
			return strings.Join(append(label, "("+platform.CleanText(id)+")"), " ")
		}
	}
	if len(label) == 0 {
		return "(name not known yet)"
	}
	return label[0]
}

// remains describes a key that stays on the platform, so that it can be found in the
// console. Its name and ID are in the summary.
func remains(which string, key tfvalue.Value, now time.Time) string {
	if suffix := key.At("key_suffix").Text(); suffix != "" {
		which += " (suffix " + platform.CleanText(suffix) + ")"
	}
	switch expiry := key.At("expire_at").Text(); {
	case expiry == "":
		return which + " stays valid, because it does not expire."
	case passed(key.At("expire_at"), now):
		return which + " expired at " + platform.CleanText(expiry) + "."
	default:
		return which + " stays valid until " + platform.CleanText(expiry) + "."
	}
}
