package provider

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
)

// uuidText checks an ID at plan, as the client does before a request. The library's
// validator by a regular expression was rejected: it prints the value unquoted, so a
// line break at its end is not seen.
type uuidText struct{}

// Description implements validator.Describer.
func (uuidText) Description(context.Context) string {
	return "must be a UUID, such as 0f6a6b0e-2f3c-4d1e-9a57-1f0c2d3e4a5b"
}

// MarkdownDescription implements validator.Describer.
func (v uuidText) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateString implements validator.String.
func (v uuidText) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() || platform.IsUUID(req.ConfigValue.ValueString()) {
		return
	}
	detail := fmt.Sprintf("%s %s, got %q.", req.Path, v.Description(ctx), req.ConfigValue.ValueString())
	if req.Path.Equal(path.Root("service_id")) {
		detail += " If you know only the name of the service, look up its ID with the data source dataplatform_service."
	}
	resp.Diagnostics.AddAttributeError(req.Path, "Invalid UUID", detail)
}

// wholeNumber accepts the whole numbers between minimum and maximum that are a
// multiple of step. No API holds one beyond 63 bits, whatever the limits.
//
// The framework's integer attribute was rejected: it reports a fraction as an
// error in the provider, before any validator runs.
type wholeNumber struct {
	minimum, maximum *int64
	step             int64
}

func whole() wholeNumber { return wholeNumber{step: 1} }

func (w wholeNumber) atLeast(n int64) wholeNumber { w.minimum = &n; return w }

func (w wholeNumber) atMost(n int64) wholeNumber { w.maximum = &n; return w }

func (w wholeNumber) multipleOf(n int64) wholeNumber { w.step = n; return w }

// Description implements validator.Describer.
func (w wholeNumber) Description(context.Context) string { return w.describe("a whole number ") }

// describe is the rule, with what the number must be beside its limits.
func (w wholeNumber) describe(kind string) string {
	if w.step > 1 {
		kind = fmt.Sprintf("a multiple of %d ", w.step)
	}
	switch {
	case w.minimum != nil && w.maximum != nil:
		return fmt.Sprintf("must be %sbetween %d and %d", kind, *w.minimum, *w.maximum)
	case w.minimum != nil:
		return fmt.Sprintf("must be %sat least %d", kind, *w.minimum)
	case w.maximum != nil:
		return fmt.Sprintf("must be %sat most %d", kind, *w.maximum)
	default:
		return "must be a whole number"
	}
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
	rule := w.Description(ctx)
	if n.IsInt() {
		rule = w.describe("")
	}
	switch {
	case beyondInt64(n) && n.Sign() > 0 && w.maximum == nil:
		rule = fmt.Sprintf("must be at most %d", int64(math.MaxInt64))
	case beyondInt64(n) && n.Sign() < 0 && w.minimum == nil:
		rule = fmt.Sprintf("must be at least %d", int64(math.MinInt64))
	}
	resp.Diagnostics.AddAttributeError(req.Path, "Invalid number",
		fmt.Sprintf("%s %s, got %s.", req.Path, rule, shownNumberText(n)))
}

// shownNumberText is a number for a message. Beyond 63 bits it is rounded, since it may
// have thousands of digits.
func shownNumberText(n *big.Float) string {
	if beyondInt64(n) {
		return n.Text('g', 10)
	}
	return n.Text('f', -1)
}

func beyondInt64(n *big.Float) bool {
	_, accuracy := n.Int64()
	return n.IsInt() && accuracy != big.Exact
}

func (w wholeNumber) accepts(n *big.Float) bool {
	if !n.IsInt() || beyondInt64(n) {
		return false
	}
	i, _ := n.Int(nil)
	switch {
	case w.minimum != nil && i.Cmp(big.NewInt(*w.minimum)) < 0, w.maximum != nil && i.Cmp(big.NewInt(*w.maximum)) > 0:
		return false
	default:
		return new(big.Int).Mod(i, big.NewInt(w.step)).Sign() == 0
	}
}

