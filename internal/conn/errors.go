package conn

import (
	"errors"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// Detail returns the text of an error for below its summary. That of a failed request says what was
// tried, what the API returned, and what to do.
func Detail(err error) string {
	if failed := new(platform.Error); errors.As(err, &failed) {
		return failed.Detail()
	}
	// Go's errors begin in lower case and have no full stop.
	first, size := utf8.DecodeRuneInString(err.Error())
	return string(unicode.ToUpper(first)) + err.Error()[size:] + "."
}

// AttributePath converts a path for a diagnostic.
func AttributePath(names tfvalue.Path) path.Path {
	at := path.Empty()
	for _, name := range names {
		at = at.AtName(name)
	}
	return at
}

// ToProtocol converts the framework's diagnostics to the protocol's. A path through a set ends at the
// set: the protocol has no step for an element of one.
func ToProtocol(all diag.Diagnostics) []*tfprotov6.Diagnostic {
	var converted []*tfprotov6.Diagnostic
	for _, d := range all {
		next := &tfprotov6.Diagnostic{Severity: tfprotov6.DiagnosticSeverityWarning, Summary: d.Summary(), Detail: d.Detail()}
		if d.Severity() == diag.SeverityError {
			next.Severity = tfprotov6.DiagnosticSeverityError
		}
		if at, ok := d.(diag.DiagnosticWithPath); ok {
			next.Attribute = protocolPath(at.Path())
		}
		converted = append(converted, next)
	}
	return converted
}

func protocolPath(at path.Path) *tftypes.AttributePath {
	converted := tftypes.NewAttributePath()
	for _, step := range at.Steps() {
		switch step := step.(type) {
		case path.PathStepAttributeName:
			converted = converted.WithAttributeName(string(step))
		case path.PathStepElementKeyInt:
			converted = converted.WithElementKeyInt(int(step))
		case path.PathStepElementKeyString:
			converted = converted.WithElementKeyString(string(step))
		default:
			return converted
		}
	}
	return converted
}
