package provider

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/adopt"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// Validation is one walk over a schema and a configuration. It checks what the framework's walk
// checks, and calls the same validators.
//
// Rejected: the framework's walk. Its time grows with the cube of a set's size, since it looks up
// each element by value for each of its members. It reads the members of an unknown element as
// null, and reports required ones as not set. Its errors do not say which element of a set lacks a
// required member, nor which attribute is read-only. It still validates the provider block and the list
// resource, in which there are neither sets nor required attributes.

// declaration is a schema, prepared for validation, with what is checked beside it.
type declaration struct {
	schema     tfsdk.Config // without a value: the type of any schema has a name only in there
	typ        tftypes.Type
	attributes []attribute
	keys       map[string]tfvalue.Key // of keyed sets, by attribute
	// whole checks what no attribute can check alone. It is nil if there is nothing.
	whole resource.ResourceWithValidateConfig
}

// attribute is one of a schema. The interface is that of resources, which all attributes implement.
type attribute struct {
	schema.Attribute
	name    string
	typ     attr.Type
	members []attribute // of an object, or of each element of a list or set
	element any         // has the validators of each element
}

// declarationsOf returns what has a configuration, by kind and type.
func declarationsOf(p *dataplatformProvider) map[string]*declaration {
	all := map[string]*declaration{
		"resource dataplatform_api_key":         declare(tfsdk.Config{Schema: apiKeySchema()}, &apiKeyResource{}),
		"ephemeral dataplatform_api_key_secret": declare(tfsdk.Config{Schema: apiKeySecretSchema()}, nil),
	}
	for name, engine := range engines {
		all["resource "+name] = declare(tfsdk.Config{Schema: engine.Schema}, &adopt.Resource{Kind: engine.Kind})
		all["resource "+name].keys = engine.Rules.Keys
	}
	for _, construct := range p.DataSources(context.Background()) {
		source := construct().(*dataSource)
		all["data "+providerName+"_"+source.name] = declare(tfsdk.Config{Schema: source.schema()}, nil)
	}
	return all
}

func declare(config tfsdk.Config, whole resource.ResourceWithValidateConfig) *declaration {
	typ, attributes := config.Schema.Type().TerraformType(context.Background()), attributesOf(config.Schema.GetAttributes())
	return &declaration{schema: config, typ: typ, attributes: attributes, whole: whole}
}

// attributesOf returns attributes in the order of their names.
func attributesOf[A schema.Attribute](all map[string]A) (sorted []attribute) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		a := attribute{Attribute: all[name], name: name, typ: all[name].GetType()}
		if nested, ok := a.Attribute.(schema.NestedAttribute); ok {
			a.members, a.element = attributesOf(nested.GetNestedObject().GetAttributes()), nested.GetNestedObject()
		}
		sorted = append(sorted, a)
	}
	return sorted
}

// validate checks a configuration. Its error is one of decoding.
func (d *declaration) validate(ctx context.Context, encoded *tfprotov6.DynamicValue, writeOnly bool) (all []*tfprotov6.Diagnostic, err error) {
	raw, err := encoded.Unmarshal(d.typ)
	if err != nil {
		return nil, fmt.Errorf("decoding a configuration from Terraform: %w", err)
	}
	v := validation{config: d.schema, capabilities: validator.ValidateSchemaClientCapabilities{WriteOnlyAttributesAllowed: writeOnly}, keys: d.keys}
	v.config.Raw = raw
	var found resource.ValidateConfigResponse
	if d.whole != nil {
		d.whole.ValidateConfig(ctx, resource.ValidateConfigRequest{Config: v.config}, &found)
	}
	found.Diagnostics = append(found.Diagnostics, v.object(ctx, path.Empty(), d.attributes, tfvalue.Of(raw))...)
	for _, next := range conn.ToProtocol(found.Diagnostics) {
		next.Detail = setElement.ReplaceAllString(next.Detail, "[...]")
		if !slices.ContainsFunc(all, func(other *tfprotov6.Diagnostic) bool { return reflect.DeepEqual(other, next) }) {
			all = append(all, next)
		}
	}
	return all, nil
}

// setElement matches a step of a path through a set, which the framework spells with the whole
// element. That may be sensitive.
var setElement = regexp.MustCompile(`(?s)\[Value\((("(\\.|[^"\\])*"|[^"])*?\)\]|.*)`)

// validation is that of one configuration.
type validation struct {
	config       tfsdk.Config
	capabilities validator.ValidateSchemaClientCapabilities
	keys         map[string]tfvalue.Key
}

func (v validation) object(ctx context.Context, at path.Path, attributes []attribute, object tfvalue.Value) (found diag.Diagnostics) {
	for _, a := range attributes {
		found = append(found, v.attribute(ctx, at.AtName(a.name), a, object.At(a.name))...)
	}
	return found
}

func (v validation) attribute(ctx context.Context, at path.Path, a attribute, value tfvalue.Value) (found diag.Diagnostics) {
	if a.IsComputed() && !a.IsOptional() && !value.IsNull() {
		found.AddAttributeError(at, "Read-only attribute is set", fmt.Sprintf("%s is read-only: the API returns it. Remove it from the configuration.", at))
		return found
	}
	found = append(v.presence(at, a, value), v.check(ctx, at, a.Attribute, a.typ, value)...)
	if !isSet(value) {
		return found
	}
	if len(a.members) > 0 && !found.HasError() {
		if value.IsObject() {
			found = append(found, v.object(ctx, at, a.members, value)...)
		} else {
			found = append(found, v.elements(ctx, at, a, value)...)
		}
	}
	if message := a.GetDeprecationMessage(); message != "" {
		found.AddAttributeWarning(at, "Attribute Deprecated", message)
	}
	return found
}

