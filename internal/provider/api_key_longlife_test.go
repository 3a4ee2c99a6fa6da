package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// longLives are the seeds of a run: two fixed ones, of those that found most
// when the code was broken on purpose. TEST_SEED=n runs that one alone, and
// TEST_RUNS=m runs m seeds from there on, or from a random one.
func longLives(t *testing.T) []uint64 {
	t.Helper()
	runs, _ := strconv.Atoi(os.Getenv("TEST_RUNS"))
	if os.Getenv("TEST_SEED") == "" && runs == 0 {
		return []uint64{3, 5}
	}
	var seeds []uint64
	first := testSeed(t)
	for i := range max(runs, 1) {
		seeds = append(seeds, first+uint64(i))
	}
	return seeds
}

// Keys live through what a user, the time and the platform do to them: a key is
// created once for each change of what is asked for and never otherwise, the
// state has the newest one, no output has a secret, and the next plan is empty.
func TestAPIKeyLongLife(t *testing.T) {
	t.Parallel()
	for _, seed := range longLives(t) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			f := newFixture(t)
			l := &longLife{t: t, fixture: f, now: f.clocked(), random: rand.New(rand.NewPCG(seed, 0)), failing: map[string]string{}}
			f.url = l.serve()
			l.session = f.session("")
			for i := range 8 {
				l.keys = append(l.keys, &livingKey{index: i, args: args{"name": fmt.Sprintf("k%d", i), "roles": []string{"admin"}}})
			}
			for round := range 6 {
				l.round(round)
			}
		})
	}
}

// livingKey is one key, as the configuration has it and as it should be.
type livingKey struct {
	index       int
	gone        bool // from the configuration
	args        args
	createFirst bool
	late        int // version of a value that is known late, 0 for none

	// Of the key that exists: what it was asked for, its renewal, and the
	// early_renewal_hours and ready_for_renewal of its state.
	exists  bool
	id      string
	meaning string
	expires int // hour, 0 for none
	early   int
	ready   bool
	// What is empty in the state and not null.
	emptyTriggers, emptyList bool
}

type longLife struct {
	t       *testing.T
	fixture *fixture
	session *session
	now     *clock
	hour    int
	random  *rand.Rand
	keys    []*livingKey
	outputs strings.Builder
	// leftovers says that an interrupt left old keys to forget.
	leftovers bool
	script    []string // for whoever reads a failure

	mu      sync.Mutex
	failing map[string]string // how the creation fails, by the beginning of the name
	slow    bool
}

// serve is the platform, with faults by the name of a key.
func (l *longLife) serve() string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		var asked struct {
			Name string `json:"name"`
		}
		_ = json.Unmarshal(body, &asked)
		l.mu.Lock()
		fault, slow := l.failing[strings.Split(asked.Name, "-")[0]], l.slow
		l.mu.Unlock()
		if slow {
			time.Sleep(300 * time.Millisecond)
		}
		switch fault {
		case "rejected":
			http.Error(w, `{"error":"no"}`, http.StatusForbidden)
		case "broken":
			http.Error(w, `{"error":"no"}`, http.StatusInternalServerError)
		default:
			l.fixture.ServeHTTP(w, r)
		}
	}))
	l.t.Cleanup(server.Close)
	return server.URL
}

func (l *longLife) chance(percent int) bool { return l.random.IntN(100) < percent }

func oneOfKeys[T any](l *longLife, all ...T) T { return all[l.random.IntN(len(all))] }

