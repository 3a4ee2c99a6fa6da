package adopt

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
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
	organization       = "1000000a-0000-4000-8000-000000000001"
	firstPipe, another = "2000000a-0000-4000-8000-000000000001", "2000000a-0000-4000-8000-000000000002"
)

func text() schema.Attribute   { return schema.StringAttribute{Optional: true, Computed: true} }
func number() schema.Attribute { return schema.NumberAttribute{Optional: true, Computed: true} }
func texts() schema.Attribute {
	return schema.ListAttribute{Optional: true, Computed: true, ElementType: types.StringType}
}

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
		"postgres": object(map[string]schema.Attribute{"table_mappings": schema.MapNestedAttribute{
			Optional: true, Computed: true, NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"target_table": text(), "source_table": text(), "excluded_columns": texts(), "sorted": schema.BoolAttribute{Optional: true, Computed: true},
			}},
		}}),
		"kafka": object(map[string]schema.Attribute{"partitions": number()}),
	}),
	"destination": object(map[string]schema.Attribute{
		"table":    object(map[string]schema.Attribute{"rows": number(), "limit": number(), "bytes": schema.NumberAttribute{Computed: true}}),
		"lake":     object(map[string]schema.Attribute{"shards": number()}),
		"validate": schema.BoolAttribute{Optional: true},
	}),
	"credentials": schema.SingleNestedAttribute{Optional: true, Attributes: map[string]schema.Attribute{
		"user": schema.StringAttribute{Optional: true}, "version": schema.StringAttribute{Optional: true},
		"key": schema.StringAttribute{Optional: true, WriteOnly: true},
	}},
	"workers": schema.NumberAttribute{Optional: true, Computed: true, DeprecationMessage: "use memory"},
	"state":   schema.StringAttribute{Computed: true},
	"memory":  schema.NumberAttribute{Computed: true},
}}

// mappingsAt is where a pipe has its mappings. Two of them are related if they have one source table.
var (
	mappingsAt = tfvalue.Path{"source", "postgres", "table_mappings"}
	mappingKey = tfvalue.Key{Members: []string{"target_table"}, Parts: [][]string{{"source_table"}}, MayOmit: []string{"sorted"}}
	pipeType   = toySchema.Type().TerraformType(context.Background())
)

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

	// versions are the pipe before each PATCH of an apply, and when it was replaced. due are the PATCHes that are
	// carried out later.
	versions  []version
	due       []duePatch
	events    events
	doneIn    time.Duration // a PATCH that fails changes the pipe after so long, or never
	resets    bool          // a PATCH resets the leaves that it omits
	interrupt func()        // ends the apply under way
}

const never = time.Duration(-1)

type version struct {
	until time.Time
	pipe  tfvalue.Value
}

type duePatch struct {
	at time.Time
	id string
	Content
}

// newToy has two pipes, which write to a table and to a lake.
func newToy() *toy {
	return &toy{returned: tfvalue.Null(pipeType), pipes: map[string]tfvalue.Value{
		firstPipe: toyRules.Fill("", value(m{
			"pipe_id": firstPipe, "name": "crm", "certificate": "c", "threads": 3, "columns": []any{"a", "b"}, "state": "s", "memory": 30,
			"mappings": usual, "destination": m{"table": m{"rows": 4, "limit": 7, "bytes": 9}},
		}, pipeType)),
		another: value(m{
			"pipe_id": another, "name": "shop", "certificate": "", "threads": 0, "columns": []any{}, "state": "s", "memory": 1,
			"mappings": "", "destination": m{"lake": m{"shards": 2}},
		}, pipeType),
	}}
}

