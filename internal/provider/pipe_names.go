package provider

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/adopt"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// Where a table mapping has names.
const inKey, inExcluded, inSorting = 0, 1, 2

// suspicions are why a name is probably a mistake, and from where on, in the order above. None is an error, because a quoted
// identifier may be any text, and none is about what databases do have: spaces, dots, hyphens, and any script. Some scripts have
// invisible joiners within words.
var suspicions = []suspicion{
	{"has white space at an end", inKey, matches(`^[\s\p{Z}]|[\s\p{Z}]$`)},
	{"has an invisible character or a no-break space", inKey, matches(`[^\P{Cf}\x{200C}\x{200D}]|[\p{Cc}\p{Zl}\p{Zp}\x{A0}\x{2007}\x{202F}]|` +
		`(?:^|[^\x{600}-\x{18AF}])[\x{200C}\x{200D}]|[\x{200C}\x{200D}](?:$|[^\x{600}-\x{18AF}])`)},
	{"has a quotation mark at an end", inExcluded, matches("^[\"'`“”„‘’«»]|[\"'`“”„‘’«»]$")},
	{"has a comma", inExcluded, matches(`,`)},
	{"has a semicolon", inExcluded, matches(`;`)},
	{"has a wildcard at an end", inExcluded, matches(`^[*%]|[*%]$`)},
	{"is a Boolean: YAML reads yes, no, on and off as one", inExcluded, matches(`^(?:true|false)$`)},
	{"begins with the mapping's schema or table", inExcluded, func(name string, all [3][]string) bool {
		return strings.HasPrefix(name, all[inKey][0]+".") || strings.HasPrefix(name, all[inKey][1]+".")
	}},
	{"is there twice", inSorting, func(name string, all [3][]string) bool {
		return slices.Contains(all[inSorting][slices.Index(all[inSorting], name)+1:], name)
	}},
	{"is excluded in another letter case", inSorting, func(name string, all [3][]string) bool {
		return slices.ContainsFunc(all[inExcluded], func(other string) bool { return other != name && strings.EqualFold(other, name) })
	}},
}

// suspicion holds for a name of a mapping, or not. all are its names, by their places.
type suspicion struct {
	why   string
	from  int
	holds func(name string, all [3][]string) bool
}

func matches(pattern string) func(name string, all [3][]string) bool {
	expression := regexp.MustCompile(pattern)
	return func(name string, _ [3][]string) bool { return expression.MatchString(name) }
}

// warnNames warns about names that are probably a mistake. To a database, "notes " is another column than "notes", and one
// that is excluded under another name is copied.
func warnNames(config tfvalue.Value, diags *diag.Diagnostics) {
	var found []words.Said
	for key, mapping := range config.At(tableMappingsPath...).Members() {
		of, isKey := mappingKey.Split(key)
		all := [3][]string{of, texts(mapping.At(adopt.ExcludedColumns).Elements()), texts(mapping.At("sorting_keys").Elements())}
		for in, names := range all {
			for _, name := range names {
				at := slices.IndexFunc(suspicions, func(s suspicion) bool { return isKey && name != "" && in >= s.from && s.holds(name, all) })
				if at >= 0 {
					found = append(found, words.Said{Of: strconv.Quote(key), Text: fmt.Sprintf("%s in %s %s", words.Cut(strconv.Quote(name)),
						[...]string{"its key", adopt.ExcludedColumns, "sorting_keys"}[in], suspicions[at].why)})
				}
			}
		}
	}
	if len(found) > 0 {
		diags.AddWarning(strings.TrimSpace("Names that are probably wrong: pipe "+config.At("pipe_id").Text()),
			"These names in table mappings are probably a mistake. A column that excluded_columns misspells is copied:\n\n"+
				words.Grouped(found, "table")+"\n\nWrite each name once, as the database spells it: as an element of its own, without quotation marks. If a name is right, ignore this warning.")
	}
}
