package tfvalue_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// TestFromJSON has JSON of a thing, of which settings keeps the names, inner.settings does not, and own
// and inner.own are no members.
func TestFromJSON(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`null`: `null`,
		`{}`:   `{}`,

		// Names.
		`{"maxSizeGb": 1, "settings": {"max_threads": 2}}`:                  `{"max_size_gb": 1, "settings": {"max_threads": 2}}`,
		`{"max_size_gb": 1, "settings": {"maxThreads": 2}}`:                 `{"settings": {}}`,
		`{"inner": {"settings": {"maxThreads": 3, "max_threads": 4}}}`:      `{"inner": {"settings": {"max_threads": 3}}}`,
		`{"MaxSizeGb": 1, "maxSizeGB": 3, "Name": "a", "na\u006de": "b\n"}`: `{"name": "b\n"}`,
		`{"unknown": {"name": [1]}, "": 1, "own": {"name": "a"}}`:           `{}`,
		`{"inner": {"own": 7}}`:                                             `{"inner": {}}`,

		// Elements, of which a set or a keyed map drops repeats.
		`{"list": ["b", null, "a", "b"]}`:                     `{"list": ["b", null, "a", "b"]}`,
		`{"set": ["b", "a", "b", "cafe\u0301", "caf\u00e9"]}`: "{\"set\": [\"b\", \"a\", \"cafe\u0301\", \"caf\u00e9\"]}",
		`{"maps": [{"schema": "a", "x": 1}, {"rank": 1}]}`:    `{"maps": [{"schema": "a"}, {"rank": 1}]}`,
		`{"maps": [{"hidden": []}, {"hidden": []}]}`:          `{"maps": [{"hidden": []}]}`,
	} {
		got, err := rules.FromJSON(decoded(t, raw), object(thing))
		if err != nil {
			t.Errorf("%s: %v", raw, err)
		}
		same(t, raw, got, val(t, want))
	}
}

// What has another type is named. The value stays out, since it may be a secret. Every other member is
// salvaged.
func TestFromJSONNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	const other = " has another type than in the API document"
	for raw, test := range map[string]struct{ salvaged, err string }{
		`{"name": 1, "size": 1}`:    {`{"name": "1", "size": 1}`, `name` + other},
		`{"on": "secret"}`:          {`{}`, `on` + other},
		`{"size": true}`:            {`{}`, `size` + other},
		`{"size": "1"}`:             {`{}`, `size` + other},
		`{"list": ["a", 3]}`:        {`{}`, `list` + other},
		`{"inner": []}`:             {`{}`, `inner` + other},
		`{"maps": [{"rank": "x"}]}`: {`{}`, `maps.rank` + other},
		`{"name": "a", "inner": {"settings": {"maxThreads": 1e999999}}}`: {`{"name": "a"}`, `inner.settings.max_threads is a number that is out of range`},
		`"secret"`: {`{}`, `the result` + other},
	} {
		got, err := rules.FromJSON(decoded(t, raw), object(thing))
		if err == nil || err.Error() != test.err || !got.IsNull() {
			t.Errorf("%s: %s, %v", raw, show(got), err)
		}
		got, all := rules.Salvage(decoded(t, raw), object(thing).(tftypes.Object))
		if len(all) != 1 || all[0].Error() != test.err {
			t.Errorf("%s: %v", raw, all)
		}
		same(t, raw, got, val(t, test.salvaged))
	}
}

// Each member with an error is named, in order.
func TestSalvageNamesAll(t *testing.T) {
	t.Parallel()
	got, all := rules.Salvage(decoded(t, `{"size": "x", "on": 1, "name": 12.50, "list": [1]}`), object(thing).(tftypes.Object))
	const other = " has another type than in the API document"
	if want := "list" + other + "\nname" + other + "\non" + other + "\nsize" + other; errors.Join(all...).Error() != want {
		t.Errorf("%v", all)
	}
	same(t, "all", got, val(t, `{"name": "12.50"}`))
}

// Any spelling of a number is the same number, with every digit. What would take gigabytes or
// minutes is out of range.
func TestNumbersInJSON(t *testing.T) {
	t.Parallel()
	for spelling, want := range map[string]string{
		"4": "4", "4.0": "4", "0.4e1": "4", "-4": "-4", "0": "0", "0.1": "0.1",
		"9007199254740993":                    "9007199254740993",
		"1e300":                               "1" + strings.Repeat("0", 300),
		"5e-324":                              "0." + strings.Repeat("0", 323) + "5",
		"1e-999999999":                        "0",
		"1e999999999":                         "",
		"1e400":                               "",
		"1e-325":                              "",
		"0." + strings.Repeat("0", 998) + "1": "",
		"0." + strings.Repeat("7", 4<<20):     "",
	} {
		read, err := rules.FromJSON(decoded(t, `{"size":`+spelling+`}`), object(thing))
		if (err != nil) != (want == "") {
			t.Errorf("%.40s: %v", spelling, err)
		}
		if err == nil && written(t, read) != `{"size":`+want+`}` {
			t.Errorf("%.40s: %.60s, want %.40s", spelling, written(t, read), want)
		}
	}
}

// written is a value as JSON, or why it is none.
func written(t *testing.T, v tfvalue.Value) string {
	t.Helper()
	raw, err := json.Marshal(rules.JSON(v))
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

// What is set is written, and what is empty is a value.
func TestJSON(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		`null`: `{}`,
		`{"name": "", "size": 0, "on": false, "list": [], "set": [], "inner": {}}`: `{"inner":{},"list":[],"name":"","on":false,"set":[],"size":0}`,
		`{"max_size_gb": 1, "settings": {"max_threads": 2}}`:                       `{"maxSizeGb":1,"settings":{"max_threads":2}}`,
		`{"inner": {"settings": {"max_threads": 3}}}`:                              `{"inner":{"settings":{"maxThreads":3}}}`,
		`{"on": true, "list": ["b", null, "a"]}`:                                   `{"list":["b",null,"a"],"on":true}`,
		`{"maps": [{"schema": "a"}, {}], "own": {"name": "a"}}`:                    `{"maps":[{},{"schema":"a"}]}`,
		`{"name": "??"}`:                `json: invalid number literal "name is unknown"`,
		`{"inner": {"settings": "??"}}`: `json: invalid number literal "inner.settings is unknown"`,
		`{"maps": [{"schema": "??"}]}`:  `json: invalid number literal "maps.schema is unknown"`,
	} {
		if got := written(t, val(t, value)); got != want {
			t.Errorf("%s\n is  %s\nwant %s", value, got, want)
		}
	}
}
