package platform

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/rest"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// CreatedAPIKey is the result of the creation of a key. The API returns KeySecret only here.
type CreatedAPIKey struct {
	// Key is the key ("API key" in the API document), decoded as for Read, in which any member
	// may be missing or of another type; nil if the API returned none.
	Key              any
	KeyID, KeySecret string // "" if the API returned none
	RequestID        string // the platform's ID of the request, or ""
	// Incomplete is what is wrong with a response although it shows that the key exists, apart from the
	// members of Key; nil if nothing is.
	Incomplete error
}

// CreateAPIKey creates a key ("Create key" in the API document), from the JSON object that
// body is marshaled to. From then on, errors and logs mask its secret.
//
// The API can neither read nor delete a key, so the POST is non-idempotent (see rest.Request). A response
// that is not as documented counts if it has the secret, or of a key with hashData, the ID. After an
// error that is Ambiguous, a key may exist whose secret is lost.
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
	r.BusyAdvice = "No key was created. If the message says that the name is taken, set another name; otherwise run the command again."
	r.Secret, r.Accept = "keySecret", func(response *rest.Response) error { return created.receive(response, body["hashData"] != nil) }
	if err := c.rest.Do(ctx, r); err != nil {
		return nil, err
	}
	c.AddSecret(created.KeySecret)
	return &created, nil
}

// receive reads the response to the creation of a key, as far as its JSON can be read. A key exists if
// the response has its secret, or its ID if the secret is hashed.
func (k *CreatedAPIKey) receive(r *rest.Response, hashed bool) error {
	wrong, all := r.Doubt, members(r.Result)
	if all == nil {
		all = members(r.Value)
	}
	*k = CreatedAPIKey{Key: all["key"], KeyID: text(all["keyId"]), KeySecret: text(all["keySecret"]), RequestID: r.RequestID, Incomplete: wrong}
	exists := k.KeySecret != "" || hashed && text(members(k.Key)["id"]) != ""
	// With a 4xx, no key was created, whatever the body contains.
	if rejected := r.Status/100 == 4; rejected || !exists {
		return wrong
	}
	return nil
}

// text returns a string; "" for any other value.
func text(value any) string {
	text, _ := value.(string)
	return text
}
