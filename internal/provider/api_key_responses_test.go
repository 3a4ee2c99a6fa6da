package provider

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// fullKey has every argument that a response returns.
const fullKey = `
roles          = ["admin", "developer"]
expire_at      = "2031-01-01T00:00:00+02:00"
state          = "disabled"
ip_access_list = [{ source = "192.0.2.10", description = "b" }, { source = "10.0.0.0/8" }, { source = "2001:db8::/32", description = "" }]
`

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
		"the names of other attributes": func(b *mockplatform.Behaviour) {
			for _, name := range []string{"organizationId", "validityHours", "earlyRenewalHours", "rotationTriggers", "readyForRenewal", "keyId", "keySecret"} {
				b.Patches.Rewrites = append(b.Patches.Rewrites, rewritten(name, []any{}))
			}
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
			b := f.key(fullKey)
			wantWarning(t, b.apply().warnings, "")
			b.wantNewest()
			b.wantValues(object{"state": "disabled", "expire_at": "2031-01-01T00:00:00+02:00"})
			b.wantQuiet()
		})
	}
}

// What the platform made otherwise than it was asked to is one warning with both values,
// where the configured one may be told, and no error: the key is there. The state has what
// was asked, but for what the platform chose and may be computed.
func TestAPIKeyResponsesThatDisagree(t *testing.T) {
	t.Parallel()
	anywhere := rewritten("ipAccessList", []any{map[string]any{"source": "0.0.0.0/0"}})
	for name, test := range map[string]struct {
		key      string
		returned []mockplatform.Rewrite
		says     []string
		state    object
	}{
		"all that was asked": {
			fullKey,
			[]mockplatform.Rewrite{
				rewritten("name", "another"), rewritten("roles", []any{"query_endpoints"}), rewritten("state", "enabled"), rewritten("expireAt", date(4000)), anywhere,
			},
			[]string{
				`name: the API returned "another"`, `roles: requested ["admin", "developer"], and the API returned ["query_endpoints"]`,
				`state: requested "disabled", and the API returned "enabled"`, `ip_access_list: the API returned [{source = "0.0.0.0/0"}]`,
				`expire_at: requested "2031-01-01T00:00:00+02:00", and the API returned "` + date(4000) + `"`,
			},
			object{"name": "n", "state": "disabled"},
		},
		"what was not asked": {
			"",
			[]mockplatform.Rewrite{rewritten("state", "disabled"), anywhere, rewritten("expireAt", date(100))},
			[]string{
				`state: requested "enabled", and the API returned "disabled"`, `ip_access_list: not set, and the API returned [{source = "0.0.0.0/0"}]`,
				`expire_at: not set, and the API returned "` + date(100) + `"`,
			},
			object{"state": "enabled", "ip_access_list": nil, "expire_at": date(100)},
		},
		"an early expiry": {
			lasting, []mockplatform.Rewrite{rewritten("expireAt", date(1))},
			[]string{fmt.Sprintf("expire_at: requested %q, and the API returned %q. Renewal follows the requested expiry", date(100), date(1))},
			object{"expire_at": date(100)},
		},
		"no expiry": {
			lasting, []mockplatform.Rewrite{rewritten("expireAt", nil)},
			[]string{fmt.Sprintf("expire_at: requested %q, and the API returned none. The key never expires on its own", date(100))},
			object{"expire_at": nil},
		},
	} {
		t.Run(name, inBubble(func(t *testing.T, f *fixture) {
			f.Configure(func(b *mockplatform.Behaviour) { b.Responses.KeyState, b.Patches.Rewrites = true, test.returned })
			b := f.key(test.key)
			said := slices.DeleteFunc(b.apply().warnings, func(text string) bool { return strings.Contains(text, "will never expire: ") })
			wantWarning(t, said, ") differs from the request")
			wantText(t, said[0], test.says...)
			b.wantNewest()
			b.wantValues(test.state)
			b.wantQuiet()
		}))
	}
}

// What is said when a key without an expiry is renewed, or leaves.
func TestAPIKeyWithoutExpiry(t *testing.T) {
	t.Parallel()
	inBubble(func(t *testing.T, f *fixture) {
		f.Configure(func(b *mockplatform.Behaviour) {
			b.Patches.Rewrites = []mockplatform.Rewrite{rewritten("expireAt", nil)}
		})
		b := f.key(lasting)
		b.apply()
		until(100)
		wantText(t, b.plan().String(), "is replaced and stays valid", "because its renewal is due", ") stays valid, because it does not expire.")
		planned, applied := b.destroy()
		for _, warnings := range [][]string{planned, applied} {
			wantWarning(t, warnings, ") stays valid, because it does not expire. Revoke it in the platform's console.")
		}
	})(t)
}

