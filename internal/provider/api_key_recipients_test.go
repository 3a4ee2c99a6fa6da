package provider

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/sealing"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/sealing/sealingtest"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// Keys whose secret is encrypted to recipients. Package sealing has what a recipient is.

// to is secret_recipients with these recipients.
func to(recipients ...string) string {
	var quoted []string
	for _, recipient := range recipients {
		quoted = append(quoted, strconv.Quote(recipient))
	}
	return "secret_recipients = [" + strings.Join(quoted, ", ") + "]\n"
}

// wantSealed fails unless the state has the newest key, with its secret encrypted to the owner of this
// identity, and nowhere else.
func (b *managed) wantSealed(identity string) {
	b.t.Helper()
	keys := b.Keys()
	secret := member(keys[len(keys)-1], "result.keySecret").(string)
	sealed, _ := b.shown()["encrypted_key_secret"].(string)
	parsed, err := sealing.ParseIdentity(identity)
	if err != nil {
		b.t.Fatal(err)
	}
	if opened, err := sealing.Open(sealed, parsed); opened != secret {
		b.t.Errorf("the state has\n%s\nwhich opens as %q (%v), and not as the secret of the newest key", sealed, opened, err)
	}
	if text := toJSON(b.t, b.shown()); b.shown()["key_secret"] != nil || strings.Contains(text, secret) {
		b.t.Errorf("the state has the secret in plain text: %s", text)
	}
}

// With recipients, the plan says that no secret will be stored in plain text; without them, that none
// will be encrypted; and while they are unknown, neither.
func TestAPIKeyRecipientsInPlan(t *testing.T) {
	t.Parallel()
	inBubble(func(t *testing.T, f *fixture) {
		pair := sealingtest.X25519(t)
		for _, test := range []struct {
			recipients    string
			plain, sealed string // in the plan
			isSealed      bool
		}{
			{"", "unknown", "null", false},
			{to(pair.Recipient), "null", "unknown", true},
			{delayed("secret_recipients", fmt.Sprintf("[%q]", pair.Recipient)), "unknown", "unknown", true},
			{delayed("secret_recipients", "null"), "unknown", "unknown", false},
			{fmt.Sprintf("secret_recipients = [[%q][later]]", pair.Recipient), "null", "unknown", true},
		} {
			b := f.key(lasting + "\n" + test.recipients)
			b.learn(cty.Zero)
			r := b.plan()
			for name, want := range map[string]string{"key_secret": test.plain, "encrypted_key_secret": test.sealed, "secret_version": "unknown"} {
				got := "unknown"
				if value := r.planned.At(name); value.IsNull() {
					got = "null"
				} else if value.IsKnown() {
					got = "known"
				}
				if got != want {
					t.Errorf("%s: %s is %s in the plan, want %s", test.recipients, name, got, want)
				}
			}
			wantWarning(t, b.applyPlan(r).warnings, "")
			if test.isSealed {
				b.wantSealed(pair.Identity)
			} else {
				b.wantNewest()
			}
			b.wantQuiet()
		}
	})(t)
}

