package provider

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// A random long life of one adopted object: commands of Terraform, changes of
// the configuration, edits in the console and faults, in sequences that a seed
// makes, on platforms that differ in all that the API document leaves open.
// After each command it is checked that the rules of the resources held.
//
// TEST_SEED=N repeats a life. LIFE_TIME=20m lets random lives go on for that
// long, and LIFE_RUNS=1000 for that many. A life that fails is shrunk: steps,
// features of the platform and attributes are dropped as long as it still fails
// alike.

// lifeSpec is all that a life depends on.
type lifeSpec struct {
	seed     uint64
	kind     string // of source, or "scaling"
	leaves   []string
	features []string
	steps    []lifeStep
}

type lifeStep struct {
	name string
	seed uint64
}

func (s lifeSpec) String() string {
	var steps []string
	for _, step := range s.steps {
		steps = append(steps, fmt.Sprintf("%s/%d", step.name, step.seed))
	}
	return fmt.Sprintf("seed %d: %s, leaves %v, platform %v, steps %v", s.seed, s.kind, s.leaves, s.features, steps)
}

var lifeKinds = []string{"kafka", "object_storage", "cloud_stream", "postgres", "postgres", "postgres", "scaling"}

// lifeSteps are the steps there are, as often as they are to be.
var lifeSteps = map[string]int{
	"change": 16, "drift": 12, "console": 8, "saved": 8, "norefresh": 5, "adopt": 4, "import": 4, "ignore": 5,
	"unknown": 8, "fault": 12, "once": 6, "refresh": 4, "destroy": 2, "omit": 3, "kind": 2, "plan": 2, "renew": 3,
}

func newLifeSpec(seed uint64) lifeSpec {
	r := rand.New(rand.NewPCG(seed, 1))
	spec := lifeSpec{seed: seed, kind: lifeKinds[r.IntN(len(lifeKinds))]}
	var own, general []lifeLeaf
	for _, leaf := range spec.all() {
		if strings.HasPrefix(leaf.path, "source.") {
			own = append(own, leaf)
		} else {
			general = append(general, leaf)
		}
	}
	r.Shuffle(len(own), func(i, j int) { own[i], own[j] = own[j], own[i] })
	r.Shuffle(len(general), func(i, j int) { general[i], general[j] = general[j], general[i] })
	pool := slices.Concat(own[:min(len(own), 1+r.IntN(3))], general[:1+r.IntN(4)])
	if spec.kind == "postgres" && r.IntN(5) > 0 && !slices.ContainsFunc(pool, func(l lifeLeaf) bool { return l.path == mappingsPath }) {
		pool = append(pool, lifeLeaf{path: mappingsPath})
	}
	for _, leaf := range pool {
		spec.leaves = append(spec.leaves, leaf.path)
	}
	spec.features = randomFeatures(r, pool)
	var names []string
	for _, name := range slices.Sorted(maps.Keys(lifeSteps)) {
		names = append(names, slices.Repeat([]string{name}, lifeSteps[name])...)
	}
	for range 5 + r.IntN(10) {
		spec.steps = append(spec.steps, lifeStep{names[r.IntN(len(names))], r.Uint64() % 1_000_000})
	}
	return spec
}

func (s lifeSpec) resource() lifeType {
	if s.kind == "scaling" {
		return lifeTypeOf("dataplatform_service_scaling")
	}
	return lifeTypeOf("dataplatform_pipe")
}

// all are the leaves that the object may have.
func (s lifeSpec) all() []lifeLeaf {
	return slices.DeleteFunc(s.resource().schema.leaves(""), func(leaf lifeLeaf) bool {
		return strings.HasPrefix(leaf.path, "source.") && !strings.HasPrefix(leaf.path, "source."+s.kind+".")
	})
}

