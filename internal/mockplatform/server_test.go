package mockplatform_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

const (
	servicesPath = "/v1/organizations/" + mockplatform.OrganizationID + "/services"
	scalingPath  = servicesPath + "/" + mockplatform.ServiceID + "/scaling"
	keysPath     = "/v1/organizations/" + mockplatform.OrganizationID + "/keys"
	pipesPath    = servicesPath + "/" + mockplatform.ServiceID + "/pipes/"
	alertsPath   = "/api/v2/alerts/"
)

// bench is a listening platform and a client that sends raw JSON to it.
type bench struct {
	*testing.T
	platform *mockplatform.Server
	server   *httptest.Server
	url      string
	client   *http.Client
}

func newBench(t *testing.T) *bench {
	t.Helper()
	return newBenchWith(t, mockplatform.DefaultSeed())
}

func newBenchWith(t *testing.T, seed mockplatform.Seed) *bench {
	t.Helper()
	platform := mockplatform.New(seed)
	server := httptest.NewServer(platform)
	t.Cleanup(server.Close)
	client := server.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &bench{T: t, platform: platform, server: server, url: server.URL, client: client}
}

// inBubble has a bench in memory, in the time of a bubble.
func inBubble(t *testing.T, test func(b *bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var network mockplatform.Memory
		platform := mockplatform.New(mockplatform.DefaultSeed())
		transport, stop := &http.Transport{DialContext: network.Dial}, network.Start(platform)
		t.Cleanup(func() { transport.CloseIdleConnections(); stop(); synctest.Wait() })
		test(&bench{T: t, platform: platform, url: "http://127.0.0.1", client: &http.Client{Transport: transport}})
	})
}

func (b *bench) request(method, path, body string) *http.Request {
	b.Helper()
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	request, err := http.NewRequestWithContext(b.Context(), method, b.url+path, reader)
	if err != nil {
		b.Fatal(err)
	}
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

// response is a complete response, with its body as text and decoded.
type response struct {
	status int
	header http.Header
	text   string
	body   map[string]any
}

func (b *bench) do(request *http.Request) (response, error) {
	b.Helper()
	received, err := b.client.Do(request)
	if err != nil {
		return response{}, err
	}
	defer func() { _ = received.Body.Close() }()
	text, err := io.ReadAll(received.Body)
	out := response{status: received.StatusCode, header: received.Header, text: string(text)}
	_ = json.Unmarshal(text, &out.body)
	return out, err
}

// send fails the test if the response is incomplete.
func (b *bench) send(method, path, body string) response {
	b.Helper()
	out, err := b.do(b.request(method, path, body))
	if err != nil {
		b.Fatalf("%s %s: %v", method, path, err)
	}
	return out
}

// must fails the test if the status is not 200, and returns the result.
func (b *bench) must(method, path, body string) map[string]any {
	b.Helper()
	out := b.send(method, path, body)
	if out.status != http.StatusOK {
		b.Fatalf("%s %s: %d %s", method, path, out.status, out.text)
	}
	if data := objectAt(out.body, "data"); data != nil {
		return data
	}
	return objectAt(out.body, "result")
}

// at returns the value at a path of object members and array elements.
func at(value any, path ...any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			value = objectAt(value)[step]
		case int:
			value = listAt(value)[step]
		}
	}
	return value
}

func objectAt(value any, path ...any) map[string]any {
	object, _ := at(value, path...).(map[string]any)
	return object
}

func listAt(value any, path ...any) []any {
	list, _ := at(value, path...).([]any)
	return list
}

func textAt(value any, path ...any) string {
	text, _ := at(value, path...).(string)
	return text
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

func mustDecode(t *testing.T, text string) map[string]any {
	t.Helper()
	var out map[string]any
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return out
}
