// Package sealing encrypts a text to recipients, and decrypts it again, with age. It knows nothing of
// Terraform and of the platform.
//
//	recipient.go: whom a text is encrypted to: an age recipient or an SSH public key
//	seal.go: encrypting and decrypting
//
// Its errors repeat nothing of what they are about, and wrap no error of age: a recipient may be a
// private key that somebody has pasted by mistake, and age quotes what it cannot read.
package sealing
