package provider

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// The questions that the API document leaves open are answered for the objects of a run on
// an organization, with as little as an answer takes, and for a fake's, where the answers are
// known.

// findings are what a run showed. A maintainer pastes them into an issue.
type findings struct {
	answers map[string][]string // by question
	asked   map[string]bool     // by ID
	resets  string              // an object of which a PATCH reset what it omits
	seen    map[string]bool     // fields that a response had, by noun and path
}

func newFindings() *findings {
	return &findings{answers: map[string][]string{}, asked: map[string]bool{}, seen: map[string]bool{}}
}

// say adds answers to a question, each once. There may be none at all.
func (f *findings) say(question string, answers ...string) {
	f.answers[question] = append(f.answers[question], answers...)
	slices.Sort(f.answers[question])
	f.answers[question] = slices.Compact(f.answers[question])
}

// probed are the fields that PATCHes send, one after the other: of each group the first one
// that has a value, and another value of the first two. Whether a PATCH keeps what it omits is
// seen in a value that the one before it has changed: one that was a default all along would
// look the same after a reset.
var probed = map[string][][]string{
	"service": {{"idleTimeoutMinutes"}, {"idleScaling", "numReplicas"}},
	"pipe": {
		{"name"}, {"settings.streaming_max_insert_wait_ms", "settings.object_storage_polling_interval_ms"},
		{"settings.engine_max_threads", "settings.engine_max_insert_threads", "settings.object_storage_concurrency"},
	},
}

// about changes an object as little as an answer takes, and never its source.
func (f *findings) about(s *subject) {
	s.t.Helper()
	f.note(s.noun, s.before)
	f.asked[s.id] = true
	got, err := s.send(s.t.Context(), http.MethodGet, s.services()+"/"+s.ids[0][1]+"/pipes/"+uuid.NewString(), nil)
	if got.status == 0 {
		s.t.Fatal(err)
	}
	f.answers["a pipe that does not exist"] = []string{fmt.Sprintf("HTTP %d, %s", got.status, got.shown)}
	expected := fromJSON(s.t, toJSON(s.t, s.before)).(object)
	for _, group := range probed[s.noun] {
		i := slices.IndexFunc(group, func(field string) bool { return !isEmpty(member(s.before, field)) })
		if i < 0 || f.resets != "" {
			f.say(s.noun+"s: not tried to the end for", s.id)
			return
		}
		field := group[i]
		value := member(s.before, field)
		if field == s.field {
			value = s.others[0]
		} else if strings.HasSuffix(field, "_ms") {
			milliseconds, _ := value.(json.Number).Int64()
			value = milliseconds + 1
		}
		setMember(expected, field, value)
		f.patch(s, field, value, expected)
	}
}

// patch sends one field, and compares what the object is after it with what is expected,
// and with the response.
func (f *findings) patch(s *subject, field string, value any, expected object) {
	s.t.Helper()
	body := object{}
	setMember(body, field, value)
	got, now := s.patch(body), s.now()
	f.note(s.noun, got.result)
	f.note(s.noun, now)
	if stored := member(now, field); stored != nil && !alike(stored, value) {
		s.t.Fatalf("%s %s stores %s otherwise than it was sent", s.noun, s.id, field)
	}
	moved := s.moved(expected, now)
	f.say(s.noun+"s: fields that a PATCH of "+field+" alone resets", moved...)
	if len(moved) > 0 {
		f.resets = s.noun + " " + s.id
		if s.noun == "pipe" { // they are never returned
			f.say("pipes: credentials that may have been reset, and have to be set again", s.id)
		}
	}
	otherwise := []string{"everything"}
	if response, isObject := got.result.(object); isObject {
		otherwise = s.moved(now, response)
	}
	f.say(s.noun+"s: fields that a read after a PATCH has otherwise than its response", otherwise...)
}

func alertPath(id string) string { return "/api/v2/alerts/" + url.PathEscape(id) }

// note remembers which fields a response had, and how those that were empty were spelled.
func (f *findings) note(noun string, value any) {
	f.seen[noun] = true
	maps.Copy(f.seen, fieldsOf(noun+".", value))
	for _, empty := range leaves(value) {
		if isEmpty(empty) && empty != nil {
			f.say("empty values that responses had", spelled(empty))
		}
	}
}

// lines are the findings, a line for each question.
func (f *findings) lines() []string {
	for _, noun := range []string{"service", "pipe", "alert"} {
		if f.seen[noun] {
			f.say(noun+"s: fields that no response had", f.unseen(noun)...)
		}
	}
	all := []string{"What this run showed of the questions that the API document leaves open:"}
	for _, question := range slices.Sorted(maps.Keys(f.answers)) {
		all = append(all, "- "+question+": "+cmp.Or(strings.Join(f.answers[question], ", "), "none"))
	}
	return all
}

// unseen are the attributes of a data source that no response had as fields, beside others of
// the same object.
func (f *findings) unseen(noun string) (fields []string) {
	eachAttribute("", schemasOnce().DataSourceSchemas["dataplatform_"+noun].Block.Attributes, func(path string, _ *tfprotov6.SchemaAttribute) {
		field := fieldOf(path[1:])
		at := noun + "." + field
		if parent := at[:strings.LastIndexByte(at, '.')]; path != ".organization_id" && f.seen[parent] && !f.seen[at] {
			fields = append(fields, field)
		}
	})
	return fields
}
