package provider

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
)

// What a key was asked for, beside what the platform made of it: what a plan
// asks for is compared with the first, so that nothing that the platform does
// by itself makes a new key.

// asked is what the creation of a key asked for where the state can't tell it
// from what the platform chose by itself. It is kept in private state.
type asked struct {
	// OrganizationID says that the key had one of its own, and not the
	// provider's.
	OrganizationID bool   `json:"organization_id,omitempty"`
	ExpireAt       bool   `json:"expire_at"`
	State          string `json:"state"`
	// Expiry is what validity_hours came to, where the platform answered an
	// expiry that renewal can't go by.
	Expiry string `json:"expiry,omitempty"`
}

const (
	askedKey     = "asked"
	stateEnabled = "enabled"
)

// shortestUse is the time from a key's creation to its renewal that any
// configuration leaves: both validity_hours and early_renewal_hours are whole,
// and the first is larger.
const shortestUse = time.Hour

// asks is what is remembered of a creation.
func (r *apiKeyResource) asks(config tftypes.Value, body platform.APIKeyCreate, answer tftypes.Value) asked {
	was := asked{
		OrganizationID: !at(config, "organization_id").IsNull(),
		ExpireAt:       !at(config, "expire_at").IsNull(),
		State:          stateAsked(config),
	}
	told := text(at(answer, "expire_at"))
	if at(config, "validity_hours").IsNull() || told == "" || sameInstant(told, deref(body.ExpireAt)) {
		return was
	}
	expires, err := time.Parse(time.RFC3339, told)
	if err != nil || expires.Add(-hours(at(config, "early_renewal_hours"))).Before(r.now().Add(shortestUse)) {
		// It can't be read, or would make a new key with the next plan, and
		// with each that follows.
		was.Expiry = deref(body.ExpireAt)
	}
	return was
}

func (was asked) remember(ctx context.Context, private privateWriter) diag.Diagnostics {
	remembered, _ := json.Marshal(was) //nolint:errchkjson // strings and bools
	return private.SetKey(ctx, askedKey, remembered)
}

// recall is what a key was asked for, or without a memory of it what the state
// suggests.
func recall(ctx context.Context, private privateReader, state tftypes.Value) (asked, diag.Diagnostics) {
	var was asked
	remembered, diags := private.GetKey(ctx, askedKey)
	if remembered == nil || json.Unmarshal(remembered, &was) != nil {
		was = asked{State: stateAsked(state)}
	}
	return was, diags
}

// due tells whether a key with validity_hours is to be replaced: within
// early_renewal_hours of its expiry, or after it.
func (r *apiKeyResource) due(key tftypes.Value, was asked) bool {
	if at(key, "validity_hours").IsNull() {
		return false
	}
	expiry := text(at(key, "expire_at"))
	if was.Expiry != "" {
		expiry = was.Expiry
	}
	expires, err := time.Parse(time.RFC3339, expiry)
	return err == nil && !r.now().Before(expires.Add(-hours(at(key, "early_renewal_hours"))))
}

// dueInPlan tells whether a plan replaces a key because its renewal is due.
//
// Terraform makes a plan that changes something in place again while it applies
// it, and takes another end of it for an error in the provider. So that plan
// goes by what the last read found, not by the time, and not by a changed
// early_renewal_hours, which may be known only then: the plan after it does.
func (r *apiKeyResource) dueInPlan(plan, state tftypes.Value, was asked) bool {
	if plan.Equal(state) {
		return r.due(plan, was)
	}
	var ready bool
	if found := at(state, "ready_for_renewal"); !found.IsNull() {
		_ = found.As(&ready) // a state is known
	}
	early := at(plan, "early_renewal_hours")
	return ready && (!early.IsKnown() || hours(early) >= hours(at(state, "early_renewal_hours")))
}

// replacingChanges names the arguments that ask for something else than the
// key there is was asked for. One that leaves the configuration does; a
// default that is written down does not.
func replacingChanges(config, plan, state tftypes.Value, was asked) []string {
	var changed []string
	for _, name := range []string{"organization_id", "name", "roles", "validity_hours", "rotation_triggers", "hash_data", "ip_access_list"} {
		if !asksSame(name, at(plan, name), at(state, name)) {
			changed = append(changed, name)
		}
	}
	expiry := at(config, "expire_at")
	switch {
	case expiry.IsNull() && was.ExpireAt, !expiry.IsNull() && !asksSame("expire_at", at(plan, "expire_at"), at(state, "expire_at")):
		changed = append(changed, "expire_at")
	}
	// What the platform made it by itself may be written down, too.
	wanted := at(config, "state")
	if !wanted.IsKnown() || stateAsked(config) != was.State && !wanted.Equal(at(state, "state")) {
		changed = append(changed, "state")
	}
	return changed
}

func stateAsked(config tftypes.Value) string {
	if wanted := text(at(config, "state")); wanted != "" {
		return wanted
	}
	return stateEnabled
}

// asksSame tells whether two values of an argument ask for the same. An empty
// list or map asks for what none does.
func asksSame(name string, a, b tftypes.Value) bool {
	switch {
	case a.IsNull() || b.IsNull():
		return asksNothing(a) && asksNothing(b)
	case !a.IsFullyKnown() || !b.IsFullyKnown():
		return false
	case name == "expire_at":
		return sameInstant(text(a), text(b))
	case name == "organization_id":
		return strings.EqualFold(text(a), text(b))
	default:
		return same(name, a, b)
	}
}

func asksNothing(value tftypes.Value) bool {
	if value.IsKnown() && value.Type().Is(tftypes.Map{}) {
		var all map[string]tftypes.Value
		return value.As(&all) == nil && len(all) == 0
	}
	return isEmpty(value)
}

// keepSpelling keeps the state's spelling of what asks for the same.
func keepSpelling(plan, state tftypes.Value) tftypes.Value {
	for _, name := range []string{"expire_at", "organization_id"} {
		planned, kept := at(plan, name), at(state, name)
		if !planned.IsNull() && !kept.IsNull() && asksSame(name, planned, kept) {
			plan = with(plan, kept, name)
		}
	}
	return plan
}

// hours is a number of hours, none where it is null or not known yet.
func hours(value tftypes.Value) time.Duration {
	if value.IsNull() || !value.IsKnown() {
		return 0
	}
	n, _ := number(value).Int64()
	return time.Duration(n) * time.Hour
}

// sameInstant compares two dates however they are spelled. Those that are none
// are the same only to the letter.
func sameInstant(a, b string) bool {
	x, errX := time.Parse(time.RFC3339, a)
	y, errY := time.Parse(time.RFC3339, b)
	if errors.Join(errX, errY) != nil {
		return a == b
	}
	return x.Equal(y)
}
