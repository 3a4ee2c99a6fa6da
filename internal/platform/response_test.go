package platform

import (
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/rest"
)

func TestNumberSpellings(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"4": "4", "4.0": "4", "4e0": "4", "0.4e1": "4", "-4": "-4", "4.5": "4.5", "0": "0",
		"9007199254740993":        "9007199254740993",
		"123456789012345678901":   "123456789012345678901",
		"1e300":                   "1" + strings.Repeat("0", 300),
		"1e999999999":             "error",
		"1e99999999999999999999":  "error",
		"1e-999999999":            "0",
		"1e-5000":                 "error",
		"1e400":                   "error",
		"-1e400":                  "error",
		"1.7e308":                 "17" + strings.Repeat("0", 307),
		"0.1":                     "0.1",
		strings.Repeat("9", 1001): "error",
		`"4"`:                     "error",
		"true":                    "error",
	}
	for spelling, want := range tests {
		got := "error"
		settings, err := decode[PipeSettings]([]byte(`{"engine_max_threads":` + spelling + `}`))
		if err == nil {
			b, err := json.Marshal(settings.EngineMaxThreads)
			if err != nil {
				t.Error(err)
			}
			got = string(b)
		}
		if got != want {
			t.Errorf("%.40s: %.40s, want %.40s", spelling, got, want)
		}
		if numeric := strings.Trim(spelling, `"true`) == spelling; err != nil && strings.HasSuffix(err.Error(), "is a number that is out of range") != numeric {
			t.Errorf("%.40s: %v", spelling, err)
		}
	}
}

// A field of another type than documented is named, and what came. The value stays out: it
// may be a secret.
func TestOtherTypesAreNamed(t *testing.T) {
	t.Parallel()
	const other = ", and the API document has another type"
	for result, want := range map[string]string{
		`{"scaling":{"replicas":"three"}}`: `"scaling.replicas" is a string` + other,
		`{"scaling":{"replicas":[1]}}`:     `"scaling.replicas" is an array` + other,
		`{"scaling":{"replicas":1e999}}`:   `"scaling.replicas" is a number that is out of range`,
		`{"scaling":true}`:                 `"scaling" is a boolean` + other,
		`{"fieldMappings":{"a":1}}`:        `"fieldMappings" is an object` + other,
		`{"fieldMappings":[{},3]}`:         `"fieldMappings.1" is a number` + other,
		`[]`:                               `the result is an array` + other,
	} {
		if _, err := decode[Pipe]([]byte(result)); err == nil || err.Error() != want {
			t.Errorf("%s: %v", result, err)
		}
	}
}

// A response about another object is none. IDs are equal in any letter case, and an
// object without one is accepted.
func TestResponseAboutAnotherObject(t *testing.T) {
	t.Parallel()
	for returned, want := range map[string]string{
		`{"id":"` + testService + `"}`:               "it is about another object: the request was for ID " + testPipe + ", and the response has ID " + testService,
		`{"id":"` + strings.ToUpper(testPipe) + `"}`: "",
		`{"id":null}`:  "",
		`{"name":"x"}`: "",
	} {
		r := &rest.Response{Status: 200, Body: []byte(`{"result":` + returned + `}`), Mask: unmasked}
		_, _, err := object[Pipe](r, "result", testPipe)
		if (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%s: %v", returned, err)
		}
	}
}

// What must not break a read: unknown members, names in another case, absent
// and null members, repeated names, broken UTF-8, floats for whole numbers.
func TestLenientReading(t *testing.T) {
	t.Parallel()
	p, err := decode[Pipe]([]byte(`{"id":"a","id":"b","NAME":"no","name":"x` + "\xff" + `y","unknown":{"a":[1]},"source":null,"fieldMappings":[],
		"scaling":{"replicas":2.5,"concurrency":4e0},"settings":{"object_storage_max_insert_bytes":9007199254740993,"engine_max_threads":null}}`))
	if err != nil {
		t.Fatal(err)
	}
	if *p.ID != "b" || *p.Name != "x\ufffdy" || p.Source != nil || p.FieldMappings == nil || len(p.FieldMappings) != 0 ||
		p.Scaling.Replicas.String() != "2.5" || p.Scaling.Concurrency.String() != "4" || p.Settings.ObjectStorageMaxInsertBytes.Text('f', -1) != "9007199254740993" || p.Settings.EngineMaxThreads != nil {
		t.Errorf("%+v", p)
	}
	if diff := cmp.Diff((*string)(nil), p.State); diff != "" {
		t.Error(diff)
	}
}

// Not one number of a response is rounded.
func TestEveryNumberIsExact(t *testing.T) {
	t.Parallel()
	for _, typ := range []reflect.Type{reflect.TypeFor[Service](), reflect.TypeFor[Pipe](), reflect.TypeFor[Alert](), reflect.TypeFor[CreatedAPIKey]()} {
		checkNumbers(t, typ)
	}
}

func checkNumbers(t *testing.T, typ reflect.Type) {
	t.Helper()
	switch typ.Kind() {
	case reflect.Pointer, reflect.Slice:
		checkNumbers(t, typ.Elem())
	case reflect.Struct:
		for _, field := range reflect.VisibleFields(typ) {
			if typ != reflect.TypeFor[Number]() && field.IsExported() {
				checkNumbers(t, field.Type)
			}
		}
	case reflect.String, reflect.Bool, reflect.Interface:
	default:
		t.Errorf("a field of kind %s", typ.Kind())
	}
}

// A configured empty list or text is a value and is sent; what is nil is not.
func TestBodiesHoldWhatIsSet(t *testing.T) {
	t.Parallel()
	empty, no := "", false
	b, err := encode(PipeUpdate{
		Name:          &empty,
		FieldMappings: []FieldMapping{},
		Source: &PipeSourceUpdate{
			ValidateSamples: &no,
			Kafka:           &KafkaUpdate{KafkaSource: KafkaSource{IAMRole: &empty}, Credentials: &Credentials{Username: &empty}},
			Postgres:        &PostgresUpdate{TableMappingsToRemove: []TableMappingKey{{}}},
		},
	})
	const want = `{"name":"","source":{"kafka":{"iamRole":"","credentials":{"username":""}},"postgres":{"tableMappingsToRemove":[{"sourceSchemaName":"","sourceTable":"","targetTable":""}]},"validateSamples":false},"fieldMappings":[]}`
	if diff := cmp.Diff(want, string(b)); diff != "" || err != nil {
		t.Error(diff, err)
	}
}
