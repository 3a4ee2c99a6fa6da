package platform

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/rest"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// CreatedAPIKey is the result of the creation of a key. The API returns its secret only here.
type CreatedAPIKey struct {
	// Key has the members of the key ("API key" in the API document), decoded as for Read, and keyId and keySecret beside
	// them. Any may be missing or of another type.
	Key       map[string]any
	RequestID string // the platform's ID of the request, or ""
	Doubt     error  // what is wrong with a response, apart from the members of Key; nil if nothing is
	// MayExistTwice: each attempt before the last may have created a key, too. See rest.Response.
	MayExistTwice bool
}

// CreateAPIKey creates a key ("Create key" in the API document), from the JSON object that body is marshaled to. From
// then on, errors and logs mask its secret. The API can neither read nor delete a key, so the POST is non-idempotent
// (see rest.Request). A response that is not as documented counts if it has the secret, whatever its status, or of a
// key with hashData, the ID. After an error that is Ambiguous, a key may exist whose secret is lost.
func (c *Client) CreateAPIKey(ctx context.Context, organizationID string, body map[string]any) (*CreatedAPIKey, error) {
	written, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	var created CreatedAPIKey
	r := c.inOrganization("create API key", "an API key", organizationID, "keys")
	r.Method, r.Body = http.MethodPost, written
	r.Leaves = []string{c.Clean(fmt.Sprintf("name %q", body["name"]), words.MaxID)}
	r.NamesObject, r.NotFoundAdvice = false, checkOrganization
	r.NonIdempotent = true
	r.BusyAdvice = "No key was created. If the message says that the name is taken, another key has it, such as the one that this key replaces, " +
		"which keeps it: set a name that is another one in each rotation, or revoke that key in the platform's console first. Otherwise run the command again."
	r.Secret = func(body any) string { return text(resultIn(body)["keySecret"]) }
	r.Accept = func(response *rest.Response) error { return created.receive(response, body["hashData"] != nil) }
	if err := c.rest.Do(ctx, r); err != nil {
		return nil, err
	}
	return &created, nil
}

// receive reads the response to the creation of a key, as far as its JSON can be read. A key exists if
// the response has its secret, or its ID if the secret is hashed.
func (k *CreatedAPIKey) receive(r *rest.Response, hashed bool) error {
	all := resultIn(r.Value)
	*k = CreatedAPIKey{Key: maps.Clone(all), RequestID: r.RequestID, Doubt: r.Doubt, MayExistTwice: r.MayExistTwice}
	for name, value := range members(all["key"]) {
		if name != "keyId" && name != "keySecret" {
			k.Key[name] = value
		}
	}
	if text(all["keySecret"]) != "" || hashed && text(k.Key["id"]) != "" && r.MayBeDone(http.MethodPost) {
		return nil
	}
	return r.Doubt
}

// resultIn is the result of a body, which may lack the envelope.
func resultIn(body any) map[string]any {
	if result := members(members(body)["result"]); result != nil {
		return result
	}
	return members(body)
}

// text returns a string, or a number as it is spelled; "" for any other value.
func text(value any) string {
	if number, isNumber := value.(json.Number); isNumber {
		return number.String()
	}
	text, _ := value.(string)
	return text
}
