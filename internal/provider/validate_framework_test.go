package provider

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework-validators/objectvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
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

// TestWriteOnlyInOlderTerraform sets a secret in a Terraform that would store it.
func TestWriteOnlyInOlderTerraform(t *testing.T) {
	t.Parallel()
	config := configuration(t, schemasOnce().ResourceSchemas["dataplatform_pipe"], pipeIDs+"\n"+strings.ReplaceAll(kafkaUser, `"pass"`, `"hush-hush"`))
	resp, err := compared{serverOf(newProvider("test")), t}.ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{TypeName: "dataplatform_pipe", Config: config})
	if err != nil {
		t.Fatal(err)
	}
	said := diagnosed(resp.Diagnostics)
	if len(said.errors) != 1 {
		t.Fatal(said)
	}
	wantText(t, said.errors[0], "WriteOnly Attribute Not Allowed", "source_credentials.kafka.password_wo", "1.11 and later")
	wantNoText(t, said.errors[0], "hush-hush")
}

// TestValidatorsOfElements has a validator that no schema of the provider has yet: of each element of a set.
func TestValidatorsOfElements(t *testing.T) {
	t.Parallel()
	text := schema.StringAttribute{Optional: true}
	pair := schema.NestedAttributeObject{
		Attributes: map[string]schema.Attribute{"a": text, "b": text},
		Validators: []validator.Object{objectvalidator.AlsoRequires(path.MatchRelative().AtName("b"))},
	}
	d := declare(tfsdk.Config{Schema: schema.Schema{Attributes: map[string]schema.Attribute{"set": schema.SetNestedAttribute{Optional: true, NestedObject: pair}}}}, nil)
	set := d.typ.(tftypes.Object).AttributeTypes["set"].(tftypes.Set)
	for b, want := range map[any]int{"b": 0, nil: 1} {
		element := tftypes.NewValue(set.ElementType, map[string]tftypes.Value{"a": tftypes.NewValue(tftypes.String, "a"), "b": tftypes.NewValue(tftypes.String, b)})
		config, err := tfprotov6.NewDynamicValue(d.typ, tftypes.NewValue(d.typ, map[string]tftypes.Value{"set": tftypes.NewValue(set, []tftypes.Value{element})}))
		if err != nil {
			t.Fatal(err)
		}
		if found, err := d.validate(t.Context(), &config, false); err != nil || len(found) != want {
			t.Errorf("with b = %v: %v, %s", b, err, diagnosed(found))
		}
	}
}
