package provider

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

var fullKey = plainKey.with(args{
	"roles": []string{"admin", "developer"}, "expire_at": aDate, "state": "disabled",
	"ip_access_list": []args{{"source": "192.0.2.10", "description": "b"}, {"source": "10.0.0.0/8"}, {"source": "2001:db8::/32", "description": ""}},
})

// rewritten makes the platform store this value of a new key.
func rewritten(path string, value any) mockplatform.Rewrite {
	return mockplatform.Rewrite{Operation: mockplatform.CreateKey, Path: path, Unsent: true, To: func(any) any { return value }}
}

// A response may say the same in many ways, and omit what it likes: the secret is kept, there
// is nothing to warn of, and the next plan is empty.
func TestAPIKeyResponsesThatSayTheSame(t *testing.T) {
	t.Parallel()
	responses := map[string]func(*mockplatform.Behaviour){
		"another spelling": func(b *mockplatform.Behaviour) {
			b.Responses = mockplatform.Responses{KeyState: true, UnknownMembers: true, ShuffleSets: true, RepeatSetElements: true, OmitEnvelope: []string{"status", "requestId"}}
			b.Patches.Rewrites = []mockplatform.Rewrite{rewritten("expireAt", "2031-01-01T03:30:00.000+05:30")}
		},
	}
	for _, member := range []string{"", ".*", ".id", ".name", ".roles", ".keySuffix", ".createdAt", ".expireAt", ".usedAt", ".ipAccessList", ".state", ".ipAccessList.description"} {
		responses["no key"+member] = func(b *mockplatform.Behaviour) {
			b.Responses.Sparse = []mockplatform.Sparse{{Path: "key" + member}}
		}
	}
	for name, respond := range responses {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.Configure(respond)
			d := f.newKeyDriver(t, nil)
			p := d.apply(fullKey)
			if len(p.errors)+len(p.warnings) > 0 {
				t.Error(p.diagnoses)
			}
			d.wantStored()
			if d.get("state") != "disabled" || d.get("expire_at") != aDate {
				t.Error(d.state)
			}
			d.wantNone(fullKey)
		})
	}
}

// What the platform made otherwise than it was asked to is one warning with both values,
// where the configured one may be told, and no error: the key is there. The state has what
// was asked, and what is said when a key leaves goes by the state.
func TestAPIKeyResponsesThatDisagree(t *testing.T) {
	f := newFixture(t)
	now := f.clocked()
	created := func(key args, rewrites []mockplatform.Rewrite, says ...string) *keyDriver {
		t.Helper()
		f.Configure(func(b *mockplatform.Behaviour) { b.Responses.KeyState, b.Patches.Rewrites = true, rewrites })
		d := f.newKeyDriver(t, nil)
		p := d.apply(key)
		said := slices.DeleteFunc(p.warnings, func(text string) bool { return strings.Contains(text, "will never expire: ") })
		if len(p.errors) > 0 || len(said) != 1 {
			t.Fatal(p.diagnoses)
		}
		wantText(t, said[0], append(says, ") differs from the request")...)
		d.wantStored()
		d.wantNone(key)
		return d
	}
	address := []any{map[string]any{"source": "0.0.0.0/0"}}
	created(fullKey, []mockplatform.Rewrite{
		rewritten("name", "another"), rewritten("roles", []any{"query_endpoints"}), rewritten("state", "enabled"),
		rewritten("expireAt", "2030-06-01T00:00:00Z"), rewritten("ipAccessList", address),
	},
		`name: the API returned "another"`, `roles: requested ["admin", "developer"], and the API returned ["query_endpoints"]`,
		`state: requested "disabled", and the API returned "enabled"`, `ip_access_list: the API returned [{source = "0.0.0.0/0"}]`,
		fmt.Sprintf("expire_at: requested %q, and the API returned %q", aDate, "2030-06-01T00:00:00Z"))

	// What the platform chose and may be computed is in the state. To set it changes nothing.
	d := created(plainKey, []mockplatform.Rewrite{rewritten("state", "disabled"), rewritten("ipAccessList", address), rewritten("expireAt", laterDate)},
		`state: requested "enabled", and the API returned "disabled"`, `ip_access_list: not set, and the API returned [{source = "0.0.0.0/0"}]`,
		fmt.Sprintf("expire_at: not set, and the API returned %q", laterDate))
	d.wantNone(plainKey.with(args{"expire_at": laterDate, "state": "enabled"}))
	if d.get("state") != "enabled" || d.get("ip_access_list") != "null" {
		t.Error(d.state)
	}

	created(lasting, []mockplatform.Rewrite{rewritten("expireAt", date(1))},
		fmt.Sprintf("expire_at: requested %q, and the API returned %q. Renewal follows the requested expiry", date(100), date(1)))
	d = created(lasting, []mockplatform.Rewrite{rewritten("expireAt", nil)},
		fmt.Sprintf("expire_at: requested %q, and the API returned none. The key never expires on its own", date(100)))
	now.at(100, 0)
	wantText(t, d.planned(lasting).String(), "is replaced and stays valid", "because its renewal is due", ") stays valid, because it does not expire.")
	planned, applied := d.destroy()
	for _, all := range []diagnoses{planned, applied} {
		wantText(t, all.String(), `API key "n" (`, ") stays valid, because it does not expire. Revoke it in the platform's console.")
	}
}

