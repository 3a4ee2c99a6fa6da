// Package sealingtest generates the key pairs of tests.
package sealingtest

import (
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"encoding/pem"
	"strings"
	"testing"

	"filippo.io/age"
	"golang.org/x/crypto/ssh"
)

// Pair is a recipient and its identity, as texts.
type Pair struct{ Recipient, Identity string }

// X25519 returns a pair of age.
func X25519(t *testing.T) Pair {
	t.Helper()
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	return Pair{identity.Recipient().String(), identity.String()}
}

// PostQuantum returns a post-quantum pair of age.
func PostQuantum(t *testing.T) Pair {
	t.Helper()
	identity, err := age.GenerateHybridIdentity()
	if err != nil {
		t.Fatal(err)
	}
	return Pair{identity.Recipient().String(), identity.String()}
}

// Ed25519 returns a pair of SSH. The identity is in PEM, and has a passphrase if there is one.
func Ed25519(t *testing.T, passphrase string) Pair {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return ofSSH(t, public, private, passphrase)
}

// RSA returns a pair of SSH.
func RSA(t *testing.T, bits int) Pair {
	t.Helper()
	private, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		t.Fatal(err)
	}
	return ofSSH(t, private.Public(), private, "")
}

func ofSSH(t *testing.T, public crypto.PublicKey, private crypto.PrivateKey, passphrase string) Pair {
	t.Helper()
	recipient, err := ssh.NewPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	var block *pem.Block
	if passphrase == "" {
		block, err = ssh.MarshalPrivateKey(private, "")
	} else {
		block, err = ssh.MarshalPrivateKeyWithPassphrase(private, "", []byte(passphrase))
	}
	if err != nil {
		t.Fatal(err)
	}
	return Pair{strings.TrimSpace(string(ssh.MarshalAuthorizedKey(recipient))), string(pem.EncodeToMemory(block))}
}
