package provider

import (
	"slices"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/sealing/sealingtest"
)

type document = mockplatform.Document

// responds makes the platform return every new key otherwise. A result has the key, its ID and its secret.
func (f *fixture) responds(edit func(result, key document)) {
	f.Inject(mockplatform.Fault{Operation: mockplatform.CreateKey, Times: mockplatform.Always, Edit: func(body document) {
		result := body["result"].(document)
		edit(result, result["key"].(document))
	}})
}

// returns makes the platform return one field of every new key otherwise.
func (f *fixture) returns(field string, value any) {
	f.responds(func(_, key document) { key[field] = value })
}

const (
	// fullKey has every argument that a response returns.
	fullKey = `
roles          = ["admin", "developer"]
expire_at      = "2031-01-01T00:00:00+02:00"
state          = "disabled"
ip_access_list = [{ source = "192.0.2.10", description = "b" }, { source = "10.0.0.0/8" }, { source = "2001:db8::/32", description = "" }]
`
	hashedKey = `
expire_at = "2999-01-01T00:00:00Z"
hash_data = { key_id_hash = "hush-hush-1", key_id_suffix = "wxyz", key_secret_hash = "hush-hush-2" }
`
)

// However a creation is answered, there is one request and at most one key. A secret that arrived is in the
// state, with what was asked, but for what the platform chose and may be computed, and the next plan is
// empty. What the platform made otherwise than it was asked to is one warning with both values, where the
// configured one may be told; and where a key may exist whose secret nobody knows, the error says what to
// look for. TestAnswersToTheCreationOfAKey has each status, and what it means.
func TestAPIKeyResponses(t *testing.T) {
	omits := func(members ...string) func(*fixture) {
		return func(f *fixture) {
			f.Configure(func(b *mockplatform.Behaviour) {
				for _, member := range members {
					b.Responses.Sparse = append(b.Responses.Sparse, mockplatform.Sparse{Path: member})
				}
			})
		}
	}
	edited := func(edit func(result, key document)) func(*fixture) {
		return func(f *fixture) { f.responds(edit) }
	}
	type row struct {
		arguments string
		respond   func(*fixture)
		says      []string // of the warning or the error; nil for neither
		state     object   // nil where the secret is lost
	}
	const (
		differs = " differs from the request: The key was created"
		which   = `revoke it: name "n", organization ` + mockplatform.OrganizationID + ", roles admin, developer, expiry 2031-01-01T00:00:00+02:00, request ID "
	)
	anywhere, asked := []any{document{"source": "0.0.0.0/0"}}, object{"name": "n", "state": "disabled", "expire_at": "2031-01-01T00:00:00+02:00"}
	all := map[string]row{
		"another spelling": {fullKey, func(f *fixture) {
			f.Configure(func(b *mockplatform.Behaviour) {
				b.Responses = mockplatform.Responses{
					KeyState: true, UnknownMembers: true, ShuffleSets: true, RepeatSetElements: true, OmitEnvelope: []string{"status", "requestId"},
				}
			})
			f.returns("expireAt", "2031-01-01T03:30:00.000+05:30")
		}, nil, asked},
		"the names of other attributes": {fullKey, edited(func(_, key document) {
			for _, name := range []string{"organizationId", "validityHours", "earlyRenewalHours", "rotationTriggers", "readyForRenewal", "keyId", "keySecret"} {
				key[name] = []any{}
			}
		}), nil, asked},
		"all that was asked, otherwise": {fullKey, edited(func(_, key document) {
			key["name"], key["roles"], key["state"], key["expireAt"], key["ipAccessList"] = "another", []any{"query_endpoints"}, "enabled", date(4000), anywhere
		}), []string{
			differs + " and is in the state.",
			`name: the API returned "another"`, `roles: requested ["admin", "developer"], and the API returned ["query_endpoints"]`,
			`state: requested "disabled", and the API returned "enabled"`, `ip_access_list: the API returned [{source = "0.0.0.0/0"}]`,
			`expire_at: requested "2031-01-01T00:00:00+02:00", and the API returned "` + date(4000) + `"`,
		}, asked},
		"what was not asked": {"", edited(func(_, key document) {
			key["state"], key["ipAccessList"], key["expireAt"] = "disabled", anywhere, date(100)
		}), []string{
			differs, `state: requested "enabled", and the API returned "disabled"`,
			`ip_access_list: not set, and the API returned [{source = "0.0.0.0/0"}]`, `expire_at: not set, and the API returned "` + date(100) + `"`,
		}, object{"state": "enabled", "ip_access_list": nil, "expire_at": date(100)}},
		"an empty access list": {"", edited(func(_, key document) {
			key["ipAccessList"] = []any{}
		}), []string{differs, "ip_access_list: not set, and the API returned []: perhaps no address may use the key"}, object{"ip_access_list": nil}},
		"the secret elsewhere": {fullKey, edited(func(result, key document) {
			secret := result["keySecret"]
			key["name"], key["id"], key["expireAt"], key["roles"] = secret, []any{secret}, secret, []any{"a very long role, so that what follows is cut", secret}
		}), []string{
			differs, "name: the API returned a value that cannot be shown", `roles: requested ["admin", "developer"], and the API returned a value that cannot be shown`,
		}, asked},
		"numbers, and five other types": {fullKey, edited(func(result, key document) {
			result["keyId"], key["id"], key["name"], key["roles"], key["keySuffix"] = 12345, 17, 7, "admin", []any{}
		}), []string{
			`API key "n" (17) differs`, "is not as documented: id has another type than in the API document; key_id has another type than in the API document; " +
				"key_suffix has another type than in the API document; name has another type than in the API document; roles has another type",
			`name: the API returned "7"`,
		}, object{"id": "17", "key_id": "12345", "key_suffix": nil}},
		"the key itself in the result": {fullKey, edited(func(result, key document) {
			for name, value := range key {
				result[name] = value
			}
			delete(result, "key")
		}), nil, object{"id": "90000000-0000-4000-8000-000000000001", "state": "disabled"}},
		"a number for an ID, and no secret": {fullKey, edited(func(result, key document) {
			result["keySecret"], key["id"] = []any{}, 17
		}), []string{"returned no secret", ", ID 17. The next apply creates another key.", "id has another type", "key_secret has another type"}, nil},
		"no key ID":                      {fullKey, omits("keyId"), []string{differs, "key_id: the API returned none"}, asked},
		"no secret of a key from hashes": {hashedKey, omits("keyId", "keySecret"), nil, object{"key_id": nil, "key_secret": nil, "key_suffix": "wxyz"}},
		"an error after the creation": {fullKey, func(f *fixture) {
			f.Inject(mockplatform.Fault{Operation: mockplatform.CreateKey, Status: 503, After: true})
		}, []string{"The platform may have created the key", which, "The request was not retried"}, nil},
	}
	for _, member := range []string{"", ".*", ".id", ".roles", ".expireAt", ".ipAccessList.description"} {
		all["no key"+member] = row{fullKey, omits("key" + member), nil, asked}
	}
	played(t, all, func(t *testing.T, f *fixture, test row) {
		test.respond(f)
		b := f.key(test.arguments)
		r := b.tryApply()
		isKept := test.state != nil
		if len(f.Keys()) != 1 || f.Count("POST", "") != 1 || b.state.IsNull() == isKept || (len(r.errors) == 0) != isKept {
			t.Fatalf("%d keys from %d requests: %s", len(f.Keys()), f.Count("POST", ""), r)
		}
		said := slices.Concat(r.errors, r.warnings)
		if test.arguments == "" {
			said = slices.DeleteFunc(said, func(text string) bool { return strings.Contains(text, "is requested without an expiry: ") })
		}
		if len(said) != min(len(test.says), 1) {
			t.Errorf("%d messages, want one if there is something to say: %q", len(said), said)
		}
		if len(said) > 0 {
			wantText(t, said[0], test.says...)
		}
		secret := member(f.Keys()[0], "result.keySecret").(string)
		wantNoText(t, r.String(), "demo-key-secret", secret)
		if !isKept {
			return
		}
		b.wantValues(test.state)
		if b.shown()["secret_version"] == nil {
			t.Error("no secret_version")
		}
		b.wantQuiet()
		if test.arguments != hashedKey {
			b.wantStored("")
		}
	})
}

// Hashes that the platform repeats in an error are masked. An object without any, as typed modules hand over, is none: it goes
// with recipients, and creates no other key. The name of one may be misspelled.
func TestAPIKeyHashes(t *testing.T) {
	f := newFixture(t)
	f.Inject(mockplatform.Fault{Operation: mockplatform.CreateKey, Status: 400, Body: mockplatform.BodyEcho})
	rejected := f.key(hashedKey).tryApply().String()
	wantText(t, rejected, "HTTP 400")
	wantNoText(t, rejected, "hush-hush")
	f.ResetJournal()
	const empty = "hash_data = { key_id_hash = null }\n"
	b := f.key(empty + lasting + "\n" + to(sealingtest.X25519(t).Recipient))
	wantText(t, b.apply().String(), "Object is empty: No attributes are set in hash_data")
	b.arguments = strings.TrimPrefix(b.arguments, empty)
	if r := b.apply(); r.action != "update" || f.Count("POST", "") != 1 {
		t.Errorf("%s, after %d requests", r.action, f.Count("POST", ""))
	}
}
