package sealing

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"testing"

	"filippo.io/age/armor"
	"golang.org/x/crypto/ssh"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/sealing/sealingtest"
)

const secret = "4b1d-secret-of-a-key"

func parsed(t *testing.T, texts ...string) (all []Recipient) {
	t.Helper()
	for _, text := range texts {
		recipient, err := ParseRecipient(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, recipient)
	}
	return all
}

// What is sealed can be opened by each recipient alone. TestDecryptingGuide opens it with the age command.
func TestSealAndOpen(t *testing.T) {
	t.Parallel()
	x25519, ed25519, rsa := sealingtest.X25519(t), sealingtest.Ed25519(t, ""), sealingtest.RSA(t, 2048)
	for name, pairs := range map[string][]sealingtest.Pair{
		"classic":      {x25519, ed25519, rsa},
		"post-quantum": {sealingtest.PostQuantum(t), sealingtest.PostQuantum(t)},
		"alone":        {x25519},
	} {
		var recipients []Recipient
		for _, pair := range pairs {
			recipients = append(recipients, parsed(t, pair.Recipient)...)
		}
		sealed, err := Seal(secret, recipients)
		isArmored := strings.HasPrefix(sealed, armor.Header+"\n") && strings.HasSuffix(sealed, "\n"+armor.Footer+"\n")
		if err != nil || strings.Contains(sealed, secret) || !isArmored {
			t.Fatalf("%s: %v, sealed as\n%s", name, err, sealed)
		}
		for _, pair := range pairs {
			identity, err := ParseIdentity("\n" + pair.Identity + "\n\n")
			if err != nil {
				t.Fatal(err)
			}
			if opened, err := Open(sealed, identity); opened != secret || err != nil {
				t.Errorf("%s: opened as %q, %v", name, opened, err)
			}
		}
	}
}

func TestParseRecipient(t *testing.T) {
	t.Parallel()
	classic, pq, key := sealingtest.X25519(t), sealingtest.PostQuantum(t), sealingtest.Ed25519(t, "")
	blob := strings.Fields(key.Recipient)[1]
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	other, err := ssh.NewPublicKey(curve.Public())
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []struct{ text, says string }{
		{" \n", "is empty"},
		{"hush-hush", "neither an age recipient"},
		{strings.ToUpper(classic.Recipient), "neither an age recipient"},
		{classic.Recipient[:40], "not a complete age recipient"},
		{classic.Recipient + " comment", "not a complete age recipient"},
		{pq.Recipient[:900], "not a complete age recipient"},
		{"age1yubikey1qwt50d05nh5vutpdzmlg5wn80xq5negm4uj9ghv0snvdd3yysf5yw3rhl3t", "age plugin"},
		{key.Recipient + "\n" + key.Recipient, "more than one line"},
		{"# comment\n" + key.Recipient, "more than one line"},
		{`command="hush-hush" ` + key.Recipient, "neither an age recipient"},
		{"ssh-ed25519", "not a complete SSH public key"},
		{"ssh-ed25519 " + blob[:40], "not a complete SSH public key"},
		{"ssh-ed25519 hush-hush " + key.Recipient, "not a complete SSH public key"},
		{"ssh-rsa " + blob, "not a complete SSH public key"},
		{sealingtest.RSA(t, 1024).Recipient, "at least 2048 bits"},
		{string(ssh.MarshalAuthorizedKey(other)), "of type ecdsa-sha2-nistp256, to which nothing can be encrypted"},
		{"sk-ssh-ed25519@openssh.com hush-hush", "of type sk-ssh-ed25519@openssh.com, to which nothing"},
		{"ssh-dss\thush-hush", "of type ssh-dss, to which nothing"},
		{"ecdsa-sha2-hush-hush x", "neither an age recipient"},
		{classic.Identity, ErrPrivateKey.Error()},
		{strings.ToLower(classic.Identity), ErrPrivateKey.Error()},
		{pq.Identity, ErrPrivateKey.Error()},
		{key.Identity, ErrPrivateKey.Error()},
		{key.Recipient + " x\n" + key.Identity, ErrPrivateKey.Error()},
	} {
		_, err := ParseRecipient(bad.text)
		if err == nil || !strings.Contains(err.Error(), bad.says) {
			t.Errorf("%.60q: %v, want %q", bad.text, err, bad.says)
			continue
		}
		for word := range strings.FieldsSeq(bad.text) {
			if len(word) > len("ssh-ed25519") && !slices.Contains(otherSSH, word) && strings.Contains(err.Error(), word[:12]) {
				t.Errorf("the error repeats %q: %v", word, err)
			}
		}
	}
}

