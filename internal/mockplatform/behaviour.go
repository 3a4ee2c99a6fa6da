package mockplatform

import "time"

// Operation names one of the six operations of the API document.
type Operation string

// The six operations.
const (
	ListServices  Operation = "ListServices"
	UpdateScaling Operation = "UpdateScaling"
	CreateKey     Operation = "CreateKey"
	GetPipe       Operation = "GetPipe"
	UpdatePipe    Operation = "UpdatePipe"
	GetAlert      Operation = "GetAlert"
)

// Behaviour is how the platform handles every request, whereas a Fault affects
// some. The zero value is the simplest platform that the API document allows.
type Behaviour struct {
	// Latency delays each request before it is carried out.
	Latency   time.Duration
	RateLimit RateLimit
	// Now is the platform's clock; nil means time.Now.
	Now func() time.Time
	// OnRequest, if set, is called with each request after its response.
	OnRequest func(Request)

	Responses Responses
	Patches   Patches

	// KeyValidity, if set, is the maximum validity of a new key, whatever was
	// requested: a key that is about to expire.
	KeyValidity time.Duration
}

// Responses is the form of the results. Stored documents never change.
type Responses struct {
	Sparse []Sparse
	// Lag is how old services and pipes in responses are, also in those to a PATCH: the
	// platform reads from a replica. 0 means that they are never old.
	Lag time.Duration
	// PatchResult is the Result of every PATCH that no Fault gives another one: ResultBefore.
	PatchResult string
	// UnknownMembers adds members of every JSON type to every object, and members
	// whose names differ from known ones only in letter case, before and after them.
	UnknownMembers bool
	// ShuffleSets returns unordered lists in another order each time.
	ShuffleSets bool
	// RepeatSetElements returns the first element of unordered lists twice.
	RepeatSetElements bool
	// OmitEnvelope omits these members of the envelope ("status", "requestId").
	OmitEnvelope []string
	// KeyState returns the state of a new key, which the API document does not show.
	KeyState bool
}

// Sparse omits members from responses. A server in Go with omitempty is
// {Path: "**", OnlyEmpty: true, Zeros: true}.
type Sparse struct {
	// Path starts at the resource: "numReplicas", "source.kafka.iamRole",
	// "ipAccessList.description". A step "*" is any member, and a final "**" is
	// any member at every depth. The path for a new key starts at the result:
	// "key.roles", "keyId".
	Path string
	// OnlyEmpty omits only members that are null, "", [] or {}.
	OnlyEmpty bool
	// Zeros makes OnlyEmpty omit false and 0 as well.
	Zeros bool
	// Null returns null instead of omitting the member.
	Null bool
}

// Patches is how a PATCH is carried out.
type Patches struct {
	Resets   Resets
	Rewrites []Rewrite
	// MovesReplicaMemory derives the memory per replica from a total memory that
	// is sent.
	MovesReplicaMemory bool
	// OneTablePerTarget rejects a mapping to a target table that another mapping
	// has.
	OneTablePerTarget bool
	// DemandsPause rejects a change to table mappings unless the pipe is paused, and resumes
	// the pipe after each.
	DemandsPause bool
}

// Resets is what a PATCH does to stored members that it omits. By default it
// keeps them.
type Resets struct {
	// TopLevel resets omitted members of the body: the name, the whole source,
	// all settings; in scaling, each omitted member.
	TopLevel bool
	// Nested resets omitted members of objects in the body: single settings,
	// members of a source kind.
	Nested bool
	To     ResetTo
}

// ResetTo is the value that a reset stores.
type ResetTo string

// The values that a reset can store.
const (
	ToInitial ResetTo = ""       // the default value, or an empty one if there is no default
	ToEmpty   ResetTo = "empty"  // "", 0, false, []
	ToAbsent  ResetTo = "absent" // the member is removed
)

// Rewrite makes the platform store a value other than the one that was sent.
type Rewrite struct {
	Operation Operation // UpdateScaling or UpdatePipe
	// Path starts at the stored document: "name", "settings.engine_max_threads".
	Path string
	// To maps the value that would be stored, nil if there is none.
	To func(value any) any
	// Unsent rewrites the member even if the request omits it.
	Unsent bool
}

func (b *Behaviour) now() time.Time {
	if b.Now != nil {
		return b.Now()
	}
	return time.Now()
}

// timestamp formats an instant as the platform does.
func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
