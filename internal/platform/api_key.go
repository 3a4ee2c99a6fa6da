package platform

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

// APIKey is a key as its creation answers it ("API key" in the API document).
// State is what the document leaves open: it may be missing.
type APIKey struct {
	ID           *string         `json:"id,omitzero"           tfsdk:"id"`
	Name         *string         `json:"name,omitzero"         tfsdk:"name"`
	Roles        []string        `json:"roles,omitzero"        tfsdk:"roles"`
	State        *string         `json:"state,omitzero"        tfsdk:"state"`
	KeySuffix    *string         `json:"keySuffix,omitzero"    tfsdk:"key_suffix"`
	CreatedAt    *string         `json:"createdAt,omitzero"    tfsdk:"created_at"`
	ExpireAt     *string         `json:"expireAt,omitzero"     tfsdk:"expire_at"`
	UsedAt       *string         `json:"usedAt,omitzero"       tfsdk:"used_at"`
	IPAccessList []IPAccessEntry `json:"ipAccessList,omitzero" tfsdk:"ip_access_list"`
}

// APIKeyCreate is the body of a key's creation ("Create key" in the API
// document). What is nil is not sent.
type APIKeyCreate struct {
	Name string `json:"name" tfsdk:"name"`
	// ExpireAt is RFC 3339; a key without one never expires.
	ExpireAt *string `json:"expireAt,omitzero" tfsdk:"expire_at"`
	// State is "enabled" (the platform's default) or "disabled".
	State    *string   `json:"state,omitzero"    tfsdk:"state"`
	HashData *HashData `json:"hashData,omitzero" tfsdk:"hash_data"`
	// Roles holds at least one of "admin", "developer", "query_endpoints".
	Roles        []string        `json:"roles"                 tfsdk:"roles"`
	IPAccessList []IPAccessEntry `json:"ipAccessList,omitzero" tfsdk:"ip_access_list"`
}

// HashData is passed through as given: the API document tells neither its
// meaning nor its use.
type HashData struct {
	KeyIDHash     *string `json:"keyIdHash,omitzero"     tfsdk:"key_id_hash"`
	KeyIDSuffix   *string `json:"keyIdSuffix,omitzero"   tfsdk:"key_id_suffix"`
	KeySecretHash *string `json:"keySecretHash,omitzero" tfsdk:"key_secret_hash"`
}

// CreatedAPIKey is the answer to a key's creation: the one and only time that
// the platform tells KeySecret. KeyID and KeySecret are never empty.
type CreatedAPIKey struct {
	Key       *APIKey `json:"key,omitzero"`
	KeyID     *string `json:"keyId,omitzero"`
	KeySecret *string `json:"keySecret,omitzero"`
	// NullExpiry says that the answer has a null in the place of expireAt: the
	// key never expires. A missing member says nothing, and both are a nil
	// ExpireAt.
	NullExpiry bool `json:"-"`
	// RequestID is the platform's name for a whole answer, if it gave one.
	RequestID string `json:"-"`
	// Incomplete says what is wrong with the answer where the key could be
	// made out nevertheless; nil where nothing is.
	Incomplete error `json:"-"`
}

// CreateAPIKey creates a key ("Create key" in the API document). A secret in
// the answer is masked in errors and logs from then on.
//
// A key can neither be read nor deleted, so that the one POST is repeated only
// where nothing can have been done, and once sent it runs to its end though
// ctx is cancelled. Where the answer is broken but the key can be made out, the
// key is returned and Incomplete says what is wrong. After an error that
// IsAmbiguous, a key may exist that nobody knows the secret of.
func (c *Client) CreateAPIKey(ctx context.Context, organizationID string, body APIKeyCreate) (*CreatedAPIKey, error) {
	const operation = "create API key"
	if err := checkIDs(operation, id{"organization id", organizationID}); err != nil {
		return nil, err
	}
	encoded, err := encode(body)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", operation, err)
	}
	var created CreatedAPIKey
	err = c.do(ctx, &request{
		operation: operation,
		subject:   "API key in organization " + organizationID,
		api:       c.management,
		method:    http.MethodPost,
		path:      []string{"v1", "organizations", organizationID, "keys"},
		body:      encoded,
		accept:    created.accept,
		inspect:   c.hideKey,
		salvage: func(failed *Error, raw []byte) bool {
			c.hideKey(raw)
			return created.salvage(failed, raw, body.HashData != nil)
		},
		once:     true,
		detached: true,
	})
	if err != nil {
		return nil, err
	}
	if created.KeySecret != nil {
		c.AddSecret(*created.KeySecret)
	}
	if created.Incomplete != nil {
		created.Incomplete = errors.New(c.Mask(created.Incomplete.Error()))
	}
	return &created, nil
}