// The fingerprint of an SSH key is that of ssh-keygen. TestDecryptingGuide has that of a post-quantum recipient, and
// TestAPIKeyRecipientsChange compares recipients.
func TestFingerprint(t *testing.T) {
	t.Parallel()
	key := sealingtest.Ed25519(t, "").Recipient
	public, _, _, _, err := ssh.ParseAuthorizedKey([]byte(key))
	if got := parsed(t, key+" ops@example")[0].Fingerprint; err != nil || got != ssh.FingerprintSHA256(public) {
		t.Errorf("%s, %v", got, err)
	}
}

// What cannot be sealed or opened is an error that says why, and repeats nothing.
func TestErrors(t *testing.T) {
	t.Parallel()
	pair, other, pq := sealingtest.X25519(t), sealingtest.X25519(t), sealingtest.PostQuantum(t)
	_, err := Seal(secret, parsed(t, pair.Recipient, pq.Recipient))
	if err == nil || !strings.Contains(err.Error(), "post-quantum recipients (age1pq1…) cannot be combined with others") {
		t.Error(err)
	}
	if _, err := Seal(secret, nil); err == nil {
		t.Error("sealed for nobody")
	}
	locked := sealingtest.Ed25519(t, "hush-hush").Identity
	const neither = "neither an age identity"
	for text, says := range map[string]string{
		"": neither, "hush-hush": neither, pair.Recipient: neither, pair.Identity[:40]: neither,
		locked: "with a passphrase", locked[:200]: "not a complete SSH private key", locked + pair.Identity[:40]: neither,
		"-----BEGIN ENCRYPTED PRIVATE KEY-----\nx": "with a passphrase",
	} {
		if _, err := ParseIdentity(text); err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "hush-hush") {
			t.Errorf("%.40q: %v", text, err)
		}
	}
	sealed, err := Seal(secret, parsed(t, pair.Recipient))
	if err != nil {
		t.Fatal(err)
	}
	mine, _ := ParseIdentity(pair.Identity)
	wrong, _ := ParseIdentity(other.Identity)
	if _, err := Open(sealed, wrong); !errors.Is(err, ErrNotRecipient) {
		t.Error(err)
	}
	for _, text := range []string{"", secret, sealed[:len(sealed)/2], strings.Replace(sealed, armor.Footer, "", 1)} {
		if opened, err := Open(text, mine); !errors.Is(err, ErrNotSealed) || opened != "" {
			t.Errorf("%.40q: opened as %q, %v", text, opened, err)
		}
	}
}

// An identity among others of both kinds is enough, wherever it stands, with the comments of age-keygen and beside an SSH key
// with a passphrase.
func TestSeveralIdentities(t *testing.T) {
	t.Parallel()
	locked := sealingtest.Ed25519(t, "hush-hush").Identity
	pairs := []sealingtest.Pair{sealingtest.X25519(t), sealingtest.Ed25519(t, ""), sealingtest.Ed25519(t, ""), sealingtest.X25519(t)}
	for first := range pairs {
		texts := []string{"# created: today\r\n" + locked}
		for i := range pairs {
			texts = append(texts, pairs[(first+i)%len(pairs)].Identity)
		}
		all, err := ParseIdentity(strings.Join(texts, "\r\n"))
		if err != nil {
			t.Fatal(err)
		}
		for i, pair := range pairs {
			sealed, _ := Seal(secret, parsed(t, pair.Recipient))
			if opened, err := Open(sealed, all); opened != secret {
				t.Errorf("%d of those from %d on: opened as %q, %v", i, first, opened, err)
			}
		}
	}
}
