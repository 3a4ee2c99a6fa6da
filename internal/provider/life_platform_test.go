package provider

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// What a platform may be like, and what people do in its console.

// lifeLeaf is an attribute that a PATCH takes, by its path in the configuration.
type lifeLeaf struct {
	path string
	typ  tftypes.Type
}

const mappingsPath = "source.postgres.table_mappings"

// leaves are the settable leaves of a schema.
func (s lifeSchema) leaves(at string) []lifeLeaf {
	var found []lifeLeaf
	for _, a := range s {
		switch {
		case !a.Optional || !a.Computed || at+a.Name == "organization_id":
		case a.NestedType != nil && a.NestedType.Nesting == tfprotov6.SchemaObjectNestingModeSingle:
			found = append(found, lifeSchema(a.NestedType.Attributes).leaves(at+a.Name+".")...)
		default:
			found = append(found, lifeLeaf{at + a.Name, a.ValueType()})
		}
	}
	return found
}

// lifeField is where the API document has an attribute.
func lifeField(path string) string {
	names := strings.Split(path, ".")
	for i, name := range names {
		if i == 0 || names[0] != "settings" {
			names[i] = camelCase(name)
		}
	}
	return strings.Join(names, ".")
}

func camelCase(name string) string {
	words := strings.Split(name, "_")
	for i := range words[1:] {
		words[i+1] = strings.ToUpper(words[i+1][:1]) + words[i+1][1:]
	}
	return strings.Join(words, "")
}

// lifeRemote is a document of the platform in the type of a resource.
func lifeRemote(doc any, typ tftypes.Type, at ...string) tfvalue.Value {
	switch t := typ.(type) {
	case tftypes.Object:
		all, ok := doc.(object)
		if !ok {
			return tfvalue.Null(typ)
		}
		members := map[string]tftypes.Value{}
		for name, memberType := range t.AttributeTypes {
			field := camelCase(name)
			switch {
			case slices.Equal(at, []string{"settings"}):
				field = name
			case len(at) == 0 && name == "pipe_id", len(at) == 0 && name == "service_id" && all["serviceId"] == nil:
				field = "id"
			}
			members[name] = lifeRemote(all[field], memberType, append(slices.Clone(at), name)...).Value
		}
		return tfvalue.Of(tftypes.NewValue(typ, members))
	case tftypes.List:
		return lifeRemoteElements(doc, typ, t.ElementType, at)
	case tftypes.Set:
		return lifeRemoteElements(doc, typ, t.ElementType, at)
	default:
		return lifeValue(doc, typ)
	}
}

func lifeRemoteElements(doc any, typ, elementType tftypes.Type, at []string) tfvalue.Value {
	all, ok := doc.([]any)
	if !ok {
		return tfvalue.Null(typ)
	}
	var elements []tfvalue.Value
	for _, element := range all {
		elements = append(elements, lifeRemote(element, elementType, append(slices.Clone(at), "[]")...))
	}
	return tfvalue.Collection(typ, elements)
}

// lifeAlike compares two values of an attribute as a person would: absence is
// empty, a set has no order, and white space at the end of a certificate is
// nothing.
func lifeAlike(path string, a, b tfvalue.Value) bool {
	return lifeAlikeSpell(path, a) == lifeAlikeSpell(path, b)
}

func lifeAlikeSpell(path string, v tfvalue.Value) string {
	switch {
	case v.IsNull():
		return ""
	case !v.IsKnown():
		return "?"
	case v.Type().Is(tftypes.String):
		text := v.Text()
		if strings.HasSuffix(path, "ca_certificate") {
			text = strings.TrimRight(text, " \t\r\n")
		}
		if text == "" {
			return ""
		}
		return fmt.Sprintf("%q", text)
	case v.Type().Is(tftypes.Number):
		if v.Number().Sign() == 0 {
			return ""
		}
		f, _ := v.Number().Float64()
		if v.Number().IsInt() {
			return v.Number().Text('f', 0)
		}
		return fmt.Sprint(f)
	case v.Type().Is(tftypes.Bool):
		if v.True() {
			return "t"
		}
		return ""
	case v.Type().Is(tftypes.Object{}):
		var all []string
		for name, member := range v.Members() {
			if text := lifeAlikeSpell(name, member); text != "" {
				all = append(all, name+"="+text)
			}
		}
		return "{" + strings.Join(all, ";") + "}"
	default:
		var all []string
		for _, element := range v.Elements() {
			all = append(all, lifeAlikeSpell("", element))
		}
		if v.Type().Is(tftypes.Set{}) {
			slices.Sort(all)
			all = slices.Compact(all)
		}
		return strings.Join(all, ",")
	}
}