// presence reports an attribute that must be set and is not, or the other way round.
func (v validation) presence(at path.Path, a attribute, value tfvalue.Value) (found diag.Diagnostics) {
	switch {
	case value.IsNull() && a.IsRequired():
		found.AddAttributeError(at, "Missing Configuration for Required Attribute", fmt.Sprintf("%s must be set, but the configuration sets it to null.", at))
	case !value.IsNull() && a.IsWriteOnly() && !v.capabilities.WriteOnlyAttributesAllowed:
		found.AddAttributeError(at, "WriteOnly Attribute Not Allowed",
			fmt.Sprintf("The resource contains a non-null value for WriteOnly attribute %s. Write-only attributes are only supported in Terraform 1.11 and later.", at))
	}
	return found
}

// elements checks the elements of a list or set. Of an unknown one nothing is known.
func (v validation) elements(ctx context.Context, at path.Path, a attribute, collection tfvalue.Value) (found diag.Diagnostics) {
	elements := collection.Elements()
	typ := a.typ.(attr.TypeWithElementType).ElementType()
	if key, keyed := v.keys[a.name]; keyed {
		found = checkKeyed(key, at, a.members, elements)
	}
	for i, element := range elements {
		next := at.AtListIndex(i)
		if collection.Type().Is(tftypes.Set{}) {
			next = at.AtSetValue(converted[attr.Value](ctx, typ, element))
		}
		found = append(found, v.check(ctx, next, a.element, typ, element)...)
		if element.IsKnown() {
			found = append(found, v.object(ctx, next, a.members, element)...)
		}
	}
	return found
}

// checkKeyed reports elements of a keyed set with the same key, of which Terraform drops only those
// that are equal in every member; and required members that elements lack, naming the element. Such
// members become unknown, so that they are not reported again.
func checkKeyed(key tfvalue.Key, at path.Path, members []attribute, elements []tfvalue.Value) (found diag.Diagnostics) {
	seen := map[string]bool{}
	for i, element := range elements {
		if !key.HasKnownKey(element) {
			continue
		}
		if seen[key.Of(element)] {
			found.AddAttributeError(at, "Duplicate "+key.Noun, fmt.Sprintf("%s maps %s more than once. Keep one of these mappings.", at, key.Label(element)))
		}
		seen[key.Of(element)] = true
		for _, a := range members {
			if !a.IsRequired() || !element.At(a.name).IsNull() {
				continue
			}
			_, howTo, _ := strings.Cut(a.GetMarkdownDescription(), ".") // after what it is
			found.AddAttributeError(at, "Incomplete "+key.Noun, fmt.Sprintf("%s must be set in %s for %s.%s", a.name, at, key.Label(element), howTo))
			elements[i] = elements[i].With(tfvalue.Unknown(element.At(a.name).Type()), a.name)
		}
	}
	return found
}

// check calls the validators of an attribute, or of an element of one. Some reject null.
func (v validation) check(ctx context.Context, at path.Path, of any, typ attr.Type, value tfvalue.Value) diag.Diagnostics {
	switch of := of.(type) {
	case interface{ StringValidators() []validator.String }:
		return runAll(ctx, v, at, typ, value, of.StringValidators(), validator.String.ValidateString)
	case interface{ NumberValidators() []validator.Number }:
		return runAll(ctx, v, at, typ, value, of.NumberValidators(), validator.Number.ValidateNumber)
	case interface{ BoolValidators() []validator.Bool }:
		return runAll(ctx, v, at, typ, value, of.BoolValidators(), validator.Bool.ValidateBool)
	case interface{ ListValidators() []validator.List }:
		return runAll(ctx, v, at, typ, value, of.ListValidators(), validator.List.ValidateList)
	case interface{ SetValidators() []validator.Set }:
		return runAll(ctx, v, at, typ, value, of.SetValidators(), validator.Set.ValidateSet)
	case interface{ MapValidators() []validator.Map }:
		return runAll(ctx, v, at, typ, value, of.MapValidators(), validator.Map.ValidateMap)
	case interface{ ObjectValidators() []validator.Object }:
		return runAll(ctx, v, at, typ, value, of.ObjectValidators(), validator.Object.ValidateObject)
	default:
		panic(fmt.Sprintf("no validation of %T", of))
	}
}

// request is what validators get, and response what they return, in any of their types.
type (
	request[V any] interface {
		~struct {
			Path               path.Path
			PathExpression     path.Expression
			Config             tfsdk.Config
			ConfigValue        V
			ClientCapabilities validator.ValidateSchemaClientCapabilities
		}
	}
	response struct{ Diagnostics diag.Diagnostics }
)

// runAll calls validators of one type.
func runAll[C any, V attr.Value, Req request[V], Resp ~struct{ Diagnostics diag.Diagnostics }](ctx context.Context, v validation, at path.Path, typ attr.Type, value tfvalue.Value, checks []C, call func(C, context.Context, Req, *Resp)) (found diag.Diagnostics) {
	for _, check := range checks {
		var resp Resp
		call(check, ctx, Req{Path: at, PathExpression: at.Expression(), Config: v.config, ConfigValue: converted[V](ctx, typ, value), ClientCapabilities: v.capabilities}, &resp)
		found = append(found, response(resp).Diagnostics...)
	}
	return found
}

// converted is a value as validators get it. That of a schema's own type can be converted, and no
// schema has types of its own.
func converted[V attr.Value](ctx context.Context, typ attr.Type, value tfvalue.Value) V {
	is, err := typ.ValueFromTerraform(ctx, value.Value)
	if err != nil {
		panic(err)
	}
	return is.(V)
}