// Every other recipient replaces the key, and its warning names who comes and who goes. Comments, white
// space and the order of the recipients change nothing.
func TestAPIKeyRecipientsChange(t *testing.T) {
	t.Parallel()
	inBubble(func(t *testing.T, f *fixture) {
		age, ssh, rsa := sealingtest.X25519(t), sealingtest.Ed25519(t, ""), sealingtest.RSA(t, 2048)
		fingerprint := func(recipient string) string {
			parsed, err := sealing.ParseRecipient(recipient)
			if err != nil {
				t.Fatal(err)
			}
			return parsed.Fingerprint
		}
		const heading = "Recipients that can (+) and can no longer (-) decrypt the secret of the new key: "
		b := f.key(lasting)
		b.apply()
		for _, step := range []struct {
			recipients, because string
			says, saysNot       []string
			identity            string
		}{
			{
				to(age.Recipient), "secret_recipients",
				[]string{heading + "+ " + age.Recipient + " ", "Earlier versions of the state still contain the old secret without encryption."}, []string{"- "}, age.Identity,
			},
			{to(ssh.Recipient+" mallory", age.Recipient), "secret_recipients", []string{heading + "+ " + fingerprint(ssh.Recipient) + " "}, []string{"mallory", "- "}, ssh.Identity},
			{to(" "+age.Recipient+"\n", ssh.Recipient+"\tops@example\n"), "none", nil, nil, ssh.Identity},
			{to(strings.Replace(ssh.Recipient, " ", "   ", 1)+" mallory", age.Recipient), "none", nil, nil, ssh.Identity},
			{to(rsa.Recipient, ssh.Recipient), "secret_recipients", []string{heading + "+ " + fingerprint(rsa.Recipient) + " - " + age.Recipient + " "}, []string{"Earlier"}, rsa.Identity},
			{to(rsa.Recipient, ssh.Recipient) + "name = \"other\"", "name", nil, []string{"Recipients"}, ssh.Identity},
			{to(rsa.Recipient, ssh.Recipient), "name", nil, nil, rsa.Identity},
			{to(rsa.Recipient), "secret_recipients", []string{heading + "- " + fingerprint(ssh.Recipient) + " "}, []string{"+ "}, rsa.Identity},
			{
				"secret_recipients = later", "secret_recipients", []string{heading + "known only after apply"}, []string{"without encryption"}, "",
			},
			{to(age.Recipient), "secret_recipients", nil, nil, age.Identity},
			{"", "secret_recipients", []string{heading + "- " + age.Recipient + " ", "The new secret will be stored in the state without encryption."}, []string{"+ "}, ""},
		} {
			b.arguments = lasting + "\n" + step.recipients
			b.learn(cty.NullVal(cty.Set(cty.String)))
			r := b.plan()
			if r.because() != step.because {
				t.Errorf("%s: %s, want %s", step.recipients, r.because(), step.because)
			}
			if len(step.says)+len(step.saysNot) > 0 {
				wantWarning(t, r.warnings, ") is replaced and stays valid: The key is replaced because "+step.because)
				said := strings.ReplaceAll(folded(r.warnings[0]), "(-/+)", "") + " "
				wantNoText(t, said, append(step.saysNot, "ops@example")...)
				wantText(t, said, append(step.says, "The old key")...)
			}
			b.applyPlan(r)
			if step.identity != "" {
				b.wantSealed(step.identity)
			} else {
				b.wantNewest()
			}
			b.wantQuiet()
		}
		// A renewal has the same recipients, and says nothing of them.
		b.applyAs(lasting + "\n" + to(age.Recipient))
		until(90)
		wantNoText(t, b.plan().String(), "Recipients")
		b.apply()
		b.wantSealed(age.Identity)
	})(t)
}

// badRecipients are rejected: at plan, or where they were unknown then, before the request. hush-hush
// stands for what may be secret.
func badRecipients(t *testing.T) map[string][]string {
	private, locked := sealingtest.X25519(t).Identity, sealingtest.Ed25519(t, "hush-hush").Identity
	good := sealingtest.X25519(t).Recipient
	const isPrivate = "secret_recipients contains a private key. Its configuration, and every copy of it, has that key already: discard it"
	return map[string][]string{
		"[]":                                          {"secret_recipients must not be empty"},
		"[null]":                                      {"secret_recipients is empty"},
		`["hush-hush"]`:                               {"A recipient in secret_recipients is neither an age recipient (age1…) nor an SSH public key"},
		fmt.Sprintf("[%q, %q]", good, good[:40]):      {"secret_recipients is not a complete age recipient"},
		fmt.Sprintf("[%q]", private):                  {isPrivate},
		fmt.Sprintf("[%q, %q]", good, locked):         {isPrivate},
		fmt.Sprintf("[%q]", good+"\n# "+private):      {isPrivate},
		fmt.Sprintf("[%q]", strings.ToLower(private)): {isPrivate},
		fmt.Sprintf("[%q, %q]", good, sealingtest.PostQuantum(t).Recipient): {
			"The secret cannot be encrypted to secret_recipients: post-quantum recipients (age1pq1…) cannot be combined with others",
		},
		fmt.Sprintf("[%q]\nhash_data = { key_id_hash = \"hush-hush\" }", good): {"secret_recipients conflicts with hash_data"},
	}
}

