package provider

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// The kinds of attribute of the resources. A settable one is optional and computed: managed if it is
// set, unmanaged if it is omitted. The page of each resource says so once, at its top.

// The ends of descriptions that are only about setting the attribute. A data source drops them.
const (
	kindsStay    = " A pipe's kinds of source cannot be changed: set only those it has."
	trimEnd      = " Trailing whitespace is ignored."
	wholeSent    = " Sent as a whole; `[]` clears it."
	wholeNumbers = " Numbers must be whole, except `engine_parallel_distributed_insert_select`."
	wholeLimit   = "; a whole number"
	wholeSet     = " The complete set: mappings that are not in it are removed."
	excludesNone = " Use `[]` to exclude none."
	defaultsTo   = " Defaults to "
)

func organizationIDAttribute(noun string) schema.Attribute {
	return schema.StringAttribute{
		Optional: true, Computed: true,
		MarkdownDescription: "UUID of the organization that owns the " + noun + ". Defaults to the provider's `organization_id` at the first apply, and keeps that value. Forces replacement.",
		Validators:          []validator.String{uuidText},
	}
}

func requiredID(of string) schema.Attribute {
	return schema.StringAttribute{
		Required:            true,
		MarkdownDescription: "UUID of the " + of + ". Forces replacement.",
		Validators:          []validator.String{uuidText},
	}
}

func requiredString(description string) schema.Attribute {
	return schema.StringAttribute{Required: true, MarkdownDescription: description}
}

// requiredName is a string that identifies something and must not be empty.
func requiredName(description string) schema.Attribute {
	return schema.StringAttribute{Required: true, MarkdownDescription: description, Validators: []validator.String{stringvalidator.LengthAtLeast(1)}}
}

func settableString(description string) schema.Attribute {
	return schema.StringAttribute{Optional: true, Computed: true, MarkdownDescription: description}
}

func settableNumber(description string, validators ...validator.Number) schema.Attribute {
	return schema.NumberAttribute{Optional: true, Computed: true, MarkdownDescription: description, Validators: validators}
}

func settableBool(description string) schema.Attribute {
	return schema.BoolAttribute{Optional: true, Computed: true, MarkdownDescription: description}
}

func settableStringSet(description string) schema.Attribute {
	return schema.SetAttribute{
		Optional: true, Computed: true, ElementType: types.StringType,
		MarkdownDescription: description,
		Validators:          []validator.Set{nonNull},
	}
}

func settableObject(description string, attributes map[string]schema.Attribute) schema.Attribute {
	return schema.SingleNestedAttribute{Optional: true, Computed: true, MarkdownDescription: description, Attributes: attributes}
}

func settableObjects(description string, attributes map[string]schema.Attribute) schema.Attribute {
	return schema.ListNestedAttribute{
		Optional: true, Computed: true,
		MarkdownDescription: description,
		Validators:          []validator.List{nonNull},
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

func computedObjects(description string, attributes map[string]schema.Attribute) schema.Attribute {
	return schema.ListNestedAttribute{Computed: true, MarkdownDescription: description, NestedObject: schema.NestedAttributeObject{Attributes: attributes}}
}