// randomLeaf is a random value of an attribute, in the configuration's form.
func randomLeaf(r *rand.Rand, leaf lifeLeaf) any {
	switch leaf.path {
	case "source.postgres.port":
		return 1 + r.IntN(3)
	case "settings.engine_parallel_distributed_insert_select":
		return oneOf(r, 0, 0.1, 2, 2.5)
	case "num_replicas":
		return 2 + r.IntN(4)
	case "idle_timeout_minutes":
		return 5 + r.IntN(3)
	case "min_total_memory_gb":
		return 24 + 12*r.IntN(2)
	case "max_total_memory_gb":
		return 48 + 12*r.IntN(2)
	case "source.kafka.ca_certificate":
		return oneOf(r, "", "cert", "cert\n", "other\n \n")
	}
	switch {
	case leaf.typ.Is(tftypes.String):
		return oneOf(r, "", "a", "b", "läng\"er\n")
	case leaf.typ.Is(tftypes.Number):
		return oneOf(r, 0, 1, 8, int64(9007199254740993))
	case leaf.typ.Is(tftypes.Bool):
		return r.IntN(2) == 0
	case leaf.typ.Is(tftypes.Set{}):
		return lifeTexts(r)
	}
	elementType := leaf.typ.(tftypes.List).ElementType.(tftypes.Object)
	list := []any{}
	for range r.IntN(3) {
		element := object{}
		for _, name := range sortedKeys(elementType.AttributeTypes) {
			element[name] = oneOf(r, "", "a", "b")
		}
		list = append(list, element)
	}
	return list
}

// bounded are numbers that mustn't be 0.
var bounded = []string{"source.postgres.port", "num_replicas", "idle_timeout_minutes", "min_total_memory_gb", "max_total_memory_gb"}

func lifeTexts(r *rand.Rand) []any {
	texts := []any{}
	for _, text := range []string{"x", "y", "z"} {
		if r.IntN(2) == 0 {
			texts = append(texts, text)
		}
	}
	return texts
}

// inDocument is a value of a configuration in the API's form.
func inDocument(value any) any {
	switch value := value.(type) {
	case []any:
		list := []any{}
		for _, element := range value {
			list = append(list, inDocument(element))
		}
		return list
	case object:
		doc := object{}
		for name, member := range value {
			doc[camelCase(name)] = inDocument(member)
		}
		return doc
	default:
		return value
	}
}

func lifeCopy(value any) any {
	switch value := value.(type) {
	case []any:
		list := []any{}
		for _, element := range value {
			list = append(list, lifeCopy(element))
		}
		return list
	case object:
		all := object{}
		for name, member := range value {
			all[name] = lifeCopy(member)
		}
		return all
	default:
		return value
	}
}

// randomMapping is a whole table mapping, in the configuration's form.
func randomMapping(r *rand.Rand) object {
	return object{
		"source_schema_name": "public", "source_table": oneOf(r, "a", "b"), "target_table": oneOf(r, "t", "u"),
		"excluded_columns": lifeTexts(r), "use_custom_sorting_key": r.IntN(2) == 0, "sorting_keys": lifeTexts(r),
	}
}

var mappingKeys = []string{"source_schema_name", "source_table", "target_table"}

func lifeMappingKey(mapping any) string {
	m, _ := mapping.(object)
	var key []string
	for _, name := range mappingKeys {
		if m[name] != nil {
			key = append(key, fmt.Sprint(m[name]))
		} else {
			key = append(key, fmt.Sprint(m[camelCase(name)]))
		}
	}
	return strings.Join(key, ".")
}

// withMapping puts a mapping in the place of one with its key, or of its table or its
// target where the platform allows only one.
func (l *life) withMapping(mappings []any, mapping object) []any {
	key := lifeMappingKey(mapping)
	at := strings.LastIndexByte(key, '.')
	kept := slices.DeleteFunc(slices.Clone(mappings), func(m any) bool {
		other := lifeMappingKey(m)
		return other == key || l.has("one-target") && strings.HasPrefix(other, key[:at+1]) || l.has("one-table") && strings.HasSuffix(other, key[at:])
	})
	return append(kept, mapping)
}

// lifeFault is something that goes wrong in the middle of an apply.
type lifeFault struct {
	mockplatform.Fault
	name string
	// ambiguous tells that the provider may not know what stands.
	ambiguous bool
}

