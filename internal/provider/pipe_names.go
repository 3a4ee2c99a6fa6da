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

// mappingNames are the names that a table mapping has: those in its key, and those of columns.
type mappingNames struct{ key, excluded, sorting []string }

// suspicion is why a name of a mapping is probably a mistake, and whether that holds.
type suspicion struct {
	why   string
	holds func(name string, of mappingNames) bool
}

// No suspicion is an error, because a quoted identifier may be any text, and none is about what databases do have:
// spaces, dots, hyphens, and any script. Some scripts have invisible joiners within words.
var (
	ofNames = []suspicion{
		{"has white space at an end", matches(`^[\s\p{Z}]|[\s\p{Z}]$`)},
		{"has an invisible character or a no-break space", matches(`[^\P{Cf}\x{200C}\x{200D}]|` +
			`[\p{Cc}\p{Zl}\p{Zp}\x{A0}\x{2007}\x{202F}]|` +
			`(?:^|[^\x{600}-\x{18AF}])[\x{200C}\x{200D}]|[\x{200C}\x{200D}](?:$|[^\x{600}-\x{18AF}])`)},
	}
	ofColumns = slices.Concat(ofNames, []suspicion{
		{"has a quotation mark at an end", matches("^[\"'`“”„‘’«»]|[\"'`“”„‘’«»]$")},
		{"has a comma", matches(`,`)},
		{"has a semicolon", matches(`;`)},
		{"has a wildcard at an end", matches(`^[*%]|[*%]$`)},
		{"is a Boolean: YAML reads yes, no, on and off as one", matches(`^(?:true|false)$`)},
		{"begins with the mapping's schema or table", func(name string, of mappingNames) bool {
			return strings.HasPrefix(name, of.key[0]+".") || strings.HasPrefix(name, of.key[1]+".")
		}},
	})
	ofSortingKeys = slices.Concat(ofColumns, []suspicion{
		{"is there twice", func(name string, of mappingNames) bool {
			return slices.Contains(of.sorting[slices.Index(of.sorting, name)+1:], name)
		}},
		{"is excluded in another letter case", func(name string, of mappingNames) bool {
			isOther := func(other string) bool { return other != name && strings.EqualFold(other, name) }
			return slices.ContainsFunc(of.excluded, isOther)
		}},
	})
)

func matches(pattern string) func(string, mappingNames) bool {
	expression := regexp.MustCompile(pattern)
	return func(name string, _ mappingNames) bool { return expression.MatchString(name) }
}

// warnNames warns about names that are probably a mistake. To a database, "notes " is another column than "notes", and
// one that is excluded under another name is copied.
func warnNames(config tfvalue.Value, diags *diag.Diagnostics) {
	var found []words.Remark
	for key, mapping := range config.At(tableMappingsPath...).Members() {
		ofKey, isKey := mappingKey.Split(key)
		if !isKey {
			continue // an error of checkKeys
		}
		columns := func(member string) []string { return texts(mapping.At(member).Elements()) }
		all := mappingNames{ofKey, columns(adopt.ExcludedColumns), columns("sorting_keys")}
		check := func(place string, names []string, suspicions []suspicion) {
			for _, name := range names {
				at := slices.IndexFunc(suspicions, func(s suspicion) bool { return s.holds(name, all) })
				if at >= 0 && name != "" {
					text := fmt.Sprintf("%s in %s %s", words.Cut(strconv.Quote(name)), place, suspicions[at].why)
					found = append(found, words.Remark{Of: strconv.Quote(key), Text: text})
				}
			}
		}
		check("its key", all.key, ofNames)
		check(adopt.ExcludedColumns, all.excluded, ofColumns)
		check("sorting_keys", all.sorting, ofSortingKeys)
	}
	if len(found) > 0 {
		diags.AddWarning(strings.TrimSpace("Names that are probably wrong: pipe "+config.At("pipe_id").Text()),
			"These names in table mappings are probably a mistake. A column that excluded_columns misspells is copied:\n\n"+
				words.ListRemarks(found, "table")+"\n\nWrite each name once, as the database spells it: as an element of its own, "+
				"without quotation marks. If a name is right, ignore this warning.")
	}
}
