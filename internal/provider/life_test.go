package provider

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"regexp"
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
	source      any    // of the pipe swapped, while it has another
	swapped     string
	once        string // field that is omitted once, or ""
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
		known[spec.idName()] = spec.objects()[0]
		typ := spec.resource()
		l.driver.subjects = append(l.driver.subjects, &lifeSubject{lifeType: typ, known: known, state: tfvalue.Null(typ.typ)})
		if !l.has("second") {
			break
		}
	}
	l.begin(rand.New(rand.NewPCG(spec.seed, 2)))
	l.addSibling()
	l.behave()
	return l, server.Close
}

// begin gives the object its first values.
func (l *life) begin(r *rand.Rand) {
	l.updateDoc(func(doc mockplatform.Document) {
		for _, leaf := range l.leaves {
			field := lifeField(leaf.path)
			if leaf.path == mappingsPath {
				mappings := []any{}
				for range r.IntN(4) {
					mappings = l.withMapping(mappings, inDocument(randomMapping(r)).(object))
				}
				setMember(doc, field, mappings)
			} else if r.IntN(2) == 0 {
				setMember(doc, field, inDocument(randomLeaf(r, leaf)))
			}
		}
	})
}

// addSibling adds an object of the same kind, with first values of its own.
func (l *life) addSibling() {
	if l.spec.seed < movingSeeds {
		return
	}
	s, name, objects := l.subject(), l.spec.idName(), l.spec.objects()
	doc := l.doc()
	doc["id"] = objects[1]
	if l.spec.kind == "scaling" {
		l.platform.SetService(mockplatform.OrganizationID, doc)
	} else {
		l.platform.SetPipe(doc)
	}
	s.known[name] = objects[1]
	l.begin(rand.New(rand.NewPCG(l.spec.seed, 4)))
	s.known[name] = objects[0]
}

// id is that of the object that the next apply manages.
func (l *life) id() string {
	s, name := l.subject(), l.spec.idName()
	if !s.state.IsNull() && s.ignores(name) {
		return s.state.At(name).Text()
	}
	return s.known[name].(string)
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
	case os.Getenv("TEST_SEED") != "":
		first := testSeed(t)
		next = func() (uint64, bool) { return first, counter.Add(1) == 1 }
	default:
		seeds := slices.Clone(livesThatTaught)
		for seed := range uint64(firstLives) {
			seeds = append(seeds, seed, movingSeeds+seed)
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
