package conn

import (
	"errors"
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
	if call := new(platform.Error); errors.As(err, &call) {
		return call.Detail()
	}
	// Go's errors begin in lower case and have no full stop.
	first, size := utf8.DecodeRuneInString(err.Error())
	return string(unicode.ToUpper(first)) + err.Error()[size:] + "."
}

// AddSentError reports a failed write, once at each attribute of sent that the API's
// message names, or without an attribute if it names none.
func AddSentError(diags *diag.Diagnostics, summary string, err error, sent tfvalue.Value) {
	var rejected *platform.Error
	if !errors.As(err, &rejected) {
		AddError(diags, summary, err)
		return
	}
	named := false
	for _, leaf := range sent.Leaves() {
		if rejected.Mentions(camel(leaf.Name())) || rejected.Mentions(leaf.Name()) {
			diags.AddAttributeError(AttributePath(leaf.Path), summary, Detail(err))
			named = true
		}
	}
	if !named {
		AddError(diags, summary, err)
	}
}

// AttributePath converts a path for a diagnostic.
func AttributePath(names tfvalue.Path) path.Path {
	at := path.Empty()
	for _, name := range names {
		at = at.AtName(name)
	}
	return at
}

// camel is the name of an attribute in camelCase, as the API spells it.
func camel(name string) string {
	words := strings.Split(name, "_")
	for i, word := range words[1:] {
		if word != "" {
			words[i+1] = strings.ToUpper(word[:1]) + word[1:]
		}
	}
	return strings.Join(words, "")
}
