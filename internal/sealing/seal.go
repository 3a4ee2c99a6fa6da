package sealing

import (
	"errors"
	"io"
	"slices"
	"strings"

	"filippo.io/age"
	"filippo.io/age/agessh"
	"filippo.io/age/armor"
	"golang.org/x/crypto/ssh"
)

// Seal encrypts a text to all recipients, each of whom can decrypt it alone, and returns it in age's
// ASCII armor. The error is a sentence without its full stop.
func Seal(text string, recipients []Recipient) (string, error) {
	var keys []age.Recipient
	for _, r := range recipients {
		if r.isPostQuantum != recipients[0].isPostQuantum {
			return "", errors.New("post-quantum recipients (age1pq1…) cannot be combined with others, whose encryption a quantum computer could break")
		}
		keys = append(keys, r.key)
	}
	var sealed strings.Builder
	armored := armor.NewWriter(&sealed)
	w, err := age.Encrypt(armored, keys...)
	if err != nil {
		return "", errors.New("nothing can be encrypted to one of the recipients")
	}
	_, err = io.WriteString(w, text)
	// The text is complete only after both.
	if err := errors.Join(err, w.Close(), armored.Close()); err != nil {
		return "", errors.New("the encryption failed")
	}
	return sealed.String(), nil
}

// Identity decrypts what is sealed to its recipient.
type Identity []age.Identity

// ParseIdentity reads an SSH private key without a passphrase, or age identities (AGE-SECRET-KEY-1…)
// as age-keygen writes them, with comments. The error continues a sentence about the text.
func ParseIdentity(text string) (Identity, error) {
	text = strings.TrimSpace(text)
	if !strings.Contains(text, "PRIVATE KEY") {
		all, err := age.ParseIdentities(strings.NewReader(text))
		if err != nil {
			return nil, errors.New("is neither an age identity (AGE-SECRET-KEY-1…) nor an SSH private key")
		}
		return all, nil
	}
	one, err := agessh.ParseIdentity([]byte(text))
	switch locked := new(ssh.PassphraseMissingError); {
	case errors.As(err, &locked):
		return nil, errors.New("is an SSH private key with a passphrase, which nobody can enter here")
	case err != nil:
		return nil, errors.New("is not a complete SSH private key of type Ed25519 or RSA")
	default:
		return Identity{one}, nil
	}
}

// The errors of Open.
var (
	ErrNotRecipient = errors.New("the text is not encrypted to this identity")
	ErrNotSealed    = errors.New("the text is not complete, or not encrypted with age")
)

// Open decrypts a text.
func Open(sealed string, identity Identity) (string, error) {
	opened, err := age.Decrypt(armor.NewReader(strings.NewReader(sealed)), identity...)
	if wrong := new(age.NoIdentityMatchError); errors.As(err, &wrong) {
		return "", ErrNotRecipient
	}
	if err != nil {
		return "", ErrNotSealed
	}
	text, err := io.ReadAll(opened)
	if err != nil {
		return "", ErrNotSealed
	}
	return string(text), nil
}

// Equal reports whether two sets of recipients are the same, whatever their order.
func Equal(a, b []Recipient) bool { return len(Without(a, b)) == 0 && len(Without(b, a)) == 0 }

// Without returns those of some recipients that are not among others.
func Without(some, others []Recipient) []Recipient {
	return slices.DeleteFunc(slices.Clone(some), func(r Recipient) bool {
		return slices.ContainsFunc(others, func(o Recipient) bool { return o.Text == r.Text })
	})
}