// life is one run of a specification.
type life struct {
	spec     lifeSpec
	platform *mockplatform.Server
	driver   *lifeDriver
	// run carries out commands; it is the driver's, or goes through terraform.
	run func(lifeCommand) *lifeOutcome
	// all are the leaves of the object, and leaves those that this life is about.
	all, leaves []lifeLeaf
	omitted     string // feature that came on the way, or ""
	forgotten   bool   // what it omits has looked lost once
	source      any    // of the pipe, while it has another
	once        bool
	fault       *lifeFault
	lines       []string
	failures    []lifeFailure
	// unchecked leaves the checks out, where two runs are compared.
	unchecked bool
	traces    []string
}

type lifeFailure struct{ rule, text string }

var lifeValues = regexp.MustCompile(`"(\\.|[^"])*"|\[.*?\]|[a-z_]+(\.[a-z_]+)+|[0-9a-f]*[0-9][0-9a-f-]*`)

// class is the same for failures that seem to have one cause.
func (f lifeFailure) class() string {
	text := lifeValues.ReplaceAllString(f.text, "_")
	return f.rule + ": " + text[:min(len(text), 90)]
}

func (l *life) logf(format string, args ...any) {
	l.lines = append(l.lines, fmt.Sprintf(format, args...))
}

func (l *life) fail(rule, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if slices.ContainsFunc(l.failures, func(f lifeFailure) bool { return f.rule == rule && f.text == text }) {
		return
	}
	l.failures = append(l.failures, lifeFailure{rule, text})
	l.logf("  FAILED %s: %s", rule, text)
}

func (l *life) features() []string {
	if l.omitted == "" {
		return l.spec.features
	}
	return append(slices.Clone(l.spec.features), l.omitted)
}

func (l *life) has(feature string) bool {
	return slices.ContainsFunc(l.spec.features, func(f string) bool { return f == feature })
}

func (l *life) subject() *lifeSubject { return l.driver.subjects[0] }

func lifeJSON(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}

func lifeParse(text string) any {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		panic(err)
	}
	return value
}

var lifeSeed = sync.OnceValue(mockplatform.DefaultSeed)

// newLife starts a platform and puts the object into its first state.
func newLife(t testing.TB, spec lifeSpec) (l *life, end func()) {
	l = &life{spec: spec, platform: mockplatform.New(lifeSeed()), all: spec.all()}
	server := httptest.NewServer(l.platform)
	settings := object{
		"base_url": server.URL, "organization_id": mockplatform.OrganizationID, "key_id": "demo-key-id", "key_secret": "demo-key-secret",
	}
	for _, feature := range spec.features {
		if timeout, ok := strings.CutPrefix(feature, "retry-timeout:"); ok {
			settings["retry_timeout"] = timeout
		}
	}
	for _, leaf := range l.all {
		if slices.Contains(spec.leaves, leaf.path) {
			l.leaves = append(l.leaves, leaf)
		}
	}
	l.driver = &lifeDriver{t: t, platform: l.platform, settings: settings}
	l.run = l.driver.run
	for range 2 {
		known := object{"service_id": mockplatform.ServiceID}
		if spec.kind != "scaling" {
			known["pipe_id"] = l.id()
		}
		typ := spec.resource()
		l.driver.subjects = append(l.driver.subjects, &lifeSubject{lifeType: typ, known: known, state: tfvalue.Null(typ.typ)})
		if !l.has("second") {
			break
		}
	}
	r := rand.New(rand.NewPCG(spec.seed, 2))
	l.updateDoc(func(doc mockplatform.Document) {
		for _, leaf := range l.leaves {
			field := lifeField(leaf.path)
			if leaf.path == mappingsPath {
				mappings := []any{}
				for range r.IntN(4) {
					mappings = withMapping(mappings, inDocument(randomMapping(r)).(object), l.has("one-target"))
				}
				setMember(doc, field, mappings)
			} else if r.IntN(2) == 0 {
				setMember(doc, field, inDocument(randomLeaf(r, leaf)))
			}
		}
	})
	l.behave()
	return l, server.Close
}

// id is the object's on the platform.
func (l *life) id() string {
	if l.spec.kind == "scaling" {
		return mockplatform.ServiceID
	}
	return pipeOfKind[l.spec.kind]
}

