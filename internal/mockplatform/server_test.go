package mockplatform_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
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

// bench is a platform at the other end of connections in memory, and a client that sends raw JSON to it.
type bench struct {
	*testing.T
	platform *mockplatform.Server
	client   *http.Client
}

func newBench(t *testing.T) *bench {
	t.Helper()
	return behaving(t, mockplatform.Behaviour{})
}

func behaving(t *testing.T, behaviour mockplatform.Behaviour) *bench {
	t.Helper()
	var network mockplatform.Memory
	platform := mockplatform.New(mockplatform.DefaultSeed())
	platform.Configure(func(b *mockplatform.Behaviour) { *b = behaviour })
	transport, stop := &http.Transport{DialContext: network.Dial}, network.Start(platform)
	t.Cleanup(func() { transport.CloseIdleConnections(); stop() })
	return &bench{T: t, platform: platform, client: &http.Client{Transport: transport}}
}

// inBubble has a bench in the time of a bubble.
func inBubble(t *testing.T, behaviour mockplatform.Behaviour, test func(b *bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		t.Cleanup(synctest.Wait) // once all connections are closed
		test(behaving(t, behaviour))
	})
}

func (b *bench) request(method, path, body string) *http.Request {
	b.Helper()
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	request, err := http.NewRequestWithContext(b.Context(), method, "http://127.0.0.1"+path, reader)
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

func wantPart(t *testing.T, text, part string) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Errorf("got %s, want %q in it", text, part)
	}
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
