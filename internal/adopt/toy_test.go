package adopt

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// The toy kind of these tests reads like a pipe: it has a leaf of each sort that the engine
// distinguishes, and a platform that is a few maps.

const (
	organization       = "10000000-0000-4000-8000-000000000001"
	firstPipe, another = "2000000a-0000-4000-8000-000000000001", "2000000a-0000-4000-8000-000000000002"
)

func text() schema.Attribute   { return schema.StringAttribute{Optional: true, Computed: true} }
func number() schema.Attribute { return schema.NumberAttribute{Optional: true, Computed: true} }
func texts() schema.Attribute {
	return schema.ListAttribute{Optional: true, Computed: true, ElementType: types.StringType}
}
func onlyText() schema.Attribute { return schema.StringAttribute{Optional: true} }

func object(members map[string]schema.Attribute) schema.Attribute {
	return schema.SingleNestedAttribute{Optional: true, Computed: true, Attributes: members}
}

var toySchema = schema.Schema{Attributes: map[string]schema.Attribute{
	"organization_id": text(),
	"pipe_id":         schema.StringAttribute{Required: true},
	"name":            text(),
	"certificate":     text(),
	"threads":         number(),
	"columns":         texts(),
	"source": object(map[string]schema.Attribute{
		"postgres": object(map[string]schema.Attribute{"table_mappings": schema.MapNestedAttribute{Optional: true, Computed: true, NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"target_table":     text(),
			"excluded_columns": texts(),
			"sorted":           schema.BoolAttribute{Optional: true, Computed: true},
			"source_table":     text(),
		}}}}),
		"kafka": object(map[string]schema.Attribute{"partitions": number()}),
	}),
	"destination": object(map[string]schema.Attribute{
		"table":    object(map[string]schema.Attribute{"rows": number(), "bytes": schema.NumberAttribute{Computed: true}}),
		"lake":     object(map[string]schema.Attribute{"shards": number()}),
		"validate": schema.BoolAttribute{Optional: true},
	}),
	"credentials": schema.SingleNestedAttribute{Optional: true, Attributes: map[string]schema.Attribute{"user": onlyText(), "version": onlyText(), "key": schema.StringAttribute{Optional: true, WriteOnly: true}}},
	"workers":     schema.NumberAttribute{Optional: true, Computed: true, DeprecationMessage: "use memory"},
	"owner":       schema.SingleNestedAttribute{Computed: true, Attributes: map[string]schema.Attribute{"name": text()}},
	"state":       schema.StringAttribute{Computed: true},
	"memory":      schema.NumberAttribute{Computed: true},
}}

// mappingsAt is where a pipe has its mappings. Two of them are related if they have one source table.
var (
	mappingsAt = tfvalue.Path{"source", "postgres", "table_mappings"}
	mappingKey = tfvalue.Key{Members: []string{"target_table"}, Parts: [][]string{{"source_table"}}, MayOmit: []string{"sorted"}}
)

// toyRules are those of the toy.
var toyRules = tfvalue.Rules{
	Trimmed:      []string{"certificate"},
	Keys:         map[string]tfvalue.Key{"table_mappings": mappingKey},
	Alternatives: []string{"destination", "source"},
	NotInJSON:    []tfvalue.Path{{"destination", "validate"}, {"credentials"}, {"organization_id"}},
}

// toy is the platform of the pipes.
type toy struct {
	pipes    map[string]tfvalue.Value
	requests []string
	open     int           // calls that have not ended
	returned tfvalue.Value // by all responses, the last ones first

	// versions are the pipes of earlier PATCHes, and when they were replaced. due are the PATCHes that
	// are carried out later.
	versions map[string][]version
	due      []duePatch
	// What the API document does not show.
	lag       time.Duration                          // responses have the pipes as they were so long ago
	edit      editing                                // of responses, or nil
	rewrite   func(pipe tfvalue.Value) tfvalue.Value // of what a PATCH stores
	fail      func(request string) error
	done      bool          // a PATCH that fails has changed the pipe
	doneIn    time.Duration // a PATCH that fails changes the pipe after so long; 0 is never
	resets    bool          // a PATCH resets the leaves that it omits
	queue     time.Duration // how long a PATCH waits for its turn
	refuses   error         // to begin an update
	cannot    error         // make a body
	plain     bool          // the kind has no table mappings
	interrupt func()        // the apply under way
	lacks     []string      // settings of the provider that are known only after apply
}

