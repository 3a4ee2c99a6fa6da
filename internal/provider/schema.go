package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// The kinds of attribute that the resources are made of. Settable ones are
// optional and computed: declared they are owned, omitted left alone.

// leftAlone ends the description of every settable attribute. A data source,
// which sets nothing, drops it.
const leftAlone = " Left out, it stays as it is on the platform."

// kindsStay and trimEnd end descriptions with what only whoever sets an
// attribute has to know.
const (
	kindsStay = " The kinds of a pipe's source can't be changed: configure those it has."
	trimEnd   = " White space at its end makes no difference."
)

// wholeSent ends the description of a list or set of which the platform takes
// no single elements.
const wholeSent = " It is sent whole; `[]` clears it."

// Null elements pass a plan and fail its apply as an error in the provider,
// so every list and set refuses them.
var (
	noNullsInList validator.List = noNulls{}
	noNullsInSet  validator.Set  = noNulls{}
)

func organizationIDAttribute(noun string) schema.Attribute {
	return schema.StringAttribute{
		Optional: true, Computed: true,
		MarkdownDescription: "UUID of the organization that owns the " + noun + ". Defaults to the provider's `organization_id` at the first apply, and keeps that value. Forces replacement.",
		Validators:          []validator.String{isUUIDText()},
	}
}

func requiredID(of string) schema.Attribute {
	return schema.StringAttribute{
		Required:            true,
		MarkdownDescription: "UUID of the " + of + ". Forces replacement.",
		Validators:          []validator.String{isUUIDText()},
	}
}

func requiredString(description string) schema.Attribute {
	return schema.StringAttribute{Required: true, MarkdownDescription: description}
}

func settableString(description string) schema.Attribute {
	return schema.StringAttribute{Optional: true, Computed: true, MarkdownDescription: description + leftAlone}
}

func settableNumber(description string, validators ...validator.Number) schema.Attribute {
	return schema.NumberAttribute{Optional: true, Computed: true, MarkdownDescription: description + leftAlone, Validators: validators}
}

func settableBool(description string) schema.Attribute {
	return schema.BoolAttribute{Optional: true, Computed: true, MarkdownDescription: description + leftAlone}
}

func settableStringSet(description string) schema.Attribute {
	return schema.SetAttribute{
		Optional: true, Computed: true, ElementType: types.StringType,
		MarkdownDescription: description + leftAlone,
		Validators:          []validator.Set{noNullsInSet},
	}
}

func settableObject(description string, attributes map[string]schema.Attribute) schema.Attribute {
	return schema.SingleNestedAttribute{Optional: true, Computed: true, MarkdownDescription: description + leftAlone, Attributes: attributes}
}

func settableObjects(description string, attributes map[string]schema.Attribute) schema.Attribute {
	return schema.ListNestedAttribute{
		Optional: true, Computed: true,
		MarkdownDescription: description + leftAlone,
		Validators:          []validator.List{noNullsInList},
		NestedObject:        schema.NestedAttributeObject{Attributes: attributes},
	}
}

func computedString(description string) schema.Attribute {
	return schema.StringAttribute{Computed: true, MarkdownDescription: description}
}

func computedNumber(description string) schema.Attribute {
	return schema.NumberAttribute{Computed: true, MarkdownDescription: description}
}

func computedBool(description string) schema.Attribute {
	return schema.BoolAttribute{Computed: true, MarkdownDescription: description}
}

func computedStrings(description string) schema.Attribute {
	return schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: description}
}

func computedObject(description string, attributes map[string]schema.Attribute) schema.Attribute {
	return schema.SingleNestedAttribute{Computed: true, MarkdownDescription: description, Attributes: attributes}
}
