package tfvalue_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// document is an object of an API. settings keeps the names, inner.settings does not, and
// own and inner.own are no members.
var (
	document = object(attributes{
		"name": tftypes.String, "size": tftypes.Number, "max_size_gb": tftypes.Number, "is_on": tftypes.Bool,
		"list": list(tftypes.String), "set": set(tftypes.String),
		"table_mappings": set(object(attributes{"source_table": tftypes.String, "hidden": set(tftypes.String)})),
		"settings":       object(attributes{"max_threads": tftypes.Number}),
		"inner":          object(attributes{"settings": object(attributes{"max_threads": tftypes.Number}), "own": tftypes.String}),
		"own":            object(attributes{"name": tftypes.String}),
	})
	inJSON = tfvalue.Rules{Verbatim: []tfvalue.Path{{"settings"}}, NotInJSON: []tfvalue.Path{{"own"}, {"inner", "own"}}}
)

func TestFromJSON(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`null`:            `null`,
		`{}`:              `{}`,
		`{"name": null}`:  `{}`,
		`{"name": "a\n"}`: `{"name": "a\n"}`,
		`{"isOn": false, "name": "", "list": [], "set": [], "size": 0, "inner": {}}`: `{"is_on": false, "name": "", "list": [], "set": [], "size": 0, "inner": {}}`,

		// Names.
		`{"maxSizeGb": 1, "settings": {"max_threads": 2}, "inner": {"settings": {"maxThreads": 3}}}`:       `{"max_size_gb": 1, "settings": {"max_threads": 2}, "inner": {"settings": {"max_threads": 3}}}`,
		`{"max_size_gb": 1, "settings": {"maxThreads": 2}, "inner": {"settings": {"max_threads": 3}}}`:     `{"settings": {}, "inner": {"settings": {}}}`,
		`{"MaxSizeGb": 1, "maxsizegb": 2, "maxSizeGB": 3, "Name": "a", "NAME": "b", "na\u006de": "right"}`: `{"name": "right"}`,
		`{"unknown": {"name": [1]}, "": 1, "inner": {"name": "b"}}`:                                        `{"inner": {}}`,
		`{"own": {"name": "a"}, "inner": {"own": 7}}`:                                                      `{"inner": {}}`,
		`{"name": "a", "name": "b", "list": ["a"], "list": null}`:                                          `{"name": "b"}`,
		"{\"name\": \"x\xffy\", \"\xff\": 1}":                                                              `{"name": "x�y"}`,

		// Elements.
		`{"list": ["b", null, "a", "b"]}`:                             `{"list": ["b", null, "a", "b"]}`,
		`{"set": ["b", "a", "b", "cafe\u0301", "caf\u00e9"]}`:         "{\"set\": [\"b\", \"a\", \"cafe\u0301\", \"caf\u00e9\"]}",
		`{"tableMappings": [{"sourceTable": "a", "x": 1}, {}]}`:       `{"table_mappings": [{"source_table": "a"}, {}]}`,
		`{"tableMappings": [{"hidden": ["x", "y"]}, {"hidden": []}]}`: `{"table_mappings": [{"hidden": ["x", "y"]}, {"hidden": []}]}`,
		// Objects that are alike are repeats.
		`{"tableMappings": [{"hidden": ["x", "y"]}, {"hidden": ["y", "x"]}, {"hidden": []}, {}]}`: `{"table_mappings": [{"hidden": ["x", "y"]}, {"hidden": []}]}`,
	} {
		got, err := inJSON.FromJSON([]byte(raw), document)
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
		`{"name": 1}`:                       `name is a number` + other,
		`{"name": {"secret": 1}}`:           `name is an object` + other,
		`{"isOn": "secret"}`:                `is_on is a string` + other,
		`{"size": true}`:                    `size is a boolean` + other,
		`{"size": "1"}`:                     `size is a string` + other,
		`{"list": {"a": 1}}`:                `list is an object` + other,
		`{"list": ["a", 3]}`:                `list is a number` + other,
		`{"set": "secret"}`:                 `set is a string` + other,
		`{"inner": []}`:                     `inner is an array` + other,
		`{"settings": {"max_threads": []}}`: `settings.max_threads is an array` + other,
		`{"tableMappings": [{}, {"sourceTable": false}]}`:   `table_mappings.source_table is a boolean` + other,
		`{"inner": {"settings": {"maxThreads": 1e999999}}}`: `inner.settings.max_threads is a number that is out of range`,
		`[]`:       `the result is an array` + other,
		`"secret"`: `the result is a string` + other,
	} {
		got, err := inJSON.FromJSON([]byte(raw), document)
		if err == nil || err.Error() != want || !got.IsNull() {
			t.Errorf("%s: %s, %v", raw, show(got), err)
		}
	}
	for _, broken := range []string{``, `{`, `{"name"`, `{"name": "a"`, `{"list": ["a"`, `{"name": x}`, `{"unknown": [}`, `{"size": tru}`} {
		if got, err := inJSON.FromJSON([]byte(broken), document); err == nil {
			t.Errorf("%s: %s", broken, show(got))
		}
	}
}

