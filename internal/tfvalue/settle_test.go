package tfvalue_test

import (
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

func TestSettle(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, plan, response, want string }{
		{"what the plan showed stays", `{"name": "a", "size": 1}`, `{"name": "b", "size": 2, "on": true}`, `{"name": "a", "size": 1}`},
		{"what the response omits is null", `{"size": "??", "list": "??"}`, `{}`, `{}`},
		{"below an object that the response omits", `{"inner": {"name": "a", "size": "??"}}`, `{}`, `{"inner": {"name": "a"}}`},
		{"a destroy", `null`, `{"name": "b"}`, `null`},
		{"a list that is unknown in part", `{"list": ["a", "??"], "size": 1}`, `{"list": ["a", "b"], "size": 2}`, `{"list": ["a", "b"], "size": 1}`},
	} {
		same(t, test.name, tfvalue.Settle(val(t, test.plan), val(t, test.response)), val(t, test.want))
	}
}

func TestSuppress(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, plan, prior, want string }{
		{"a number's spelling", `{"size": 4.0}`, `{"size": 4}`, `{"size": 4}`},
		{"whitespace at the end", `{"cert": "a\n", "name": "a"}`, `{"cert": "a", "name": "a\n"}`, `{"cert": "a", "name": "a"}`},
		{"another value", `{"size": 4, "list": ["a", "b"]}`, `{"size": 5, "list": ["b", "a"]}`, `{"size": 4, "list": ["a", "b"]}`},
		{"below an object", `{"inner": {"size": 4.0, "name": "a", "deep": {"cert": "b "}}}`, `{"inner": {"size": 4, "name": "b", "deep": {"cert": "b"}}}`, `{"inner": {"size": 4, "name": "a", "deep": {"cert": "b"}}}`},
		{"unknown", `{"name": "??", "set": ["??"], "inner": "??"}`, `{"name": "a", "set": ["a"], "inner": {"name": "a"}}`, `{"name": "??", "set": ["??"], "inner": "??"}`},
	} {
		same(t, test.name, rules.Suppress(val(t, test.plan), val(t, test.prior)), val(t, test.want))
	}
}
