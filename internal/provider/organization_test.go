package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// organization is a platform over plain HTTP, as curl sees it, for what a test does behind Terraform's back. The client
// of the provider is not used, so that a fault of it cannot hide here.
type organization struct {
	t        *testing.T
	settings map[string]string // the provider's, by their names
	fake     *fixture          // nil on an organization
}

// organization is the fake of a fixture over HTTP.
func (f *fixture) organization() *organization {
	return &organization{t: f.t, fake: f, settings: map[string]string{
		"base_url": f.url, "organization_id": mockplatform.OrganizationID, "key_id": "demo-key-id", "key_secret": "demo-key-secret",
		"alerts_base_url": f.url, "alerts_access_token": "demo-alerts-token",
	}}
}

// send sends a request to one of the APIs, and returns the member "result" or "data" of its response. An error has the
// status and the body.
func (o *organization) send(ctx context.Context, method, path string, body any) (any, error) {
	base, sent := o.settings["base_url"], ""
	if body != nil {
		sent = toJSON(o.t, body)
	}
	isAlert := strings.HasPrefix(path, "/api/")
	if isAlert {
		base = o.settings["alerts_base_url"]
	}
	request, err := http.NewRequestWithContext(ctx, method, strings.TrimRight(base, "/")+path, strings.NewReader(sent))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.SetBasicAuth(o.settings["key_id"], o.settings["key_secret"])
	if isAlert {
		request.Header.Set("Authorization", "Bearer "+o.settings["alerts_access_token"])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	var envelope struct {
		Result any `json:"result"`
		Data   any `json:"data"`
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err = errors.Join(err, decoder.Decode(&envelope)); err != nil || response.StatusCode/100 != 2 {
		return nil, fmt.Errorf("%s %s: HTTP %d, %s: %.600s", method, path, response.StatusCode, response.Header.Get("Content-Type"), text)
	}
	if isAlert {
		return envelope.Data, nil
	}
	return envelope.Result, nil
}

func (o *organization) services() string {
	return "/v1/organizations/" + o.settings["organization_id"] + "/services"
}

// subject is an object that a test may change, as it was before.
type subject struct {
	*organization
	noun, id string
	ids      [][2]string // the arguments of its resource that name it
	path     string      // of its PATCH
	before   object

	field  string // that tests change
	others [3]any // values that it does not have
	kept   string // a field that such a change leaves known
}

// theService is a service whose scaling the test may change: the idle timeout, for which no replica starts or stops.
func (o *organization) theService(id string) *subject {
	o.t.Helper()
	s := &subject{
		organization: o, noun: "service", id: id, ids: [][2]string{{"service_id", id}},
		path: o.services() + "/" + id + "/scaling", field: "idleTimeoutMinutes", kept: "name",
	}
	s.before = s.now()
	minutes, _ := s.before[s.field].(json.Number)
	n, _ := minutes.Float64()
	for i := range s.others {
		s.others[i] = 5 + (int(n)-4+i)%20
	}
	return s
}

// thePipe is a pipe that the test may change: its name, because a change to its source would need its credentials.
func (o *organization) thePipe(service, id string) *subject {
	o.t.Helper()
	s := &subject{
		organization: o, noun: "pipe", id: id, ids: [][2]string{{"service_id", service}, {"pipe_id", id}},
		path: o.services() + "/" + service + "/pipes/" + id, field: "name", kept: "createdAt",
	}
	s.before = s.now()
	for i := range s.others {
		s.others[i] = "terraform-acc-" + uuid.NewString()[:8]
	}
	return s
}

// now is the object as the platform returns it.
func (s *subject) now() object {
	s.t.Helper()
	path := s.path
	if s.noun == "service" {
		path = s.services()
	}
	got, err := s.send(s.t.Context(), http.MethodGet, path, nil)
	for _, service := range listOf(got) {
		if strings.EqualFold(fmt.Sprint(member(service, "id")), s.id) {
			got = service
		}
	}
	now, found := got.(object)
	if !found {
		s.t.Fatalf("organization %s has no %s %s: %v", s.settings["organization_id"], s.noun, s.id, err)
	}
	return now
}

// patch changes the field behind Terraform's back, and logs what the API document leaves open: what else that changes, and
// what a read has otherwise than the response.
func (s *subject) patch(value any) {
	s.t.Helper()
	before := s.now()
	response, err := s.send(s.t.Context(), http.MethodPatch, s.path, object{s.field: value})
	if err != nil {
		s.t.Fatal(err)
	}
	now := s.now()
	before[s.field] = now[s.field]
	s.t.Logf("%ss: fields that a PATCH of %s alone changes, too: %q", s.noun, s.field, slices.Sorted(maps.Keys(differing(before, now))))
	s.t.Logf("%ss: fields that a read after a PATCH has otherwise than its response: %q", s.noun, slices.Sorted(maps.Keys(differing(response, now))))
}

// differing are the paths of what two documents have otherwise, a list being one value.
func differing(one, other any) map[string]bool {
	was, isObject := one.(object)
	is, both := other.(object)
	if !isObject || !both {
		return map[string]bool{"": true}
	}
	paths := map[string]bool{}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(was)), slices.Collect(maps.Keys(is))) {
		if !cmp.Equal(was[name], is[name]) {
			for path := range differing(was[name], is[name]) {
				paths[strings.TrimSuffix(name+"."+path, ".")] = true
			}
		}
	}
	return paths
}