func TestAPIKeyRecipientsInvalid(t *testing.T) {
	t.Parallel()
	inBubble(func(t *testing.T, f *fixture) {
		for value, says := range badRecipients(t) {
			b := f.key("secret_recipients = " + value)
			r := b.tryPlan(f.start())
			b.refuses(r, says...)
			value, beside, _ := strings.Cut(value, "\n")
			b.arguments = delayed("secret_recipients", value) + "\n" + beside
			b.learn(cty.Zero)
			r = b.plan()
			b.carryOut(f.start(), r)
			b.refuses(r, says...)
			for _, text := range append(r.errors, r.warnings...) {
				for word := range strings.FieldsFuncSeq(value, func(r rune) bool { return strings.ContainsRune("[]\", \\", r) }) {
					if len(word) > 20 && strings.Contains(strings.ToUpper(text), strings.ToUpper(word)) {
						t.Errorf("the message repeats %q: %s", word, text)
					}
				}
			}
		}
		f.wantRequests()
	})(t)
}

// An encryption that fails after the key was created stores nothing. The error names the key, and the
// next apply creates another one.
func TestAPIKeyEncryptionFails(t *testing.T) {
	t.Parallel()
	inBubble(func(t *testing.T, f *fixture) {
		pair := sealingtest.X25519(t)
		f.seal = func(string, []sealing.Recipient) (string, error) { return "", errors.New("hush-hush") }
		b := f.key(lasting + "\n" + to(pair.Recipient))
		r := b.tryApply()
		if len(r.errors) != 1 || !b.state.IsNull() {
			t.Fatalf("the state is %s: %s", b.state, r)
		}
		wantText(t, r.errors[0], "but its secret could not be encrypted to secret_recipients, and was not stored. Look for the key in the platform's console and revoke it: name \"n\"",
			", ID "+member(f.Keys()[0], "result.key.id").(string)+". The next apply creates another key.")
		wantNoText(t, r.String(), "hush-hush", member(f.Keys()[0], "result.keySecret").(string))
		f.seal = nil
		b.apply()
		b.wantSealed(pair.Identity)
	})(t)
}

// What differs from the request is told as ever, and where the secret is.
func TestAPIKeyRecipientsAndWarnings(t *testing.T) {
	t.Parallel()
	inBubble(func(t *testing.T, f *fixture) {
		f.Configure(func(b *mockplatform.Behaviour) {
			b.Patches.Rewrites = []mockplatform.Rewrite{rewritten("name", "another")}
		})
		wantWarning(t, f.key(lasting+"\n"+to(sealingtest.X25519(t).Recipient)).apply().warnings, "The key was created, and the state has its encrypted secret. The response differs")
	})(t)
}