// change changes some arguments of a key.
func (l *longLife) change(k *livingKey) {
	if l.chance(30) {
		k.createFirst = !k.createFirst
	}
	if l.chance(10) {
		k.gone = !k.gone
	}
	spellings := map[any]string{"2031-01-01T00:00:00Z": "2031-01-01T02:00:00+02:00", "2031-01-01T02:00:00+02:00": "2031-01-01T00:00:00Z"}
	if other, ok := spellings[k.args["expire_at"]]; ok && l.chance(50) {
		k.args = k.args.with(args{"expire_at": other})
	}
	for range l.random.IntN(3) {
		var with args
		switch l.random.IntN(10) {
		case 0:
			with = args{"name": fmt.Sprintf("k%d%s", k.index, oneOfKeys(l, "", "-a", "-b"))}
		case 1:
			roles := []string{"admin", "developer", "query_endpoints"}
			l.random.Shuffle(3, func(i, j int) { roles[i], roles[j] = roles[j], roles[i] })
			with = args{"roles": roles[:1+l.random.IntN(3)]}
		case 2:
			with = args{"validity_hours": nil, "early_renewal_hours": nil, "expire_at": oneOfKeys[any](l, nil, "2031-01-01T00:00:00Z", "2031-01-01T02:00:00+02:00", "2032-01-01T00:00:00Z")}
		case 3, 4:
			with = args{"expire_at": nil, "validity_hours": oneOfKeys(l, 30, 60), "early_renewal_hours": oneOfKeys[any](l, nil, 0, 10)}
		case 5:
			if k.args["validity_hours"] != nil {
				with = args{"early_renewal_hours": oneOfKeys[any](l, nil, 0, 5, 20, 29)}
			}
		case 6:
			k.late = 0
			with = args{"rotation_triggers": oneOfKeys[any](l, nil, map[string]string{}, map[string]string{"a": "1"}, map[string]string{"a": "2"})}
		case 7:
			k.late = 1 + l.random.IntN(3)
			with = args{"rotation_triggers": expression(fmt.Sprintf("{ late = terraform_data.late%d.output }", k.index))}
		case 8:
			with = args{"state": oneOfKeys[any](l, nil, "enabled", "disabled"), "hash_data": oneOfKeys[any](l, nil, nil, args{"key_id_hash": "h4sh-of-id"})}
		case 9:
			with = args{
				"ip_access_list":  oneOfKeys[any](l, nil, []args{}, []args{{"source": "192.0.2.1"}, {"source": "10.0.0.0/8"}}, []args{{"source": "10.0.0.0/8", "description": ""}, {"source": "192.0.2.1"}}),
				"organization_id": oneOfKeys[any](l, nil, nil, mockplatform.OrganizationID, mockplatform.OtherOrganizationID),
			}
		}
		k.args = k.args.with(with)
	}
}

// meaningOf is what the arguments ask the platform for, however they say it.
func (k *livingKey) meaningOf() string {
	roles := slices.Clone(k.args["roles"].([]string))
	slices.Sort(roles)
	all := args{"name": k.args["name"], "roles": roles, "state": "enabled", "organization_id": mockplatform.OrganizationID}
	for name, value := range k.args {
		switch v := value.(type) {
		case map[string]string:
			if len(v) > 0 {
				all[name] = v
			}
		case []args:
			if len(v) > 0 {
				all[name] = "both" // the one list there is
			}
		case expression:
			all[name] = fmt.Sprintf("late %d", k.late)
		default:
			switch name {
			case "early_renewal_hours", "roles":
			case "expire_at":
				date, _ := time.Parse(time.RFC3339, v.(string))
				all[name] = date.Unix()
			default:
				all[name] = v
			}
		}
	}
	return fmt.Sprint(all)
}

func (k *livingKey) hours(name string) int { n, _ := k.args[name].(int); return n }

// due reports whether the renewal of the key that exists is due by some
// early_renewal_hours.
func (k *livingKey) due(hour, early int) bool { return k.expires > 0 && hour >= k.expires-early }

// expect is whether a plan at this hour creates a key, and whether the plan
// after it does because of an early_renewal_hours that the first one changed.
func (k *livingKey) expect(hour int, refreshed bool) (creates, later bool) {
	early := k.hours("early_renewal_hours")
	switch {
	case k.gone:
		return false, false
	case !k.exists || k.meaning != k.meaningOf():
		return true, false
	case early == k.early && !k.respelled():
		return k.due(hour, early), false
	}
	ready := k.ready
	if refreshed {
		ready = k.due(hour, k.early)
	}
	if ready && early >= k.early {
		return true, false
	}
	return false, k.due(hour, early)
}