func (l *life) doc() object {
	if l.spec.kind == "scaling" {
		return l.platform.Service(l.id())
	}
	return l.platform.Pipe(l.id())
}

func (l *life) updateDoc(change func(mockplatform.Document)) {
	if l.spec.kind == "scaling" {
		l.platform.UpdateService(l.id(), change)
	} else {
		l.platform.UpdatePipe(l.id(), change)
	}
}

// behave makes the platform what its features say, and sparse once where asked.
func (l *life) behave(sparse ...mockplatform.Sparse) {
	l.platform.Configure(func(b *mockplatform.Behaviour) {
		*b = mockplatform.Behaviour{
			AllowSingleReplica: true,
			Now:                func() time.Time { return time.Unix(1_800_000_000, 0) }, // later than the seed
		}
		for _, feature := range l.features() {
			name, arg, _ := strings.Cut(feature, ":")
			lifeFeatures[name](b, arg)
		}
		b.Answers.Sparse = append(b.Answers.Sparse, sparse...)
	})
}

// live takes all steps, up to the first that fails.
func (l *life) live() {
	for i, step := range l.spec.steps {
		l.logf("step %d: %s", i+1, step.name)
		l.step(step.name, rand.New(rand.NewPCG(step.seed, 3)))
		if len(l.failures) > 0 {
			return
		}
	}
}

func (l *life) step(name string, r *rand.Rand) {
	apply := lifeCommand{name: "apply"}
	switch name {
	case "change":
		l.mutate(r)
		l.command(apply)
	case "drift":
		l.console(r)
		l.command(apply)
	case "console":
		l.console(r)
	case "saved":
		if r.IntN(3) > 0 {
			l.mutate(r)
		}
		apply.between = func() { l.console(r) }
		l.command(apply)
	case "norefresh":
		if r.IntN(2) == 0 {
			l.console(r)
		}
		l.mutate(r)
		apply.noRefresh = true
		l.command(apply)
	case "adopt", "import":
		l.command(lifeCommand{name: "forget"})
		if r.IntN(2) == 0 {
			l.mutate(r)
		}
		apply.imports = name == "import"
		l.command(apply)
	case "ignore":
		s := l.driver.subjects[r.IntN(len(l.driver.subjects))]
		switch leaf := l.leaves[r.IntN(len(l.leaves))].path; {
		case len(s.ignore) > 0 && r.IntN(2) == 0:
			s.ignore = nil
		case r.IntN(6) == 0:
			s.ignore = []string{ignoreAll}
		case r.IntN(4) == 0 && strings.Contains(leaf, "."):
			s.ignore = []string{leaf[:strings.LastIndexByte(leaf, '.')]}
		default:
			s.ignore = append(slices.Clone(s.ignore), leaf)
		}
		l.logf("  ignore_changes = %v", s.ignore)
		if r.IntN(2) == 0 {
			l.mutate(r)
		}
		if r.IntN(2) == 0 {
			l.console(r)
		}
		l.command(apply)
	case "unknown":
		l.mutate(r)
		for _, s := range l.driver.subjects {
			s.unknown = l.forget(r, s)
		}
		l.command(apply)
	case "fault":
		l.mutate(r)
		f := randomFault(r)
		l.fault = &f
		l.logf("  fault: %s", f.name)
		l.platform.Inject(f.Fault)
		l.command(apply)
		l.platform.ClearFaults()
		l.fault = nil
	case "once":
		leaf := l.leaves[r.IntN(len(l.leaves))]
		field := lifeField(leaf.path)
		switch parent := strings.LastIndexByte(field, '.'); {
		case leaf.path == mappingsPath && r.IntN(2) == 0:
			field += "." + fmt.Sprint(oneOf(r, "excludedColumns", "sortingKeys", "useCustomSortingKey"))
		case parent > 0 && r.IntN(3) == 0:
			field = field[:parent]
		}
		operations := [][]mockplatform.Operation{nil, lifeReads, lifePatches}[r.IntN(3)]
		l.logf("  %s is omitted once, in %v", field, operations)
		l.once = true
		l.behave(mockplatform.Sparse{Path: field, Operations: operations, Times: 1})
		if r.IntN(2) == 0 {
			l.mutate(r)
		}
		l.command(apply)
		l.behave()
		l.once = false
	case "omit":
		if l.omitted == "" {
			leaf := l.leaves[r.IntN(len(l.leaves))]
			l.forgotten = false
			l.omitted = fmt.Sprint(oneOf(r, "omits-always:", "omits-in-reads:", "omits-in-patches:"), lifeField(leaf.path))
		} else {
			l.omitted = ""
		}
		l.logf("  the platform %q", l.omitted)
		l.behave()
		l.command(apply)
	case "kind":
		if l.spec.kind == "scaling" {
			return
		}
		if l.source == nil {
			other := mockplatform.KafkaPipeID
			if l.spec.kind == "kafka" {
				other = mockplatform.CloudStreamPipeID
			}
			source := l.platform.Pipe(other)["source"]
			l.updateDoc(func(doc mockplatform.Document) { l.source, doc["source"] = doc["source"], source })
		} else {
			l.updateDoc(func(doc mockplatform.Document) { doc["source"] = l.source })
			l.source = nil
		}
		l.logf("  console: another source, own: %v", l.source == nil)
		l.command(apply)
	case "renew":
		if l.has("credentials") && l.spec.kind != "scaling" {
			l.renew(r, l.subject())
		}
		l.command(apply)
	default:
		l.command(lifeCommand{name: name})
	}
}