// The hashes are passed through, and where the platform then returns neither ID
// nor secret, that is no error. What it echoes of them is masked.
func TestAPIKeyFromHashes(t *testing.T) {
	f := newFixture(t)
	const key = "expire_at = \"2999-01-01T00:00:00Z\"\nhash_data = { key_id_hash = \"hush-hush-1\", key_id_suffix = \"wxyz\", key_secret_hash = \"hush-hush-2\" }"
	f.Configure(func(b *mockplatform.Behaviour) {
		b.Responses.Sparse = []mockplatform.Sparse{{Path: "keyId"}, {Path: "keySecret"}}
	})
	b := f.key(key)
	wantWarning(t, b.apply().warnings, "")
	b.wantValues(object{"key_id": nil, "key_secret": nil, "key_suffix": "wxyz"})
	b.wantQuiet()

	f.Configure(func(b *mockplatform.Behaviour) {
		b.Patches.Rewrites = []mockplatform.Rewrite{rewritten("name", "another")}
	})
	wantText(t, f.key(key).apply().String(), "The key was created. The API returned no secret, so the state has none.")
	f.Inject(mockplatform.Fault{Operation: mockplatform.CreateKey, Status: 400, Body: mockplatform.BodyEcho})
	rejected := f.key(key).tryApply().String()
	wantText(t, rejected, "HTTP 400")
	wantNoText(t, rejected, "hush-hush")

	// An object that sets nothing is what a misspelled name leaves behind.
	wantText(t, f.key("hash_data = {}").plan().String(), "Object is empty: hash_data has no attributes set")
}

// Whatever a name or a response contains, a message shows it on one line and without
// what a terminal would act on.
func TestAPIKeyMessagesAreClean(t *testing.T) {
	t.Parallel()
	inBubble(func(t *testing.T, f *fixture) {
		const bad = "a\n\nError: You are hacked\x1b[31m\u202e"
		f.Configure(func(b *mockplatform.Behaviour) {
			b.Patches.Rewrites = []mockplatform.Rewrite{rewritten("id", bad), rewritten("keySuffix", bad), rewritten("expireAt", bad)}
		})
		key := lasting + "\n" + `name = "a\n\nError: You are hacked\u001b[31m\u202e"` + "\n"
		b := f.key(key)
		differs := b.apply().warnings
		until(95)
		due := b.plan().warnings
		changed := b.applyAs(key + `roles = ["developer"]`).warnings
		planned, applied := b.destroy()
		f.Inject(mockplatform.Fault{Operation: mockplatform.CreateKey, Status: 500})
		failed := f.key(key).tryApply().errors
		for _, said := range [][]string{differs, due, changed, planned, applied, failed} {
			text := strings.Join(said, "\n")
			wantText(t, text, "You are hacked")
			if strings.Contains(text, "\nError") || strings.ContainsAny(text, "\x1b\u202e") {
				t.Errorf("%q", text)
			}
		}
	})(t)
}

// However the creation ends, there is one request and at most one key. A secret that
// arrived is in the state, and where a key may exist whose secret nobody knows, the error
// says what to look for. TestKeyOfABrokenConnection cuts the response.
func TestAPIKeyCreationFailsWithAtMostOneKey(t *testing.T) {
	t.Parallel()
	edited := func(edit func(result, key mockplatform.Document)) mockplatform.Fault {
		return mockplatform.Fault{Edit: func(body mockplatform.Document) {
			result := body["result"].(mockplatform.Document)
			edit(result, result["key"].(mockplatform.Document))
		}}
	}
	const which = `revoke it: name "n", organization ` + mockplatform.OrganizationID + ", roles admin, developer, expiry 2999-01-01T00:00:00Z, request ID "
	for name, test := range map[string]struct {
		fault mockplatform.Fault
		kept  bool
		says  []string
	}{
		"failed after": {mockplatform.Fault{Status: 503, After: true}, false, []string{"The platform may have created the key", which, "The request was not retried"}},
		"no secret": {
			edited(func(result, _ mockplatform.Document) { delete(result, "keySecret") }), false,
			[]string{"returned no secret, and cannot return it later. Look for the key in the platform's console and " + which},
		},
		"no key ID":          {edited(func(result, _ mockplatform.Document) { delete(result, "keyId") }), true, []string{"key_id: the API returned none"}},
		"other types":        {edited(func(_, key mockplatform.Document) { key["name"], key["roles"] = 7, "admin" }), true, []string{"The key was created and its secret is in the state.", " and the API document has another type"}},
		"secret as the name": {edited(func(result, key mockplatform.Document) { key["name"] = result["keySecret"] }), true, []string{"name: the API returned a value that cannot be shown"}},
		"secret elsewhere": {
			edited(func(result, key mockplatform.Document) {
				key["id"], key["expireAt"], key["roles"] = []any{result["keySecret"]}, result["keySecret"], []any{"a very long role, so that what follows is cut", result["keySecret"]}
			}), true,
			[]string{`roles: requested ["admin", "developer"], and the API returned a value that cannot be shown`},
		},
	} {
		t.Run(name, inBubble(func(t *testing.T, f *fixture) {
			f.Inject(test.fault)
			b := f.key("roles = [\"admin\", \"developer\"]\nexpire_at = \"2999-01-01T00:00:00Z\"")
			r := b.tryApply()
			if len(f.Keys()) != 1 || f.Count("POST", "") != 1 || b.state.IsNull() == test.kept || (len(r.errors) == 0) != test.kept {
				t.Fatalf("%d keys from %d requests: %s", len(f.Keys()), f.Count("POST", ""), r)
			}
			wantText(t, r.String(), test.says...)
			wantNoText(t, r.String(), "demo-key-secret", f.Keys()[0]["result"].(mockplatform.Document)["keySecret"].(string))
			if test.kept {
				b.wantNewest()
				b.wantQuiet()
			}
		}))
	}
}
