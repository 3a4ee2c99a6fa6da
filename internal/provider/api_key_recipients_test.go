package provider

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/sealing"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/sealing/sealingtest"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// Keys whose secret is encrypted to recipients. Package sealing has what a recipient is, and TestAPIKeyInvalid
// which are rejected.

// to is secret_recipients with these recipients.
func to(recipients ...string) string {
	var quoted []string
	for _, recipient := range recipients {
		quoted = append(quoted, strconv.Quote(recipient))
	}
	return "secret_recipients = [" + strings.Join(quoted, ", ") + "]\n"
}

// wantStored fails unless the state has the secret of the newest key: encrypted to the owner of this
// identity and nowhere else, or, without an identity, in plain text.
func (b *managed) wantStored(identity string) {
	b.t.Helper()
	keys := b.Keys()
	secret := member(keys[len(keys)-1], "result.keySecret").(string)
	stored := b.shown()
	if identity == "" {
		if stored["key_secret"] != secret || stored["encrypted_key_secret"] != nil {
			b.t.Errorf("the state does not have the newest key in plain text: %s", b.state)
		}
		return
	}
	parsed := must(sealing.ParseIdentity(identity))
	sealed, _ := stored["encrypted_key_secret"].(string)
	if opened, err := sealing.Open(sealed, parsed); opened != secret {
		b.t.Errorf("the state has\n%s\nwhich opens as %q (%v), and not as the secret of the newest key", sealed, opened, err)
	}
	if text := toJSON(b.t, stored); stored["key_secret"] != nil || strings.Contains(text, secret) {
		b.t.Errorf("the state has the secret in plain text: %s", text)
	}
}

// Every other recipient replaces the key, and its warning names who comes and who goes. Comments, white
// space and the order of the recipients change nothing. A plan with recipients says that no secret will be
// stored in plain text; one without, that none will be encrypted; and while they are unknown, neither.
func TestAPIKeyRecipientsChange(t *testing.T) {
	t.Parallel()
	inBubble(func(t *testing.T, f *fixture) {
		age, ssh, rsa := sealingtest.X25519(t), sealingtest.Ed25519(t, ""), sealingtest.RSA(t, 2048)
		fingerprint := func(pair sealingtest.Pair) string {
			parsed := must(sealing.ParseRecipient(pair.Recipient))
			return parsed.Fingerprint + " "
		}
		const (
			heading  = "Recipients that can (+) and can no longer (-) decrypt the secret of the new key: "
			unknown  = heading + "known only after apply"
			perhaps  = "If it turns out to be null, the secret will be stored in the state without encryption."
			earlier  = "Earlier versions of the state still contain the old secret without encryption."
			plain    = "The new secret will be stored in the state without encryption."
			replaces = "secret_recipients"
		)
		b := f.key(lasting)
		b.apply()
		for _, step := range []struct {
			recipients, because string
			says, saysNot       []string
			identity            string
		}{
			{to(age.Recipient), replaces, []string{heading + "+ " + fingerprint(age), earlier}, []string{"- "}, age.Identity},
			{to(ssh.Recipient+" mallory", age.Recipient), replaces, []string{heading + "+ " + fingerprint(ssh)}, []string{"mallory", "- "}, ssh.Identity},
			{to(" "+age.Recipient+"\n", strings.Replace(ssh.Recipient, " ", "  ", 1)+"\tops@example\n"), "none", nil, nil, ssh.Identity},
			{to(rsa.Recipient, ssh.Recipient), replaces, []string{heading + "+ " + fingerprint(rsa) + "- " + fingerprint(age)}, []string{"Earlier"}, rsa.Identity},
			{delayed(replaces, "null"), replaces, []string{unknown, perhaps}, []string{"+ "}, ""},
			{delayed(replaces, fmt.Sprintf("[%q]", ssh.Recipient)), replaces, []string{unknown, perhaps}, []string{"+ "}, ssh.Identity},
			{fmt.Sprintf("secret_recipients = [[%q][later]]", ssh.Recipient), replaces, []string{unknown}, []string{"without encryption"}, ssh.Identity},
			{"", replaces, []string{heading + "- " + fingerprint(ssh), plain}, []string{"+ "}, ""},
		} {
			b.arguments = lasting + "\n" + step.recipients
			b.learn(cty.Zero)
			r := b.plan()
			if r.because() != step.because {
				t.Errorf("%s: %s, want %s", step.recipients, r.because(), step.because)
			}
			if len(step.says) > 0 {
				wantWarning(t, r.warnings, ") is replaced and stays valid: The key is replaced because ")
				said := strings.ReplaceAll(folded(r.String()), "(-/+)", "") + " "
				wantText(t, said, append(step.says, "The old key")...)
				wantNoText(t, said, step.saysNot...)
				set := r.planned.At("secret_recipients")
				for name, isLater := range map[string]bool{"key_secret": set.IsNull() || !set.IsKnown(), "encrypted_key_secret": !set.IsNull(), "secret_version": true} {
					if value := r.planned.At(name); value.IsKnown() == isLater || !isLater && !value.IsNull() {
						t.Errorf("%s: %s is planned as %s", step.recipients, name, value)
					}
				}
			}
			b.applyPlan(r)
			b.wantStored(step.identity)
			b.wantQuiet()
		}
		// A renewal has the same recipients, and says nothing of them.
		b.applyAs(lasting + "\n" + to(age.Recipient))
		until(90)
		wantNoText(t, b.plan().String(), "Recipients")
		b.apply()
		b.wantStored(age.Identity)

		created := f.key(lasting + "\n" + delayed("secret_recipients", "null"))
		created.learn(cty.Zero)
		wantText(t, created.plan().String(), `Recipients of API key "n" are not known yet`, "the secret will be stored in the state without encryption")
	})(t)
}

