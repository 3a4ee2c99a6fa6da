package provider

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// organization is a platform over plain HTTP, as curl sees it, for what a test does behind Terraform's back. The client
// of the provider is not used, so that a fault of it cannot hide here.
type organization struct {
	t        *testing.T
	settings map[string]string // the provider's, by their names
	fake     *fixture          // nil on an organization
	learned  findings
}

// organization is the fake of a fixture over HTTP.
func (f *fixture) organization() *organization {
	return &organization{t: f.t, fake: f, learned: findings{}, settings: map[string]string{
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
	if err = cmp.Or(err, decoder.Decode(&envelope)); err != nil || response.StatusCode/100 != 2 {
		return nil, fmt.Errorf("%s %s: HTTP %d, %s: %.600s", method, path, response.StatusCode, response.Header.Get("Content-Type"), text)
	}
	return cmp.Or(envelope.Result, envelope.Data), nil
}

func (o *organization) services() string {
	return "/v1/organizations/" + o.settings["organization_id"] + "/services"
}

func alertPath(id string) string { return "/api/v2/alerts/" + url.PathEscape(id) }

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
	_, err := s.send(s.t.Context(), http.MethodGet, o.services()+"/"+service+"/pipes/"+uuid.Nil.String(), nil)
	o.learned.say("a pipe that does not exist", fmt.Sprint(err))
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

// patch changes the field behind Terraform's back, and learns what else that changes, and what the response has.
func (s *subject) patch(value any) {
	s.t.Helper()
	before := s.now()
	response, err := s.send(s.t.Context(), http.MethodPatch, s.path, object{s.field: value})
	if err != nil {
		s.t.Fatal(err)
	}
	now := s.now()
	before[s.field] = value
	s.learned.say(s.noun+"s: fields that a PATCH of "+s.field+" alone changes, too", differing(before, now)...)
	s.learned.say(s.noun+"s: fields that a read after a PATCH has otherwise than its response", differing(response, now)...)
}

// findings are what a run showed of the questions that the API document leaves open, by question. A maintainer pastes
// them into an issue.
type findings map[string][]string

// say adds answers to a question, each once. There may be none at all.
func (f findings) say(question string, answers ...string) {
	all := slices.Concat(f[question], answers)
	slices.Sort(all)
	f[question] = slices.Compact(all)
}

func (f findings) String() string {
	text := "What this run showed of the questions that the API document leaves open:"
	for _, question := range slices.Sorted(maps.Keys(f)) {
		text += "\n- " + question + ": " + cmp.Or(strings.Join(f[question], ", "), "none")
	}
	return text
}

// TestFindings has a platform of which the answers are known.
func TestFindings(t *testing.T) {
	f := newFixture(t)
	s := f.organization().theService(mockplatform.ServiceID)
	s.patch(s.others[0])
	wantText(t, s.learned.String(), "idleTimeoutMinutes alone changes, too: none", "otherwise than its response: none")
	f.Configure(func(b *mockplatform.Behaviour) {
		b.Patches.Resets, b.Responses.PatchResult = mockplatform.Resets{TopLevel: true, To: mockplatform.ToEmpty}, mockplatform.ResultBefore
	})
	s.patch(s.others[1])
	wantText(t, s.learned.String(), "alone changes, too: idleScaling, ", "otherwise than its response: idleScaling, idleTimeoutMinutes")
}

// differing are the leaves that two documents have otherwise.
func differing(one, other any) (paths []string) {
	is := leaves(other)
	for path, was := range leaves(one) {
		if plain(was) != plain(is[path]) {
			paths = append(paths, path)
		}
	}
	return paths
}

// leaves are the values of a document by dotted path. A list is one value.
func leaves(value any) map[string]any {
	all := map[string]any{}
	var walk func(path string, value any)
	walk = func(path string, value any) {
		members, ok := value.(object)
		if !ok || len(members) == 0 {
			all[path] = value
			return
		}
		for name, inner := range members {
			walk(strings.TrimPrefix(path+"."+name, "."), inner)
		}
	}
	walk("", value)
	return all
}

// plain is the same text for values that are the same to a user: an omitted one is an empty one, and lists are compared
// in any order, since most are sets.
func plain(value any) string {
	switch text := strings.Trim(spelled(value), `"`); text {
	case "null", "[]", "{}", "false", "0":
		return ""
	default:
		return text
	}
}

func spelled(value any) string {
	list, isList := value.([]any)
	if !isList {
		text, _ := json.Marshal(value)
		return string(text)
	}
	texts := make([]string, len(list))
	for i, element := range list {
		texts[i] = spelled(element)
	}
	slices.Sort(texts)
	return "[" + strings.Join(texts, ",") + "]"
}
