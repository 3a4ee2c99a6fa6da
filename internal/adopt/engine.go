package adopt

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// Engine handles read, plan and apply of one kind.
type Engine struct {
	*Kind
	traits                   traits
	objectType, identityType tftypes.Type
}

// New returns the engine of a kind.
func New(kind Kind) *Engine {
	identity := tftypes.Object{AttributeTypes: map[string]tftypes.Type{}}
	for _, name := range kind.identifiers() {
		identity.AttributeTypes[name] = tftypes.String
	}
	return &Engine{
		Kind:         &kind,
		traits:       traitsOf(kind.Schema.Attributes),
		objectType:   kind.Schema.Type().TerraformType(context.Background()),
		identityType: identity,
	}
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
