package provider

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework-validators/boolvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/objectvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// compared is a provider that validates as the framework does, too, and fails the test where
// the two differ in an attribute, a severity or a summary. The tests play nearly all of their
// configurations with it.
type compared struct {
	server
	t testing.TB
}

func (c compared) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	ours, err := c.server.ValidateResourceConfig(ctx, req)
	theirs, failed := c.frameworkServer.ValidateResourceConfig(ctx, req)
	if err == nil && failed == nil {
		wantAlike(c.t, ours.Diagnostics, theirs.Diagnostics, hasUnknownElement(c.t, c.declared()["resource "+req.TypeName].typ, req.Config))
	}
	return ours, err
}

func (c compared) ValidateDataResourceConfig(ctx context.Context, req *tfprotov6.ValidateDataResourceConfigRequest) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	ours, err := c.server.ValidateDataResourceConfig(ctx, req)
	theirs, failed := c.frameworkServer.ValidateDataResourceConfig(ctx, req)
	if err == nil && failed == nil {
		wantAlike(c.t, ours.Diagnostics, theirs.Diagnostics, false)
	}
	return ours, err
}

// ofFramework are the summaries that the framework has for ours. "" is what it does not find.
var ofFramework = map[string]string{
	"Read-only attribute is set": "Invalid Configuration for Read-Only Attribute",
	"Incomplete table mapping":   missingAttribute,
	"Duplicate table mapping":    "",
}

const missingAttribute = "Missing Configuration for Required Attribute"

// wantAlike compares what was found. In an unknown element, the framework misses what is
// required.
func wantAlike(t testing.TB, ours, theirs []*tfprotov6.Diagnostic, unknownElement bool) {
	t.Helper()
	if unknownElement {
		theirs = slices.DeleteFunc(theirs, func(d *tfprotov6.Diagnostic) bool { return d.Summary == missingAttribute })
	}
	if diff := cmp.Diff(outlines(theirs), outlines(ours)); diff != "" {
		t.Errorf("validation differs from the framework's (-):\n%s", diff)
	}
}

// outlines are the severity, summary and attribute of diagnostics, each once.
func outlines(all []*tfprotov6.Diagnostic) []string {
	var lines []string
	for _, d := range all {
		summary, other := ofFramework[d.Summary]
		if !other {
			summary = d.Summary
		}
		if summary == "" {
			continue
		}
		at := tftypes.NewAttributePath()
		for _, step := range d.Attribute.Steps() {
			if _, isElement := step.(tftypes.ElementKeyValue); isElement {
				break // which the protocol does not have
			}
			at = tftypes.NewAttributePathWithSteps(append(at.Steps(), step))
		}
		lines = append(lines, d.Severity.String()+" "+summary+" "+at.String())
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// hasUnknownElement reports whether an object that is an element is unknown.
func hasUnknownElement(t testing.TB, typ tftypes.Type, config *tfprotov6.DynamicValue) (has bool) {
	t.Helper()
	value, err := config.Unmarshal(typ)
	if err != nil {
		t.Fatal(err)
	}
	_ = tftypes.Walk(value, func(at *tftypes.AttributePath, v tftypes.Value) (bool, error) {
		_, isMember := at.LastStep().(tftypes.AttributeName)
		has = has || !isMember && !v.IsKnown() && v.Type().Is(tftypes.Object{})
		return true, nil
	})
	return has
}

// samples is a resource with what the schemas of the provider do not have, or not yet.
type samples struct{ unhandledResource }

type unhandledResource interface{ resource.Resource }

func (samples) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "samples"
}

func (samples) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	pair := schema.NestedAttributeObject{
		Attributes: map[string]schema.Attribute{
			"a": schema.StringAttribute{Required: true, Validators: []validator.String{stringvalidator.ConflictsWith(path.MatchRelative().AtParent().AtName("b"))}},
			"b": schema.StringAttribute{Optional: true, DeprecationMessage: "Use a."},
			"c": schema.SetAttribute{Optional: true, ElementType: types.StringType, Validators: []validator.Set{setvalidator.SizeAtLeast(2), setvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(2))}},
		},
		Validators: []validator.Object{objectvalidator.AlsoRequires(path.MatchRelative().AtName("c"))},
	}
	resp.Schema.Attributes = map[string]schema.Attribute{
		"flag":   schema.BoolAttribute{Optional: true, Validators: []validator.Bool{boolvalidator.Equals(true)}},
		"tags":   schema.MapAttribute{Optional: true, ElementType: types.StringType, Validators: []validator.Map{mapvalidator.SizeAtLeast(1)}},
		"secret": schema.StringAttribute{Optional: true, WriteOnly: true},
		"list":   schema.ListNestedAttribute{Optional: true, NestedObject: pair},
		"set":    schema.SetNestedAttribute{Optional: true, NestedObject: pair},
		"object": schema.SingleNestedAttribute{
			Optional: true, Attributes: pair.Attributes, DeprecationMessage: "Use set.",
			Validators: []validator.Object{objectvalidator.ConflictsWith(path.MatchRoot("list"))},
		},
	}
}

// withSamples is the provider with the samples in place of its resources.
type withSamples struct{ *dataplatformProvider }

func (withSamples) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return samples{} }}
}

// TestValidatesLikeFramework has one mistake of each sort, and unknown values, at every level.
func TestValidatesLikeFramework(t *testing.T) {
	t.Parallel()
	framework := providerserver.NewProtocol6(withSamples{newProvider("test")})()
	schemas, err := framework.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	var described resource.SchemaResponse
	samples{}.Schema(t.Context(), resource.SchemaRequest{}, &described)
	ours := declare(tfsdk.Config{Schema: described.Schema}, nil)
	for config, want := range map[string]int{
		``:                                0,
		`flag = false`:                    1,
		`tags = {}`:                       1,
		"flag = true\ntags = { a = \"\"}": 0,
		`secret = "s"`:                    1,
		"flag = true\nsecret = \"s\"\ntags = { a = \"\" }":      1,
		`object = { a = null }`:                                 2,
		`object = { a = "a", b = "b" }`:                         3,
		"object = { a = \"a\" }\nlist = []":                     2,
		`list = [{ a = "a", b = "b", c = ["cc", "d"] }]`:        3,
		`list = [{ a = "a", c = ["cc", "dd"] }, { b = later }]`: 2,
		`list = [null]`: 1,
		`set = [null]`:  1,
		`set = [{ a = "a", b = "b", c = ["cc", "d"] }]`:                             3,
		`set = [{ a = "a" }, { a = null, c = ["c"] }, { a = later, c = later }]`:    4,
		`set = [{ a = "a", b = later, c = [later] }, { a = "a", c = ["a", later]}]`: 2,
		`set = later`: 0, `list = later`: 0, `object = later`: 0, `tags = { a = later }`: 0, `set = [later]`: 0, `list = [later]`: 0,
	} {
		encoded := configuration(t, schemas.ResourceSchemas["samples"], config)
		found, err := ours.validate(t.Context(), encoded, false)
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := framework.ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{TypeName: "samples", Config: encoded})
		if err != nil {
			t.Fatal(err)
		}
		wantAlike(t, found, theirs.Diagnostics, strings.Contains(config, "[later]"))
		if len(found) != want {
			t.Errorf("%s: %d findings, want %d: %s", config, len(found), want, diagnosed(found))
		}
	}
}
