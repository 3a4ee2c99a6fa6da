package provider

import (
	"errors"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
)

// addError reports a failed call: the summary says what could not be done,
// the detail is the client's, which names operation, status, request id and
// the platform's message.
func addError(diags *diag.Diagnostics, summary string, err error) {
	diags.AddError(summary, detail(err))
}

func detail(err error) string {
	if call := new(platform.Error); errors.As(err, &call) {
		return call.Detail()
	}
	return err.Error()
}

// addSentError reports a failed write, at the attributes that the platform's
// message names.
func addSentError(diags *diag.Diagnostics, summary string, err error, sent tftypes.Value) {
	var refused *platform.Error
	if !errors.As(err, &refused) {
		addError(diags, summary, err)
		return
	}
	named := false
	for _, l := range leaves(sent) {
		if refused.Mentions(camel(l.name())) || refused.Mentions(l.name()) {
			diags.AddAttributeError(attributePath(l.path), summary, detail(err))
			named = true
		}
	}
	if !named {
		addError(diags, summary, err)
	}
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