// respelled reports whether a plan changes in place what means nothing: an empty
// map or list in place of none, or the other way round.
func (k *livingKey) respelled() bool {
	triggers, list := k.empty()
	return triggers != k.emptyTriggers || list && !k.emptyList
}

// empty reports which arguments are there and empty.
func (k *livingKey) empty() (triggers, list bool) {
	written, isMap := k.args["rotation_triggers"].(map[string]string)
	sources, isList := k.args["ip_access_list"].([]args)
	return isMap && len(written) == 0, isList && len(sources) == 0
}

func (l *longLife) config() string {
	config := l.fixture.provider()
	for _, k := range l.keys {
		// It never leaves: Terraform ends in a cycle where it does beside a
		// create_before_destroy that changes.
		config += fmt.Sprintf("resource \"terraform_data\" \"late%d\" {\n  input = \"v%d\"\n}\n", k.index, k.late)
		if k.gone {
			continue
		}
		config += keyBlock(fmt.Sprintf("k%d", k.index), k.createFirst, k.args)
	}
	return config
}

func (l *longLife) run(args ...string) (string, bool) {
	out, ok := l.session.terraform(args...)
	l.script = append(l.script, strings.Join(args, " "))
	l.outputs.WriteString(out)
	return out, ok
}

func (l *longLife) pass(hours int) {
	l.hour += hours
	l.now.at(l.hour, 0)
	l.script = append(l.script, fmt.Sprintf("%d hours pass: %d", hours, l.hour))
}

func (l *longLife) fatal(format string, args ...any) {
	l.t.Helper()
	l.t.Fatalf("%s\nafter:\n%s\n%s", fmt.Sprintf(format, args...), strings.Join(l.script, "\n"), l.config())
}

func (l *longLife) round(round int) {
	t := l.t
	t.Helper()
	l.script = append(l.script, fmt.Sprintf("round %d", round))
	l.pass(l.random.IntN(25))
	for _, k := range l.keys {
		l.change(k)
	}
	l.failing = map[string]string{}
	if l.chance(50) {
		for _, k := range l.keys {
			if l.chance(25) {
				l.failing[fmt.Sprintf("k%d", k.index)] = oneOfKeys(l, "rejected", "broken")
			}
		}
		l.script = append(l.script, fmt.Sprint("failing: ", l.failing))
	}
	l.session.file("main.tf", l.config())

	planned := l.hour
	switch l.random.IntN(5) {
	case 0:
		l.expectAfter(planned, false, false, func() { l.run("apply", "-auto-approve", "-refresh=false") })
	case 1:
		l.expectAfter(planned, true, false, func() {
			if out, ok := l.run("plan", "-out=plan"); !ok {
				l.fatal("the plan failed:\n%s", out)
			}
			l.pass(l.random.IntN(5))
			l.run("apply", "plan")
		})
	case 2:
		if out, ok := l.run("apply", "-refresh-only", "-auto-approve"); !ok {
			l.fatal("the refresh failed:\n%s", out)
		}
		for _, k := range l.keys {
			k.ready = k.due(l.hour, k.early)
		}
		l.expectAfter(planned, true, false, func() { l.run("apply", "-auto-approve") })
	case 3:
		l.expectAfter(planned, true, true, l.interrupt)
	default:
		l.expectAfter(planned, true, false, func() { l.run("apply", "-auto-approve") })
	}

	// What failed, was interrupted or is due by a new reminder comes with the
	// next apply, and then there is nothing to do.
	l.failing = map[string]string{}
	if out, ok := l.run("plan", "-detailed-exitcode"); !ok {
		if strings.Contains(out, "Error:") {
			l.fatal("the plan failed:\n%s", out)
		}
		if !l.anyExpected() {
			l.fatal("the plan after it is not empty:\n%s", out)
		}
		l.expectAfter(l.hour, true, false, func() { l.run("apply", "-auto-approve") })
		if out, ok := l.run("plan", "-detailed-exitcode"); !ok && !l.anyExpected() {
			l.fatal("the plan after the second apply is not empty:\n%s", out)
		}
	}
	for _, secret := range append(keySecrets(l.fixture), "h4sh-of") {
		if strings.Contains(l.outputs.String(), secret) {
			l.fatal("an output has a secret")
		}
	}
	l.outputs.Reset()
}

