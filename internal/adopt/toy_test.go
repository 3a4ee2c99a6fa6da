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

// The toy kind of these tests: a lamp has a leaf of each sort that the engine
// distinguishes, and a platform that is a few maps.

const (
	organization       = "10000000-0000-4000-8000-000000000001"
	firstLamp, another = "2000000a-0000-4000-8000-000000000001", "2000000a-0000-4000-8000-000000000002"
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

var lampSchema = schema.Schema{Attributes: map[string]schema.Attribute{
	"organization_id": text(),
	"lamp_id":         schema.StringAttribute{Required: true},
	"name":            text(),
	"cert":            text(),
	"size":            number(),
	"tags":            texts(),
	"fixture": object(map[string]schema.Attribute{
		"mount": object(map[string]schema.Attribute{"bulbs": schema.MapNestedAttribute{Optional: true, Computed: true, NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"socket": text(),
			"colors": texts(),
			"on":     schema.BoolAttribute{Optional: true, Computed: true},
			"wire":   text(),
		}}}}),
		"clamp": object(map[string]schema.Attribute{"grip": number()}),
	}),
	"shape": object(map[string]schema.Attribute{
		"round":  object(map[string]schema.Attribute{"radius": number(), "volume": schema.NumberAttribute{Computed: true}}),
		"square": object(map[string]schema.Attribute{"side": number()}),
		"dry":    schema.BoolAttribute{Optional: true},
	}),
	"secret": schema.SingleNestedAttribute{Optional: true, Attributes: map[string]schema.Attribute{"user": onlyText(), "version": onlyText(), "key": schema.StringAttribute{Optional: true, WriteOnly: true}}},
	"age":    schema.NumberAttribute{Optional: true, Computed: true, DeprecationMessage: "use weight"},
	"maker":  schema.SingleNestedAttribute{Computed: true, Attributes: map[string]schema.Attribute{"name": text()}},
	"state":  schema.StringAttribute{Computed: true},
	"weight": schema.NumberAttribute{Computed: true},
}}

// bulbsAt is where a lamp has its bulbs. Two of them are related if they hang on one wire.
var (
	bulbsAt = tfvalue.Path{"fixture", "mount", "bulbs"}
	bulbKey = tfvalue.Key{Members: []string{"socket"}, Parts: [][]string{{"wire"}}, MayOmit: []string{"on"}, Noun: "bulb"}
)

// lampRules are those of the toy.
var lampRules = tfvalue.Rules{
	Trimmed:      []string{"cert"},
	Keys:         map[string]tfvalue.Key{"bulbs": bulbKey},
	Alternatives: []string{"shape", "fixture"},
	NotInJSON:    []tfvalue.Path{{"shape", "dry"}, {"secret"}, {"organization_id"}},
}

// workshop is the platform of the lamps.
type workshop struct {
	lamps    map[string]tfvalue.Value
	requests []string
	open     int           // calls that have not ended
	returned tfvalue.Value // by all responses, the last ones first

	// versions are the lamps of earlier PATCHes, and when they were replaced. due are the PATCHes that
	// are carried out later.
	versions map[string][]version
	due      []duePatch
	// What the API document does not show.
	lag     time.Duration                          // responses have the lamps as they were so long ago
	edit    editing                                // of responses, or nil
	rewrite func(lamp tfvalue.Value) tfvalue.Value // of what a PATCH stores
	fail    func(request string) error
	done    bool          // a PATCH that fails has changed the lamp
	doneIn  time.Duration // a PATCH that fails changes the lamp after so long; 0 is never
	queue   time.Duration // how long a PATCH waits for its turn
	refuses error         // to begin an update
	cannot  error         // make a body
	plain   bool          // the kind has no keyed map
	lacks   []string      // settings of the provider that are known only after apply
}

type version struct {
	until time.Time
	lamp  tfvalue.Value
}

type duePatch struct {
	at time.Time
	id string
	Patch
}

// shown is a lamp as responses have it.
func (w *workshop) shown(id string) tfvalue.Value {
	for _, v := range w.versions[id] {
		if v.until.After(time.Now().Add(-w.lag)) {
			return v.lamp
		}
	}
	return w.lamps[id]
}