type version struct {
	until time.Time
	pipe  tfvalue.Value
}

type duePatch struct {
	at time.Time
	id string
	Patch
}

// shown is a pipe as responses have it.
func (w *toy) shown(id string) tfvalue.Value {
	for _, v := range w.versions[id] {
		if v.until.After(time.Now().Add(-w.lag)) {
			return v.pipe
		}
	}
	return w.pipes[id]
}

func (w *toy) engine() *Engine {
	kind := Kind{
		Name: "pipe", Noun: "pipe", CannotRead: "Cannot read pipe", CannotUpdate: "Cannot update pipe", IDs: []string{"pipe_id"},
		Schema: toySchema, Rules: toyRules,
		Options: []tfvalue.Path{{"destination", "validate"}},
		Read: func(ctx context.Context, _ *platform.Client, id Identity, read platform.Read) error {
			if ctx.Err() != nil {
				return errors.New("interrupted before it was read")
			}
			if err := w.receive("GET"); err != nil {
				return err
			}
			pipe := strings.ToLower(id.IDs[0])
			if _, ok := w.pipes[pipe]; !ok {
				return gone
			}
			return readPipe(w.respond("GET", w.shown(pipe)), read)
		},
		Mappings: mappingsAt,
		Begin: func(ctx context.Context, _ *platform.Client, id Identity) (context.Context, Call, error) {
			if w.refuses != nil {
				return ctx, nil, w.refuses
			}
			w.open++
			return ctx, &patching{toy: w, id: strings.ToLower(id.IDs[0])}, nil
		},
		Body: func(_ Change, p Patch) (map[string]any, error) { return map[string]any{"patch": p}, w.cannot },
		Check: func(r Review) []string {
			for _, kind := range []string{"table", "lake"} {
				if r.Config.At("destination", kind).IsObject() && r.Remote.At("destination").IsObject() && !r.Remote.At("destination", kind).IsObject() {
					r.Diags.AddError("Pipe has another destination", kind)
				}
			}
			if r.Leaves.At("credentials").IsObject() {
				return []string{"credentials"}
			}
			return nil
		},
		Companions: func(send tfvalue.Value) []tfvalue.Path {
			if send.At("certificate").IsNull() {
				return nil
			}
			return []tfvalue.Path{{"columns"}}
		},
		AlsoChanges: func(send tfvalue.Value) []string {
			if send.At("threads").IsNull() {
				return []string{"state"}
			}
			return []string{"state", "memory"}
		},
	}
	if w.plain {
		kind.Mappings = nil
	}
	return New(kind)
}

func (w *toy) typ() tftypes.Type { return toySchema.Type().TerraformType(context.Background()) }

// patching is an update of a pipe under way.
type patching struct {
	*toy
	id        string
	attempts  int
	ambiguous bool // an attempt may have been carried out
}

func (u *patching) Send(ctx context.Context, p platform.Patch, read platform.Read) (again bool, err error) {
	u.attempts++
	if u.attempts > 50 {
		panic("there is no end of attempts")
	}
	if ctx.Err() != nil {
		return false, errors.New("interrupted before it was sent")
	}
	time.Sleep(u.queue)
	u.queue = 0
	if !p.AsOf.IsZero() && time.Since(p.AsOf) >= platform.MaxAge {
		return true, nil
	}
	sends := p.Body.(map[string]any)["patch"].(Patch)
	if changes := !sends.Edit.IsEmpty(); changes != p.NonIdempotent || (changes || sends.Carried.AnyLeaf()) && p.AsOf.IsZero() {
		return false, fmt.Errorf("a PATCH that changes the mappings (%t) is non-idempotent (%t), and decided at %s", changes, p.NonIdempotent, p.AsOf)
	}
	if slices.Contains(p.Leaves, mappingsAt.String()) == sends.Edit.IsEmpty() {
		return false, fmt.Errorf("the log has %q of a PATCH that changes the mappings: %t", p.Leaves, !sends.Edit.IsEmpty())
	}
	response, err := u.patch(u.id, sends)
	switch failed := (&platform.Error{}); {
	case errors.As(err, &failed):
		u.ambiguous = u.ambiguous || failed.Ambiguous
		failed.Ambiguous = u.ambiguous
		return failed.Status == 0 && (!p.NonIdempotent || !failed.Ambiguous), err
	case response.IsNull(), err != nil:
		return false, err
	default:
		return false, readPipe(response, read)
	}
}

