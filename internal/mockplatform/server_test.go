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
	alertsPath   = "/api/v2/alerts/"
)

// bench is a platform, and sends raw JSON to it.
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
	if strings.Contains(path, "/api/v2/") {
		request.Header.Set("Authorization", "Bearer demo-alerts-token")
	} else {
		request.SetBasicAuth("demo-key-id", "demo-key-secret")
	}
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

// must fails the test if the status is not 200, and returns the result.
func (b *bench) must(method, path, body string) map[string]any {
	b.Helper()
	out := b.send(method, path, body)
	if out.status != http.StatusOK {
		b.Fatalf("%s %s: %d %s", method, path, out.status, out.text)
	}
	for _, name := range []string{"result", "data"} {
		if result, ok := out.body[name].(map[string]any); ok {
			return result
		}
	}
	b.Fatalf("%s %s: no object in %s", method, path, out.text)
	return nil
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
