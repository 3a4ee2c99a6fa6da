package mockplatform_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

const (
	servicesPath = "/v1/organizations/" + mockplatform.OrganizationID + "/services"
	scalingPath  = servicesPath + "/" + mockplatform.ServiceID + "/scaling"
	keysPath     = "/v1/organizations/" + mockplatform.OrganizationID + "/keys"
	pipesPath    = servicesPath + "/" + mockplatform.ServiceID + "/pipes/"
)

// bench is a platform, and sends raw JSON to its management API.
type bench struct {
	*testing.T
	platform *mockplatform.Server
}

func newBench(t *testing.T, behaviour mockplatform.Behaviour) *bench {
	t.Helper()
	platform := mockplatform.New(mockplatform.DefaultSeed())
	platform.Configure(func(b *mockplatform.Behaviour) { *b = behaviour })
	return &bench{t, platform}
}

func (b *bench) request(method, path, body string) *http.Request {
	request := httptest.NewRequest(method, path, strings.NewReader(body))
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	request.SetBasicAuth("demo-key-id", "demo-key-secret")
	return request
}

// response is a response, with its body as text and decoded.
type response struct {
	status int
	header http.Header
	text   string
	body   map[string]any
}

func (b *bench) do(request *http.Request) response {
	recorder := httptest.NewRecorder()
	b.platform.ServeHTTP(recorder, request)
	out := response{status: recorder.Code, header: recorder.Header(), text: recorder.Body.String()}
	_ = json.Unmarshal(recorder.Body.Bytes(), &out.body)
	return out
}

func (b *bench) send(method, path, body string) response { return b.do(b.request(method, path, body)) }

// must returns the result, and fails the test if there is none.
func (b *bench) must(method, path, body string) map[string]any {
	b.Helper()
	out := b.send(method, path, body)
	result, isObject := out.body["result"].(map[string]any)
	if out.status != http.StatusOK || !isObject {
		b.Fatalf("%s %s: %d %s", method, path, out.status, out.text)
	}
	return result
}

// at returns the value at a path such as "result.0.name", nil if there is none.
func at(value any, path string) any {
	for step := range strings.SplitSeq(path, ".") {
		if list, ok := value.([]any); ok {
			if index, err := strconv.Atoi(step); err == nil && index < len(list) {
				value = list[index]
				continue
			}
		}
		object, _ := value.(map[string]any)
		value = object[step]
	}
	return value
}

// size is the length of the list at a path.
func size(value any, path string) int {
	list, _ := at(value, path).([]any)
	return len(list)
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	a, errA := json.Marshal(got)
	b, errB := json.Marshal(want)
	if err := errors.Join(errA, errB); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a, b) {
		t.Errorf("%s: got %s, want %s", what, a, b)
	}
}
