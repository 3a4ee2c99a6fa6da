package provider

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// The questions that the API document leaves open. They are answered for the objects of a
// run on an organization, with as little as an answer takes, and for a fake's, where the
// answers are known.
const (
	omitted   = ": what a PATCH omits"
	responses = ": the response to a PATCH"
	returns   = ": fields that no response had"
	emptied   = "empty values that were returned"
	noSuch    = "a pipe that does not exist"
)

// Answers to them.
const (
	isKept   = "is kept"
	isRead   = "is what a read has after it"
	noResult = "has no result"
)

// findings are the answers of a run. A maintainer pastes them into an issue.
type findings struct {
	answers  map[string][]string        // by question; several, where objects differ
	asked    map[string]bool            // by ID of the object
	resets   string                     // an object of which a PATCH reset what it omits
	returned map[string]map[string]bool // the paths of fields, by noun
	empty    map[string]string          // by how an empty value is spelled, a field that had it
}

func newFindings() *findings {
	return &findings{map[string][]string{}, map[string]bool{}, "", map[string]map[string]bool{}, map[string]string{}}
}

// findingsOfRun are those of a run on an organization. On a fake, where tests are parallel, each
// test has its own.
func findingsOfRun() *findings {
	if run != nil {
		return run.learned
	}
	return newFindings()
}

func (f *findings) answer(question, format string, values ...any) {
	if text := fmt.Sprintf(format, values...); !slices.Contains(f.answers[question], text) {
		f.answers[question] = append(f.answers[question], text)
	}
}

// about changes an object as little as an answer takes, and never its source: each field
// but the last one gets another value, and the last PATCH is to keep those. A value that
// was a default all along would look the same after a reset.
func (f *findings) about(s *subject) {
	s.t.Helper()
	f.asked[s.id] = true
	f.note(s.noun, s.before)
	fields := []string{"idleTimeoutMinutes", firstOf(s.before, "idleScaling", "numReplicas")}
	if s.noun == "pipe" {
		fields = []string{
			"name",
			firstOf(s.before, "settings.streaming_max_insert_wait_ms", "settings.object_storage_polling_interval_ms"),
			firstOf(s.before, "settings.engine_max_threads", "settings.engine_max_insert_threads", "settings.object_storage_concurrency"),
		}
	}
	expected := fromJSON(s.t, toJSON(s.t, s.before)).(object)
	for i, field := range fields {
		value := member(s.before, field)
		if isEmpty(value) && field != "name" {
			f.answer(s.noun+omitted, "is not known: no field to try was returned")
			return
		}
		if i < len(fields)-1 {
			value = another(value)
		}
		setMember(expected, field, value)
		if !f.patch(s, field, value, expected) {
			return
		}
	}
	f.answer(s.noun+omitted, isKept)
}

// another is another value of a name or a number.
func another(value any) any {
	number, ok := value.(json.Number)
	if !ok {
		return fmt.Sprint(value, " (terraform-acc)")
	}
	n, _ := number.Int64()
	return json.Number(strconv.FormatInt(n+5, 10))
}

// firstOf is the first of these fields that an object has with a value.
func firstOf(object object, fields ...string) string {
	for _, field := range fields {
		if !isEmpty(member(object, field)) {
			return field
		}
	}
	return fields[0]
}

// patch sends one field, compares what the object is after it with what is expected and
// with the response, and reports whether the object is as expected.
func (f *findings) patch(s *subject, field string, value any, expected object) bool {
	s.t.Helper()
	body := object{}
	setMember(body, field, value)
	got, now := s.patch(body), s.now()
	f.note(s.noun, got.result)
	f.note(s.noun, now)
	if stored := member(now, field); stored != nil && !alike(stored, value) {
		s.t.Errorf("%s %s stores %s otherwise than it was sent. Before the test it was: %s", s.noun, s.id, field, s.told([]string{field}))
		return false
	}
	f.compare(s.noun, got.result, now)
	moved := s.moved(expected, now)
	if len(moved) == 0 {
		return true
	}
	f.resets = s.noun + " " + s.id
	f.answer(s.noun+omitted, "IS RESET by a PATCH of %s: %s", field, strings.Join(moved, ", "))
	if s.noun == "pipe" {
		f.answer("credentials", "are never returned, and may be reset as well: set those of %s again", f.resets)
	}
	return false
}