func (w *toy) engine() *Engine {
	return New(Kind{
		Name: "pipe", Noun: "pipe",
		CannotRead: "Cannot read pipe", CannotUpdate: "Cannot update pipe", CannotImport: "Cannot import pipe", NoSuch: "No such pipe",
		IDs:    []string{"pipe_id"},
		Schema: toySchema, Rules: toyRules, Mappings: mappingsAt,
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
				return &platform.Error{Status: http.StatusNotFound, NotFound: true, RequestID: "r", Message: "pipe not found"}
			}
			return w.respond(pipe, read)
		},
		Begin: func(ctx context.Context, _ *platform.Client, id Identity) (context.Context, Call) {
			w.open++
			return ctx, &patching{toy: w, id: strings.ToLower(id.IDs[0])}
		},
		Body: func(c Change, p Content) (map[string]any, bool) {
			return map[string]any{"patch": p}, p.Leaves.At("credentials").AnyLeaf() || !p.Edit.IsEmpty() && c.Config.At("credentials").AnyLeaf()
		},
		Check: func(r Review) []string {
			if r.Config.At("destination", "table").IsObject() && r.Found().At("destination", "lake").IsObject() {
				r.Diags.AddError("Pipe has another destination", "a lake")
			}
			if r.Leaves.At("credentials").IsObject() {
				return []string{"credentials"}
			}
			return nil
		},
		Companions: func(send tfvalue.Value) []tfvalue.Path {
			if !send.At("certificate").IsNull() {
				return []tfvalue.Path{{"columns"}}
			}
			return nil
		},
		AlsoChanges: func(send tfvalue.Value) []string {
			if send.At("threads").IsNull() {
				return []string{"state"}
			}
			return []string{"state", "memory"}
		},
	})
}

// patching is an update of a pipe under way.
type patching struct {
	*toy
	id string
}

func (u *patching) End() { u.open-- }

// Send sends a PATCH. Its leaves are recorded in the order of their paths, and then the targets of the mappings that it
// removes and adds.
func (u *patching) Send(ctx context.Context, p platform.Patch, read platform.Read) (again bool, err error) {
	if ctx.Err() != nil {
		return false, errors.New("interrupted before it was sent")
	}
	for _, e := range u.happening() {
		time.Sleep(e.queue)
	}
	if !p.AsOf.IsZero() && time.Since(p.AsOf) >= platform.MaxAge {
		return true, nil
	}
	sends := p.Body["patch"].(Content)
	edits := !sends.Edit.IsEmpty()
	if edits != p.NonIdempotent || edits != slices.Contains(p.Leaves, mappingsAt.String()) || (edits || sends.Carried.AnyLeaf()) && p.AsOf.IsZero() {
		return false, fmt.Errorf("a PATCH changes the mappings: %t; it is non-idempotent: %t, based on a read at %s, and in the log with %q",
			edits, p.NonIdempotent, p.AsOf, p.Leaves)
	}
	request := append([]string{"PATCH"}, tfvalue.Paths(sends.All().Leaves())...)
	for _, mapping := range sends.Edit.Remove {
		request = append(request, "-"+mapping.At("target_table").Text())
	}
	for _, mapping := range sends.Edit.Add {
		request = append(request, "+"+mapping.At("target_table").Text())
	}
	failed := u.receive(strings.Join(request, " "))
	switch {
	case failed == nil:
		u.store(u.id, sends)
		return false, u.respond(u.id, read)
	case u.doneIn == 0:
		u.store(u.id, sends)
	case u.doneIn != never:
		u.due = append(u.due, duePatch{time.Now().Add(u.doneIn), u.id, sends})
	}
	mayRetry := slices.Contains([]int{0, http.StatusLocked, http.StatusTooManyRequests}, failed.Status)
	return mayRetry && (!p.NonIdempotent || !failed.Ambiguous), failed
}

// receive receives a request, carries out the PATCHes that are due by now, and may fail.
func (w *toy) receive(request string) (err *platform.Error) {
	if w.requests = append(w.requests, request); len(w.requests) > 100 {
		panic("there is no end of requests")
	}
	for _, e := range w.happening() {
		if e.before != nil {
			e.before(w)
		}
		err = cmp.Or(e.fails, err)
	}
	for len(w.due) > 0 && !time.Now().Before(w.due[0].at) {
		w.store(w.due[0].id, w.due[0].Content)
		w.due = w.due[1:]
	}
	return err
}

