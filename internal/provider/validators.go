package provider

import (
	"context"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
)

// uuidPattern is built once: validators are called for every resource.
var uuidPattern = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

func isUUIDText() validator.String {
	return stringvalidator.RegexMatches(uuidPattern, "must be a UUID, such as 0f6a6b0e-2f3c-4d1e-9a57-1f0c2d3e4a5b")
}

// wholeNumber accepts the whole numbers from least to most that are a multiple
// of step.
//
// The framework's integer attribute was rejected: it reports a fraction as an
// error in the provider, before any validator of ours is asked.
type wholeNumber struct {
	least, most *int64
	step        int64
}

func whole() wholeNumber { return wholeNumber{step: 1} }

func (w wholeNumber) atLeast(n int64) wholeNumber { w.least = &n; return w }

func (w wholeNumber) atMost(n int64) wholeNumber { w.most = &n; return w }

func (w wholeNumber) multipleOf(n int64) wholeNumber { w.step = n; return w }

// Description implements validator.Describer.
func (w wholeNumber) Description(context.Context) string {
	var b strings.Builder
	b.WriteString("must be a whole number")
	switch {
	case w.least != nil && w.most != nil:
		fmt.Fprintf(&b, " from %d to %d", *w.least, *w.most)
	case w.least != nil:
		fmt.Fprintf(&b, " of at least %d", *w.least)
	case w.most != nil:
		fmt.Fprintf(&b, " of at most %d", *w.most)
	}
	if w.step > 1 {
		fmt.Fprintf(&b, ", a multiple of %d", w.step)
	}
	return b.String()
}

// MarkdownDescription implements validator.Describer.
func (w wholeNumber) MarkdownDescription(ctx context.Context) string { return w.Description(ctx) }

// ValidateNumber implements validator.Number.
func (w wholeNumber) ValidateNumber(ctx context.Context, req validator.NumberRequest, resp *validator.NumberResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	n := req.ConfigValue.ValueBigFloat()
	if w.accepts(n) {
		return
	}
	resp.Diagnostics.AddAttributeError(req.Path, "Invalid number",
		fmt.Sprintf("%s %s, got: %s", req.Path, w.Description(ctx), n.Text('f', -1)))
}

func (w wholeNumber) accepts(n *big.Float) bool {
	if !n.IsInt() {
		return false
	}
	i, _ := n.Int(nil)
	switch {
	case w.least != nil && i.Cmp(big.NewInt(*w.least)) < 0, w.most != nil && i.Cmp(big.NewInt(*w.most)) > 0:
		return false
	default:
		return new(big.Int).Mod(i, big.NewInt(w.step)).Sign() == 0
	}
}

// noNulls refuses null elements: they pass a plan and fail its apply as an
// error in the provider. The framework's own validator doesn't name the
// attribute.
type noNulls struct{}

// Description implements validator.Describer.
func (noNulls) Description(context.Context) string { return "must have no null elements" }

// MarkdownDescription implements validator.Describer.
func (v noNulls) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateList implements validator.List.
func (v noNulls) ValidateList(ctx context.Context, req validator.ListRequest, resp *validator.ListResponse) {
	v.refuse(ctx, req.Path, req.ConfigValue.Elements(), &resp.Diagnostics)
}

// ValidateSet implements validator.Set.
func (v noNulls) ValidateSet(ctx context.Context, req validator.SetRequest, resp *validator.SetResponse) {
	v.refuse(ctx, req.Path, req.ConfigValue.Elements(), &resp.Diagnostics)
}

func (v noNulls) refuse(ctx context.Context, at path.Path, elements []attr.Value, diags *diag.Diagnostics) {
	if slices.ContainsFunc(elements, attr.Value.IsNull) {
		diags.AddAttributeError(at, "Null element", fmt.Sprintf("%s %s. Leave the element out.", at, v.Description(ctx)))
	}
}

// alertID is the client's own check of an alert's identifier, at plan.
type alertID struct{}

// Description implements validator.Describer.
func (alertID) Description(context.Context) string {
	return "must not be empty and have no slash, dot segment or control character"
}

// MarkdownDescription implements validator.Describer.
func (v alertID) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateString implements validator.String.
func (alertID) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if err := platform.ValidateAlertID(req.ConfigValue.ValueString()); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid alert id", fmt.Sprintf("%s %s, and it has to be one element of a path.", req.Path, err))
	}
}
