package provider

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// longLives are the seeds of a run: fixed ones, or TEST_RUNS seeds from TEST_SEED or
// a random one on.
func longLives(t *testing.T) []uint64 {
	t.Helper()
	runs, _ := strconv.Atoi(os.Getenv("TEST_RUNS"))
	first := uint64(1)
	if os.Getenv("TEST_SEED") != "" || runs > 0 {
		first, runs = testSeed(t), max(runs, 1)
	} else {
		runs = 4
	}
	var seeds []uint64
	for i := range runs {
		seeds = append(seeds, first+uint64(i))
	}
	return seeds
}

// A key lives through what a user, the time and the platform do to it: it is created
// once for each change of what is asked for and never otherwise, the state has the
// newest one, and no message has a secret.
func TestAPIKeyLongLife(t *testing.T) {
	t.Parallel()
	for _, seed := range longLives(t) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			f := newFixture(t)
			l := &longLife{t: t, fixture: f, now: f.clocked(), random: rand.New(rand.NewPCG(seed, 0)), args: plainKey}
			l.keyDriver = f.newKeyDriver(t, nil)
			for range 40 {
				l.round()
			}
			if created := len(f.Keys()); created < 5 || created > 40 {
				t.Errorf("%d keys in 40 rounds", created)
			}
		})
	}
}

// longLife is one key, as the configuration has it and as it should be.
type longLife struct {
	*keyDriver
	t       *testing.T
	fixture *fixture
	now     *clock
	hour    int
	random  *rand.Rand
	script  []string // for whoever reads a failure
	args    args

	// Of the key that exists: what it was asked for, its renewal, and the
	// early_renewal_hours and ready_for_renewal of its state.
	exists  bool
	meaning string
	expires int // hour, 0 for none
	early   int
	ready   bool
	// What is empty or 0 in the state and not null.
	emptyTriggers, emptyList, early0 bool
}

func (l *longLife) chance(percent int) bool { return l.random.IntN(100) < percent }

func oneOfKeys[T any](l *longLife, all ...T) T { return all[l.random.IntN(len(all))] }

// change changes some arguments of the key.
func (l *longLife) change() {
	spellings := map[any]string{"2031-01-01T00:00:00Z": "2031-01-01T02:00:00+02:00", "2031-01-01T02:00:00+02:00": "2031-01-01T00:00:00Z"}
	if other, ok := spellings[l.args["expire_at"]]; ok && l.chance(50) {
		l.args = l.args.with(args{"expire_at": other})
	}
	for range l.random.IntN(3) {
		var with args
		switch l.random.IntN(9) {
		case 0:
			with = args{"name": oneOfKeys(l, "n", "n-a", "n-b")}
		case 1:
			roles := []string{"admin", "developer", "query_endpoints"}
			l.random.Shuffle(3, func(i, j int) { roles[i], roles[j] = roles[j], roles[i] })
			with = args{"roles": roles[:1+l.random.IntN(3)]}
		case 2:
			with = args{"validity_hours": nil, "early_renewal_hours": nil, "expire_at": oneOfKeys[any](l, nil, "2031-01-01T00:00:00Z", "2031-01-01T02:00:00+02:00", "2032-01-01T00:00:00Z")}
		case 3, 4:
			with = args{"expire_at": nil, "validity_hours": oneOfKeys(l, 30, 60), "early_renewal_hours": oneOfKeys[any](l, nil, 0, 10)}
		case 5:
			if l.args["validity_hours"] != nil {
				with = args{"early_renewal_hours": oneOfKeys[any](l, nil, 0, 5, 20, 29)}
			}
		case 6:
			with = args{"rotation_triggers": oneOfKeys[any](l, nil, map[string]string{}, map[string]string{"a": "1"}, map[string]string{"a": "2"})}
		case 7:
			with = args{"state": oneOfKeys[any](l, nil, "enabled", "disabled"), "hash_data": oneOfKeys[any](l, nil, nil, args{"key_id_hash": "h4sh-of-id"})}
		case 8:
			with = args{
				"ip_access_list":  oneOfKeys[any](l, nil, []args{}, []args{{"source": "192.0.2.1"}, {"source": "10.0.0.0/8"}}, []args{{"source": "10.0.0.0/8", "description": ""}, {"source": "192.0.2.1"}}),
				"organization_id": oneOfKeys[any](l, nil, nil, mockplatform.OrganizationID, mockplatform.OtherOrganizationID),
			}
		}
		l.args = l.args.with(with)
	}
}

// meaningOf is what the arguments ask the platform for, however they say it.
func (l *longLife) meaningOf() string {
	all := args{"state": "enabled", "organization_id": mockplatform.OrganizationID}
	for name, value := range l.args {
		switch v := value.(type) {
		case map[string]string:
			if len(v) > 0 {
				all[name] = v
			}
		case []args:
			if len(v) > 0 {
				all[name] = "both" // the one list there is
			}
		case []string:
			all[name] = slices.Sorted(slices.Values(v))
		default:
			switch name {
			case "early_renewal_hours":
			case "expire_at":
				expires, _ := time.Parse(time.RFC3339, v.(string))
				all[name] = expires.Unix()
			default:
				all[name] = v
			}
		}
	}
	return fmt.Sprint(all)
}

func (l *longLife) hours(name string) int { n, _ := l.args[name].(int); return n }

// due reports whether the renewal of the key that exists is due by some
// early_renewal_hours.
func (l *longLife) due(early int) bool { return l.expires > 0 && l.hour >= l.expires-early }