// renew changes the configured credentials.
func (l *life) renew(r *rand.Rand, s *lifeSubject) {
	user, secret := "username", "password_wo"
	if l.spec.kind == "object_storage" || l.spec.kind == "cloud_stream" {
		user, secret = "access_key_id", "secret_key_wo"
	}
	version := r.IntN(1000)
	credentials := object{secret: fmt.Sprint("secret", version), secret + "_version": version}
	if r.IntN(2) == 0 {
		credentials[user] = fmt.Sprint("user", r.IntN(3))
	}
	s.known["source_credentials"] = object{l.spec.kind: credentials}
	if r.IntN(6) == 0 {
		delete(s.known, "source_credentials")
	}
	l.logf("  credentials: %s", lifeJSON(s.known["source_credentials"]))
}

// mutate changes what is configured. Two subjects have leaves of their own.
func (l *life) mutate(r *rand.Rand) {
	doc := l.doc()
	for i, leaf := range l.leaves {
		s := l.driver.subjects[i%len(l.driver.subjects)]
		if leaf.path == mappingsPath {
			l.mutateMappings(r, s, doc)
			continue
		}
		switch r.IntN(6) {
		case 0:
			lifeRemove(s.known, leaf.path)
		case 1:
			if now := member(doc, lifeField(leaf.path)); now != nil && (!slices.Contains(bounded, leaf.path) || fmt.Sprint(now) != "0") {
				setMember(s.known, leaf.path, inConfiguration(lifeCopy(now)))
			}
		case 2, 3:
			setMember(s.known, leaf.path, randomLeaf(r, leaf))
		}
	}
	s := l.subject()
	if l.spec.kind != "scaling" {
		switch r.IntN(12) {
		case 0:
			setMember(s.known, "source.validate_samples", r.IntN(2) == 0)
		case 1:
			lifeRemove(s.known, "source.validate_samples")
		case 2:
			if s.known["settings"] == nil {
				s.known["settings"] = object{}
			}
		}
		if l.has("credentials") && r.IntN(8) == 0 {
			l.renew(r, s)
		} else if credentials, ok := member(s.known, "source_credentials."+l.spec.kind).(object); ok && r.IntN(4) == 0 {
			delete(credentials, "password_wo") // the run after
			delete(credentials, "secret_key_wo")
			for _, s := range l.driver.subjects {
				if s.state.IsNull() {
					delete(s.known, "source_credentials")
				}
			}
		}
	}
	for i, s := range l.driver.subjects {
		l.logf("  config %d: %s", i, lifeJSON(s.known))
	}
}