// anyExpected reports whether there is something left to do.
func (l *longLife) anyExpected() bool {
	return l.leftovers || slices.ContainsFunc(l.keys, func(k *livingKey) bool {
		creates, later := k.expect(l.hour, true)
		return creates || later || k.exists && (k.gone || k.early != k.hours("early_renewal_hours") || k.exists && !k.gone && k.respelled())
	})
}

// expectAfter does something and compares what became of each key with what
// should have.
func (l *longLife) expectAfter(planned int, refreshed, interrupted bool, do func()) {
	l.t.Helper()
	before := len(l.fixture.Keys())
	do()
	created := map[int][]mockplatform.Document{}
	for _, key := range l.fixture.Keys()[before:] {
		var index int
		_, _ = fmt.Sscanf(key["request"].(mockplatform.Document)["name"].(string), "k%d", &index)
		created[index] = append(created[index], key["result"].(mockplatform.Document))
	}
	held, deposed := l.session.allKeys()
	l.leftovers = len(deposed) > 0
	for _, k := range l.keys {
		name := fmt.Sprintf("k%d", k.index)
		state, stored := held["dataplatform_api_key."+name]
		creates, _ := k.expect(planned, refreshed)
		fails := creates && l.failing[name] != ""
		want := 0
		if creates && !fails {
			want = 1
		}
		if got := len(created[k.index]); got != want && (!interrupted || got > want) {
			l.fatal("%s: %d keys were created, want %d", name, got, want)
		}
		if state.tainted {
			l.fatal("%s is tainted", name)
		}
		switch {
		case len(created[k.index]) == 1:
			newest := created[k.index][0]
			if !stored || state.secret != newest["keySecret"] || state.keyID != newest["keyId"] {
				l.fatal("%s: the state doesn't have the key that was created", name)
			}
			k.exists, k.id, k.meaning, k.early, k.ready = true, state.id, k.meaningOf(), k.hours("early_renewal_hours"), false
			k.emptyTriggers, k.emptyList = k.empty()
			k.expires = 0
			if validity := k.hours("validity_hours"); validity > 0 {
				k.expires = l.hour + validity
			}
		case interrupted || fails:
			if stored && state.id != k.id {
				l.fatal("%s: the state has another key than before", name)
			}
			// An interrupt ends Terraform between deposing the old key and
			// creating the new one, too.
			_, left := deposed[k.id]
			left = left && interrupted
			if !stored && !left && k.exists && k.createFirst && !k.gone {
				l.fatal("%s: the state lost the old key, with create_before_destroy", name)
			}
			k.exists = stored
		case k.gone:
			if stored {
				l.fatal("%s: the state still has the key", name)
			}
			k.exists = false
		default:
			if !stored || state.id != k.id {
				l.fatal("%s: the state has not the key it had", name)
			}
			k.early, k.ready = k.hours("early_renewal_hours"), false
			triggers, list := k.empty()
			k.emptyTriggers, k.emptyList = triggers, k.emptyList || list
		}
		if !stored {
			k.exists = false
		}
	}
}

// interrupt applies, and is interrupted once a key was created or a moment
// later.
func (l *longLife) interrupt() {
	l.script = append(l.script, "apply, interrupted")
	l.mu.Lock()
	l.slow = true
	l.mu.Unlock()
	before := len(l.fixture.Keys())
	command := l.session.command(l.t.Context(), "apply", "-auto-approve", "-no-color", "-parallelism=2")
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	if err := command.Start(); err != nil {
		l.t.Fatal(err)
	}
	for deadline := time.Now().Add(2 * time.Second); len(l.fixture.Keys()) == before && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond)
	}
	_ = command.Process.Signal(syscall.SIGINT)
	_ = command.Wait()
	l.mu.Lock()
	l.slow = false
	l.mu.Unlock()
	l.script = append(l.script, folded(output.String()))
	l.outputs.WriteString(output.String())
}