// empty reports which arguments are there and empty or 0.
func (l *longLife) empty() (triggers, list, early bool) {
	written, isMap := l.args["rotation_triggers"].(map[string]string)
	sources, isList := l.args["ip_access_list"].([]args)
	return isMap && len(written) == 0, isList && len(sources) == 0, l.args["early_renewal_hours"] == 0
}

// expected is what a plan does at this hour. A plan that changes anything in place
// goes by the last refresh and not by the time.
func (l *longLife) expected(refreshed bool) string {
	early := l.hours("early_renewal_hours")
	triggers, list, zero := l.empty()
	respelled := triggers != l.emptyTriggers || zero != l.early0 || list && !l.emptyList
	if refreshed {
		l.ready = l.due(l.early)
	}
	switch {
	case !l.exists:
		return "create"
	case l.meaning != l.meaningOf():
		return "replace"
	case early == l.early && !respelled:
		return map[bool]string{true: "replace", false: "none"}[l.due(early)]
	case l.ready && early >= l.early:
		return "replace"
	default:
		return "update"
	}
}

func (l *longLife) pass(hours int) {
	l.hour += hours
	l.now.at(l.hour, 0)
	l.script = append(l.script, fmt.Sprintf("hour %d", l.hour))
}

func (l *longLife) fatal(format string, args ...any) {
	l.t.Helper()
	l.t.Fatalf("%s\nafter:\n%s\n%s", fmt.Sprintf(format, args...), strings.Join(l.script, "\n"), l.args.hcl())
}

// planWith plans, with what is known late unknown, and compares the plan with what is
// expected.
func (l *longLife) planWith(config args, refreshed bool) keyPlan {
	l.t.Helper()
	want := l.expected(refreshed)
	var p keyPlan
	if refreshed {
		p = l.planned(config)
	} else {
		l.walk()
		p = l.plan(config)
	}
	l.script = append(l.script, fmt.Sprintf("refresh %t: %s because of %v", refreshed, p.action, p.replaces))
	if p.action != want {
		diff, _ := p.planned.Diff(l.state)
		l.fatal("the plan is %s, want %s: %s\n%s", p.action, want, diff, p.diagnoses)
	}
	return p
}

func (l *longLife) round() {
	l.t.Helper()
	l.pass(l.random.IntN(25))
	l.change()
	l.createFirst = l.chance(70)
	config, refreshed := l.args, l.chance(80)
	if l.exists && l.args["rotation_triggers"] != nil && l.meaning != l.meaningOf() && l.chance(30) {
		config = l.args.with(args{"rotation_triggers": unknown})
	}
	p := l.planWith(config, refreshed)
	l.pass(l.random.IntN(5))
	fault := oneOfKeys(l, "", "", "", "rejected", "lost")
	switch fault {
	case "rejected":
		l.fixture.Inject(mockplatform.Fault{Operation: mockplatform.CreateKey, Status: 403})
	case "lost":
		l.fixture.Inject(mockplatform.Fault{Operation: mockplatform.CreateKey, Status: 500, After: true})
	}
	l.script = append(l.script, fmt.Sprintf("apply, create first %t, fault %q", l.createFirst, fault))
	before, posts, secret := len(l.fixture.Keys()), l.fixture.Count("POST", ""), l.get("key_secret")
	p = l.carryOut(p, l.args)
	l.fixture.ClearFaults()
	l.compare(p, fault, l.fixture.Keys()[before:], l.fixture.Count("POST", "")-posts, secret)
	for _, hidden := range append(keySecrets(l.fixture), "h4sh-of") {
		if strings.Contains(p.String(), hidden) {
			l.fatal("a message has a secret")
		}
	}
	l.planWith(l.args, true)
}

// compare compares what became of the key with what should have.
func (l *longLife) compare(p keyPlan, fault string, created []mockplatform.Document, posts int, secret string) {
	l.t.Helper()
	creates := p.action == "create" || p.action == "replace"
	want := map[bool]int{true: 1, false: 0}
	if posts != want[creates] || len(created) != want[creates && fault != "rejected"] || len(p.errors) != want[creates && fault != ""] {
		l.fatal("%s, %s: %d keys from %d requests\n%s", p.action, fault, len(created), posts, p.diagnoses)
	}
	switch {
	case creates && fault == "":
		newest := created[0]["result"].(mockplatform.Document)
		if l.get("key_secret") != newest["keySecret"] || l.get("key_id") != newest["keyId"] {
			l.fatal("the state doesn't have the key that was created")
		}
		l.exists, l.meaning, l.expires = true, l.meaningOf(), 0
		if validity := l.hours("validity_hours"); validity > 0 {
			l.expires = l.hour + validity
		}
		l.emptyTriggers, l.emptyList, l.early0 = l.empty()
	case creates && (p.action == "create" || !l.createFirst):
		if l.exists = !l.state.IsNull(); l.exists {
			l.fatal("the state has a key")
		}
		return
	case creates:
		if l.get("key_secret") != secret || !l.deposed.IsNull() {
			l.fatal("the state lost the old key, with create_before_destroy")
		}
		return
	default:
		if l.get("key_secret") != secret {
			l.fatal("the state has another key")
		}
		if p.action == "none" {
			return
		}
		triggers, list, zero := l.empty()
		l.emptyTriggers, l.emptyList, l.early0 = triggers, l.emptyList || list, zero
	}
	l.early, l.ready = l.hours("early_renewal_hours"), false
}