// lifeRemove takes away a member, and the objects that it leaves empty.
func lifeRemove(config object, path string) {
	names := strings.Split(path, ".")
	for i := len(names); i > 0; i-- {
		at := strings.Join(names[:i], ".")
		if rest, ok := member(config, at).(object); i < len(names) && (!ok || len(rest) > 0) {
			return
		}
		if i == len(names) || member(config, at) != nil {
			if parent := strings.Join(names[:i-1], "."); parent == "" || member(config, parent) != nil {
				setMember(config, at, nil)
			}
		}
	}
}

func (l *life) mutateMappings(r *rand.Rand, s *lifeSubject, doc object) {
	there, _ := member(doc, lifeField(mappingsPath)).([]any)
	configured, _ := member(s.known, mappingsPath).([]any)
	configured, _ = lifeCopy(configured).([]any)
	switch r.IntN(12) {
	case 0:
		lifeRemove(s.known, mappingsPath)
		return
	case 1, 2, 3: // as it is, whole or in part
		configured = []any{}
		for _, mapping := range there {
			next := inConfiguration(mapping).(object)
			for _, name := range []string{"excluded_columns", "use_custom_sorting_key", "sorting_keys"} {
				if next[name] == nil || r.IntN(3) == 0 {
					delete(next, name)
				}
			}
			configured = append(configured, next)
		}
	case 4, 5: // one more
		next := randomMapping(r)
		for _, name := range []string{"excluded_columns", "use_custom_sorting_key", "sorting_keys"} {
			if r.IntN(4) == 0 {
				delete(next, name)
			}
		}
		configured = withMapping(configured, next, l.has("one-target"))
	case 6, 7: // one changed
		if len(configured) > 0 {
			next := configured[r.IntN(len(configured))].(object)
			switch r.IntN(3) {
			case 0:
				next["excluded_columns"] = lifeTexts(r)
			case 1:
				next["sorting_keys"] = lifeTexts(r)
			default:
				next["use_custom_sorting_key"] = r.IntN(2) == 0
			}
		}
	case 8: // one less
		if len(configured) > 0 {
			configured = configured[1:]
		}
	case 9: // whole
		for _, mapping := range configured {
			for name, value := range randomMapping(r) {
				if mapping.(object)[name] == nil {
					mapping.(object)[name] = value
				}
			}
		}
	case 10: // another target
		if len(configured) > 0 {
			next := lifeCopy(configured[0]).(object)
			next["target_table"] = "v"
			configured = withMapping(configured[1:], next, l.has("one-target"))
		}
	default:
		return
	}
	if configured == nil {
		configured = []any{}
	}
	setMember(s.known, mappingsPath, configured)
}

// forget makes some of a configuration unknown.
func (l *life) forget(r *rand.Rand, s *lifeSubject) object {
	unknown := lifeCopy(s.known).(object)
	for _, leaf := range l.leaves {
		now := member(unknown, leaf.path)
		if now == nil || r.IntN(2) == 0 {
			continue
		}
		parent := ""
		if at := strings.LastIndexByte(leaf.path, '.'); at > 0 {
			parent = leaf.path[:at]
		}
		list, isList := now.([]any)
		switch {
		case isList && len(list) > 0 && r.IntN(3) > 0:
			at := r.IntN(len(list))
			if element, ok := list[at].(object); ok && r.IntN(2) == 0 {
				names := sortedKeys(element)
				element[names[r.IntN(len(names))]] = lifeUnknown{}
			} else {
				list[at] = lifeUnknown{}
			}
		case parent != "" && r.IntN(4) == 0:
			if member(unknown, parent+".validate_samples") == nil {
				setMember(unknown, parent, lifeUnknown{})
			}
		default:
			setMember(unknown, leaf.path, lifeUnknown{})
		}
	}
	l.logf("  unknown: %s", strings.ReplaceAll(lifeJSON(unknown), "{}", "?"))
	return unknown
}

