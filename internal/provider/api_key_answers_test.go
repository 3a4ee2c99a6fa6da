package provider

import (
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

var fullKey = plainKey.with(args{
	"roles": []string{"admin", "developer"}, "expire_at": aDate, "state": "disabled",
	"ip_access_list": []args{{"source": "192.0.2.10", "description": "b"}, {"source": "10.0.0.0/8"}, {"source": "2001:db8::/32", "description": ""}},
})

// A response may say the same in many ways, and omit what it likes: the
// secret is kept, there is nothing to warn of, and the next plan is empty.
func TestAPIKeyAnswersThatSayTheSame(t *testing.T) {
	t.Parallel()
	without := func(paths ...string) func(*mockplatform.Behaviour) {
		return func(b *mockplatform.Behaviour) {
			for _, path := range paths {
				b.Answers.Sparse = append(b.Answers.Sparse, mockplatform.Sparse{Path: path})
			}
		}
	}
	null := func(path string) func(*mockplatform.Behaviour) {
		return func(b *mockplatform.Behaviour) {
			b.Answers.Sparse = []mockplatform.Sparse{{Path: path, Null: true}}
		}
	}
	rewrite := func(path string, to func(any) any) func(*mockplatform.Behaviour) {
		return func(b *mockplatform.Behaviour) {
			b.Patches.Rewrites = []mockplatform.Rewrite{{Operation: mockplatform.CreateKey, Path: path, To: to, Unsent: true}}
		}
	}
	answers := map[string]func(*mockplatform.Behaviour){
		"all there":          func(*mockplatform.Behaviour) {},
		"state told":         func(b *mockplatform.Behaviour) { b.Answers.KeyState = true },
		"unknown members":    func(b *mockplatform.Behaviour) { b.Answers.UnknownMembers = true },
		"sets shuffled":      func(b *mockplatform.Behaviour) { b.Answers.ShuffleSets = true },
		"elements repeated":  func(b *mockplatform.Behaviour) { b.Answers.RepeatSetElements = true },
		"no envelope":        func(b *mockplatform.Behaviour) { b.Answers.OmitEnvelope = []string{"status", "requestId"} },
		"no key":             without("key"),
		"nothing in the key": without("key.*"),
		"no descriptions":    without("key.ipAccessList.description"),
		"null descriptions":  null("key.ipAccessList.description"),
		"numbers elsewhere":  func(b *mockplatform.Behaviour) { b.Answers.Numbers = mockplatform.NumbersAsFloats },
		"expiry in UTC":      rewrite("expireAt", respelled(sameDate)),
		"expiry elsewhere":   rewrite("expireAt", respelled("2031-01-01T03:30:00.000+05:30")),
	}
	for _, member := range []string{"id", "name", "roles", "keySuffix", "createdAt", "expireAt", "usedAt", "ipAccessList", "state"} {
		answers["no "+member] = without("key." + member)
		if member != "expireAt" { // says that the key never expires
			answers["null "+member] = null("key." + member)
		}
	}
	for name, configure := range answers {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.Configure(configure)
			for kind, key := range map[string]args{"plain": plainKey, "full": fullKey, "lasting": lasting} {
				d := f.newKeyDriver(t, nil)
				p := d.apply(key)
				told := strings.Join(p.warnings, "\n")
				if len(p.errors) > 0 || strings.Contains(told, "differs from the request") {
					t.Errorf("%s: %s", kind, p.diagnoses)
					continue
				}
				keys := f.Keys()
				result := keys[len(keys)-1]["result"].(mockplatform.Document)
				if d.get("key_secret") != result["keySecret"] || d.get("key_id") != result["keyId"] {
					t.Errorf("%s: the state has not the key", kind)
				}
				if want := map[string]string{"full": "disabled"}[kind]; d.get("state") != want && want != "" {
					t.Errorf("state is %s", d.get("state"))
				}
				if want := map[string]string{"full": aDate, "plain": "null"}[kind]; !strings.HasPrefix(name, "expiry") && want != "" && d.get("expire_at") != want {
					t.Errorf("%s: expire_at is %s", kind, d.get("expire_at"))
				}
				if p := d.planned(key); p.action != "none" || len(p.warnings) > 0 {
					t.Errorf("%s: %s because of %v\n%s", kind, p.action, p.replaces, p.diagnoses)
				}
			}
		})
	}
}

// respelled is another spelling of the full key's expiry.
func respelled(date string) func(any) any {
	return func(expiry any) any {
		if expiry == nil || !sameInstant(expiry.(string), date) {
			return expiry
		}
		return date
	}
}

