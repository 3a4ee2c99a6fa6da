package provider

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/sealing"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// maxRecipients is below the 1,024 that age reads. It writes any number.
const maxRecipients = 1000

// recipientsOf returns the recipients that are known, and reports what is wrong with them. It encrypts something on
// trial, since age finds out only then whether recipients go together. Its errors are those of the whole resource, and
// repeat nothing: an element may be a private key, and Terraform prints the source of the attribute that an error
// names. Rejected: a validator of each element, since the path of what is validated has the element itself, and may be
// logged.
func recipientsOf(set tfvalue.Value, diags *diag.Diagnostics) []sealing.Recipient {
	if !isSet(set) {
		return nil
	}
	refuse := func(detail string) { diags.AddError("Invalid secret_recipients", detail) }
	elements := set.Elements()
	switch n := len(elements); {
	case n == 0:
		refuse("secret_recipients must not be empty: nobody could decrypt the secret. Omit it to store the secret in the state.")
	case n > maxRecipients:
		refuse(fmt.Sprintf("secret_recipients must not have more than %d recipients, got %d: nobody could decrypt the secret.", maxRecipients, n))
		return nil
	}
	var all []sealing.Recipient
	known := slices.DeleteFunc(elements, func(element tfvalue.Value) bool { return !element.IsKnown() })
	slices.SortFunc(known, func(a, b tfvalue.Value) int { return strings.Compare(a.Text(), b.Text()) })
	for i, element := range known {
		recipient, err := sealing.ParseRecipient(element.Text())
		which := fmt.Sprintf("Recipient %d of %d in secret_recipients, sorted as Terraform shows the set,", i+1, len(known))
		switch {
		case errors.Is(err, sealing.ErrPrivateKey):
			refuse(which + " contains a private key. Its configuration, and every copy of it, has that key already: " +
				"discard it, create a new pair, and set the public key (age1…, or the .pub file of an SSH key).")
		case err != nil:
			refuse(fmt.Sprintf("%s %s. Set one recipient in each element, without options. "+
				"The value is not shown, because it may be secret.", which, err))
		default:
			all = append(all, recipient)
		}
	}
	if len(all) == 0 || diags.HasError() {
		return nil
	}
	if _, err := sealing.Seal("trial", all); err != nil {
		refuse(fmt.Sprintf("The secret cannot be encrypted to secret_recipients: %s.", err))
		return nil
	}
	return all
}

// sameRecipients compares recipients: the comment and the white space of an SSH key make no other.
func sameRecipients(a, b tfvalue.Value) bool {
	if a.Equal(b) || !a.IsFullyKnown() || !b.IsFullyKnown() {
		return a.Equal(b)
	}
	var diags diag.Diagnostics
	one, other := recipientsOf(a, &diags), recipientsOf(b, &diags)
	return !diags.HasError() && sealing.Equal(one, other)
}

// planSecret returns the plan of a new key: once the recipients are known, the attribute without its secret is null.
func planSecret(plan tfvalue.Value) tfvalue.Value {
	switch set := plan.At("secret_recipients"); {
	case set.IsNull():
		return plan.Without("encrypted_key_secret")
	case set.IsKnown():
		return plan.Without("key_secret")
	default:
		return plan
	}
}

const perhapsPlain = "If it turns out to be null, the secret will be stored in the state without encryption."

// recipientChanges says in a warning who can read the secret of a new key, and who no longer can; "" if that is the
// same. It names fingerprints, since anybody can copy a comment.
func recipientChanges(config, state tfvalue.Value) string {
	was, will := state.At("secret_recipients"), config.At("secret_recipients")
	var diags diag.Diagnostics // validation has reported them
	before, after := recipientsOf(was, &diags), recipientsOf(will, &diags)
	var lines []string
	for _, r := range sealing.Without(after, before) {
		lines = append(lines, "  + "+r.Fingerprint)
	}
	for _, r := range sealing.Without(before, after) {
		lines = append(lines, "  - "+r.Fingerprint)
	}
	if !will.IsFullyKnown() {
		lines = []string{"  known only after apply"}
	}
	if len(lines) == 0 {
		return ""
	}
	text := "Recipients that can (+) and can no longer (-) decrypt the secret of the new key:\n\n" + strings.Join(lines, "\n")
	switch {
	case !will.IsKnown():
		text += "\n\n" + perhapsPlain
	case will.IsNull():
		text += "\n\nThe new secret will be stored in the state without encryption."
	case was.IsNull():
		text += "\n\nEarlier versions of the state still contain the old secret without encryption."
	}
	return text
}

// secretVersion returns a number that is another one for each key, computed from what identifies it; null without that.
// It has 31 bits, because on 32-bit systems many providers accept no more. A key must differ only from the one that it
// replaces, and fails to in one case of 2,000,000,000.
func secretVersion(key tfvalue.Value) tfvalue.Value {
	id := cmp.Or(key.At("id").Text(), key.At("key_id").Text(), key.At("created_at").Text())
	if id == "" {
		return tfvalue.Null(tftypes.Number)
	}
	sum := sha256.Sum256([]byte(id))
	return tfvalue.Of(tftypes.NewValue(tftypes.Number, int64(binary.BigEndian.Uint32(sum[:])>>1)))
}