// finite accepts the numbers that a float64 can hold, rounded, and whole ones of up to
// 63 bits: no API holds others, and Terraform gets larger ones back with other digits.
type finite struct{}

// Description implements validator.Describer.
func (finite) Description(context.Context) string {
	return fmt.Sprintf("must be between %d and %d", int64(math.MinInt64), int64(math.MaxInt64))
}

// MarkdownDescription implements validator.Describer.
func (v finite) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateNumber implements validator.Number.
func (v finite) ValidateNumber(ctx context.Context, req validator.NumberRequest, resp *validator.NumberResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	n := req.ConfigValue.ValueBigFloat()
	if beyondInt64(n) {
		whole().ValidateNumber(ctx, req, resp)
		return
	}
	if float, _ := n.Float64(); float == 0 && n.Sign() != 0 {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid number",
			fmt.Sprintf("%s must not be closer to 0 than %g, got %s.", req.Path, math.SmallestNonzeroFloat64, n.Text('g', 10)))
	}
}

// secretText rejects a secret that is empty or blank, as a pipeline hands it over whose
// secret is missing: the platform could no longer read the source.
type secretText struct{}

const blankSecret = "Secret is blank"

func blankSecretDetail(at string) string {
	return at + " must not be empty or blank: the platform could no longer read the source. Check that this run gets the secret."
}

// Description implements validator.Describer.
func (secretText) Description(context.Context) string { return "must not be empty or blank" }

// MarkdownDescription implements validator.Describer.
func (v secretText) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateString implements validator.String.
func (secretText) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	switch secret := req.ConfigValue.ValueString(); {
	case strings.TrimSpace(secret) == "":
		resp.Diagnostics.AddAttributeError(req.Path, blankSecret, blankSecretDetail(req.Path.String()))
	case strings.HasSuffix(secret, "\n"), strings.HasSuffix(secret, "\r"):
		resp.Diagnostics.AddAttributeWarning(req.Path, "Secret ends with a line break",
			fmt.Sprintf("%s ends with a line break, probably because it was read from a file, and is sent with it. If it is not part of the secret, use trimspace().", req.Path))
	}
}

// noNulls rejects null elements: they pass a plan and fail its apply as an
// error in the provider. The framework's own validator was rejected: it doesn't
// name the attribute.
type noNulls struct{}

// Description implements validator.Describer.
func (noNulls) Description(context.Context) string { return "must not contain null elements" }

// MarkdownDescription implements validator.Describer.
func (v noNulls) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateList implements validator.List.
func (v noNulls) ValidateList(ctx context.Context, req validator.ListRequest, resp *validator.ListResponse) {
	v.reject(ctx, req.Path, req.ConfigValue.Elements(), &resp.Diagnostics)
}

// ValidateSet implements validator.Set.
func (v noNulls) ValidateSet(ctx context.Context, req validator.SetRequest, resp *validator.SetResponse) {
	v.reject(ctx, req.Path, req.ConfigValue.Elements(), &resp.Diagnostics)
}

func (v noNulls) reject(ctx context.Context, at path.Path, elements []attr.Value, diags *diag.Diagnostics) {
	if slices.ContainsFunc(elements, attr.Value.IsNull) {
		diags.AddAttributeError(at, "Null element", fmt.Sprintf("%s %s. Omit the element.", at, v.Description(ctx)))
	}
}

// alertID checks the ID of an alert at plan, as the client does before a request.
type alertID struct{}

// Description implements validator.Describer.
func (alertID) Description(context.Context) string {
	return "must not be empty, . or .., and must not contain a slash or control characters"
}

// MarkdownDescription implements validator.Describer.
func (v alertID) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateString implements validator.String.
func (alertID) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if err := platform.ValidateAlertID(req.ConfigValue.ValueString()); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid alert ID", fmt.Sprintf("%s %s. It must be a single segment of a URL path.", req.Path, err))
	}
}