// command runs a command, checks what came of it, and looks whether a plan is
// empty then.
func (l *life) command(c lifeCommand) {
	m := &lifeMoment{command: c, before: l.doc(), fault: l.fault, once: l.once}
	for _, s := range l.driver.subjects {
		m.states = append(m.states, s.state)
	}
	if c.between != nil {
		between := c.between
		c.between = func() {
			between()
			m.mid = l.doc()
		}
		m.command.between = c.between
	}
	l.platform.ResetJournal()
	m.lifeOutcome = l.run(c)
	requests := l.platform.Requests()
	m.plan, m.apply = requests[:min(m.planned, len(requests))], requests[min(m.planned, len(requests)):]
	m.after = l.doc()
	if m.mid == nil {
		m.mid = m.before
	}
	l.record(m)
	if l.unchecked {
		l.settle()
		return
	}
	switch c.name {
	case "forget":
		return
	case "refresh":
		if m.failed() {
			l.fail("error", "%s", strings.Join(append(m.errors, m.blames...), "\n"))
		}
		if len(patchBodies(requests)) > 0 {
			l.fail("plan-writes", "a refresh writes")
		}
		return
	}
	l.check(m)
	l.settle()
	if len(l.failures) > 0 || !m.applied || m.failed() || c.name == "destroy" {
		return
	}
	for _, p := range m.plans {
		if p.action == "none" && m.moved() {
			return // what moved was not seen
		}
	}
	l.behave()
	l.platform.ClearFaults()
	l.platform.ResetJournal()
	o := l.run(lifeCommand{name: "plan"})
	l.checkRest(o, l.platform.Requests())
}

// settle ends what is unknown.
func (l *life) settle() {
	for _, s := range l.driver.subjects {
		s.unknown = nil
	}
}

func (l *life) record(m *lifeMoment) {
	var trace []string
	for _, p := range m.plans {
		trace = append(trace, p.action)
	}
	trace = append(trace, summaries(m.errors)...)
	trace = append(trace, summaries(m.blames)...)
	l.logf("  %s: %s", m.command.name, strings.Join(trace, ", "))
	for _, r := range append(slices.Clone(m.plan), m.apply...) {
		l.logf("    %s %s %d", r.Method, r.Body, r.Status)
		if r.Method != "GET" {
			trace = append(trace, lifeJSON(lifeParse(r.Body)))
		}
	}
	for _, text := range m.errors {
		l.logf("    error: %s", text)
	}
	for _, text := range m.blames {
		l.logf("    blame: %s", text)
	}
	for _, s := range l.driver.subjects {
		trace = append(trace, lifeSpell(s.state))
	}
	l.logf("    platform: %s", lifeJSON(l.shown()))
	l.traces = append(l.traces, strings.Join(trace, "\n    "))
}

// shown is the part of the object that the life is about.
func (l *life) shown() object {
	doc, part := l.doc(), object{}
	for _, leaf := range l.leaves {
		part[leaf.path] = member(doc, lifeField(leaf.path))
	}
	return part
}

// lived runs a life, a panic included.
func lived(t testing.TB, spec lifeSpec) (l *life) {
	l, end := newLife(t, spec)
	defer end()
	defer func() {
		if problem := recover(); problem != nil {
			stack := make([]byte, 4000)
			l.fail("panic", "%v\n%s", problem, stack[:runtime.Stack(stack, false)])
		}
	}()
	l.live()
	return l
}

// shrink drops what a failure doesn't need.
func shrink(t testing.TB, spec lifeSpec, rule string) lifeSpec {
	fails := func(s lifeSpec) bool {
		l := lived(t, s)
		return len(l.failures) > 0 && l.failures[0].rule == rule
	}
	for again := true; again; {
		again = false
		for i := len(spec.steps) - 1; i >= 0; i-- {
			less := spec
			less.steps = slices.Delete(slices.Clone(spec.steps), i, i+1)
			if fails(less) {
				spec, again = less, true
			}
		}
		for i := len(spec.features) - 1; i >= 0; i-- {
			less := spec
			less.features = slices.Delete(slices.Clone(spec.features), i, i+1)
			if fails(less) {
				spec, again = less, true
			}
		}
		for i := len(spec.leaves) - 1; i >= 0 && len(spec.leaves) > 1; i-- {
			less := spec
			less.leaves = slices.Delete(slices.Clone(spec.leaves), i, i+1)
			if fails(less) {
				spec, again = less, true
			}
		}
	}
	return spec
}

