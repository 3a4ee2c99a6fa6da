package provider

import (
	"fmt"
	"strings"

	datasource "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

// computed turns the attributes of a resource into those of a data source, all of them read-only, so
// that a field is described once. Fields of data sources alone are declared in the same way.
func computed(attributes map[string]schema.Attribute) map[string]datasource.Attribute {
	shown := make(map[string]datasource.Attribute, len(attributes))
	for name, attribute := range attributes {
		shown[name] = computedAttribute(attribute)
	}
	return shown
}

func computedAttribute(attribute schema.Attribute) datasource.Attribute {
	description, sensitive := withoutSetting(attribute.GetMarkdownDescription()), attribute.IsSensitive()
	switch a := attribute.(type) {
	case schema.StringAttribute:
		return datasource.StringAttribute{Computed: true, Sensitive: sensitive, MarkdownDescription: description}
	case schema.BoolAttribute:
		return datasource.BoolAttribute{Computed: true, Sensitive: sensitive, MarkdownDescription: description}
	case schema.NumberAttribute:
		return datasource.NumberAttribute{Computed: true, Sensitive: sensitive, MarkdownDescription: description}
	case schema.ListAttribute:
		return datasource.ListAttribute{Computed: true, Sensitive: sensitive, MarkdownDescription: description, ElementType: a.ElementType}
	case schema.SetAttribute:
		return datasource.SetAttribute{Computed: true, Sensitive: sensitive, MarkdownDescription: description, ElementType: a.ElementType}
	case schema.SingleNestedAttribute:
		return datasource.SingleNestedAttribute{Computed: true, Sensitive: sensitive, MarkdownDescription: description, Attributes: computed(a.Attributes)}
	case schema.ListNestedAttribute:
		return datasource.ListNestedAttribute{Computed: true, Sensitive: sensitive, MarkdownDescription: description, NestedObject: datasource.NestedAttributeObject{Attributes: computed(a.NestedObject.Attributes)}}
	case schema.SetNestedAttribute:
		return datasource.SetNestedAttribute{Computed: true, Sensitive: sensitive, MarkdownDescription: description, NestedObject: datasource.NestedAttributeObject{Attributes: computed(a.NestedObject.Attributes)}}
	default:
		panic(fmt.Sprintf("no data source attribute for %T", attribute))
	}
}

// withoutSetting is a description without what is only about setting the attribute.
func withoutSetting(description string) string {
	for _, setting := range []string{wholeSent, wholeSet, excludesNone, defaultsTo, kindsStay, trimEnd, wholeNumbers} {
		description, _, _ = strings.Cut(description, setting)
	}
	return strings.ReplaceAll(description, wholeLimit, "")
}
