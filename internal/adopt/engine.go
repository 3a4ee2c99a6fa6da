package adopt

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// Engine handles read, plan and apply of one kind.
type Engine struct {
	*Kind
	traits                   tfvalue.Traits
	objectType, identityType tftypes.Type
}

// New returns the engine of a kind.
func New(kind Kind) *Engine {
	identity := tftypes.Object{AttributeTypes: map[string]tftypes.Type{}}
	for _, name := range kind.identifiers() {
		identity.AttributeTypes[name] = tftypes.String
	}
	// An ID in another letter case is the same one, and a plan keeps the prior spelling.
	kind.Rules.Folded = slices.Concat(kind.Rules.Folded, kind.identifiers())
	return &Engine{
		Kind:         &kind,
		traits:       traitsOf(kind.Schema.Attributes),
		objectType:   kind.Schema.Type().TerraformType(context.Background()),
		identityType: identity,
	}
}

// traitsOf returns what the attributes of a schema allow.
func traitsOf[A interface {
	IsComputed() bool
	IsOptional() bool
	IsRequired() bool
	IsWriteOnly() bool
	GetDeprecationMessage() string
}](attributes map[string]A) tfvalue.Traits {
	all := tfvalue.Traits{}
	for name, attribute := range attributes {
		t := tfvalue.Trait{Computed: attribute.IsComputed(), Required: attribute.IsRequired(), WriteOnly: attribute.IsWriteOnly()}
		t.Settable = t.Required || attribute.IsOptional()
		t.Written = t.Settable && !t.WriteOnly && attribute.GetDeprecationMessage() == ""
		if nested, ok := any(attribute).(schema.NestedAttribute); ok {
			t.Members = traitsOf(nested.GetNestedObject().GetAttributes())
		}
		all[name] = t
	}
	return all
}

// generate returns the configuration that a person would write for an object that was read, without deprecated
// arguments and the provider's organization. Every argument that it omits keeps its value, so the plan changes nothing.
func (e *Engine) generate(state tfvalue.Value, organization string) tfvalue.Value {
	if mappings := e.mappingsOf(state); !mappings.IsEmpty() {
		state = state.With(e.key().WithoutNames(mappings), e.Mappings...)
	}
	config := e.traits.Generate(state)
	if strings.EqualFold(config.At("organization_id").Text(), organization) {
		config = config.Without("organization_id")
	}
	return config
}

// Imported returns the state of an object as an import would read it from its decoded JSON.
func (e *Engine) Imported(id Identity, decoded any) (tfvalue.Value, error) {
	object, err := e.Rules.FromJSON(decoded, e.objectType)
	if err != nil {
		return object, err
	}
	for i, value := range id.values() {
		object = object.With(tfvalue.String(value), e.identifiers()[i])
	}
	return object, nil
}

// IdentityOf returns the resource identity of an object, null if the object is null.
func (e *Engine) IdentityOf(object tfvalue.Value) tfvalue.Value {
	if object.IsNull() {
		return tfvalue.Null(e.identityType)
	}
	parts := map[string]tftypes.Value{}
	for _, name := range e.identifiers() {
		parts[name] = object.At(name).Value
	}
	return tfvalue.Of(tftypes.NewValue(e.identityType, parts))
}

// importedID is the object that an import names, by the ID in text or, if that is "", by an identity.
func (e *Engine) importedID(c *conn.Connection, text string, identity tfvalue.Value, diags *diag.Diagnostics) (Identity, error) {
	short := strings.ToUpper(strings.Join(e.IDs, "/"))
	long := "ORGANIZATION_ID/" + short + "."
	parts := strings.Split(text, "/")
	if text == "" {
		if parts = e.identity(identity).values(); parts[0] == "" {
			parts = parts[1:]
		}
	}
	for _, part := range parts {
		// Terraform does not run the validators of the schema in an import.
		if !words.IsUUID(part) {
			return Identity{}, fmt.Errorf("%q is not a UUID; expected %s or %s", part, short, long)
		}
	}
	switch len(parts) - len(e.IDs) {
	case 0:
		organization := c.Organization(tfvalue.Null(tftypes.String), diags)
		if !organization.IsKnown() {
			diags.AddError(e.CannotImport, "The provider's organization_id is known only after apply. Use the import ID "+long)
		}
		return Identity{Organization: organization.Text(), IDs: parts}, nil
	case 1:
		return Identity{Organization: parts[0], IDs: parts[1:]}, nil
	default:
		return Identity{}, fmt.Errorf("%q is not a valid import ID; expected %s or %s", text, short, long)
	}
}
