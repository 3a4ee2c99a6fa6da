package mockplatform

import (
	"cmp"
	"crypto/sha512"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

func (h *handler) listServices() (any, error) {
	if err := h.checkOrganization(); err != nil {
		return nil, err
	}
	filters, found := h.request.URL.Query()["filter"], []any{}
	for _, service := range h.server.store.services.ordered {
		if service.removed || service.organizationID != h.id("organizationId") {
			continue
		}
		matched, err := service.matchesAll(filters)
		if err != nil {
			return nil, err
		}
		if matched {
			found = append(found, h.shown(service))
		}
	}
	return found, nil
}

// matchesAll applies filters of the form "tag:KEY=VALUE" or "KEY=VALUE". The API
// document does not show the form.
func (o *object) matchesAll(filters []string) (bool, error) {
	matched := true
	for _, filter := range filters {
		tag, value, ok := strings.Cut(strings.TrimPrefix(filter, "tag:"), "=")
		if !ok {
			return false, reject(http.StatusBadRequest, "filter must have the form tag:KEY=VALUE")
		}
		matched = matched && o.tags[tag] == value
	}
	return matched, nil
}

func (h *handler) updateScaling() (any, error) {
	found, err := h.service()
	if err != nil {
		return nil, err
	}
	doc := cloneDocument(found.doc)
	patches := &h.behaviour.Patches
	patches.merge(scalingBody, doc, h.body, patches.Resets.TopLevel)
	if err := h.checkScaling(doc); err != nil {
		return nil, err
	}
	if patches.MovesReplicaMemory {
		moveReplicaMemory(doc, h.body)
	}
	patches.rewrite(UpdateScaling, doc, h.body)
	return h.store(found, doc), nil
}

// checkScaling checks the rules that involve several members.
func (h *handler) checkScaling(doc Document) error {
	minimum, maximum := float(doc, "minTotalMemoryGb"), float(doc, "maxTotalMemoryGb")
	if minimum != 0 && maximum != 0 && minimum > maximum {
		return reject(http.StatusBadRequest, "minTotalMemoryGb must not exceed maxTotalMemoryGb")
	}
	_, sent := h.body["numReplicas"]
	if sent && doc["isPrimary"] == true && float(doc, "numReplicas") < 2 {
		return reject(http.StatusBadRequest, "numReplicas must be at least 2 for the first service in a warehouse")
	}
	return nil
}

// moveReplicaMemory divides by three, since a total is "memory of three workers".
func moveReplicaMemory(doc, sent Document) {
	for total, each := range map[string]string{
		"minTotalMemoryGb": "minReplicaMemoryGb", "maxTotalMemoryGb": "maxReplicaMemoryGb",
	} {
		if _, ok := sent[total]; ok {
			doc[each] = normalize(float(doc, total) / 3)
		}
	}
}

func float(doc Document, name string) float64 {
	number, _ := doc[name].(json.Number)
	value, _ := number.Float64()
	return value
}

func (h *handler) createKey() (any, error) {
	if err := h.checkOrganization(); err != nil {
		return nil, err
	}
	now := h.behaviour.now()
	result := newKey(h.body, now, h.requestID)
	key := asDocument(result["key"])
	if validity := h.behaviour.KeyValidity; validity > 0 {
		latest := now.Add(validity)
		if expireAt, err := time.Parse(time.RFC3339, text(key, "expireAt")); err != nil || expireAt.After(latest) {
			key["expireAt"] = timestamp(latest)
		}
	}
	if h.behaviour.Responses.KeyState {
		key["state"] = cmp.Or(text(h.body, "state"), "enabled")
	}
	h.server.store.keys = append(h.server.store.keys, Document{
		"organizationId": h.id("organizationId"), "requestId": h.requestID, "request": h.body, "result": cloneDocument(result),
	})
	return result, nil
}

// newKey returns the result of a request that creates a key.
func newKey(sent Document, now time.Time, requestID string) Document {
	random := fmt.Sprintf("%x", sha512.Sum512([]byte(requestID)))
	keyID, secret := random[:20], random[64:]
	key := Document{
		"id":        "9" + requestID[1:],
		"name":      sent["name"],
		"roles":     clone(sent["roles"]),
		"keySuffix": cmp.Or(text(asDocument(sent["hashData"]), "keyIdSuffix"), keyID[16:]),
		"createdAt": timestamp(now),
		"expireAt":  nil,
		"usedAt":    nil,
	}
	if expireAt, err := time.Parse(time.RFC3339, text(sent, "expireAt")); err == nil {
		key["expireAt"] = timestamp(expireAt)
	}
	if addresses, ok := sent["ipAccessList"]; ok {
		key["ipAccessList"] = clone(addresses)
	}
	return Document{"key": key, "keyId": keyID, "keySecret": secret}
}

func (h *handler) getPipe() (any, error) {
	found, err := h.pipe()
	if err != nil {
		return nil, err
	}
	return h.shown(found), nil
}

func (h *handler) getAlert() (any, error) {
	found := h.server.store.alerts.get(h.params["id"])
	if found == nil {
		return nil, reject(http.StatusNotFound, "alert not found")
	}
	return found.doc, nil
}

func (h *handler) checkOrganization() error {
	if !h.server.store.organizations[h.id("organizationId")] {
		return reject(http.StatusNotFound, "organization not found")
	}
	return nil
}

func (h *handler) service() (*object, error) {
	if err := h.checkOrganization(); err != nil {
		return nil, err
	}
	found := h.server.store.services.get(h.id("serviceId"))
	if found == nil || found.organizationID != h.id("organizationId") {
		return nil, reject(http.StatusNotFound, "service not found")
	}
	return found, nil
}

func (h *handler) pipe() (*object, error) {
	if _, err := h.service(); err != nil {
		return nil, err
	}
	found := h.server.store.pipes.get(h.id("pipeId"))
	if found == nil || !strings.EqualFold(text(found.doc, "serviceId"), h.id("serviceId")) {
		return nil, reject(http.StatusNotFound, "pipe not found")
	}
	return found, nil
}

// id returns a UUID of the path in lower case, since letter case makes no difference.
func (h *handler) id(name string) string { return strings.ToLower(h.params[name]) }