func (w *workshop) engine() *Engine {
	kind := Kind{
		Name: "lamp", Noun: "lamp", IDs: []string{"lamp_id"},
		Schema: lampSchema, Rules: lampRules,
		Options:    []tfvalue.Path{{"shape", "dry"}},
		Unfinished: "Their colors stay off.",
		Read: func(_ context.Context, _ *platform.Client, id Identity, read platform.Read) error {
			if err := w.receive("GET"); err != nil {
				return err
			}
			lamp := strings.ToLower(id.IDs[0])
			if _, ok := w.lamps[lamp]; !ok {
				return gone
			}
			return readLamp(w.respond("GET", w.shown(lamp)), read)
		},
		KeyedMap: bulbsAt,
		Begin: func(ctx context.Context, _ *platform.Client, id Identity) (context.Context, Call, error) {
			if w.refuses != nil {
				return ctx, nil, w.refuses
			}
			w.open++
			return ctx, &patching{workshop: w, id: strings.ToLower(id.IDs[0])}, nil
		},
		Body: func(_ Change, p Patch) (map[string]any, error) { return map[string]any{"patch": p}, w.cannot },
		Check: func(r Review) []string {
			for _, kind := range []string{"round", "square"} {
				if r.Config.At("shape", kind).IsObject() && r.Remote.At("shape").IsObject() && !r.Remote.At("shape", kind).IsObject() {
					r.Diags.AddError("Lamp has another shape", kind)
				}
			}
			if r.Leaves.At("secret").IsObject() {
				return []string{"secret"}
			}
			return nil
		},
		AlsoChanges: func(send tfvalue.Value) []string {
			if send.At("size").IsNull() {
				return []string{"state"}
			}
			return []string{"state", "weight"}
		},
	}
	if w.plain {
		kind.KeyedMap = nil
	}
	return New(kind)
}

func (w *workshop) typ() tftypes.Type { return lampSchema.Type().TerraformType(context.Background()) }

// patching is an update of a lamp under way.
type patching struct {
	*workshop
	id        string
	attempts  int
	began     time.Time
	ambiguous bool // an attempt may have been carried out
}

func (u *patching) Send(_ context.Context, p platform.Patch, read platform.Read) (again bool, err error) {
	u.attempts++
	if u.attempts > 50 {
		panic("there is no end of attempts")
	}
	time.Sleep(u.queue)
	u.queue = 0
	if !p.AsOf.IsZero() && time.Since(p.AsOf) >= platform.MaxAge {
		return true, nil
	}
	u.began = time.Now()
	sends := p.Body.(map[string]any)["patch"].(Patch)
	if changes := !sends.Edit.IsEmpty(); changes != p.Unrepeatable || changes && p.AsOf.IsZero() {
		return false, fmt.Errorf("a PATCH that changes the bulbs (%t) is unrepeatable (%t), and decided at %s", changes, p.Unrepeatable, p.AsOf)
	}
	if slices.Contains(p.Leaves, bulbsAt.String()) == sends.Edit.IsEmpty() {
		return false, fmt.Errorf("the log has %q of a PATCH that changes the bulbs: %t", p.Leaves, !sends.Edit.IsEmpty())
	}
	response, err := u.patch(u.id, sends)
	switch failed := (&platform.Error{}); {
	case errors.As(err, &failed):
		u.ambiguous = u.ambiguous || failed.Ambiguous
		failed.Ambiguous = u.ambiguous
		return failed.Status == 0 && (!p.Unrepeatable || !failed.Ambiguous), err
	case response.IsNull(), err != nil:
		return false, err
	default:
		return false, readLamp(response, read)
	}
}

func (u *patching) Began() time.Time { return u.began }
func (u *patching) End()             { u.open-- }

// readLamp reads a lamp as JSON.
func readLamp(lamp tfvalue.Value, read platform.Read) error {
	members, err := lampRules.JSON(lamp)
	if err != nil {
		return err
	}
	return read(members)
}

