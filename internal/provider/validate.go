package provider

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
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
		names, _, _ := strings.Cut(next.Attribute.String(), ".ElementKeyValue(") // which has the values of an element of a set
		names = attributeStep.ReplaceAllString(elementStep.ReplaceAllString(names, "[$1]"), "$1")
		switch next.Summary {
		case "Invalid Configuration for Read-Only Attribute":
			next.Summary, next.Detail = "Read-only attribute is set", names+" is read-only: the API returns it. Remove it from the configuration."
		case "Null List Value", "Null Set Value":
			next.Detail = names + " must not contain null elements. Omit the element."
		case "Null Map Value":
			next.Detail = fmt.Sprintf("These elements of %s must not be null:\n\n%s\n\nOmit each, or set its arguments.", names, nullElements(raw, next.Attribute))
		}
		next.Detail = setElement.ReplaceAllString(next.Detail, "[...]")
		if isWholeCollection(typ, next.Attribute) {
			next.Attribute = nil
		}
		all = append(all, next)
	}
	return all, nil
}

// nullElements are the keys of the null elements of a map, one per line.
func nullElements(raw tfvalue.Value, at *tftypes.AttributePath) string {
	var lines []string
	all, _, _ := tftypes.WalkAttributePath(raw.Value, at) // the framework has found the path
	for key, element := range tfvalue.Of(all.(tftypes.Value)).Members() {
		if element.IsNull() {
			lines = append(lines, fmt.Sprintf("  - %q", key))
		}
	}
	return strings.Join(lines, "\n")
}

// isWholeCollection reports whether a path leads to a list, a set or a map that is in no other, or into a set. Terraform prints
// the source of what a diagnostic is about, from 1.16 on all of its lines.
func isWholeCollection(typ tftypes.Type, at *tftypes.AttributePath) bool {
	for _, step := range at.Steps() {
		name, isName := step.(tftypes.AttributeName)
		object, isObject := typ.(tftypes.Object)
		if !isName || !isObject {
			_, intoSet := step.(tftypes.ElementKeyValue)
			return intoSet
		}
		typ = object.AttributeTypes[string(name)]
	}
	return tfvalue.Null(typ).IsCollection() || typ.Is(tftypes.Map{})
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
		if is, isValue := value.(tftypes.Value); err == nil && isValue && !is.IsKnown() {
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