func randomFault(r *rand.Rand) lifeFault {
	write := []lifeFault{
		{mockplatform.Fault{Status: http.StatusBadRequest}, "refused", false},
		{mockplatform.Fault{Status: http.StatusForbidden}, "forbidden", false},
		{mockplatform.Fault{Status: http.StatusInternalServerError}, "500 before", true},
		{mockplatform.Fault{Status: http.StatusInternalServerError, After: true}, "500 after", true},
		{mockplatform.Fault{Status: http.StatusServiceUnavailable, After: true, Times: 2}, "503 after, twice", true},
		{mockplatform.Fault{Reset: true}, "reset before", true},
		{mockplatform.Fault{Reset: true, After: true}, "reset after", true},
		{mockplatform.Fault{Cut: mockplatform.CutBody, CutBytes: 20}, "cut", true},
		{mockplatform.Fault{Status: http.StatusTooManyRequests}, "rate limit", true},
	}
	if r.IntN(4) == 0 {
		f := []lifeFault{
			{mockplatform.Fault{Status: http.StatusInternalServerError}, "read 500", false},
			{mockplatform.Fault{Status: http.StatusForbidden}, "read forbidden", false},
			{mockplatform.Fault{Cut: mockplatform.CutBody, CutBytes: 20}, "read cut", false},
		}[r.IntN(3)]
		f.Method, f.Skip = http.MethodGet, r.IntN(4)
		f.name = fmt.Sprintf("%s after %d", f.name, f.Skip)
		return f
	}
	f := write[r.IntN(len(write))]
	f.Method, f.Skip = http.MethodPatch, r.IntN(5)/3 // now and then the second one
	f.name = fmt.Sprintf("%s, PATCH %d", f.name, f.Skip+1)
	return f
}

// console is what somebody does to the object in the platform's console.
func (l *life) console(r *rand.Rand) {
	l.updateDoc(func(doc mockplatform.Document) {
		for range 1 + r.IntN(2) {
			leaf := l.leaves[r.IntN(len(l.leaves))]
			if r.IntN(6) == 0 {
				drawn := l.spec.drawn()
				leaf = drawn[r.IntN(len(drawn))]
			}
			if kind, ok := strings.CutPrefix(leaf.path, "source."); ok {
				kind, _, _ = strings.Cut(kind, ".")
				if member(doc, "source."+camelCase(kind)) == nil {
					continue // another kind now
				}
			}
			field := lifeField(leaf.path)
			if leaf.path == mappingsPath {
				l.editMappings(r, doc)
				continue
			}
			switch r.IntN(6) {
			case 0:
				setMember(doc, field, nil)
				l.logf("  console: %s is gone", field)
			case 1:
				value := emptyOf(leaf.typ)
				setMember(doc, field, value)
				l.logf("  console: %s = %v", field, value)
			default:
				value := inDocument(randomLeaf(r, leaf))
				setMember(doc, field, value)
				l.logf("  console: %s = %s", field, lifeJSON(value))
			}
		}
	})
}

func emptyOf(typ tftypes.Type) any {
	switch {
	case typ.Is(tftypes.String):
		return ""
	case typ.Is(tftypes.Number):
		return 0
	case typ.Is(tftypes.Bool):
		return false
	default:
		return []any{}
	}
}

func (l *life) editMappings(r *rand.Rand, doc mockplatform.Document) {
	const field = "source.postgres.tableMappings"
	mappings, _ := member(doc, field).([]any)
	mappings = slices.Clone(mappings)
	switch at := r.IntN(6); {
	case at == 0:
		mappings = nil
	case at == 1:
		mappings = []any{}
	case at == 2 && len(mappings) > 0:
		mappings = slices.Delete(mappings, 0, 1)
	case at <= 4 && len(mappings) > 0:
		edited := maps.Clone(mappings[r.IntN(len(mappings))].(object))
		switch r.IntN(3) {
		case 0:
			edited["excludedColumns"] = lifeTexts(r)
		case 1:
			edited["sortingKeys"] = lifeTexts(r)
		default:
			edited["useCustomSortingKey"] = edited["useCustomSortingKey"] != true
		}
		mappings = l.withMapping(mappings, edited)
	default:
		mappings = l.withMapping(mappings, inDocument(randomMapping(r)).(object))
	}
	if mappings == nil {
		setMember(doc, field, nil)
	} else {
		setMember(doc, field, mappings)
	}
	l.logf("  console: tableMappings = %s", lifeJSON(mappings))
}