// The hashes are passed through, and where the platform then returns neither ID
// nor secret, that is no error.
func TestAPIKeyFromHashes(t *testing.T) {
	f := newFixture(t)
	f.Configure(func(b *mockplatform.Behaviour) {
		b.Responses.Sparse = []mockplatform.Sparse{{Path: "keyId"}, {Path: "keySecret"}}
	})
	key := plainKey.with(args{"expire_at": aDate, "hash_data": args{"key_id_hash": "h4sh-of-id", "key_id_suffix": "wxyz", "key_secret_hash": "h4sh-of-secret"}})
	d := f.newKeyDriver(t, nil)
	p := d.apply(key)
	if len(p.errors) > 0 || len(p.warnings) > 0 || d.get("key_id") != "null" || d.get("key_secret") != "null" || d.get("id") == "null" || d.get("key_suffix") != "wxyz" {
		t.Errorf("%s\n%s", p.diagnoses, d.state)
	}
	d.wantNone(key)
	// An object that sets nothing is what a misspelled name leaves behind.
	wantText(t, d.planned(key.with(args{"hash_data": args{}})).String(), "Object is empty: hash_data has no attributes set")

	f.Configure(func(b *mockplatform.Behaviour) {
		b.Patches.Rewrites = []mockplatform.Rewrite{rewritten("name", "another")}
	})
	d.reset()
	wantText(t, d.apply(key).String(), "The key was created. The API returned no secret, so the state has none.")

	// What the platform echoes of them is masked.
	f.Inject(mockplatform.Fault{Operation: mockplatform.CreateKey, Status: 400, Body: mockplatform.BodyEcho})
	d.reset()
	if p := d.apply(key); len(p.errors) != 1 || strings.Contains(p.String(), "h4sh-of") {
		t.Error(p.diagnoses)
	}
}

// Whatever a name or a response contains, a message shows it on one line and without
// what a terminal would act on.
func TestAPIKeyMessagesAreClean(t *testing.T) {
	f := newFixture(t)
	now := f.clocked()
	const bad = "a\n\nError: You are hacked\x1b[31m\u202e"
	f.Configure(func(b *mockplatform.Behaviour) {
		b.Patches.Rewrites = []mockplatform.Rewrite{rewritten("id", bad), rewritten("keySuffix", bad), rewritten("expireAt", bad)}
	})
	d := f.newKeyDriver(t, nil)
	d.block.CreateBeforeDestroy = true
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

// However the creation ends, there is one request and at most one key. A secret that
// arrived is in the state, and where a key may exist whose secret nobody knows, the error
// says what to look for. The client has every fault at every moment.
func TestAPIKeyFaults(t *testing.T) {
	t.Parallel()
	edited := func(edit func(result, key mockplatform.Document)) mockplatform.Fault {
		return mockplatform.Fault{Edit: func(body mockplatform.Document) {
			result := body["result"].(mockplatform.Document)
			edit(result, result["key"].(mockplatform.Document))
		}}
	}
	for name, test := range map[string]struct {
		fault mockplatform.Fault
		kept  bool
		says  string // %s is what identifies the key
	}{
		"failed after":       {mockplatform.Fault{Status: 503, After: true}, false, "revoke it: %s, request ID "},
		"cut":                {mockplatform.Fault{Cut: mockplatform.CutBody, CutBytes: -40, Header: http.Header{"X-Request-Id": {"r-7"}}}, false, "revoke it: %s, request ID r-7. The request was not retried"},
		"no secret":          {edited(func(result, _ mockplatform.Document) { delete(result, "keySecret") }), false, "returned no secret, and cannot return it later. Look for the key in the platform's console and revoke it: %s, request ID "},
		"no key ID":          {edited(func(result, _ mockplatform.Document) { delete(result, "keyId") }), true, "key_id: the API returned none"},
		"other types":        {edited(func(_, key mockplatform.Document) { key["name"], key["roles"] = 7, "admin" }), true, "The key was created and its secret is in the state."},
		"secret as the name": {edited(func(result, key mockplatform.Document) { key["name"] = result["keySecret"] }), true, "name: the API returned a value that cannot be shown"},
		"secret elsewhere": {edited(func(result, key mockplatform.Document) {
			key["id"], key["expireAt"], key["roles"] = []any{result["keySecret"]}, result["keySecret"], []any{"a very long role, so that what follows is cut", result["keySecret"]}
		}), true, "roles: requested [\"admin\", \"developer\"], and the API returned a value that cannot be shown"},
	} {
		t.Run(name, inBubble(func(t *testing.T, f *fixture) {
			f.Inject(test.fault)
			d := f.newKeyDriver(t, args{"request_timeout": "2s"})
			key := plainKey.with(args{"roles": []string{"admin", "developer"}, "expire_at": laterDate})
			p := d.apply(key)
			if len(f.Keys()) != 1 || f.Count("POST", "") != 1 || d.state.IsNull() == test.kept || len(p.errors) != map[bool]int{false: 1}[test.kept] {
				t.Errorf("%d keys from %d requests\n%s", len(f.Keys()), f.Count("POST", ""), p.diagnoses)
			}
			wantText(t, p.String(), strings.ReplaceAll(test.says, "%s", `name "n", organization `+mockplatform.OrganizationID+", roles admin, developer, expiry "+laterDate))
			wantNoText(t, p.String(), "demo-key-secret")
			for _, key := range f.Keys() {
				wantNoText(t, p.String(), key["result"].(mockplatform.Document)["keySecret"].(string))
			}
			if test.kept {
				d.wantStored()
				d.wantNone(key)
			}
		}))
	}
}
