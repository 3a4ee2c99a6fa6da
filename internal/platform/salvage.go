package platform

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// accept reads the response to the creation of a key.
func (k *CreatedAPIKey) accept(r *response) error {
	read, _, err := object[CreatedAPIKey](r)
	if err != nil {
		_, _ = io.Copy(io.Discard, r) // for salvage: the secret may come after the broken part
		return err
	}
	*k = *read
	k.RequestID = r.requestID
	k.NullExpiry = nullExpiry(r.seen.Bytes())
	k.KeyID, k.KeySecret = unlessEmpty(k.KeyID), unlessEmpty(k.KeySecret)
	return nil
}

// nullExpiry reports whether expireAt is null in a response. It is false if the
// response is broken before that.
func nullExpiry(raw []byte) bool {
	var read struct {
		Result struct {
			Key struct {
				ExpireAt jsontext.Value `json:"expireAt"`
			} `json:"key"`
		} `json:"result"`
	}
	_ = json.Unmarshal(raw, &read, lenient) // what precedes an error is read
	return read.Result.Key.ExpireAt.Kind() == 'n'
}

// unlessEmpty returns nil for an empty text, as for one that the API omits.
func unlessEmpty(s *string) *string {
	if s == nil || *s == "" {
		return nil
	}
	return s
}

// addSecretsIn masks the secrets of a response from now on.
func (c *Client) addSecretsIn(raw []byte) {
	if secret := salvageKey(raw).KeySecret; secret != nil {
		c.AddSecret(*secret)
	}
	for _, match := range keyText.FindAllSubmatch(raw, -1) {
		if secret := text(match[2]); secret != nil && string(match[1]) == "keySecret" {
			c.AddSecret(*secret)
		}
	}
}

// salvage reads the key from a response that is broken, or from a 5xx that contains
// a key. It reports whether there was a key.
func (k *CreatedAPIKey) salvage(failed *Error, raw []byte, hashed bool) bool {
	// With a final status no key was created, whatever the body contains.
	if failed.class == classPermanent && !failed.ambiguous || failed.class == classRateLimited {
		return false
	}
	found := salvageKey(raw)
	// A secret without its ID is kept only if the API did not return the ID. If the
	// connection broke, the ID may have been lost with it.
	whole := found.KeySecret != nil && (found.KeyID != nil || failed.class == classUnreadable)
	if !whole && (!hashed || found.Key == nil || found.Key.ID == nil) {
		return false
	}
	*k = *found
	k.NullExpiry = nullExpiry(raw)
	k.Incomplete = fmt.Errorf("the response to the creation of the key is incomplete: %s", failed.cause())
	if failed.Status >= http.StatusInternalServerError {
		k.Incomplete = fmt.Errorf("the response to the creation of the key had HTTP status %d", failed.Status)
	}
	return true
}

// salvageKey reads as much as it can of the response to the creation of a key. It
// omits a member that is cut off or of another type.
func salvageKey(raw []byte) *CreatedAPIKey {
	whole, broken := closeCut(raw)
	all := map[string]jsontext.Value{}
	for _, match := range slices.Backward(keyText.FindAllSubmatch(broken, -1)) { // the first one counts
		all[string(match[1])] = match[2]
	}
	envelope := members(whole)
	maps.Copy(all, envelope)
	maps.Copy(all, members(envelope["result"]))
	found := &CreatedAPIKey{KeyID: text(all["keyId"]), KeySecret: text(all["keySecret"])}
	if object, exists := all["key"]; exists {
		found.Key = &APIKey{}
		for name, value := range members(object) {
			next := *found.Key // a member of another type must not discard the others
			if json.Unmarshal(fmt.Appendf(nil, "{%q:%s}", name, value), &next, lenient) == nil {
				*found.Key = next
			}
		}
	}
	return found
}

// closeCut completes the JSON of an object that was cut off: it discards what
// follows the last complete member, and closes the open objects. JSON that is
// broken rather than cut off ends there too, and the rest is returned as broken.
func closeCut(raw []byte) (whole jsontext.Value, broken []byte) {
	decoder := jsontext.NewDecoder(bytes.NewReader(raw), lenient)
	end, open := 0, 0
	for {
		var err error
		kind := decoder.PeekKind()
		if kind == '[' {
			err = decoder.SkipValue() // part of a list is not used
		} else {
			_, err = decoder.ReadToken()
		}
		at, depth := int(decoder.InputOffset()), decoder.StackDepth()
		cut := errors.Is(err, io.ErrUnexpectedEOF) || kind == '0' && at == len(raw) // a number may have more digits
		switch _, length := decoder.StackIndex(depth); {
		case err == nil && depth == 0:
			return raw[:at], nil
		case err != nil || cut:
			whole = append(bytes.Clone(raw[:end]), strings.Repeat("}", open)...)
			if !cut {
				broken = raw[end:]
			}
			return whole, broken
		case length%2 == 0: // names and values come in pairs
			end, open = at, depth
		}
	}
}

// keyText finds ID and secret in broken JSON. Other texts cannot match, since
// quotes in them are escaped.
var keyText = regexp.MustCompile(`"(keyId|keySecret)"\s*:\s*("(?:[^"\\]|\\.)*")`)

// members returns the members of an object; none if value is not an object.
func members(value jsontext.Value) map[string]jsontext.Value {
	var all map[string]jsontext.Value
	_ = json.Unmarshal(value, &all, lenient)
	return all
}

// text returns a string, or a number in its own spelling; nil if value is neither
// or is empty.
func text(value jsontext.Value) *string {
	s := string(value)
	if value.Kind() != '0' && json.Unmarshal(value, &s, lenient) != nil {
		return nil
	}
	return unlessEmpty(&s)
}
