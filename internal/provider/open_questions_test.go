package provider

import (
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

// The questions are answered for the objects of a run on an organization, with as little
// as an answer takes, and for a fake's, where the answers are known.

// findings are what a run showed of the questions that the API document leaves open. A
// maintainer pastes them into an issue.
type findings struct {
	said   []string
	asked  map[string]bool // by ID
	resets string          // an object of which a PATCH reset what it omits
	seen   map[string]map[string]bool
	empty  map[string]string // by how an empty value is spelled, a field that had it
}

func newFindings() *findings {
	return &findings{asked: map[string]bool{}, seen: map[string]map[string]bool{}, empty: map[string]string{}}
}

// findingsOfRun are those of a run on an organization. On a fake, where tests are parallel, each
// test has its own.
func findingsOfRun() *findings {
	if run != nil {
		return run.learned
	}
	return newFindings()
}

// say adds an answer, once if several objects give the same.
func (f *findings) say(format string, values ...any) {
	if line := fmt.Sprintf(format, values...); !slices.Contains(f.said, line) {
		f.said = append(f.said, line)
	}
}

// about changes an object as little as an answer takes, and never its source. Whether a
// PATCH keeps what it omits is seen in a value that the PATCH before it has changed: one
// that was a default all along would look the same after a reset.
func (f *findings) about(s *subject) {
	s.t.Helper()
	f.asked[s.id] = true
	f.note(s.noun, s.before)
	expected := fromJSON(s.t, toJSON(s.t, s.before)).(object)
	var steps []step
	if s.noun == "service" {
		steps = []step{{"services", "idleTimeoutMinutes", 5}, {"services", firstOf(s.before, "idleScaling", "numReplicas"), 0}}
	} else {
		setting := firstOf(s.before, "settings.streaming_max_insert_wait_ms", "settings.object_storage_polling_interval_ms")
		other := firstOf(s.before, "settings.engine_max_threads", "settings.engine_max_insert_threads", "settings.object_storage_concurrency")
		steps = []step{{"pipes", "name", 0}, {"pipes", setting, 1}, {"pipes, nested", other, 0}}
	}
	for i, step := range steps {
		value := member(s.before, step.field)
		if isEmpty(value) && i > 0 {
			f.say("%s: whether a PATCH keeps what it omits was not tried to the end, since a field for it was not returned.", step.noun)
			return
		}
		if number, ok := value.(json.Number); ok {
			n, _ := number.Int64()
			value = json.Number(strconv.FormatInt(n+step.more, 10))
		}
		if step.field == "name" {
			value = fmt.Sprint(value, " (terraform-acc)")
		}
		setMember(expected, step.field, value)
		f.patch(s, step, value, expected)
		if f.resets != "" {
			return
		}
	}
	for _, noun := range slices.Compact([]string{steps[0].noun, steps[len(steps)-1].noun}) {
		f.say("%s: a PATCH keeps what it omits.", noun)
	}
}

// step is one PATCH of one field, to what it is now or to more.
type step struct {
	noun, field string
	more        int64
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

// patch sends one field, and compares what the object is after it with what is expected,
// and with the response.
func (f *findings) patch(s *subject, step step, value any, expected object) {
	s.t.Helper()
	body := object{}
	setMember(body, step.field, value)
	got, now := s.patch(body), s.now()
	f.note(s.noun, got.result)
	f.note(s.noun, now)
	if stored := member(now, step.field); stored != nil && !alike(stored, value) {
		s.t.Errorf("%s %s stores %s otherwise than it was sent. Before the test it was: %s", s.noun, s.id, step.field, s.told([]string{step.field}))
		return
	}
	if moved := s.moved(expected, now); len(moved) > 0 {
		f.resets = s.noun + " " + s.id
		f.say("%s: a PATCH RESETS what it omits (%s was sent alone): %s.", step.noun, step.field, strings.Join(moved, ", "))
		if s.noun == "pipe" {
			f.say("pipes: credentials are never returned. Those of %s may have been reset, too: set them again.", f.resets)
		}
	}

	response, _ := got.result.(object)
	if response == nil {
		f.say("%s: the response to a PATCH has no result.", step.noun)
		return
	}
	var differ []string
	all := maps.Clone(leaves(response))
	maps.Copy(all, leaves(now))
	for path := range all {
		was, is := member(response, path), member(now, path)
		switch {
		case was == nil && is != nil:
			differ = append(differ, path+" is in the read alone")
		case was != nil && is == nil:
			differ = append(differ, path+" is in the response alone")
		case spelled(was) != spelled(is):
			differ = append(differ, path+" is another")
		}
	}
	slices.Sort(differ)
	if len(differ) == 0 {
		f.say("%s: a second read equals the response to a PATCH.", step.noun)
	} else {
		f.say("%s: a second read differs from the response to a PATCH: %s.", step.noun, strings.Join(differ, ", "))
	}
}

func numberOf(value any) (float64, error) {
	number, _ := value.(json.Number)
	return number.Float64()
}

// aboutErrors asks for a pipe that does not exist, once.
func (f *findings) aboutErrors(o *organization, service string) {
	o.t.Helper()
	if f.asked["errors"] {
		return
	}
	f.asked["errors"] = true
	path := o.services() + "/" + service + "/pipes/" + uuid.NewString()
	got, err := o.send(o.t.Context(), http.MethodGet, path, nil)
	if err != nil {
		o.t.Fatal(err)
	}
	f.say("errors: a pipe that does not exist is HTTP %d, %s: %s", got.status, got.contentType, o.masked(got.body))
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
	if f.seen[noun] == nil {
		f.seen[noun] = map[string]bool{}
	}
	var walk func(path string, value any)
	walk = func(path string, value any) {
		f.seen[noun][path] = true
		if isEmpty(value) {
			spelling := spelled(value)
			f.empty[spelling] = noun + "." + path
		}
		switch value := value.(type) {
		case object:
			for name, inner := range value {
				walk(strings.TrimPrefix(path+"."+name, "."), inner)
			}
		case []any:
			for _, element := range value {
				if members, ok := element.(object); ok {
					for name, inner := range members {
						walk(path+"."+name, inner)
					}
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
	all := append([]string{"What this run showed of the questions that the API document leaves open:"}, f.said...)
	for _, noun := range []string{"service", "pipe", "alert"} {
		seen := f.seen[noun]
		if len(seen) == 0 {
			all = append(all, noun+"s: none was read.")
			continue
		}
		var missing, kinds []string
		for _, path := range documented(noun) {
			parent := path[:max(0, strings.LastIndexByte(path, '.'))]
			switch {
			case seen[path] || !seen[parent]:
			case parent == "source": // a pipe has one kind of it
				kinds = append(kinds, path)
			default:
				missing = append(missing, path)
			}
		}
		if len(missing) == 0 {
			all = append(all, noun+"s: the responses contained every field.")
		} else {
			all = append(all, noun+"s: no response contained "+strings.Join(missing, ", ")+".")
		}
		if len(kinds) > 0 {
			all = append(all, noun+"s: none was read with "+strings.Join(kinds, ", ")+".")
		}
	}
	if len(f.seen) > 0 {
		var returned, never []string
		for _, value := range []string{`""`, "[]", "{}", "false", "0", "null"} {
			if field, ok := f.empty[value]; ok {
				returned = append(returned, value+" ("+field+")")
			} else {
				never = append(never, value)
			}
		}
		switch {
		case len(returned) == 0:
			all = append(all, "empty values: no response had one, so they seem to be omitted.")
		case len(never) == 0:
			all = append(all, "empty values: returned, "+strings.Join(returned, ", ")+".")
		default:
			all = append(all, "empty values: returned, "+strings.Join(returned, ", ")+"; no response had "+strings.Join(never, ", ")+".")
		}
	}
	for i := range all[1:] {
		all[i+1] = "- " + all[i+1]
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
