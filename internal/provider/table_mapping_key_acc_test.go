package provider

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

// The function writes the key that a pipe's table_mappings want, as the expression of its page does for older versions.
// A name that is null or empty is an error of its argument.
func TestAccTableMappingKey(t *testing.T) {
	page, err := os.ReadFile("../../templates/functions/table_mapping_key.md.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	expression := regexp.MustCompile("(?s)```\n(format.*?)\n```").FindSubmatch(page)
	if expression == nil {
		t.Fatal("the page has no expression for older versions")
	}
	const call = "provider::dataplatform::table_mapping_key"
	terraformtest.SkipIfTooOld(t, call)
	provider := newPlatform(t).provider()
	names := [][3]string{
		{"public", "orders", "orders"}, {"my.schema", "a:b", `"c"`}, {`"`, ".", ":"}, {" a", "b\n", "é${x}"},
		{"e\u0301", "a-b c", `5" nails`}, {`"a"."b"`, `\`, "x.y:z"},
	}
	config, checks := provider, []statecheck.StateCheck{}
	for i, n := range names {
		list := strings.ReplaceAll(fmt.Sprintf("%q, %q, %q", n[0], n[1], n[2]), "${", "$${")
		config += fmt.Sprintf("locals {\n  t%d = zipmap([\"schema\", \"table\", \"target\"], [%s])\n}\n", i, list) +
			fmt.Sprintf("output \"called%d\" {\n  value = %s(%s)\n}\n", i, call, list) +
			fmt.Sprintf("output \"written%d\" {\n  value = %s\n}\n", i, regexp.MustCompile(`\bt\.`).ReplaceAllString(string(expression[1]), fmt.Sprintf("local.t%d.", i)))
		for _, output := range []string{"called", "written"} {
			checks = append(checks, statecheck.ExpectKnownOutputValue(fmt.Sprint(output, i), knownvalue.StringFunc(func(key string) error {
				if got, isKey := mappingKey.Split(key); !isKey || strings.Join(got, "|") != strings.ReplaceAll(strings.Join(n[:], "|"), "e\u0301", "é") {
					return fmt.Errorf("the key of %q is %s, which has the names %q", n, key, got)
				}
				return nil
			})))
		}
	}
	fails := func(arguments, says string) resource.TestStep {
		return resource.TestStep{Config: provider + "output \"key\" {\n  value = " + call + "(" + arguments + ")\n}\n", ExpectError: regexp.MustCompile(says)}
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: providers(t),
		Steps: []resource.TestStep{
			{Config: config, ConfigStateChecks: checks},
			fails(`"public", "", "orders"`, `(?s)Invalid value for "table" parameter: must not be empty\.`),
			fails(`"public", "orders", null`, `(?s)Invalid value for "target" parameter: argument must not be null\.`),
		},
	})
}
