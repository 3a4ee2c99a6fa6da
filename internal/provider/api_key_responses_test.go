package provider

import (
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
			b.wantStored("")
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
	} {
		t.Run(name, inBubble(func(t *testing.T, f *fixture) {
			f.Configure(func(b *mockplatform.Behaviour) { b.Responses.KeyState, b.Patches.Rewrites = true, test.returned })
			b := f.key(test.key)
			said := slices.DeleteFunc(b.apply().warnings, func(text string) bool { return strings.Contains(text, "will never expire: ") })
			wantWarning(t, said, ") differs from the request")
			wantText(t, strings.Join(said, "\n"), test.says...)
			b.wantStored("")
			b.wantValues(test.state)
			b.wantQuiet()
		}))
	}
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

// However the creation ends, there is one request and at most one key. A secret that
// arrived is in the state, and where a key may exist whose secret nobody knows, the error
// says what to look for. TestKeyIsKeptWhateverTheResponse cuts the response.
func TestAPIKeyCreationFailsWithAtMostOneKey(t *testing.T) {
	t.Parallel()
	type document = mockplatform.Document
	const which = `revoke it: name "n", organization ` + mockplatform.OrganizationID + ", roles admin, developer, expiry 2999-01-01T00:00:00Z, request ID "
	for name, test := range map[string]struct {
		edit func(result, key document) // nil for a failure after the creation
		kept bool
		says []string
	}{
		"failed after": {nil, false, []string{"The platform may have created the key", which, "The request was not retried"}},
		"no secret": {
			func(result, _ document) { delete(result, "keySecret") }, false,
			[]string{"returned no secret, and cannot return it later. Look for the key in the platform's console and " + which},
		},
		"no key ID":          {func(result, _ document) { delete(result, "keyId") }, true, []string{"key_id: the API returned none"}},
		"other types":        {func(_, key document) { key["name"], key["roles"] = 7, "admin" }, true, []string{"The key was created and its secret is in the state.", " and the API document has another type"}},
		"secret as the name": {func(result, key document) { key["name"] = result["keySecret"] }, true, []string{"name: the API returned a value that cannot be shown"}},
		"secret elsewhere": {
			func(result, key document) {
				secret := result["keySecret"]
				key["id"], key["expireAt"], key["roles"] = []any{secret}, secret, []any{"a very long role, so that what follows is cut", secret}
			}, true,
			[]string{`roles: requested ["admin", "developer"], and the API returned a value that cannot be shown`},
		},
	} {
		t.Run(name, inBubble(func(t *testing.T, f *fixture) {
			fault := mockplatform.Fault{Operation: mockplatform.CreateKey, Status: 503, After: true}
			if test.edit != nil {
				fault = mockplatform.Fault{Operation: mockplatform.CreateKey, Edit: func(body document) {
					result := body["result"].(document)
					test.edit(result, result["key"].(document))
				}}
			}
			f.Inject(fault)
			b := f.key("roles = [\"admin\", \"developer\"]\nexpire_at = \"2999-01-01T00:00:00Z\"")
			r := b.tryApply()
			if len(f.Keys()) != 1 || f.Count("POST", "") != 1 || b.state.IsNull() == test.kept || (len(r.errors) == 0) != test.kept {
				t.Fatalf("%d keys from %d requests: %s", len(f.Keys()), f.Count("POST", ""), r)
			}
			wantText(t, r.String(), test.says...)
			wantNoText(t, r.String(), "demo-key-secret", member(f.Keys()[0], "result.keySecret").(string))
			if test.kept {
				b.wantStored("")
				b.wantQuiet()
			}
		}))
	}
}