func (u *patching) End() { u.open-- }

// readPipe reads a pipe as JSON.
func readPipe(pipe tfvalue.Value, read platform.Read) error {
	members, err := toyRules.JSON(pipe)
	if err != nil {
		return err
	}
	return read(members)
}

// patch is a PATCH of a pipe. Its leaves are recorded in the order of their paths, and then
// the targets of the mappings that it removes and adds.
func (w *toy) patch(id string, p Patch) (tfvalue.Value, error) {
	names := []string{"PATCH"}
	for _, leaf := range p.All().Leaves() {
		names = append(names, leaf.Path.String())
	}
	for _, mapping := range p.Edit.Remove {
		names = append(names, "-"+mapping.At("target_table").Text())
	}
	for _, mapping := range p.Edit.Add {
		names = append(names, "+"+mapping.At("target_table").Text())
	}
	request := strings.Join(names, " ")
	failed := w.receive(request)
	if failed != nil && !w.done {
		if w.doneIn > 0 {
			w.due = append(w.due, duePatch{time.Now().Add(w.doneIn), id, p})
		}
		return tfvalue.Null(w.typ()), failed
	}
	w.store(id, p)
	if failed != nil {
		return tfvalue.Null(w.typ()), failed
	}
	return w.respond(request, w.shown(id)), nil
}

// receive receives a request, carries out the PATCHes that are due by now, and may fail.
func (w *toy) receive(request string) (err error) {
	if w.requests = append(w.requests, request); len(w.requests) > 100 {
		panic("there is no end of requests")
	}
	if w.fail != nil {
		err = w.fail(request)
	}
	for len(w.due) > 0 && !time.Now().Before(w.due[0].at) {
		w.store(w.due[0].id, w.due[0].Patch)
		w.due = w.due[1:]
	}
	return err
}

// store carries out a PATCH.
func (w *toy) store(id string, p Patch) {
	before, after := w.pipes[id], w.pipes[id]
	if !p.All().IsNull() {
		after = p.All().Without("credentials").Without("destination", "validate").Merge(before)
	}
	if w.resets {
		for path, is := range map[string]any{"name": "", "threads": 0, "certificate": "", "columns": []any{}, "destination.table.rows": 0} {
			if at := strings.Split(path, "."); p.All().At(at...).IsNull() {
				after = keeps(is, at...)(after)
			}
		}
	}
	if !p.Edit.IsEmpty() {
		mappings := mappingKey.After(before.At(mappingsAt...), p.Edit)
		after = after.With(wholeMappings(mappings), mappingsAt...)
	}
	if w.rewrite != nil {
		after = w.rewrite(after)
	}
	w.versions[id] = append(w.versions[id], version{time.Now(), before})
	w.pipes[id] = after.With(tfvalue.String(before.At("state").Text()+"'"), "state")
}

// wholeMappings are mappings of which what one omits is empty.
func wholeMappings(mappings tfvalue.Value) tfvalue.Value {
	return toyRules.Fill("table_mappings", mappings)
}

// respond returns what a response has of a pipe.
func (w *toy) respond(request string, pipe tfvalue.Value) tfvalue.Value {
	if w.edit != nil {
		pipe = w.edit(w, request, pipe)
	}
	w.returned = pipe.Merge(w.returned)
	return pipe
}