// store carries out a PATCH.
func (w *toy) store(id string, p Content) {
	before := w.pipes[id]
	after := p.All().WithoutAll(toyRules.NotInJSON).Merge(before)
	if w.resets {
		for path, is := range map[string]any{"name": "", "threads": 0, "certificate": "", "columns": []any{}, "destination.table.rows": 0} {
			if p.All().At(where(path)...).IsNull() {
				after = keeps(is, path)(after)
			}
		}
	}
	if !p.Edit.IsEmpty() {
		after = after.With(toyRules.Fill("table_mappings", mappingKey.After(before.At(mappingsAt...), p.Edit)), mappingsAt...)
	}
	for _, e := range w.happening() {
		if e.stores != nil {
			after = e.stores(after)
		}
	}
	w.versions = append(w.versions, version{time.Now(), before})
	w.pipes[id] = after.With(tfvalue.String(before.At("state").Text()+"'"), "state")
}

// respond has the pipe as it is, or was before a lag, which is the first of the events.
func (w *toy) respond(id string, read platform.Read) error {
	pipe := w.pipes[id]
	for _, e := range w.happening() {
		if i := slices.IndexFunc(w.versions, func(v version) bool { return v.until.After(time.Now().Add(-e.lag)) }); i >= 0 {
			pipe = w.versions[i].pipe
		}
		if e.shows != nil {
			pipe = e.shows(pipe)
		}
	}
	w.returned = pipe.Merge(w.returned)
	return read(toyRules.JSON(pipe))
}

// change changes a pipe in the console.
func (w *toy) change(id string, is any, path string) { w.pipes[id] = keeps(is, path)(w.pipes[id]) }

// patches are the requests since the last wantSent that are PATCHes.
func (w *toy) patches() []string {
	return slices.DeleteFunc(slices.Clone(w.requests), func(request string) bool { return request == "GET" })
}

// lastReads is the number of GETs after the last PATCH.
func (w *toy) lastReads() int {
	reads := slices.Clone(w.requests)
	slices.Reverse(reads)
	return slices.IndexFunc(append(reads, "PATCH"), func(request string) bool { return request != "GET" })
}

// m is an object in a configuration or on the platform. Of its values, nil is null and unknown is known only after
// apply. The mappings of a pipe may stand at its top, as a text: "users from events sorted without phone iban, items"
// has one to users, whose source table is events, and one to items, from the table of that name. What a mapping
// does not say is null.
type m map[string]any

const unknown = tftypes.UnknownValue

// value gives a Go value the type of a schema.
func value(v any, typ tftypes.Type) tfvalue.Value {
	switch v := v.(type) {
	case m:
		members := map[string]tftypes.Value{}
		switch typ := typ.(type) {
		case tftypes.Map:
			for key, element := range v {
				members[key] = value(element, typ.ElementType).Value
			}
		case tftypes.Object:
			for name, memberType := range typ.AttributeTypes {
				members[name] = value(v[name], memberType).Value
			}
			if mappings, ok := v["mappings"]; ok {
				members["source"] = value(m{"postgres": m{"table_mappings": mappings}}, typ.AttributeTypes["source"]).Value
			}
		}
		return tfvalue.Of(tftypes.NewValue(typ, members))
	case []any:
		elements := make([]tfvalue.Value, len(v))
		for i := range v {
			elements[i] = value(v[i], typ.(tftypes.List).ElementType)
		}
		return tfvalue.Collection(typ, elements)
	case string:
		if keyed, isMap := typ.(tftypes.Map); isMap {
			var elements []tfvalue.Value
			for _, text := range strings.FieldsFunc(v, func(r rune) bool { return r == ',' }) {
				elements = append(elements, value(mapping(strings.TrimSpace(text)), keyed.ElementType))
			}
			return mappingKey.Collect(typ, elements)
		}
	}
	return tfvalue.Of(tftypes.NewValue(typ, v))
}

func mapping(text string) m {
	text, columns, _ := strings.Cut(text, " without ")
	text, isSorted := strings.CutSuffix(text, " sorted")
	target, source, _ := strings.Cut(text, " from ")
	is := m{"target_table": target, "source_table": cmp.Or(source, target)}
	if isSorted {
		is["sorted"] = true
	}
	var excluded []any
	for _, column := range strings.Fields(columns) {
		excluded = append(excluded, column)
		is["excluded_columns"] = excluded
	}
	return is
}

func newConnection() *conn.Connection {
	config := platform.Config{Sending: platform.Sending{RetryTimeout: time.Minute, RequestTimeout: 10 * time.Second}}
	return &conn.Connection{Client: must(platform.New(config)), OrganizationID: organization, Run: rand.Text()}
}
