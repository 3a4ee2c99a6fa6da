package sealing

import (
	"errors"
	"io"
	"regexp"
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

// Identity decrypts what is sealed to the recipient of any of its keys.
type Identity []age.Identity

// sshKey matches an SSH private key, also one that is cut off.
var sshKey = regexp.MustCompile(`(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`)

// ParseIdentity reads SSH private keys, and age identities (AGE-SECRET-KEY-1…) as age-keygen writes them, with comments, in any
// order. An SSH key with a passphrase, which nobody can enter here, is passed over, and an error if it is the only identity. The
// error continues a sentence about the text.
func ParseIdentity(text string) (all Identity, err error) {
	err = errors.New("is neither an age identity (AGE-SECRET-KEY-1…) nor an SSH private key")
	keys := sshKey.FindAllString(text, -1)
	for _, key := range keys {
		one, wrong := agessh.ParseIdentity([]byte(key))
		switch isLocked := errors.As(wrong, new(*ssh.PassphraseMissingError)) || strings.HasPrefix(key, "-----BEGIN ENCRYPTED"); {
		case isLocked:
			err = errors.New("is an SSH private key with a passphrase, which nobody can enter here")
		case wrong != nil:
			return nil, errors.New("is not a complete SSH private key of type Ed25519 or RSA")
		default:
			all = append(all, one)
		}
	}
	rest := sshKey.ReplaceAllString(text, "\n")
	if len(keys) == 0 || strings.Contains(strings.ToUpper(rest), "AGE-SECRET-KEY-") {
		others, wrong := age.ParseIdentities(strings.NewReader(strings.TrimSpace(rest)))
		if wrong != nil {
			return nil, errors.New("is neither an age identity (AGE-SECRET-KEY-1…) nor an SSH private key")
		}
		all = append(all, others...)
	}
	if len(all) == 0 {
		return nil, err
	}
	return all, nil
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
