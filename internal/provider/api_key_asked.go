package provider

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// What was requested for a key, beside what the platform created: a plan is
// compared with the request, so that nothing the platform chose replaces the key.

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
	// Returned is the expiry that the API returned if the state can't hold it,
	// because the configuration has another one. It is "" if the API returned no
	// expiry although one was requested.
	Returned *string `json:"returned,omitempty"`
}

// keyRules are empty: no attribute of a key is special.
var keyRules tfvalue.Rules

const (
	askedKey     = "asked"
	stateEnabled = "enabled"
)

// shortestUse is the minimum time from a key's creation to its renewal:
// validity_hours and early_renewal_hours are whole, and the first is larger.
const shortestUse = time.Hour

// asks is what is remembered of the request that created a key.
func (r *apiKeyResource) asks(config tfvalue.Value, body platform.APIKeyCreate, response tfvalue.Value, created *platform.CreatedAPIKey) asked {
	was := asked{
		OrganizationID: !config.At("organization_id").IsNull(),
		ExpireAt:       !config.At("expire_at").IsNull(),
		State:          stateAsked(config),
		IPAccessList:   !asksNothing(config.At("ip_access_list")),
	}
	returned := response.At("expire_at").Text()
	expires, err := time.Parse(time.RFC3339, returned)
	switch {
	case body.ExpireAt == nil:
	case endless(response, created):
		was.Returned = new(string)
		if !was.ExpireAt {
			was.Expiry = *body.ExpireAt
		}
	case returned == "" || sameInstant(returned, *body.ExpireAt):
	case was.ExpireAt:
		if err == nil {
			was.Returned = &returned
		}
	case err != nil || expires.Add(-hours(config.At("early_renewal_hours"))).Before(r.now().Add(shortestUse)):
		// It can't be parsed, or it would make every plan create a new key.
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

// renewalDate is the expiry that the renewal of a key with validity_hours uses.
func renewalDate(key tfvalue.Value, was asked) string {
	if was.Expiry != "" {
		return was.Expiry
	}
	return key.At("expire_at").Text()
}

// expiry is when a key expires according to the API, or "" if it never does.
func expiry(key tfvalue.Value, was asked) string {
	if was.Returned != nil {
		return *was.Returned
	}
	return key.At("expire_at").Text()
}

// expired reports whether a key has expired.
func expired(key tfvalue.Value, was asked, now time.Time) bool {
	expires, err := time.Parse(time.RFC3339, expiry(key, was))
	return err == nil && !now.Before(expires)
}

// due reports whether a key with validity_hours is to be replaced: within
// early_renewal_hours of its expiry, or after it.
func (r *apiKeyResource) due(key tfvalue.Value, was asked) bool {
	if key.At("validity_hours").IsNull() {
		return false
	}
	expires, err := time.Parse(time.RFC3339, renewalDate(key, was))
	return err == nil && !r.now().Before(expires.Add(-hours(key.At("early_renewal_hours"))))
}

// dueInPlan reports whether a plan replaces a key because its renewal is due.
//
// Terraform plans a change in place again during the apply, and reports another
// result as an error in the provider. That plan therefore depends on the last
// read, and neither on the time nor on a changed early_renewal_hours, which may be
// unknown until then. The next plan takes both into account.
func (r *apiKeyResource) dueInPlan(plan, state tfvalue.Value, was asked) bool {
	if plan.Equal(state) {
		return r.due(plan, was)
	}
	early := plan.At("early_renewal_hours")
	return state.At("ready_for_renewal").True() && (!early.IsKnown() || hours(early) >= hours(state.At("early_renewal_hours")))
}

// replacingChanges names the arguments that differ from the request that created
// the key. Removing an argument is a difference; setting it to its default is not.
func replacingChanges(config, plan, state tfvalue.Value, was asked) []string {
	var changed []string
	for _, name := range []string{"organization_id", "name", "roles", "validity_hours", "rotation_triggers", "hash_data"} {
		if !asksSame(name, plan.At(name), state.At(name)) {
			changed = append(changed, name)
		}
	}
	for name, had := range map[string]bool{"expire_at": was.ExpireAt, "ip_access_list": was.IPAccessList} {
		set := !config.At(name).IsNull()
		if !set && had || set && !asksSame(name, plan.At(name), state.At(name)) {
			changed = append(changed, name)
		}
	}
	// Setting the state that the platform chose is no difference either.
	wanted := config.At("state")
	if !wanted.IsKnown() || stateAsked(config) != was.State && !wanted.Equal(state.At("state")) {
		changed = append(changed, "state")
	}
	slices.Sort(changed)
	return changed
}

func stateAsked(config tfvalue.Value) string {
	if wanted := config.At("state").Text(); wanted != "" {
		return wanted
	}
	return stateEnabled
}

// asksSame reports whether two values of an argument request the same. An empty
// list or map requests the same as an unset one.
func asksSame(name string, a, b tfvalue.Value) bool {
	switch {
	case a.IsNull() || b.IsNull():
		return asksNothing(a) && asksNothing(b)
	case !a.IsFullyKnown() || !b.IsFullyKnown():
		return false
	case name == "expire_at":
		return sameInstant(a.Text(), b.Text())
	case name == "organization_id":
		return strings.EqualFold(a.Text(), b.Text())
	default:
		return keyRules.Same(name, a, b)
	}
}

func asksNothing(value tfvalue.Value) bool {
	if value.IsKnown() && value.Type().Is(tftypes.Map{}) {
		var all map[string]tftypes.Value
		return value.As(&all) == nil && len(all) == 0
	}
	return value.IsEmpty()
}

// keepSpelling keeps the state's spelling of values that request the same.
func keepSpelling(plan, state tfvalue.Value) tfvalue.Value {
	for _, name := range []string{"expire_at", "organization_id"} {
		planned, kept := plan.At(name), state.At(name)
		if !planned.IsNull() && !kept.IsNull() && asksSame(name, planned, kept) {
			plan = plan.With(kept, name)
		}
	}
	return plan
}

// deref is the string that s points to, or "".
func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// hours is a number of hours, 0 if it is null or unknown.
func hours(value tfvalue.Value) time.Duration {
	if value.IsNull() || !value.IsKnown() {
		return 0
	}
	n, _ := value.Number().Int64()
	return time.Duration(n) * time.Hour
}

// sameInstant compares two dates by instant. Texts that are not dates are compared
// as they are.
func sameInstant(a, b string) bool {
	x, errX := time.Parse(time.RFC3339, a)
	y, errY := time.Parse(time.RFC3339, b)
	if errors.Join(errX, errY) != nil {
		return a == b
	}
	return x.Equal(y)
}
