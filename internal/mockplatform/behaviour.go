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

// Behaviour is how the platform behaves for good, as opposed to a Fault, which
// passes. The zero value is the plainest platform that the API document allows.
type Behaviour struct {
	// Latency is waited before each request is carried out.
	Latency   time.Duration
	RateLimit RateLimit
	// ErrorBody is the form of the platform's own errors (400, 401, 404, 429).
	ErrorBody BodyKind
	// Now is the platform's clock, time.Now where nil.
	Now func() time.Time
	// OnRequest, where set, is handed each request once it is over.
	OnRequest func(Request)
	// JournalSize bounds the journal; 0 keeps every request.
	JournalSize int

	Answers Answers
	Patches Patches

	// AllowSingleReplica lets a service that is first in its warehouse have one
	// replica, as the organization's tier may.
	AllowSingleReplica bool
	// NonPaid refuses a maxTotalMemoryGb above 360.
	NonPaid bool
}

// Answers is how answers are written. It never changes what is stored.
type Answers struct {
	Sparse  []Sparse
	Numbers NumberSpelling
	// UnknownMembers adds members to every object: of every JSON type, and ones
	// that differ from known members in letter case alone, before and after them.
	UnknownMembers bool
	// ShuffleSets gives what has no order in another order each time.
	ShuffleSets bool
	// RepeatSetElements gives the first element of what has no order twice.
	RepeatSetElements bool
	// OmitEnvelope leaves these members of the envelope ("status", "requestId")
	// out.
	OmitEnvelope []string
	// KeyState answers the state of a new key, which the document leaves open.
	KeyState bool
	// OmitHashedSecret answers neither keyId nor keySecret for a key that was
	// made from hashData.
	OmitHashedSecret bool
	// OmitConnectionString treats connectionString like the other secrets.
	OmitConnectionString bool
}

// Sparse leaves a member out of answers.
type Sparse struct {
	// Path goes from the resource: "numReplicas", "source.kafka.iamRole",
	// "ipAccessList.description". A step "*" is any member, and "**" as the last
	// step everything below. For a new key, paths start at the result:
	// "key.roles", "keyId".
	Path string
	// Operations are those whose answers are meant; none means all.
	Operations []Operation
	// OnlyEmpty spares what isn't null, "", [] or {}.
	OnlyEmpty bool
	// Null answers null instead of leaving out.
	Null bool
	// Times is how many answers lack something; 0 is every one.
	Times int
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
	// that a source table which the same request removes is still held.
	AddsFirst bool
	// OneTargetPerTable refuses to map a source table that is mapped already,
	// to whatever target.
	OneTargetPerTable bool
}

// Resets is what a PATCH does to members that it omits and that the stored
// document has. Nothing, by default.
type Resets struct {
	// TopLevel resets omitted members of the body: all of settings, of the
	// source, the name; of scaling, each omitted setting.
	TopLevel bool
	// Nested resets omitted members inside objects that the body does have:
	// single settings, members of a source kind.
	Nested bool
	To     ResetTo
}

// ResetTo is what a reset puts in place.
type ResetTo string

// What a reset can put in place.
const (
	ToInitial ResetTo = ""       // a default value, or an empty one where there is none
	ToEmpty   ResetTo = "empty"  // "", 0, false, []
	ToAbsent  ResetTo = "absent" // the member is gone
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

// RateLimit turns requests away with 429. The zero value has no limit.
type RateLimit struct {
	PerSecond float64
	// Burst is how many requests pass at once after a rest; PerSecond, and at
	// least one, where it is 0.
	Burst int
	// Window, where set, counts PerSecond*Window requests in fixed windows of
	// that length instead of keeping a bucket of tokens.
	Window     time.Duration
	RetryAfter RetryAfterForm
}

// RetryAfterForm is the form of a Retry-After header.
type RetryAfterForm string

// The forms.
const (
	RetryAfterSeconds RetryAfterForm = ""
	RetryAfterDate    RetryAfterForm = "date"
	RetryAfterNone    RetryAfterForm = "none"
)

func (b *Behaviour) now() time.Time {
	if b.Now != nil {
		return b.Now()
	}
	return time.Now()
}

// timestamp is how the platform writes an instant.
func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