// Any spelling of a number is the same number, with every digit.
func TestNumbersInJSON(t *testing.T) {
	t.Parallel()
	for spelling, want := range map[string]string{
		"4": "4", "4.0": "4", "4e0": "4", "0.4e1": "4", "-4": "-4", "4.5": "4.5", "0": "0", "0.1": "0.1",
		"9007199254740993":                    "9007199254740993",
		"123456789012345678901":               "123456789012345678901",
		"1e300":                               "1" + strings.Repeat("0", 300),
		"1.7e308":                             "17" + strings.Repeat("0", 307),
		"1e-320":                              "0." + strings.Repeat("0", 319) + "1",
		"1e-999999999":                        "0",
		"1e999999999":                         "",
		"1e99999999999999999999":              "",
		"1e-5000":                             "",
		"1e400":                               "",
		"-1e400":                              "",
		strings.Repeat("9", 1001):             "",
		"0." + strings.Repeat("0", 998) + "1": "",
	} {
		read, err := inJSON.FromJSON([]byte(`{"size":`+spelling+`}`), document)
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
	raw, err := json.Marshal(tree, json.Deterministic(true))
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
		`{"table_mappings": [{"source_table": "a"}, {}], "own": {"name": "a"}, "inner": {"own": "b"}}`:  `{"inner":{},"tableMappings":[{"sourceTable":"a"},{}]}`,
		`{"name": "??"}`:                               `name is unknown`,
		`{"inner": {"settings": "??"}}`:                `inner.settings is unknown`,
		`{"table_mappings": [{"source_table": "??"}]}`: `table_mappings.source_table is unknown`,
	} {
		if got := written(t, parse(t, document, value)); got != want {
			t.Errorf("%s\n is  %s\nwant %s", value, got, want)
		}
	}
}

// A struct with tags for JSON is a value, and the other way round.
func TestStructs(t *testing.T) {
	t.Parallel()
	type thing struct {
		Name *string  `json:"name,omitzero"`
		List []string `json:"list,omitzero"`
		More string   `json:"more"`
	}
	for value, want := range map[string]thing{
		`{}`:                                {},
		`{"name": "", "list": []}`:          {Name: new(""), List: []string{}},
		`{"name": "a", "list": ["b", "a"]}`: {Name: new("a"), List: []string{"b", "a"}},
	} {
		var got thing
		if err := parse(t, document, value).Decode(&got); err != nil || (got.Name == nil) != (want.Name == nil) || (got.List == nil) != (want.List == nil) {
			t.Errorf("%s: %+v, %v", value, got, err)
		}
		same(t, value, tfvalue.Encode(got, document), parse(t, document, value))
	}
	if err := parse(t, document, `{"name": "??"}`).Decode(new(thing)); err == nil {
		t.Error("an unknown value was read")
	}
	for _, other := range []any{map[string]int{"name": 1}, func() {}} {
		same(t, "another type", tfvalue.Encode(other, document), tfvalue.Null(document))
	}
}

// No JSON makes the reader panic, and what was read is written as it was.
func FuzzFromJSON(f *testing.F) {
	for _, seed := range []string{`{"name":"a","size":1e9,"list":["x"],"set":["a","a"]}`, `{"tableMappings":[{"hidden":null}],"settings":{"max_threads":4.50}}`, `[]`, `{`, `{"size":1e999}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		read, err := inJSON.FromJSON([]byte(raw), document)
		if err != nil || read.IsNull() {
			return
		}
		text := written(t, read)
		again, err := inJSON.FromJSON([]byte(text), document)
		if err != nil || written(t, again) != text {
			t.Errorf("%s became %s: %v", raw, text, err)
		}
	})
}
