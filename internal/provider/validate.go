package provider

import (
	"context"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
)

// Validation of resources is the framework's, corrected where it finds something: it reads the members of an unknown
// element as null, and reports that they are not set; it does not name an attribute that is read-only, or
// that has a null element; and it spells an element of a set with all of its values, which may be sensitive.

// corrected corrects what the framework has found in a configuration of a type.
func corrected(found []*tfprotov6.Diagnostic, config *tfprotov6.DynamicValue, typ tftypes.Type) (all []*tfprotov6.Diagnostic, err error) {
	raw, err := conn.Decode(config, typ)
	if err != nil {
		return nil, err
	}
	for _, next := range found {
		if isBelowUnknown(raw.Value, next.Attribute) {
			continue
		}
		names, _, inSet := strings.Cut(next.Attribute.String(), ".ElementKeyValue(") // which has the values of an element of a set
		names = attributeStep.ReplaceAllString(elementStep.ReplaceAllString(names, "[$1]"), "$1")
		switch next.Summary {
		case "Invalid Configuration for Read-Only Attribute":
			next.Summary, next.Detail = "Read-only attribute is set", names+" is read-only: the API returns it. Remove it from the configuration."
		case "Null List Value", "Null Set Value":
			next.Detail, inSet = names+" must not contain null elements. Omit the element.", true
		case "Null Map Value":
			continue // checkKeys names the keys
		}
		if inSet { // below it, Terraform 1.16 would print all of the list or set
			next.Attribute = nil
		}
		next.Detail = setElement.ReplaceAllString(next.Detail, "[...]")
		all = append(all, next)
	}
	return all, nil
}

var (
	// attributeStep and elementStep are steps of a path as the protocol spells it.
	attributeStep = regexp.MustCompile(`AttributeName\("(\w+)"\)`)
	elementStep   = regexp.MustCompile(`(?s)\.ElementKeyString\((".*?")\)`)
	// setElement matches a step of a path through a set, which the framework spells with the whole element.
	setElement = regexp.MustCompile(`(?s)\[Value\((("(\\.|[^"\\])*"|[^"])*?\)\]|.*)`)
)

// isBelowUnknown reports whether a path leads into an unknown value.
func isBelowUnknown(raw tftypes.Value, at *tftypes.AttributePath) bool {
	for i := range at.Steps() {
		value, _, err := tftypes.WalkAttributePath(raw, tftypes.NewAttributePathWithSteps(at.Steps()[:i]))
		if found, isValue := value.(tftypes.Value); err == nil && isValue && !found.IsKnown() {
			return true
		}
	}
	return false
}

func (s server) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	var found []*tfprotov6.Diagnostic
	some := *req
	if engine, ok := engines[req.TypeName]; ok {
		var err error
		if some.Config, found, err = engine.ValidateConfig(req.Config); err != nil {
			return nil, err
		}
	}
	resp, err := letGo(ctx, &some, s.frameworkServer.ValidateResourceConfig)
	if err == nil && len(resp.Diagnostics) > 0 { // now of all elements, to name each
		if resp, err = letGo(ctx, req, s.frameworkServer.ValidateResourceConfig); err == nil {
			resp.Diagnostics, err = corrected(resp.Diagnostics, req.Config, s.schemas().ResourceSchemas[req.TypeName].ValueType())
		}
	}
	if err == nil {
		resp.Diagnostics = append(found, resp.Diagnostics...)
	}
	return resp, err
}

func (s server) ValidateDataResourceConfig(
	ctx context.Context, req *tfprotov6.ValidateDataResourceConfigRequest,
) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	return letGo(ctx, req, s.frameworkServer.ValidateDataResourceConfig)
}
