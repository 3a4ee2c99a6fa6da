package provider

import (
	"strconv"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// TestSuspiciousNames has columns of public.t8 that a person does not mean, and those that databases have, which
// are quiet: in Persian, a joiner stands between letters, and in Devanagari after a sign. All are as an HCL literal spells them.
func TestSuspiciousNames(t *testing.T) {
	t.Parallel()
	for why, columns := range map[string][]string{
		"has a comma":                    {`iban,`, `bic, iban`},
		"has a semicolon":                {`iban;card`},
		"has a quotation mark at an end": {`\"e.mail\"`, `'card`, "`card`", `“card”`},
		"has white space at an end":      {`card `, `\tcard`, `\u00a0card`, `card\u3000`},
		"has an invisible character or a no-break space": {
			`ca\u200brd`, `card\ufeff`, `ca\u00a0rd`, `ca\u202frd`, `ca\u00adrd`, `ca\nrd`, `ca\u200drd`, `\u0646\u200c`,
		},
		"begins with the mapping's schema or table":           {`public.t8.card`, `t8.card`},
		"has a wildcard at an end":                            {`*`, `card_*`, `card_%`, `%`},
		"is a Boolean: YAML reads yes, no, on and off as one": {`true`, `false`},
		"": {
			`first name`, `e.mail`, `card-number`, `x$y`, `Straße Nr. 5`, `größe`, `it's`, `a*b`, `50% off`, `a/b\\c`,
			`TRUE_COST`, `t8`, `t8_card`, `№`, `имя клиента`, `ελληνικά`, `客户姓名`, `顧客\u3000名`, `고객 이름`, `اسم العميل`,
			`نام\u200cخانوادگی`, `می\u200cخ\u200cو`, `क्\u200dष`, `שם`, `ชื่อ`, `😀`,
		},
	} {
		for _, column := range columns {
			said := validated(t, "resource dataplatform_pipe", pipeIDs+"\n"+mappings(`"public.t8:t8" = { excluded_columns = ["`+column+
				`"], use_custom_sorting_key = true, sorting_keys = ["`+column+`x", "id"] }`))
			_, got, _ := strings.Cut(strings.Join(said.warnings, ""), `in excluded_columns `)
			if got, _, _ = strings.Cut(got, "\n"); got != why || len(said.errors) > 0 {
				t.Errorf("%s: %q, want %q: %s", column, got, why, said)
			}
		}
	}
}

// TestNamesAreOneWarning names each with its table, as it is read, and in which argument it is: at the resource, for all tables.
func TestNamesAreOneWarning(t *testing.T) {
	f := newFixture(t)
	b := f.pipe(mockplatform.PostgresPipeID, mappings(customersMapping, addressesMapping, leadsMapping,
		wanted("public.a", "a", `excluded_columns = ["x", "iban,", "ID"], use_custom_sorting_key = true, sorting_keys = ["a", "id", "a", "b\n"]`),
		wanted("public.b", "b", `excluded_columns = ["iban,", later.text]`), wanted(" public.b", "c\u200b", `excluded_columns = []`),
		wanted("public.c", "d", `excluded_columns = later.list`)))
	got := b.plan().warnings[0]
	if want := "Names that are probably wrong: pipe " + mockplatform.PostgresPipeID + ": These names in table mappings are probably a mistake. " +
		"A column that excluded_columns misspells is copied:\n\n" +
		`  - " public.b:c\u200b": " public" in its key has white space at an end` + "\n" +
		`  - " public.b:c\u200b": "c\u200b" in its key has an invisible character or a no-break space` + "\n" +
		`  - "iban," in excluded_columns has a comma (2 tables: "public.a:a", "public.b:b")` + "\n" +
		`  - "public.a:a": "a" in sorting_keys is there twice` + "\n" +
		`  - "public.a:a": "id" in sorting_keys is excluded in another letter case` + "\n" +
		`  - "public.a:a": "b\n" in sorting_keys has white space at an end` + "\n\n" +
		"Write each name once, as the database spells it: as an element of its own, without quotation marks. If a name is right, ignore this warning."; got != want {
		t.Errorf("the plan warns\n%s\nwant\n%s", got, want)
	}
	said := validated(t, "resource dataplatform_pipe", pipeIDs+"\n"+mappings(wanted("orders", "o", `excluded_columns = ["a,", "`+strings.Repeat("x;", 500)+`"]`),
		wanted("public.o", "o", `excluded_columns = ["`+strings.Repeat("x;", 500)+`"]`)))
	if len(said.errors) != 1 || len(said.warnings) != 1 || len(said.warnings[0]) > 800 {
		t.Error(said, strconv.Itoa(len(said.warnings)))
	}
}
