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

// Behaviour is how the platform always behaves, as opposed to a Fault, which
// passes. The zero value is the plainest platform that the API document allows.
type Behaviour struct {
	// Latency is waited before each request is carried out.
	Latency   time.Duration
	RateLimit RateLimit
	// ErrorBody is the form of the platform's own errors (400, 401, 404, 429).
	ErrorBody BodyKind
	// Now is the platform's clock; nil stands for time.Now.
	Now func() time.Time
	// OnRequest, if set, gets each request once it is over.
	OnRequest func(Request)
	// JournalSize is the maximum number of requests in the journal; 0 keeps all.
	JournalSize int

	Answers Answers
	Patches Patches

	// AllowSingleReplica lets a service that is first in its warehouse have one
	// replica, as the organization's tier may.
	AllowSingleReplica bool
	// NonPaid rejects a maxTotalMemoryGb above 360.
	NonPaid bool
}

// Answers is how results are written. It never changes what is stored.
type Answers struct {
	Sparse  []Sparse
	Numbers NumberSpelling
	// UnknownMembers adds members to every object: of every JSON type, and ones
	// that differ from known members in letter case alone, before and after them.
	UnknownMembers bool
	// ShuffleSets reorders what has no order in each answer.
	ShuffleSets bool
	// RepeatSetElements returns the first element of what has no order twice.
	RepeatSetElements bool
	// OmitEnvelope omits these members of the envelope ("status", "requestId").
	OmitEnvelope []string
	// KeyState returns the state of a new key, which the document leaves open.
	KeyState bool
	// OmitHashedSecret returns neither keyId nor keySecret for a key that was
	// made from hashData.
	OmitHashedSecret bool
}

// Sparse omits members from answers. A list with fewer fields than an update is
// a rule for ListServices; what Go's omitempty would write is
// {Path: "**", OnlyEmpty: true, Zeros: true}.
type Sparse struct {
	// Path goes from the resource: "numReplicas", "source.kafka.iamRole",
	// "ipAccessList.description". A step "*" is any member, and "**" as the last
	// step is any member at every depth. For a new key, paths start at the
	// result: "key.roles", "keyId".
	Path string
	// Operations are those whose answers are meant; none means all.
	Operations []Operation
	// OnlyEmpty omits only null, "", [] and {}.
	OnlyEmpty bool
	// Zeros makes OnlyEmpty omit false and 0 too.
	Zeros bool
	// EmptyObjects makes OnlyEmpty omit objects too that the rule left without
	// members.
	EmptyObjects bool
	// Null answers null instead of omitting the member.
	Null bool
	// Times is the number of answers from which something is omitted; 0 is all.
	Times int
	left  int // of Times
}

// NumberSpelling is how whole numbers are written.
type NumberSpelling string

// Other spellings than the plain one.
const (
	NumbersAsFloats    NumberSpelling = ".0" // 4.0
	NumbersAsExponents NumberSpelling = "e0" // 4e0
)

// Patches is how a PATCH is carried out.
type Patches struct {
	Resets Resets
	// Rewrites also apply to new keys.
	Rewrites []Rewrite
	// MovesState puts a pipe into another state with each PATCH.
	MovesState bool
	// MovesReplicaMemory derives the memory per replica from the totals when
	// these are sent.
	MovesReplicaMemory bool
	// AddsFirst carries tableMappingsToAdd out before tableMappingsToRemove, so
	// a source table that the same request removes is still mapped.
	AddsFirst bool
	// OneTargetPerTable rejects a second target for a source table.
	OneTargetPerTable bool
}

// Resets is what a PATCH does to members that it omits and that the stored
// document has. Nothing, by default.
type Resets struct {
	// TopLevel resets omitted members of the body: all of settings, of the
	// source, the name; of scaling, each omitted setting.
	TopLevel bool
	// Nested resets omitted members of the objects that the body has: single
	// settings, members of a source kind.
	Nested bool
	To     ResetTo
}

// ResetTo is the value that a reset stores.
type ResetTo string

// The values that a reset can store.
const (
	ToInitial ResetTo = ""       // the default value, or an empty one without a default
	ToEmpty   ResetTo = "empty"  // "", 0, false, []
	ToAbsent  ResetTo = "absent" // none: the member is removed
)

// Rewrite makes the platform store another value than the one that was sent.
type Rewrite struct {
	Operation Operation // UpdateScaling, UpdatePipe or CreateKey
	// Path goes from the stored document: "name", "settings.engine_max_threads".
	Path string
	// To maps the value that would be stored (nil where there is none).
	To func(value any) any
	// Unsent rewrites even where the request doesn't have the member.
	Unsent bool
}

func (b *Behaviour) now() time.Time {
	if b.Now != nil {
		return b.Now()
	}
	return time.Now()
}

// timestamp is how the platform writes an instant.
func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
