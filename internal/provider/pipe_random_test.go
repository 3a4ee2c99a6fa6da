package provider

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// randomValues makes values for an attribute, or is nil where it can't.
func randomValues(path string, attribute schema.Attribute) func(*rand.Rand) any {
	switch attribute := attribute.(type) {
	case schema.StringAttribute:
		return randomText
	case schema.BoolAttribute:
		return randomBool
	case schema.NumberAttribute:
		if random, ok := randomNumbers[path]; ok {
			return random
		}
		return randomInteger
	case schema.SetAttribute:
		if attribute.ElementType == types.StringType {
			return randomTexts
		}
	case schema.ListNestedAttribute:
		var names []string
		for _, name := range slices.Sorted(maps.Keys(attribute.NestedObject.Attributes)) {
			if _, ok := attribute.NestedObject.Attributes[name].(schema.StringAttribute); !ok {
				return nil
			}
			names = append(names, fieldOf(name))
		}
		return randomList(names)
	}
	return nil
}

func oneOf(r *rand.Rand, values ...any) any { return values[r.IntN(len(values))] }

func randomText(r *rand.Rand) any {
	return oneOf(r, "", "a", "b", "läng\"er\n", "c ${d} %{e}")
}

func randomInteger(r *rand.Rand) any { return oneOf(r, 0, 1, 8, int64(9007199254740993)) }

func randomFraction(r *rand.Rand) any { return oneOf(r, 0, 0.1, 2, 2.5, 1e-7) }

func randomPort(r *rand.Rand) any { return 1 + r.IntN(3) }

func randomBool(r *rand.Rand) any { return r.IntN(2) == 0 }

// randomTexts is a set of texts.
func randomTexts(r *rand.Rand) any {
	texts := []any{}
	for _, text := range []string{"x", "y", "z"} {
		if r.IntN(2) == 0 {
			texts = append(texts, text)
		}
	}
	return texts
}

func randomList(names []string) func(*rand.Rand) any {
	return func(r *rand.Rand) any {
		list := []any{}
		for range r.IntN(3) {
			element := mockplatform.Document{}
			for _, name := range names {
				element[name] = randomText(r)
			}
			list = append(list, element)
		}
		return list
	}
}

// randomMappings are table mappings in which one source table may have several
// targets.
func randomMappings(r *rand.Rand) []any {
	mappings := []any{}
	for _, schema := range []string{"public", "sales"} {
		for _, table := range []string{"a", "b"} {
			for _, target := range []string{"t", "u"} {
				if r.IntN(3) == 0 {
					mappings = append(mappings, mockplatform.Document{
						"sourceSchemaName": schema, "sourceTable": table, "targetTable": target,
						"excludedColumns": randomTexts(r), "useCustomSortingKey": randomBool(r), "sortingKeys": randomTexts(r),
					})
				}
			}
		}
	}
	return mappings
}

// inConfiguration is a value of the API as a configuration in JSON has it.
func inConfiguration(value any) any {
	switch value := value.(type) {
	case []any:
		list := []any{}
		for _, element := range value {
			list = append(list, inConfiguration(element))
		}
		return list
	case mockplatform.Document:
		out := object{}
		for name, member := range value {
			out[snake(name)] = inConfiguration(member)
		}
		return out
	case string:
		return strings.NewReplacer("${", "$${", "%{", "%%{").Replace(value)
	default:
		return value
	}
}
