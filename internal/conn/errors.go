package conn

import (
	"errors"
	"regexp"
	"strings"
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

// AddSentError reports a failed write, at the attribute of sent that the API's message
// names, as "num_replicas" or "numReplicas", if there is exactly one. Names of one word
// do not count: "name", "path" and "host" are words of ordinary messages.
func AddSentError(diags *diag.Diagnostics, summary string, err error, sent tfvalue.Value) {
	var named []tfvalue.Path
	if rejected := new(platform.Error); errors.As(err, &rejected) {
		for _, leaf := range sent.Leaves() {
			words := strings.Split(leaf.Name(), "_")
			if len(words) > 1 && regexp.MustCompile(`(?i)\b`+strings.Join(words, "_?")+`\b`).MatchString(rejected.Rejection()) {
				named = append(named, leaf.Path)
			}
		}
	}
	if len(named) == 1 {
		diags.AddAttributeError(AttributePath(named[0]), summary, Detail(err))
		return
	}
	AddError(diags, summary, err)
}

// AttributePath converts a path for a diagnostic.
func AttributePath(names tfvalue.Path) path.Path {
	at := path.Empty()
	for _, name := range names {
		at = at.AtName(name)
	}
	return at
}