// A new key has another version of its secret, after 500 keys, too, whatever identifies it, and one that
// 32 bits can hold. An older state gets it from a refresh.
func TestAPIKeySecretVersion(t *testing.T) {
	t.Parallel()
	inBubble(func(t *testing.T, f *fixture) {
		b := f.key(lasting)
		b.apply()
		version := b.state.At("secret_version")
		older := f.key(lasting)
		older.apply()
		older.block.State.Value = cty.ObjectVal(withNull(older.block.State.Value.AsValueMap(), "secret_version"))
		older.wantQuiet()
		if refreshed := older.plan().prior.At("secret_version"); refreshed.IsNull() || refreshed.Equal(version) {
			t.Errorf("after a refresh, the older key has version %s, and another has %s", refreshed, version)
		}
		empty := b.state.Map(func(_ string, member tfvalue.Value) tfvalue.Value { return tfvalue.Null(member.Type()) })
		if got := secretVersion(empty); !got.IsNull() {
			t.Errorf("a key that nothing identifies has version %s", got)
		}
		ids := rand.NewChaCha8([32]byte{53}) // a seed, or one test in 17,000 would fail by chance
		for _, name := range []string{"id", "key_id", "created_at"} {
			var seen []string
			for range 500 {
				id, err := uuid.NewRandomFromReader(ids)
				if err != nil {
					t.Fatal(err)
				}
				got := secretVersion(empty.With(tfvalue.String(id.String()), name)).Number()
				if n, _ := got.Int64(); !got.IsInt() || n < 0 || n >= 1<<31 || slices.Contains(seen, got.String()) {
					t.Fatalf("%s %s has version %s after %d others", name, id, got, len(seen))
				}
				seen = append(seen, got.String())
			}
		}
		if !secretVersion(empty.With(tfvalue.String("a"), "id")).Equal(secretVersion(empty.With(tfvalue.String("a"), "id").With(tfvalue.String("b"), "created_at"))) {
			t.Error("the ID alone must decide, where there is one")
		}
	})(t)
}

func withNull(values map[string]cty.Value, name string) map[string]cty.Value {
	values[name] = cty.NullVal(values[name].Type())
	return values
}

// A warning about a key says what does not limit the new one.
func TestAPIKeyWithoutLimits(t *testing.T) {
	t.Parallel()
	inBubble(func(t *testing.T, f *fixture) {
		const listed, none = "ip_access_list = [{ source = \"192.0.2.10\" }]\n", " will have no ip_access_list: the platform decides which addresses may use it."
		b := f.key(listed)
		created := b.apply()
		wantNoText(t, created.String(), "no ip_access_list")
		wantWarning(t, f.key("").plan().warnings, "The key"+none+" The key will never expire. Set validity_hours to let it expire.")
		wantWarning(t, f.key(lasting).apply().warnings, "")
		for _, step := range []struct{ arguments, says string }{
			{"", "The new key will have no ip_access_list, unlike the old key: the platform decides which addresses may use it. The new key will never expire."},
			{lasting, "The new key" + none},
			{lasting + "\n" + listed, ""},
			{lasting, "The new key will have no ip_access_list, unlike the old key"},
		} {
			b.arguments = step.arguments
			r := b.plan()
			wantWarning(t, r.warnings, "If the plan says that it destroys the key and then creates a replacement")
			if step.says == "" {
				wantNoText(t, r.warnings[0], "The new key")
			} else {
				wantText(t, folded(r.warnings[0]), step.says)
			}
			b.applyPlan(r)
		}
	})(t)
}

// What opens a secret, and the secret, are masked in whatever the platform returns from then on.
func TestAPIKeySecretIsMasked(t *testing.T) {
	f := newFixture(t)
	pair := sealingtest.Ed25519(t, "")
	b := f.key(lasting + "\n" + to(pair.Recipient))
	b.apply()
	s := f.start()
	const name = "dataplatform_api_key_secret"
	schema := terraformtest.NewSchema(schemasOnce().EphemeralResourceSchemas[name])
	resp, err := s.OpenEphemeralResource(t.Context(), &tfprotov6.OpenEphemeralResourceRequest{TypeName: name, Config: schema.Encode(evaluated(t, schema, &hclsyntax.Body{}, map[string]cty.Value{
		"encrypted_key_secret": cty.StringVal(b.shown()["encrypted_key_secret"].(string)), "identity": cty.StringVal(pair.Identity),
	}, later))})
	if err != nil || len(resp.Diagnostics) > 0 {
		t.Fatal(err, resp.Diagnostics)
	}
	secrets := secretLines(pair.Identity, member(f.Keys()[0], "result.keySecret").(string))
	for name, secret := range secrets {
		if masked := s.provider.connection.Client.Mask("the platform repeats " + secret); strings.Contains(masked, secret) {
			t.Errorf("%s is not masked: %s", name, masked)
		}
	}
	if len(secrets) < 5 {
		t.Errorf("only %d secrets", len(secrets))
	}
}