// m is an object in a configuration or on the platform. Of its values, nil is null and
// unknown is known only after apply. The mappings of a pipe may stand at its top, and belong to its
// Postgres source. The source table of a mapping has the name of its target, unless it is set.
type m map[string]any

const unknown = tftypes.UnknownValue

// value gives a Go value the type of a schema.
func value(v any, typ tftypes.Type) tfvalue.Value {
	switch v := v.(type) {
	case m:
		if keyed, isMap := typ.(tftypes.Map); isMap {
			elements := map[string]tftypes.Value{}
			for key, element := range v {
				elements[key] = value(element, keyed.ElementType).Value
			}
			return tfvalue.Of(tftypes.NewValue(typ, elements))
		}
		v = maps.Clone(v)
		if mappings, ok := v["mappings"]; ok && typ.(tftypes.Object).AttributeTypes["source"] != nil {
			v["source"] = m{"postgres": m{"table_mappings": mappings}}
		}
		if v["source_table"] == nil {
			v["source_table"] = v["target_table"]
		}
		members := map[string]tftypes.Value{}
		for name, memberType := range typ.(tftypes.Object).AttributeTypes {
			members[name] = value(v[name], memberType).Value
		}
		return tfvalue.Of(tftypes.NewValue(typ, members))
	case []any:
		var elementType tftypes.Type
		switch t := typ.(type) {
		case tftypes.List:
			elementType = t.ElementType
		case tftypes.Set:
			elementType = t.ElementType
		}
		mapType, isMap := typ.(tftypes.Map)
		if isMap {
			elementType = mapType.ElementType
		}
		elements := make([]tfvalue.Value, len(v))
		for i := range v {
			elements[i] = value(v[i], elementType)
		}
		if isMap {
			return mappingKey.Collect(typ, elements)
		}
		return tfvalue.Collection(typ, elements)
	default:
		return tfvalue.Of(tftypes.NewValue(typ, v))
	}
}

func (w *toy) value(v m) tfvalue.Value { return value(v, w.typ()) }

// usualMappings are the mappings of the first pipe, in a configuration.
var usualMappings = []any{m{"target_table": "events", "excluded_columns": []any{"n\u00e9"}, "sorted": true}, m{"target_table": "items"}}

// newToy has two pipes, a round and a square one.
func newToy() *toy {
	w := &toy{versions: map[string][]version{}}
	w.returned = tfvalue.Null(w.typ())
	w.pipes = map[string]tfvalue.Value{
		firstPipe: w.value(m{
			"pipe_id": firstPipe, "name": "crm", "certificate": "c", "threads": 3, "columns": []any{"a", "b"}, "state": "s", "memory": 30,
			"mappings":    []any{m{"target_table": "events", "excluded_columns": []any{"n\u00e9"}, "sorted": true}, m{"target_table": "items", "excluded_columns": []any{}, "sorted": false}},
			"destination": m{"table": m{"rows": 4, "bytes": 9}},
		}),
		another: w.value(m{
			"pipe_id": another, "name": "shop", "certificate": "", "threads": 0, "columns": []any{}, "state": "s", "memory": 1,
			"mappings": []any{}, "destination": m{"lake": m{"shards": 2}},
		}),
	}
	return w
}

// change changes a pipe in the console.
func (w *toy) change(id string, v any, path ...string) {
	typ := w.pipes[id].At(path...).Type()
	w.pipes[id] = w.pipes[id].With(value(v, typ), path...)
}

func (w *toy) patches() []string {
	return slices.DeleteFunc(slices.Clone(w.requests), func(request string) bool { return request == "GET" })
}

func newConnection() *conn.Connection {
	config := platform.Config{BaseURL: "https://pipes.example", KeyID: "key", KeySecret: "secret-of-the-key", Sending: platform.Sending{RetryTimeout: time.Minute, RequestTimeout: 10 * time.Second}}
	return &conn.Connection{Client: must(platform.New(config)), OrganizationID: organization, Run: rand.Text()}
}

// gone is the error of the client for an object that does not exist.
var gone = &platform.Error{Status: http.StatusNotFound, NotFound: true, RequestID: "r", Message: "pipe not found"}
