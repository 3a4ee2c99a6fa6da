package tfvalue_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// document is an object of an API. settings keeps the names, inner.settings does not, and
// own and inner.own are no members.
var (
	document = object(attributes{
		"name": tftypes.String, "size": tftypes.Number, "max_size_gb": tftypes.Number, "is_on": tftypes.Bool,
		"list": list(tftypes.String), "set": set(tftypes.String),
		"table_mappings": keyed(attributes{"source_table": tftypes.String, "hidden": set(tftypes.String)}),
		"settings":       object(attributes{"max_threads": tftypes.Number}),
		"inner":          object(attributes{"settings": object(attributes{"max_threads": tftypes.Number}), "own": tftypes.String}),
		"own":            object(attributes{"name": tftypes.String}),
	})
	inJSON = tfvalue.Rules{
		Keys:     map[string]tfvalue.Key{"table_mappings": {Members: []string{"source_table"}}},
		Verbatim: []tfvalue.Path{{"settings"}}, NotInJSON: []tfvalue.Path{{"own"}, {"inner", "own"}},
	}
)

func TestFromJSON(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`null`:            `null`,
		`{}`:              `{}`,
		`{"name": "a\n"}`: `{"name": "a\n"}`,

		// Names.
		`{"maxSizeGb": 1, "settings": {"max_threads": 2}, "inner": {"settings": {"maxThreads": 3}}}`:       `{"max_size_gb": 1, "settings": {"max_threads": 2}, "inner": {"settings": {"max_threads": 3}}}`,
		`{"max_size_gb": 1, "settings": {"maxThreads": 2}, "inner": {"settings": {"max_threads": 3}}}`:     `{"settings": {}, "inner": {"settings": {}}}`,
		`{"MaxSizeGb": 1, "maxsizegb": 2, "maxSizeGB": 3, "Name": "a", "NAME": "b", "na\u006de": "right"}`: `{"name": "right"}`,
		`{"unknown": {"name": [1]}, "": 1, "inner": {"name": "b"}}`:                                        `{"inner": {}}`,
		`{"own": {"name": "a"}, "inner": {"own": 7}}`:                                                      `{"inner": {}}`,

		// Elements.
		`{"list": ["b", null, "a", "b"]}`:                       `{"list": ["b", null, "a", "b"]}`,
		`{"set": ["b", "a", "b", "cafe\u0301", "caf\u00e9"]}`:   "{\"set\": [\"b\", \"a\", \"cafe\u0301\", \"caf\u00e9\"]}",
		`{"tableMappings": [{"sourceTable": "a", "x": 1}, {}]}`: `{"table_mappings": [{"source_table": "a"}, {}]}`,
		// Objects that are alike are repeats.
		`{"tableMappings": [{"hidden": ["x", "y"]}, {"hidden": ["y", "x"]}, {"hidden": []}, {}]}`: `{"table_mappings": [{"hidden": ["x", "y"]}, {"hidden": []}]}`,
	} {
		got, err := inJSON.FromJSON(decoded(t, raw), document)
		if err != nil {
			t.Errorf("%s: %v", raw, err)
		}
		same(t, raw, got, parse(t, document, want))
	}
}

// What has another type is named, and what came. The value stays out, since it may be a
// secret.
func TestFromJSONNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	const other = ", and the API document has another type"
	for raw, want := range map[string]string{
		`{"name": 1}`:        `name is a number` + other,
		`{"isOn": "secret"}`: `is_on is a string` + other,
		`{"size": true}`:     `size is a boolean` + other,
		`{"size": "1"}`:      `size is a string` + other,
		`{"list": ["a", 3]}`: `list is a number` + other,
		`{"inner": []}`:      `inner is an array` + other,
		`{"tableMappings": [{}, {"sourceTable": false}]}`:   `table_mappings.source_table is a boolean` + other,
		`{"inner": {"settings": {"maxThreads": 1e999999}}}`: `inner.settings.max_threads is a number that is out of range`,
		`"secret"`: `the result is a string` + other,
	} {
		got, err := inJSON.FromJSON(decoded(t, raw), document)
		if err == nil || err.Error() != want || !got.IsNull() {
			t.Errorf("%s: %s, %v", raw, show(got), err)
		}
	}
}

