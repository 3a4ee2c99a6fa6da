package provider

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"strings"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// isSet reports whether a configuration sets an attribute to a value that is known.
func isSet(value tfvalue.Value) bool { return !value.IsNull() && value.IsKnown() }

// rule is what a validator requires. It continues a sentence that begins with the attribute.
type rule string

func (r rule) Description(context.Context) string { return string(r) }

func (r rule) MarkdownDescription(context.Context) string { return string(r) }

// textCheck is a validator of strings. check gets those that are set and known.
type textCheck struct {
	rule
	check func(at path.Path, must rule, text string, diags *diag.Diagnostics)
}

func (c textCheck) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if !req.ConfigValue.IsNull() && !req.ConfigValue.IsUnknown() {
		c.check(req.Path, c.rule, req.ConfigValue.ValueString(), &resp.Diagnostics)
	}
}

// uuidText checks an ID. Terraform validates again in the apply, so an ID that is unknown in a plan is
// checked before it is sent, too. Rejected: the library's validator by a regular expression. It prints
// the value unquoted, which hides a line break at its end.
var uuidText = textCheck{"must be a UUID, such as 0f6a6b0e-2f3c-4d1e-9a57-1f0c2d3e4a5b", func(at path.Path, must rule, text string, diags *diag.Diagnostics) {
	if !words.IsUUID(text) {
		diags.AddAttributeError(at, "Invalid UUID", fmt.Sprintf("%s %s, got %q.", at, must, text))
	}
}}

// secretText rejects a secret that is empty or blank, as in a pipeline that lacks it: the platform
// could no longer read the source.
var secretText = textCheck{"must not be empty or blank", func(at path.Path, must rule, text string, diags *diag.Diagnostics) {
	switch {
	case strings.TrimSpace(text) == "":
		diags.AddAttributeError(at, "Secret is blank",
			fmt.Sprintf("%s %s: the platform could no longer read the source. Check that this run gets the secret.", at, must))
	case strings.HasSuffix(text, "\n"), strings.HasSuffix(text, "\r"):
		diags.AddAttributeWarning(at, "Secret ends with a line break",
			fmt.Sprintf("%s ends with a line break, probably because it was read from a file. "+
				"The line break is sent too: if it is not part of the secret, use trimspace().", at))
	}
}}

// alertID accepts what can be one segment of a path. Proxies resolve a dot segment even if it is escaped.
var alertID = textCheck{
	"must not be empty or a dot segment, and must not contain a slash or a control character",
	func(at path.Path, must rule, text string, diags *diag.Diagnostics) {
		cannotBeSent := func(r rune) bool { return r == '/' || unicode.IsControl(r) }
		if text == "" || text == "." || text == ".." || strings.ContainsFunc(text, cannotBeSent) {
			diags.AddAttributeError(at, "Invalid alert ID", fmt.Sprintf("%s %s.", at, must))
		}
	},
}

// numberCheck accepts the numbers between minimum and maximum that are a multiple of step, or also
// fractions if step is 0. It rejects what no API stores, so that Terraform would get other digits back: a whole
// number beyond 63 bits, and a fraction that is 0 as a float64.
//
// Rejected: the framework's integer attribute. It reports a fraction as an error in the provider,
// before any validator runs.
type numberCheck struct {
	rule
	minimum, maximum, step int64
}

var (
	anyNumber = numberCheck{"must be a number of 64 bits", math.MinInt64, math.MaxInt64, 0}
	integer   = numberCheck{"must be a whole number of 64 bits", math.MinInt64, math.MaxInt64, 1}
)

func (c numberCheck) accepts(n *big.Float) bool {
	if !n.IsInt() {
		float, _ := n.Float64()
		return c.step == 0 && float != 0
	}
	i, accuracy := n.Int64()
	return accuracy == big.Exact && c.minimum <= i && i <= c.maximum && (c.step == 0 || i%c.step == 0)
}

func (c numberCheck) ValidateNumber(_ context.Context, req validator.NumberRequest, resp *validator.NumberResponse) {
	n := req.ConfigValue.ValueBigFloat()
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() || c.accepts(n) {
		return
	}
	got := n.Text('g', 20) // it may have thousands of digits
	resp.Diagnostics.AddAttributeError(req.Path, "Invalid number", fmt.Sprintf("%s %s, got %s.", req.Path, c.rule, got))
}
