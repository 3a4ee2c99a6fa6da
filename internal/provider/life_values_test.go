package provider

import (
	"math/rand/v2"
	"strings"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// pipeOfKind is the pipe of the seed that has each kind of source.
var pipeOfKind = map[string]string{
	"kafka":          mockplatform.KafkaPipeID,
	"object_storage": mockplatform.ObjectStoragePipeID,
	"cloud_stream":   mockplatform.CloudStreamPipeID,
	"postgres":       mockplatform.PostgresPipeID,
}

func isEmptyJSON(value any) bool {
	switch value := value.(type) {
	case string:
		return value == ""
	case []any:
		return len(value) == 0
	default:
		return value == nil
	}
}

func oneOf(r *rand.Rand, values ...any) any { return values[r.IntN(len(values))] }

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
