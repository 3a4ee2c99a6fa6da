package conn

import (
	"errors"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// AddError reports a failed operation. The summary is such as "Cannot read pipe". The
// detail is that of the client: what was tried, status, request ID and message of
// the response, what to do.
func AddError(diags *diag.Diagnostics, summary string, err error) {
	diags.AddError(summary, Detail(err))
}

// Detail returns the text of an error for below its summary.
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
