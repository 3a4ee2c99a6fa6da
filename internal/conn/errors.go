package conn

import (
	"errors"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// AddError reports a failed call: the summary says what could not be done, the
// detail is the client's, which names operation, status, request ID and the
// API's message.
func AddError(diags *diag.Diagnostics, summary string, err error) {
	diags.AddError(summary, Detail(err))
}

// Detail is the text of an error below its summary.
func Detail(err error) string {
	if call := new(platform.Error); errors.As(err, &call) {
		return call.Detail()
	}
	return err.Error()
}

// AddSentError reports a failed write, at the attributes that the API's message
// names.
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

// AttributePath is where a diagnostic about an attribute stands.
func AttributePath(names tfvalue.Path) path.Path {
	at := path.Empty()
	for _, name := range names {
		at = at.AtName(name)
	}
	return at
}

// camel is the API's spelling of an attribute's name.
func camel(name string) string {
	words := strings.Split(name, "_")
	for i, word := range words[1:] {
		if word != "" {
			words[i+1] = strings.ToUpper(word[:1]) + word[1:]
		}
	}
	return strings.Join(words, "")
}
