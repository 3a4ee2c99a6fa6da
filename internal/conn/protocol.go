package conn

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// Decode returns a value from Terraform, null if there is none.
func Decode(value *tfprotov6.DynamicValue, typ tftypes.Type) (tfvalue.Value, error) {
	if value == nil {
		return tfvalue.Null(typ), nil
	}
	read, err := value.Unmarshal(typ)
	if err != nil {
		return tfvalue.Value{}, fmt.Errorf("decoding a value from Terraform: %w", err)
	}
	return tfvalue.Of(read), nil
}

// Encode returns a value for Terraform.
func Encode(value tfvalue.Value) (*tfprotov6.DynamicValue, error) {
	written, err := tfprotov6.NewDynamicValue(value.Type(), value.Value)
	if err != nil {
		return nil, fmt.Errorf("encoding a value for Terraform: %w", err)
	}
	return &written, nil
}

// ToProtocol converts the framework's diagnostics to the protocol's. Their paths have attribute names alone.
func ToProtocol(all diag.Diagnostics) []*tfprotov6.Diagnostic {
	var converted []*tfprotov6.Diagnostic
	for _, d := range all {
		next := &tfprotov6.Diagnostic{Severity: tfprotov6.DiagnosticSeverityWarning, Summary: d.Summary(), Detail: d.Detail()}
		if d.Severity() == diag.SeverityError {
			next.Severity = tfprotov6.DiagnosticSeverityError
		}
		if at, ok := d.(diag.DiagnosticWithPath); ok {
			next.Attribute = tftypes.NewAttributePath()
			for _, step := range at.Path().Steps() {
				next.Attribute = next.Attribute.WithAttributeName(step.String())
			}
		}
		converted = append(converted, next)
	}
	return converted
}