// patch is a PATCH of a lamp. Its leaves are recorded in the order of their paths, and then
// the sockets of the bulbs that it removes and adds.
func (w *workshop) patch(id string, p Patch) (tfvalue.Value, error) {
	names := []string{"PATCH"}
	for _, leaf := range p.Leaves.Leaves() {
		names = append(names, leaf.Path.String())
	}
	for _, bulb := range p.Edit.Remove {
		names = append(names, "-"+bulb.At("socket").Text())
	}
	for _, bulb := range p.Edit.Add {
		names = append(names, "+"+bulb.At("socket").Text())
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
func (w *workshop) receive(request string) (err error) {
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
func (w *workshop) store(id string, p Patch) {
	before, after := w.lamps[id], w.lamps[id]
	if !p.Leaves.IsNull() {
		after = p.Leaves.Without("secret").Without("shape", "dry").Merge(before)
	}
	if !p.Edit.IsEmpty() {
		bulbs := bulbKey.After(before.At(bulbsAt...), p.Edit)
		after = after.With(wholeBulbs(bulbs), bulbsAt...)
	}
	if w.rewrite != nil {
		after = w.rewrite(after)
	}
	w.versions[id] = append(w.versions[id], version{time.Now(), before})
	w.lamps[id] = after.With(tfvalue.String(before.At("state").Text()+"'"), "state")
}

// wholeBulbs are bulbs of which what one omits is empty.
func wholeBulbs(bulbs tfvalue.Value) tfvalue.Value { return lampRules.Fill("bulbs", bulbs) }

// respond returns what a response has of a lamp.
func (w *workshop) respond(request string, lamp tfvalue.Value) tfvalue.Value {
	if w.edit != nil {
		lamp = w.edit(w, request, lamp)
	}
	w.returned = lamp.Merge(w.returned)
	return lamp
}

// m is an object in a configuration or on the platform. Of its values, nil is null and
// unknown is known only after apply. The bulbs of a lamp may stand at its top, and belong to the
// mount of its fixture. A bulb without a wire has one of its own, with the name of its socket.
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
		if bulbs, ok := v["bulbs"]; ok && typ.(tftypes.Object).AttributeTypes["fixture"] != nil {
			v["fixture"] = m{"mount": m{"bulbs": bulbs}}
		}
		if v["wire"] == nil {
			v["wire"] = v["socket"]
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
			return bulbKey.Collect(typ, elements)
		}
		return tfvalue.Collection(typ, elements)
	default:
		return tfvalue.Of(tftypes.NewValue(typ, v))
	}
}

func (w *workshop) value(v m) tfvalue.Value { return value(v, w.typ()) }

// deskBulbs are the bulbs of the first lamp, in a configuration.
var deskBulbs = []any{m{"socket": "E14", "colors": []any{"r\u00e9d"}, "on": true}, m{"socket": "E27"}}

// newWorkshop has two lamps, a round and a square one.
func newWorkshop() *workshop {
	w := &workshop{versions: map[string][]version{}}
	w.returned = tfvalue.Null(w.typ())
	w.lamps = map[string]tfvalue.Value{
		firstLamp: w.value(m{
			"lamp_id": firstLamp, "name": "desk", "cert": "c", "size": 3, "tags": []any{"a", "b"}, "state": "s", "weight": 30,
			"bulbs": []any{m{"socket": "E14", "colors": []any{"r\u00e9d"}, "on": true}, m{"socket": "E27", "colors": []any{}, "on": false}},
			"shape": m{"round": m{"radius": 4, "volume": 9}},
		}),
		another: w.value(m{
			"lamp_id": another, "name": "floor", "cert": "", "size": 0, "tags": []any{}, "state": "s", "weight": 1,
			"bulbs": []any{}, "shape": m{"square": m{"side": 2}},
		}),
	}
	return w
}

// change changes a lamp in the console.
func (w *workshop) change(id string, v any, path ...string) {
	typ := w.lamps[id].At(path...).Type()
	w.lamps[id] = w.lamps[id].With(value(v, typ), path...)
}

func (w *workshop) patches() []string {
	return slices.DeleteFunc(slices.Clone(w.requests), func(request string) bool { return request == "GET" })
}

func newConnection() *conn.Connection {
	config := platform.Config{BaseURL: "https://lamps.example", KeyID: "key", KeySecret: "secret-of-the-key", Sending: platform.Sending{RetryTimeout: time.Minute}}
	return &conn.Connection{Client: must(platform.New(config)), OrganizationID: organization, Run: rand.Text()}
}

// gone is the error of the client for an object that does not exist.
var gone = &platform.Error{Status: http.StatusNotFound, NotFound: true, RequestID: "r", Message: "lamp not found"}
