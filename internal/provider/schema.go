package provider

import (
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// access is what a configuration may do with an attribute. Its methods declare attributes of one type
// each. They are the types of resources, which all other schemas accept, too.
type access struct{ required, optional, computed, sensitive, shown bool }

var (
	required = access{required: true}
	optional = access{optional: true}
	// settable is managed if it is set, and unmanaged if it is omitted. The page of each resource says
	// so once, at its top.
	settable       = access{optional: true, computed: true}
	computed       = access{computed: true}
	computedSecret = access{computed: true, sensitive: true}
	// shown is for a field of a data source that the resource can set.
	shown = access{computed: true, shown: true}
)

func (a access) string(description string, validators ...validator.String) schema.Attribute {
	return schema.StringAttribute{Required: a.required, Optional: a.optional, Computed: a.computed, Sensitive: a.sensitive,
		MarkdownDescription: a.says(description), Validators: validators}
}

func (a access) number(description string, validators ...validator.Number) schema.Attribute {
	return schema.NumberAttribute{Required: a.required, Optional: a.optional, Computed: a.computed, Sensitive: a.sensitive,
		MarkdownDescription: a.says(description), Validators: validators}
}

func (a access) bool(description string) schema.Attribute {
	return schema.BoolAttribute{Required: a.required, Optional: a.optional, Computed: a.computed, Sensitive: a.sensitive,
		MarkdownDescription: a.says(description)}
}

func (a access) stringMap(description string) schema.Attribute {
	return schema.MapAttribute{Required: a.required, Optional: a.optional, Computed: a.computed, Sensitive: a.sensitive,
		MarkdownDescription: a.says(description), ElementType: types.StringType}
}

func (a access) stringList(description string, validators ...validator.List) schema.Attribute {
	return schema.ListAttribute{Required: a.required, Optional: a.optional, Computed: a.computed, Sensitive: a.sensitive,
		MarkdownDescription: a.says(description), ElementType: types.StringType, Validators: validators}
}

func (a access) stringSet(description string, validators ...validator.Set) schema.Attribute {
	return schema.SetAttribute{Required: a.required, Optional: a.optional, Computed: a.computed, Sensitive: a.sensitive,
		MarkdownDescription: a.says(description), ElementType: types.StringType, Validators: validators}
}

func (a access) object(description string, attributes map[string]schema.Attribute) schema.Attribute {
	return schema.SingleNestedAttribute{Required: a.required, Optional: a.optional, Computed: a.computed, Sensitive: a.sensitive,
		MarkdownDescription: a.says(description), Attributes: attributes}
}

func (a access) objectList(description string, attributes map[string]schema.Attribute) schema.Attribute {
	return schema.ListNestedAttribute{Required: a.required, Optional: a.optional, Computed: a.computed, Sensitive: a.sensitive,
		MarkdownDescription: a.says(description), NestedObject: schema.NestedAttributeObject{Attributes: attributes}, Validators: []validator.List{nonNullList}}
}

func (a access) objectSet(description string, attributes map[string]schema.Attribute) schema.Attribute {
	return schema.SetNestedAttribute{Required: a.required, Optional: a.optional, Computed: a.computed, Sensitive: a.sensitive,
		MarkdownDescription: a.says(description), NestedObject: schema.NestedAttributeObject{Attributes: attributes}, Validators: []validator.Set{nonNullSet}}
}

func (a access) objectMap(description string, attributes map[string]schema.Attribute) schema.Attribute {
	return schema.MapNestedAttribute{Required: a.required, Optional: a.optional, Computed: a.computed, Sensitive: a.sensitive,
		MarkdownDescription: a.says(description), NestedObject: schema.NestedAttributeObject{Attributes: attributes}, Validators: []validator.Map{nonNullMap}}
}

// says returns a description, or what of it is of use in a data source.
func (a access) says(description string) string {
	if a.shown {
		return aboutSetting.ReplaceAllString(description, "$1")
	}
	return description
}

// aboutSetting matches all but the first sentence of a description, and that a number must be whole.
var aboutSetting = regexp.MustCompile(`; a whole number|([^.]\.) .*`)

var (
	nonEmpty    = stringvalidator.LengthAtLeast(1)
	nonNullList = listvalidator.NoNullValues()
	nonNullSet  = setvalidator.NoNullValues()
	nonNullMap  = mapvalidator.NoNullValues()
)

// The ends of descriptions.
const (
	replaces       = " Forces replacement."
	fromFirstApply = " at the first apply, and keeps that value." + replaces // an adopted object's organization
)

func organizationID(noun, since string) schema.Attribute {
	return settable.string("UUID of the organization that owns the "+noun+". Defaults to the provider's `organization_id`"+since, uuidText)
}
