package adopt

import (
	"encoding/json"
)

// memory is what is kept of an object beside its state, in private state.
type memory struct {
	// Dropped are attributes that the state still has and the platform has not:
	// an update made it drop a value that nobody owns, and Terraform holds the
	// state after an update to the plan, which showed the value before. Declared
	// with that very value, the attribute would be no change and never be sent.
	// So the next read takes them out of the state.
	Dropped []string
}

// The framework's form of private state, which it reads and writes in an
// import: JSON texts by key.
const droppedKey = "dropped"

// decodePrivate reads private state. What is not ours, and what can't be read,
// is passed over: nothing in it is worth failing for.
func decodePrivate(private []byte) memory {
	var texts map[string][]byte
	var m memory
	if json.Unmarshal(private, &texts) == nil {
		_ = json.Unmarshal(texts[droppedKey], &m.Dropped)
	}
	return m
}

func (m memory) encode() []byte {
	if len(m.Dropped) == 0 {
		return nil
	}
	dropped, _ := json.Marshal(m.Dropped)                              //nolint:errchkjson // strings can always be written
	private, _ := json.Marshal(map[string][]byte{droppedKey: dropped}) //nolint:errchkjson // likewise
	return private
}