// Of an object that is salvaged, every member is read that can be.
func TestSalvage(t *testing.T) {
	t.Parallel()
	const other = ", and the API document has another type"
	for raw, want := range map[string]struct{ value, err string }{
		`null`:                     {`{}`, ``},
		`{"name": "a", "size": 1}`: {`{"name": "a", "size": 1}`, ``},
		`[]`:                       {`{}`, `the result is an array` + other},
		`{"name": "a", "isOn": 0, "own": 7, "set": ["b"]}`: {`{"name": "a", "set": ["b"]}`, `is_on is a number` + other},
		`{"name": "a", "list": ["b", 1]}`:                  {`{"name": "a"}`, `list is a number` + other},
		`{"name": "a", "inner": {"settings": []}}`:         {`{"name": "a"}`, `inner.settings is an array` + other},
	} {
		got, err := inJSON.Salvage(decoded(t, raw), document.(tftypes.Object))
		if (err != nil) != (want.err != "") || err != nil && err.Error() != want.err {
			t.Errorf("%s: %v", raw, err)
		}
		same(t, raw, got, parse(t, document, want.value))
	}
}

// Any spelling of a number is the same number, with every digit. What would take gigabytes or
// minutes is out of range.
func TestNumbersInJSON(t *testing.T) {
	t.Parallel()
	for spelling, want := range map[string]string{
		"4": "4", "4.0": "4", "4e0": "4", "0.4e1": "4", "-4": "-4", "4.5": "4.5", "0": "0", "0.1": "0.1",
		"9007199254740993":                    "9007199254740993",
		"1e300":                               "1" + strings.Repeat("0", 300),
		"5e-324":                              "0." + strings.Repeat("0", 323) + "5",
		"1e-999999999":                        "0",
		"1e999999999":                         "",
		"1e400":                               "",
		"1e-325":                              "",
		"0." + strings.Repeat("0", 998) + "1": "",
		"1e99999999999999999999":              "",
		"0." + strings.Repeat("7", 4<<20):     "",
	} {
		read, err := inJSON.FromJSON(decoded(t, `{"size":`+spelling+`}`), document)
		if (err != nil) != (want == "") {
			t.Errorf("%.40s: %v", spelling, err)
		}
		if err == nil && written(t, read) != `{"size":`+want+`}` {
			t.Errorf("%.40s: %.60s, want %.40s", spelling, written(t, read), want)
		}
	}
	large := parse(t, document, `{"settings": {"max_threads": 1e400}}`)
	if _, err := inJSON.JSON(large); err == nil || err.Error() != "settings.max_threads is a number that is out of range" {
		t.Error(err)
	}
}

// written is a value as JSON.
func written(t *testing.T, v tfvalue.Value) string {
	t.Helper()
	tree, err := inJSON.JSON(v)
	if err != nil {
		return err.Error()
	}
	raw, err := json.Marshal(tree)
	if err != nil {
		t.Error(err)
	}
	return string(raw)
}

// What is set is written, and what is empty is a value.
func TestJSON(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		`null`: `{}`,
		`{}`:   `{}`,
		`{"name": "", "size": 0, "is_on": false, "list": [], "set": [], "inner": {}}`:                   `{"inner":{},"isOn":false,"list":[],"name":"","set":[],"size":0}`,
		`{"max_size_gb": 1, "settings": {"max_threads": 2}, "inner": {"settings": {"max_threads": 3}}}`: `{"inner":{"settings":{"maxThreads":3}},"maxSizeGb":1,"settings":{"max_threads":2}}`,
		`{"is_on": true, "list": ["b", null, "a"]}`:                                                     `{"isOn":true,"list":["b",null,"a"]}`,
		`{"table_mappings": [{"source_table": "a"}, {}], "own": {"name": "a"}, "inner": {"own": "b"}}`:  `{"inner":{},"tableMappings":[{},{"sourceTable":"a"}]}`,
		`{"name": "??"}`:                               `name is unknown`,
		`{"inner": {"settings": "??"}}`:                `inner.settings is unknown`,
		`{"table_mappings": [{"source_table": "??"}]}`: `table_mappings.source_table is unknown`,
	} {
		if got := written(t, parse(t, document, value)); got != want {
			t.Errorf("%s\n is  %s\nwant %s", value, got, want)
		}
	}
}

// No JSON makes the reader panic, and what was read is written as it was.
func FuzzFromJSON(f *testing.F) {
	for _, seed := range []string{`{"name":"a","size":1e9,"list":["x"],"set":["a","a"]}`, `{"tableMappings":[{"hidden":null}],"settings":{"max_threads":4.50}}`, `[]`, `{`, `{"size":1e999}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		if !json.Valid([]byte(raw)) {
			return
		}
		read, err := inJSON.FromJSON(decoded(t, raw), document)
		if err != nil || read.IsNull() {
			return
		}
		text := written(t, read)
		again, err := inJSON.FromJSON(decoded(t, text), document)
		if err != nil || written(t, again) != text {
			t.Errorf("%s became %s: %v", raw, text, err)
		}
	})
}
