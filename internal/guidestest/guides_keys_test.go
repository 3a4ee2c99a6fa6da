package guidestest

import (
	"strings"
	"testing"
)

// TestCommandOfAKeyFails has the command of the example fail: no apply creates another key, and the one that goes on
// passes the secret of the first.
func TestCommandOfAKeyFails(t *testing.T) {
	example := fileText(t, examplesDir+"/resources/dataplatform_api_key/resource_command.tf")
	skipIfTooOld(t, example)
	w := newWorkspace(t, plainProvider+strings.Replace(example, "> loader.secret", "> /nowhere/at/all", 1))
	for range 2 {
		w.wantScript("terraform apply -auto-approve", 1, "/nowhere/at/all")
	}
	w.File("main.tf", plainProvider+example)
	w.Apply()
	w.WantEmptyPlan()
	wantText(t, w.Read("loader.secret"), w.key("orders-loader").secret)
}

// TestTablesFile has the cells that people write: names between commas or semicolons, with spaces, and with the quotation
// marks that only names in a key need.
func TestTablesFile(t *testing.T) {
	w := newWorkspace(t, plainProvider+fileText(t, examplesDir+"/resources/dataplatform_pipe/resource_tables.tf"))
	skipIfTooOld(t, w.Read("main.tf"))
	w.File("tables.csv", `schema,table,target,excluded,sorting
public,customers,customers,"password_hash; phone",country;id
public,addresses,addresses, ,
public,cards,cards,"iban, bic",
public,payments,payments,iban;card,
public,mails,mails,"""e.mail"", ""first name"" ; second","""id"", ;"
`)
	w.Apply()
	w.WantEmptyPlan()
	columns := func(table, member string) string {
		out := w.shell(`echo 'jsonencode(local.tables["public.` + table + `:` + table + `"].` + member + `)' | terraform console`)
		return strings.ReplaceAll(strings.Trim(strings.TrimSpace(out), `"`), `\"`, `"`)
	}
	for _, row := range [][3]string{
		{"customers", "excluded_columns", `["password_hash","phone"]`},
		{"addresses", "excluded_columns", `[]`},
		{"addresses", "use_custom_sorting_key", `false`},
		{"cards", "excluded_columns", `["iban","bic"]`},
		{"payments", "excluded_columns", `["iban","card"]`},
		{"mails", "excluded_columns", `["e.mail","first name","second"]`},
		{"mails", "sorting_keys", `["id"]`},
	} {
		if got := columns(row[0], row[1]); got != row[2] {
			t.Errorf("%s.%s is %s, want %s", row[0], row[1], got, row[2])
		}
	}
}
