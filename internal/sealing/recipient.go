package sealing

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"slices"
	"strings"

	"filippo.io/age"
	"filippo.io/age/agessh"
	"golang.org/x/crypto/ssh"
)

// Recipient is whom a text is encrypted to.
type Recipient struct {
	// Text identifies the recipient: an SSH key has neither comment nor extra white space.
	Text string
	// Fingerprint names the recipient in a message, as ssh-keygen -l does. It is the text itself of an
	// age recipient that is short enough to be read.
	Fingerprint string

	key           age.Recipient
	isPostQuantum bool
}

// ErrPrivateKey is the error about a text that contains a private key.
var ErrPrivateKey = errors.New("contains a private key")

// ParseRecipient reads exactly one recipient: age1… or age1pq1…, or an SSH public key of type
// ssh-ed25519 or ssh-rsa. The error continues a sentence about the text.
//
// Rejected: options before an SSH key, and further lines, as in an authorized_keys file: what stands
// there would be accepted unread. Rejected: recipients of age's plugins, each of which is a program
// that would run.
func ParseRecipient(text string) (Recipient, error) {
	text = strings.TrimSpace(text)
	kind, _, _ := strings.Cut(strings.ReplaceAll(text, "\t", " "), " ")
	switch {
	case isPrivate(text):
		return Recipient{}, ErrPrivateKey
	case text == "":
		return Recipient{}, errors.New("is empty")
	case strings.ContainsAny(text, "\r\n"):
		return Recipient{}, errors.New("has more than one line")
	case kind == ssh.KeyAlgoED25519, kind == ssh.KeyAlgoRSA:
		return parseSSH(kind, text)
	case strings.HasPrefix(text, "age1"):
		return parseAge(text)
	case slices.Contains(otherSSH, kind):
		return Recipient{}, errors.New("is an SSH public key of type " + kind + ", to which nothing can be encrypted; use ssh-ed25519 or ssh-rsa")
	default:
		return Recipient{}, errors.New("is neither an age recipient (age1…) nor an SSH public key of type ssh-ed25519 or ssh-rsa")
	}
}

// otherSSH are the types of SSH public keys that only sign.
var otherSSH = []string{
	ssh.InsecureKeyAlgoDSA, ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521, ssh.KeyAlgoSKECDSA256, ssh.KeyAlgoSKED25519, //nolint:staticcheck // to be named
}

// isPrivate knows PEM, and age's own form, which may be in lower case.
func isPrivate(text string) bool {
	return strings.Contains(text, "PRIVATE KEY") || strings.Contains(strings.ToUpper(text), "AGE-SECRET-KEY-")
}

func parseSSH(kind, text string) (Recipient, error) {
	public, _, options, _, err := ssh.ParseAuthorizedKey([]byte(text))
	if err != nil || len(options) > 0 || public.Type() != kind {
		return Recipient{}, errors.New("is not a complete SSH public key of type " + kind)
	}
	recipient := Recipient{
		Text:        strings.TrimSpace(string(ssh.MarshalAuthorizedKey(public))),
		Fingerprint: ssh.FingerprintSHA256(public),
	}
	if kind == ssh.KeyAlgoRSA {
		recipient.key, err = agessh.NewRSARecipient(public)
	} else {
		recipient.key, err = agessh.NewEd25519Recipient(public)
	}
	if err != nil {
		return Recipient{}, errors.New("is an SSH public key that nothing can be encrypted to; an RSA key needs at least 2048 bits")
	}
	return recipient, nil
}

func parseAge(text string) (Recipient, error) {
	recipient := Recipient{Text: text, Fingerprint: text, isPostQuantum: strings.HasPrefix(text, "age1pq1")}
	var err error
	if recipient.isPostQuantum {
		recipient.key, err = age.ParseHybridRecipient(text)
		// Its 2,000 characters would fill a screen.
		sum := sha256.Sum256([]byte(text))
		recipient.Fingerprint = "age1pq1 SHA256:" + base64.RawStdEncoding.EncodeToString(sum[:])
	} else {
		recipient.key, err = age.ParseX25519Recipient(text)
	}
	switch {
	case err == nil:
		return recipient, nil
	case strings.LastIndex(text, "1") > len("age") && !recipient.isPostQuantum: // age1yubikey1…
		return Recipient{}, errors.New("is a recipient of an age plugin, which would be a program to run")
	default:
		return Recipient{}, errors.New("is not a complete age recipient")
	}
}