// compare answers in what the response to a PATCH differs from the read after it.
func (f *findings) compare(noun string, result, now any) {
	if result == nil {
		f.answer(noun+responses, noResult)
		return
	}
	was, is := leaves(result), leaves(now)
	var differ []string
	for path := range maps.Keys(unionOf(was, is)) {
		if spelled(was[path]) != spelled(is[path]) {
			differ = append(differ, path)
		}
	}
	if len(differ) == 0 {
		f.answer(noun+responses, isRead)
		return
	}
	slices.Sort(differ)
	f.answer(noun+responses, "differs from a read after it: %s", strings.Join(differ, ", "))
}

func unionOf(a, b map[string]any) map[string]any {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// aboutErrors asks for a pipe that does not exist, once.
func (f *findings) aboutErrors(o *organization, service string) {
	o.t.Helper()
	if f.asked[noSuch] {
		return
	}
	f.asked[noSuch] = true
	got, err := o.send(o.t.Context(), http.MethodGet, o.services()+"/"+service+"/pipes/"+uuid.NewString(), nil)
	if err != nil {
		o.t.Fatal(err)
	}
	f.answer(noSuch, "HTTP %d, %s: %s", got.status, got.contentType, o.masked(got.body))
}

// read notes the fields of an object without changing it, or of all in a list.
func (f *findings) read(o *organization, noun, path string) {
	o.t.Helper()
	got, err := o.get(o.t.Context(), path)
	if err != nil {
		o.t.Fatal(err)
	}
	all, isList := got.([]any)
	if !isList {
		all = []any{got}
	}
	for _, object := range all {
		f.note(noun, object)
	}
}

func alertPath(id string) string { return "/api/v2/alerts/" + url.PathEscape(id) }

// note remembers which fields a response had, and which were empty.
func (f *findings) note(noun string, value any) {
	if f.returned[noun] == nil {
		f.returned[noun] = map[string]bool{}
	}
	var walk func(path string, value any)
	walk = func(path string, value any) {
		f.returned[noun][path] = true
		if isEmpty(value) {
			f.empty[spelled(value)] = noun + "." + path
		}
		switch value := value.(type) {
		case object:
			for name, inner := range value {
				walk(strings.TrimPrefix(path+"."+name, "."), inner)
			}
		case []any:
			for _, element := range value {
				if _, ok := element.(object); ok {
					walk(path, element)
				}
			}
		}
	}
	if value != nil {
		walk("", value)
	}
}

// lines are the findings, a line for each question.
func (f *findings) lines() []string {
	for noun, seen := range f.returned {
		var missing []string
		for _, path := range documented(noun) {
			if parent := path[:max(0, strings.LastIndexByte(path, '.'))]; !seen[path] && seen[parent] {
				missing = append(missing, path)
			}
		}
		f.answer(noun+returns, "%s", cmp.Or(strings.Join(missing, ", "), "none"))
	}
	for _, spelling := range slices.Sorted(maps.Keys(f.empty)) {
		f.answer(emptied, "%s (%s)", spelling, f.empty[spelling])
	}
	all := []string{"What this run showed of the questions that the API document leaves open:"}
	for _, question := range slices.Sorted(maps.Keys(f.answers)) {
		all = append(all, "- "+question+": "+strings.Join(f.answers[question], "; "))
	}
	return all
}

// documented are the fields of an object of the API by dotted path, as responses spell them.
func documented(noun string) (paths []string) {
	eachAttribute("", schemasOnce().DataSourceSchemas["dataplatform_"+noun].Block.Attributes, func(path string, _ *tfprotov6.SchemaAttribute) {
		if path != ".organization_id" {
			paths = append(paths, fieldOf(path[1:]))
		}
	})
	return paths
}