// What the platform made otherwise than it was asked to is one warning, which
// tells what it answered, and no error: the key is there.
func TestAPIKeyAnswersThatDisagree(t *testing.T) {
	f := newFixture(t)
	other := map[string]any{
		"name": "another", "roles": []any{"query_endpoints"}, "state": "enabled", "expireAt": "2030-06-01T00:00:00Z",
		"ipAccessList": []any{map[string]any{"source": "0.0.0.0/0"}},
	}
	f.Configure(func(b *mockplatform.Behaviour) {
		b.Answers.KeyState = true
		for path := range other {
			b.Patches.Rewrites = append(b.Patches.Rewrites, mockplatform.Rewrite{Operation: mockplatform.CreateKey, Path: path, To: func(any) any { return other[path] }, Unsent: true})
		}
	})
	d := f.newKeyDriver(t, nil)
	p := d.apply(fullKey)
	if len(p.errors) > 0 || len(p.warnings) != 1 || d.get("key_secret") == "null" {
		t.Fatal(p.diagnoses)
	}
	wantText(t, p.warnings[0], ") differs from the request",
		`name: the API returned "another"`, `roles: the API returned ["query_endpoints"]`, `state: the API returned "enabled"`,
		`ip_access_list: the API returned [{source = "0.0.0.0/0"}]`, `expire_at: the API returned "2030-06-01T00:00:00Z"`)
	if p := d.planned(fullKey); p.action != "none" {
		t.Errorf("%s because of %v", p.action, p.replaces)
	}

	// The platform's own choice is written down, and then leaves again: both
	// ask for nothing new.
	other["state"], other["expireAt"] = "disabled", nil
	d = f.newKeyDriver(t, nil)
	d.apply(plainKey)
	for _, key := range []args{plainKey.with(args{"state": "disabled"}), plainKey} {
		if p := d.apply(key); p.action != "none" {
			t.Errorf("%v: %s because of %v", key, p.action, p.replaces)
		}
	}
}

// The hashes are passed through, and where the platform then tells neither id
// nor secret, that is no error.
func TestAPIKeyFromHashes(t *testing.T) {
	f := newFixture(t)
	f.Configure(func(b *mockplatform.Behaviour) { b.Answers.OmitHashedSecret = true })
	key := plainKey.with(args{"expire_at": aDate, "hash_data": args{"key_id_hash": "h4sh-of-id", "key_id_suffix": "wxyz", "key_secret_hash": "h4sh-of-secret"}})
	d := f.newKeyDriver(t, nil)
	p := d.apply(key)
	if len(p.errors) > 0 || len(p.warnings) > 0 || d.get("key_id") != "null" || d.get("key_secret") != "null" || d.get("id") == "null" || d.get("key_suffix") != "wxyz" {
		t.Errorf("%s\n%s", p.diagnoses, d.state)
	}
	f.wantWrites(`{"name": "n", "roles": ["admin"], "expireAt": "2031-01-01T00:00:00+02:00", "hashData": {"keyIdHash": "h4sh-of-id", "keyIdSuffix": "wxyz", "keySecretHash": "h4sh-of-secret"}}`)
	if p := d.planned(key); p.action != "none" {
		t.Errorf("%s because of %v", p.action, p.replaces)
	}

	// Where the state has no secret, no message says so.
	f.Configure(func(b *mockplatform.Behaviour) {
		b.Patches.Rewrites = []mockplatform.Rewrite{{Operation: mockplatform.CreateKey, Path: "name", To: func(any) any { return "another" }, Unsent: true}}
	})
	d.reset()
	p = d.apply(key)
	if told := p.diagnoses.String(); len(p.warnings) != 1 || strings.Contains(told, "secret is in the state") {
		t.Error(told)
	}
	wantText(t, p.diagnoses.String(), "The key was created. The API returned no secret, so the state has none.")

	// What the platform echoes of them is masked.
	f.Inject(mockplatform.Fault{Operation: mockplatform.CreateKey, Status: 400, Body: mockplatform.BodyEcho})
	d.reset()
	p = d.apply(key)
	if told := p.diagnoses.String(); len(p.errors) != 1 || strings.Contains(told, "h4sh-of") {
		t.Error(told)
	}
}

// Whatever a name or a response contains, a message shows it on one line and without
// what a terminal would act on.
func TestAPIKeyMessagesAreClean(t *testing.T) {
	f := newFixture(t)
	now := f.clocked()
	const bad = "a\n\nError: You are hacked\x1b[31m\u202e"
	bads := func(any) any { return bad }
	f.Configure(func(b *mockplatform.Behaviour) {
		for _, path := range []string{"id", "keySuffix", "expireAt"} {
			b.Patches.Rewrites = append(b.Patches.Rewrites, mockplatform.Rewrite{Operation: mockplatform.CreateKey, Path: path, To: bads, Unsent: true})
		}
	})
	d := f.newKeyDriver(t, nil)
	d.createFirst = true
	key := lasting.with(args{"name": bad})
	all := d.apply(key).diagnoses
	all = all.and(d.apply(key.with(args{"roles": []string{"developer"}})).diagnoses)
	now.at(95, 0)
	all = all.and(d.planned(key).diagnoses)
	planned, applied := d.destroy()
	all = all.and(planned).and(applied)
	f.Inject(mockplatform.Fault{Operation: mockplatform.CreateKey, Status: 500})
	all = all.and(d.apply(key).diagnoses)
	if len(all.warnings) < 6 || len(all.errors) != 1 {
		t.Error(all)
	}
	for _, text := range append(all.warnings, all.errors...) {
		if strings.Contains(text, "\nError") || strings.ContainsAny(text, "\x1b\u202e") {
			t.Errorf("%q", text)
		}
	}
}