func reportLife(t *testing.T, spec lifeSpec, failure lifeFailure) {
	t.Helper()
	small := shrink(t, spec, failure.rule)
	l := lived(t, small)
	if len(l.failures) == 0 {
		t.Errorf("%s (TEST_SEED=%d) failed once, and not again:\n%s: %s", spec, spec.seed, failure.rule, failure.text)
		return
	}
	t.Errorf("%s: %s\nTEST_SEED=%d repeats it; shrunk it is %s\n%s",
		l.failures[0].rule, l.failures[0].text, spec.seed, small, strings.Join(l.lines, "\n"))
}

// livesThatTaught are seeds of lives that found something once, each another
// thing. They are in the normal run, with the first few seeds there are.
var livesThatTaught = []uint64{
	1034, // a PATCH answer without a field that was told as empty
	1042, // a remapping in a correction
	2400, // members of mappings that PATCH answers omit
	2195, // credentials in a correction
	4, 1095,
}

// openLives are seeds of lives that still end badly. They are not in the normal
// run; LIFE_OPEN=1 runs them alone.
var openLives = []uint64{
	1008, 1132, // validate_samples that comes or goes beside an unknown value that turns out to be no change
	2059, 5060, 5233, 6303, // what is emptied on the platform before a read has told what was sent
	5929,  // a correction after a lost response
	20151, // members of list elements that a response omits because they are empty
}

const firstLives = 30

func TestLife(t *testing.T) {
	t.Parallel()
	var next func() (uint64, bool)
	var counter atomic.Uint64
	runs, _ := strconv.ParseUint(os.Getenv("LIFE_RUNS"), 10, 64)
	length, _ := time.ParseDuration(os.Getenv("LIFE_TIME"))
	switch {
	case runs > 0 || length > 0:
		first, end := testSeed(t), time.Now().Add(length)
		next = func() (uint64, bool) {
			n := counter.Add(1) - 1
			return first + n, n < runs || time.Now().Before(end)
		}
	case os.Getenv("LIFE_OPEN") != "":
		next = func() (uint64, bool) {
			n := counter.Add(1) - 1
			return openLives[min(n, uint64(len(openLives)-1))], n < uint64(len(openLives))
		}
	case os.Getenv("TEST_SEED") != "":
		first := testSeed(t)
		next = func() (uint64, bool) { return first, counter.Add(1) == 1 }
	default:
		seeds := slices.Clone(livesThatTaught)
		for seed := range uint64(firstLives) {
			seeds = append(seeds, seed)
		}
		next = func() (uint64, bool) {
			n := counter.Add(1) - 1
			return seeds[min(n, uint64(len(seeds)-1))], n < uint64(len(seeds))
		}
	}
	var mu sync.Mutex
	failed, classes := map[string]int{}, map[string]int{}
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for {
				seed, ok := next()
				if !ok {
					return
				}
				spec := newLifeSpec(seed)
				l := lived(t, spec)
				if len(l.failures) == 0 {
					continue
				}
				mu.Lock()
				failed[l.failures[0].rule]++
				classes[l.failures[0].class()]++
				many := classes[l.failures[0].class()]
				mu.Unlock()
				if many <= 2 {
					reportLife(t, spec, l.failures[0])
				} else {
					t.Errorf("seed %d: %s: %s", seed, l.failures[0].rule, l.failures[0].text)
				}
			}
		})
	}
	wait.Wait()
	t.Logf("%d lives, failed by rule: %v", counter.Load(), failed)
}
