package provider

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// organization is a platform over plain HTTP, as curl sees it, for what a test does
// behind Terraform's back: read an object before it is changed, change it, put it back.
// The client of the provider is not used, so that a fault of it cannot hide here.
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

// answer is the response to one request.
type answer struct {
	status int
	shown  string        // content type and beginning of the body, without the credentials
	result any           // the member "result" or "data"
	wait   time.Duration // as Retry-After asks for
}

// send sends a request to one of the APIs, a few times if it may help: what it sends
// has absolute values. An error has what the platform returned, without the credentials.
func (o *organization) send(ctx context.Context, method, path string, body any) (got answer, err error) {
	for attempt := range 6 {
		got, err = o.try(ctx, method, path, body)
		if err == nil && got.status != http.StatusTooManyRequests && got.status < 500 {
			break
		}
		select {
		case <-ctx.Done():
			return got, ctx.Err()
		case <-time.After(max(got.wait, time.Duration(attempt+1)*500*time.Millisecond)):
		}
	}
	if err == nil && got.status/100 != 2 {
		err = fmt.Errorf("HTTP %d, %s", got.status, got.shown)
	}
	if err != nil {
		err = fmt.Errorf("%s %s: %w", method, path, err)
	}
	return got, err
}

func (o *organization) try(ctx context.Context, method, path string, body any) (answer, error) {
	base, sent := o.settings["base_url"], ""
	if body != nil {
		sent = toJSON(o.t, body)
	}
	alerting := strings.HasPrefix(path, "/api/")
	if alerting {
		base = o.settings["alerts_base_url"]
	}
	request, err := http.NewRequestWithContext(ctx, method, strings.TrimRight(base, "/")+path, strings.NewReader(sent))
	if err != nil {
		return answer{}, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.SetBasicAuth(o.settings["key_id"], o.settings["key_secret"])
	if alerting {
		request.Header.Set("Authorization", "Bearer "+o.settings["alerts_access_token"])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var envelope struct {
		Result any `json:"result"`
		Data   any `json:"data"`
	}
	_ = decoder.Decode(&envelope) // an error has no envelope
	seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
	shown := response.Header.Get("Content-Type") + ": " + string(text)
	for _, name := range []string{"key_secret", "alerts_access_token"} {
		if secret := o.settings[name]; secret != "" {
			shown = strings.ReplaceAll(shown, secret, "***")
		}
	}
	return answer{response.StatusCode, folded(shown[:min(len(shown), 600)]), cmp.Or(envelope.Result, envelope.Data), time.Duration(seconds) * time.Second}, err
}

func (o *organization) services() string {
	return "/v1/organizations/" + o.settings["organization_id"] + "/services"
}

// subject is an object that a test may change, as it was before.
type subject struct {
	*organization
	noun, id string
	ids      [][2]string // the arguments of its resource that name it
	patches  string      // the path of its PATCH
	before   object

	field  string // that tests change
	others [3]any // values that it does not have
	kept   string // a field that such a change leaves known
}

var (
	// what the platform changes by itself
	volatile = []string{"state", "updatedAt", "scaling", "endpoints", "minReplicaMemoryGb", "maxReplicaMemoryGb", "engineVersion", "availablePrivateEndpointIds"}
	// what no message repeats
	secretMembers = []string{"connectionString", "encryptionKey"}
	// what is not put back: no acceptance test writes it
	neverWritten = []string{"organization_id", "service_id", "pipe_id", "source_credentials", "source.validate_samples", "source.postgres.table_mappings"}
)

// settable are the members that a PATCH may set, of those that the object has.
func (s *subject) settable() (fields []string) {
	kind, _, _ := strings.Cut(s.address(), ".")
	eachAttribute("", schemasOnce().ResourceSchemas[kind].Block.Attributes, func(path string, a *tfprotov6.SchemaAttribute) {
		field := fieldOf(path[1:])
		if value := member(s.before, field); a.Optional && !within(path[1:], neverWritten) && value != nil {
			if _, isObject := value.(object); !isObject {
				fields = append(fields, field)
			}
		}
	})
	return fields
}

// theService is a service whose scaling the test may change: the idle timeout, for which no
// replica starts or stops. It is put back at the end.
func (o *organization) theService(id string) *subject {
	o.t.Helper()
	return (&subject{
		organization: o, noun: "service", id: id, ids: [][2]string{{"service_id", id}},
		patches: o.services() + "/" + id + "/scaling", field: "idleTimeoutMinutes", kept: "name",
	}).claimed()
}

// thePipe is a pipe that the test may change: its name, because a change to its source would
// need its credentials. It is put back at the end.
func (o *organization) thePipe(service, id string) *subject {
	o.t.Helper()
	return (&subject{
		organization: o, noun: "pipe", id: id, ids: [][2]string{{"service_id", service}, {"pipe_id", id}},
		patches: o.services() + "/" + service + "/pipes/" + id, field: "name", kept: "createdAt",
	}).claimed()
}

func (s *subject) claimed() *subject {
	s.t.Helper()
	s.before = s.now()
	for i := range s.others {
		s.others[i] = fmt.Sprintf("%v (terraform-acc %d)", s.before[s.field], i)
		if number, isNumber := s.before[s.field].(json.Number); isNumber {
			n, _ := number.Float64()
			s.others[i] = int(n) + 4 + 3*i
		}
	}
	s.t.Cleanup(func() {
		if err := s.putBack(context.WithoutCancel(s.t.Context())); err != nil {
			s.t.Error(err)
			if run != nil {
				run.standing = append(run.standing, err.Error())
			}
		}
	})
	return s
}

func (s *subject) read(ctx context.Context) (object, error) {
	path := s.services()
	if s.noun == "pipe" {
		path = s.patches
	}
	got, err := s.send(ctx, http.MethodGet, path, nil)
	if pipe, ok := got.result.(object); ok || err != nil {
		return pipe, err
	}
	all, _ := got.result.([]any)
	for _, service := range all {
		if strings.EqualFold(fmt.Sprint(member(service, "id")), s.id) {
			return service.(object), nil
		}
	}
	return nil, fmt.Errorf("organization %s has no %s %s", s.settings["organization_id"], s.noun, s.id)
}

// patch changes an object behind Terraform's back.
func (s *subject) patch(body object) answer {
	s.t.Helper()
	got, err := s.send(s.t.Context(), http.MethodPatch, s.patches, body)
	if err != nil {
		s.t.Fatal(err)
	}
	return got
}

// now is the object as the platform returns it.
func (s *subject) now() object {
	s.t.Helper()
	now, err := s.read(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return now
}

// moved are the leaves whose value is another than before, but for those that the
// platform changes by itself.
func (s *subject) moved(before, now object) (paths []string) {
	is := leaves(now)
	for path, was := range leaves(before) {
		first, _, _ := strings.Cut(path, ".")
		if !slices.Contains(volatile, first) && !alike(was, is[path]) {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// putBack sends what has changed, and if that was not enough all that may be set: a
// platform that resets what a PATCH omits needs all of it at once. The error has what could
// not be put back, with its values before the test.
func (s *subject) putBack(ctx context.Context) error {
	standing := func(paths []string, err error) error {
		texts := []string{}
		for _, path := range paths {
			value := "a secret, which is not shown"
			if !slices.Contains(secretMembers, path[strings.LastIndexByte(path, '.')+1:]) {
				value = toJSON(s.t, member(s.before, path))
			}
			texts = append(texts, path+" = "+value)
		}
		return fmt.Errorf("%s %s may stand changed, and was not put back. Before the test it had %s. %w", s.noun, s.id, strings.Join(texts, ", "), err)
	}
	for attempt := range 3 {
		now, err := s.read(ctx)
		if err != nil {
			return standing(s.settable(), err)
		}
		moved := s.moved(s.before, now)
		if len(moved) == 0 {
			return nil
		}
		if attempt == 2 {
			return standing(moved, errors.New("the platform accepted the former values and kept others"))
		}
		body := object{}
		for _, path := range s.settable() {
			if attempt == 1 || slices.Contains(moved, path) {
				setMember(body, path, member(s.before, path))
			}
		}
		if _, err := s.send(ctx, http.MethodPatch, s.patches, body); err != nil {
			return standing(moved, err)
		}
	}
	return nil
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

func alike(a, b any) bool    { return plain(a) == plain(b) }
func isEmpty(value any) bool { return plain(value) == "" }

// plain is the same text for values that are the same to a user: an omitted one is an empty
// one, and lists are compared in any order, since most are sets.
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
