package mockplatform

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
)

func (x *exchange) listServices() (any, error) {
	st := x.server.store
	st.mu.Lock()
	defer st.mu.Unlock()
	owner, err := x.organization()
	if err != nil {
		return nil, err
	}
	filters := x.request.URL.Query()["filter"]
	if len(filters) == 0 && x.plain() {
		return encoded(owner.list()), nil
	}
	found := []any{}
	for _, s := range owner.services {
		matched, err := s.matchesAll(filters)
		if err != nil {
			return nil, err
		}
		if matched {
			found = append(found, s.doc)
		}
	}
	return clone(found), nil
}

// matchesAll applies filters of the form "tag:KEY=VALUE" or "KEY=VALUE", one
// of many forms that the API document leaves possible.
func (s *service) matchesAll(filters []string) (bool, error) {
	matched := true
	for _, filter := range filters {
		tag, value, ok := strings.Cut(strings.TrimPrefix(filter, "tag:"), "=")
		if !ok {
			return false, refuse(http.StatusBadRequest, "filter must look like tag:KEY=VALUE")
		}
		have, tagged := s.tags[tag]
		matched = matched && tagged && have == value
	}
	return matched, nil
}

func (x *exchange) updateScaling() (any, error) {
	st := x.server.store
	st.mu.Lock()
	defer st.mu.Unlock()
	found, err := x.service()
	if err != nil {
		return nil, err
	}
	doc := cloneDocument(found.doc)
	merge := merging{patches: x.behaviour.Patches}
	merge.object(scalingShape, doc, x.submitted, "")
	if err := x.checkScaling(doc); err != nil {
		return nil, err
	}
	if x.behaviour.Patches.MovesReplicaMemory {
		moveReplicaMemory(doc, x.submitted)
	}
	x.behaviour.Patches.rewrite(UpdateScaling, doc, x.submitted)
	found.doc = doc
	st.touch(found)
	return cloneDocument(doc), nil
}

// checkScaling holds the rules that one member alone can't break.
func (x *exchange) checkScaling(doc Document) error {
	lowest, highest := float(doc, "minTotalMemoryGb"), float(doc, "maxTotalMemoryGb")
	if lowest != 0 && highest != 0 && lowest > highest {
		return refuse(http.StatusBadRequest, "minTotalMemoryGb: must not be above maxTotalMemoryGb")
	}
	if _, sent := x.submitted["maxTotalMemoryGb"]; sent && x.behaviour.NonPaid && highest > 360 {
		return refuse(http.StatusBadRequest, "maxTotalMemoryGb: must be at most 360 for non-paid services")
	}
	_, sent := x.submitted["numReplicas"]
	if sent && doc["isPrimary"] == true && float(doc, "numReplicas") < 2 && !x.behaviour.AllowSingleReplica {
		return refuse(http.StatusBadRequest, "numReplicas: must be at least 2 for the first service in a warehouse")
	}
	return nil
}

// moveReplicaMemory goes by the document's "memory of three workers".
func moveReplicaMemory(doc, submitted Document) {
	for total, each := range map[string]string{
		"minTotalMemoryGb": "minReplicaMemoryGb", "maxTotalMemoryGb": "maxReplicaMemoryGb",
	} {
		if _, sent := submitted[total]; sent {
			doc[each] = normalize(float(doc, total) / 3)
		}
	}
}

func float(doc Document, name string) float64 {
	number, _ := doc[name].(json.Number)
	value, _ := number.Float64()
	return value
}

func (x *exchange) createKey() (any, error) {
	st := x.server.store
	st.mu.Lock()
	defer st.mu.Unlock()
	if _, err := x.organization(); err != nil {
		return nil, err
	}
	made := &key{organizationID: x.id("organizationId"), requestID: x.requestID, request: x.submitted}
	made.state = text(x.submitted, "state")
	if made.state == "" {
		made.state = "enabled"
	}
	if expiry := text(x.submitted, "expireAt"); expiry != "" {
		made.expireAt, _ = time.Parse(time.RFC3339, expiry) // checked with the body
	}
	made.result = x.keyResult(made)
	st.keys = append(st.keys, made)

	result := cloneDocument(made.result)
	if x.behaviour.Answers.OmitHashedSecret && x.submitted["hashData"] != nil {
		delete(result, "keyId")
		delete(result, "keySecret")
	}
	return result, nil
}

func (x *exchange) keyResult(made *key) Document {
	keyID := strings.ReplaceAll(uuid.NewString(), "-", "")[:20]
	suffix := keyID[len(keyID)-4:]
	if hashes, ok := x.submitted["hashData"].(Document); ok && text(hashes, "keyIdSuffix") != "" {
		suffix = text(hashes, "keyIdSuffix")
	}
	doc := Document{
		"id":           uuid.NewString(),
		"name":         x.submitted["name"],
		"roles":        clone(x.submitted["roles"]),
		"keySuffix":    suffix,
		"createdAt":    timestamp(x.behaviour.now()),
		"expireAt":     nil,
		"usedAt":       nil,
		"ipAccessList": []any{},
	}
	if !made.expireAt.IsZero() {
		doc["expireAt"] = timestamp(made.expireAt)
	}
	if addresses, ok := x.submitted["ipAccessList"]; ok {
		doc["ipAccessList"] = clone(addresses)
	}
	if x.behaviour.Answers.KeyState {
		doc["state"] = made.state
	}
	x.behaviour.Patches.rewrite(CreateKey, doc, x.submitted)
	secret := strings.ReplaceAll(uuid.NewString()+uuid.NewString(), "-", "")
	return Document{"key": doc, "keyId": keyID, "keySecret": secret}
}

func (x *exchange) getPipe() (any, error) {
	st := x.server.store
	st.mu.Lock()
	defer st.mu.Unlock()
	found, err := x.pipe()
	if err != nil {
		return nil, err
	}
	return cloneDocument(found.doc), nil
}

func (x *exchange) getAlert() (any, error) {
	st := x.server.store
	st.mu.Lock()
	defer st.mu.Unlock()
	found, ok := st.alerts[x.params["id"]]
	if !ok {
		return nil, refuse(http.StatusNotFound, "alert not found")
	}
	return cloneDocument(found), nil
}

// The objects that a path names. The store is locked by who asks.

func (x *exchange) organization() (*organization, error) {
	if found, ok := x.server.store.organizations[x.id("organizationId")]; ok {
		return found, nil
	}
	return nil, refuse(http.StatusNotFound, "organization not found")
}

func (x *exchange) service() (*service, error) {
	if _, err := x.organization(); err != nil {
		return nil, err
	}
	found, ok := x.server.store.services[x.id("serviceId")]
	if !ok || found.organizationID != x.id("organizationId") {
		return nil, refuse(http.StatusNotFound, "service not found")
	}
	return found, nil
}

func (x *exchange) pipe() (*pipe, error) {
	if _, err := x.service(); err != nil {
		return nil, err
	}
	found, ok := x.server.store.pipes[x.id("pipeId")]
	if !ok || !strings.EqualFold(text(found.doc, "serviceId"), x.id("serviceId")) {
		return nil, refuse(http.StatusNotFound, "pipe not found")
	}
	return found, nil
}

// id is a UUID of the path; upper case is the same UUID.
func (x *exchange) id(name string) string { return strings.ToLower(x.params[name]) }