// An encryption that fails after the key was created stores nothing. The error names the key, and the
// next apply creates another one. Its warning about the response says where the secret is.
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
		wantText(t, r.errors[0], "but its secret could not be encrypted to secret_recipients, and was not stored. Look for the key in the platform's console",
			"revoke it: name \"n\"", ", ID "+member(f.Keys()[0], "result.key.id").(string)+". The next apply creates another key.")
		wantNoText(t, r.String(), "hush-hush", member(f.Keys()[0], "result.keySecret").(string))
		f.seal = sealing.Seal
		f.returns("name", "another")
		wantWarning(t, b.apply().warnings, "The key was created and is in the state. The response differs")
		b.wantStored(pair.Identity)
	})(t)
}

// A new key has another version of its secret, whatever identifies it, and one that 31 bits can hold. An
// older state gets it from a refresh.
func TestAPIKeySecretVersion(t *testing.T) {
	t.Parallel()
	inBubble(func(t *testing.T, f *fixture) {
		b := f.key(lasting)
		b.apply()
		stored := b.block.State.Value.AsValueMap()
		version := b.state.At("secret_version")
		stored["secret_version"] = cty.NullVal(cty.Number)
		b.block.State.Value = cty.ObjectVal(stored)
		b.wantQuiet()
		if refreshed := b.plan().prior.At("secret_version"); refreshed.IsNull() || !refreshed.Equal(version) {
			t.Errorf("a refresh has version %s, want %s", refreshed, version)
		}

		key := b.state.Map(func(_ string, member tfvalue.Value) tfvalue.Value { return tfvalue.Null(member.Type()) })
		seen := map[string]string{}
		for i := range 100 {
			name := []string{"created_at", "key_id", "id", "id"}[i/25] // the last one that is set decides
			key = key.With(tfvalue.String(fmt.Sprint(name, i)), name)
			version := secretVersion(key).Number()
			if n, _ := version.Int64(); !version.IsInt() || n < 0 || n >= 1<<31 || seen[version.String()] != "" {
				t.Fatalf("%s %d has version %s, as %q has", name, i, version, seen[version.String()])
			}
			seen[version.String()] = fmt.Sprint(name, i)
		}
	})(t)
}

// A wrong argument of the ephemeral resource is an error that names it and repeats nothing. What opens a
// secret, and the secret, are masked in whatever the platform returns from then on.
func TestAPIKeySecretIsMasked(t *testing.T) {
	f := newFixture(t)
	pair, other := sealingtest.Ed25519(t, ""), sealingtest.X25519(t)
	b := f.key(lasting + "\n" + to(pair.Recipient))
	b.apply()
	sealed, s := b.shown()["encrypted_key_secret"].(string), f.start()
	const name = "dataplatform_api_key_secret"
	for _, opened := range []struct{ sealed, identity, says string }{
		{sealed, other.Identity, "identity is of none of the recipients"},
		{sealed, "", "identity must be set"},
		{sealed, "hush-hush", "identity is neither an age identity"},
		{"", pair.Identity, "encrypted_key_secret must be set. It is null for a key without"},
		{"hush-hush", pair.Identity, "encrypted_key_secret is not complete"},
		{sealed, pair.Identity, ""},
	} {
		arguments := fmt.Sprintf("encrypted_key_secret = %q\nidentity = %q", opened.sealed, opened.identity)
		config := configuration(t, schemasOnce().EphemeralResourceSchemas[name], arguments)
		resp := must(s.OpenEphemeralResource(t.Context(), &tfprotov6.OpenEphemeralResourceRequest{TypeName: name, Config: config}))
		said := diagnosed(resp.Diagnostics)
		if len(said.errors) > 1 || len(said.errors) == 0 != (opened.says == "") || !strings.Contains(said.String(), opened.says) {
			t.Errorf("want %q: %s", opened.says, said)
		}
		wantNoText(t, said.String(), "hush-hush")
	}
	secrets := linesOf(pair.Identity)
	secrets["the secret"] = member(f.Keys()[0], "result.keySecret").(string)
	for name, secret := range secrets {
		if masked := s.provider.connection.Client.Mask("the platform repeats " + secret); strings.Contains(masked, secret) {
			t.Errorf("%s is not masked: %s", name, masked)
		}
	}
	if len(secrets) < 5 {
		t.Errorf("only %d secrets", len(secrets))
	}
}
