package provider

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// promised is a plan as a person reads it, and what its apply has sent.
type promised struct {
	h      hiding
	text   pipeText
	way    string
	plan   result                // before the apply has added to it
	before mockplatform.Document // the pipe before the apply
	seed   mockplatform.Document // as the state of an update has it before the refresh
	bodies []string

	t *testing.T
	*sent
	said  map[string][]string // the lines of the warnings, by what is above them
	count map[string]int
}

// sent is what the PATCHes of an apply have: leaves by their paths, credentials, and mappings by their keys.
type sent struct {
	leaves         []string
	credentials    bool
	removed, added map[string]mapping
}

func readSent(t *testing.T, bodies []string) *sent {
	all := &sent{removed: map[string]mapping{}, added: map[string]mapping{}}
	var walk func(at string, value any)
	walk = func(at string, value any) {
		inner, isObject := value.(object)
		switch {
		case at == "source.postgres.credentials":
			all.credentials = true
		case at == "source.postgres.table_mappings_to_remove":
			addMappings(all.removed, value)
		case at == "source.postgres.table_mappings_to_add":
			addMappings(all.added, value)
		case !isObject:
			all.leaves = append(all.leaves, at)
		}
		if isObject && at != "source.postgres.credentials" {
			for name, member := range inner {
				walk(strings.TrimPrefix(at+"."+snake(name), "."), member)
			}
		}
	}
	for _, body := range bodies {
		walk("", fromJSON(t, body))
	}
	return all
}

func addMappings(all map[string]mapping, list any) {
	for _, element := range listOf(list) {
		key := fmt.Sprintf("%s.%s:%s", member(element, "sourceSchemaName"), member(element, "sourceTable"), member(element, "targetTable"))
		for _, is := range mappingsOf([]any{element}) {
			all[key] = is
		}
	}
}

// headings are the lines above what a warning lists.
var headings = []string{
	"These current values will be replaced", "These table mappings will be added", "Columns that will be copied from now on", "Known only after apply",
	"Tables that are no longer copied", "All tables that are copied today", "Written to another target", "Removed and added again",
	"Written to one target", copiedSince,
}

const copiedSince = "the platform has copied these columns since"

// listed are the lines of warnings, by their headings. A list below something else is one that this test cannot read.
func listed(t *testing.T, warnings []string) map[string][]string {
	all := map[string][]string{}
	for _, warning := range warnings {
		heading := -1
		for line := range strings.Lines(warning) {
			line = strings.TrimRight(line, "\n")
			item, isItem := strings.CutPrefix(line, "  - ")
			switch {
			case isItem && heading < 0:
				t.Errorf("below no heading that is known: %s", line)
			case isItem:
				all[headings[heading]] = append(all[headings[heading]], ungrouped(item)...)
			case line != "":
				heading = slices.IndexFunc(headings, func(text string) bool { return strings.Contains(line, text) })
			}
		}
	}
	return all
}

var groupLine = regexp.MustCompile(`^(.*) \(\d+ tables: ("[^"]*"(?:, "[^"]*")*)\)$`)

// ungrouped are the lines of the mappings that one line is about.
func ungrouped(item string) (items []string) {
	parts := groupLine.FindStringSubmatch(item)
	if parts == nil {
		return []string{item}
	}
	for key := range strings.SplitSeq(parts[2], ", ") {
		items = append(items, key+": "+parts[1])
	}
	return items
}

// check compares what the plan has said with what was sent. An apply that was refused must have sent nothing.
func (p *promised) check(t *testing.T, isRefused bool, count map[string]int) {
	p.t, p.count, p.sent, p.said = t, count, readSent(t, p.bodies), listed(t, p.plan.warnings)
	if isRefused {
		p.want(len(p.bodies) == 0, "nothing that is sent, since the apply is refused")
		return
	}
	creates := p.way == "adoption" || p.way == "replacement"
	p.checkCreation()
	p.checkMappings()
	p.checkDenials()
	p.checkShown(creates)
	p.checkColumns(creates)
	p.checkNews()
}

func (p *promised) want(holds bool, format string, values ...any) {
	p.t.Helper()
	p.count["promises"]++
	if !holds {
		p.t.Errorf("want "+format, values...)
	}
}

// ignores reports whether a leaf or a mapping is ignored, so that the warning about a replacement can only refer to the plan.
func (p *promised) ignores(at string) bool {
	return slices.ContainsFunc(p.h.ignored, func(ignored string) bool {
		return at == ignored || strings.HasPrefix(at, ignored+".") || strings.HasPrefix(at, ignored+"[")
	})
}

// hedges reports whether the warning about a replacement refers to the plan for a leaf, which it can do only of what is ignored.
func (p *promised) hedges(at string) bool {
	return p.way == "replacement" && p.ignores(at) &&
		p.warns("ignore_changes does not apply to the new object: of what it lists, credentials included, the plan shows what the object gets")
}

func (p *promised) hedgesMapping(key string) bool {
	return p.hedges(fmt.Sprintf("%s[%q]", mapPath, key))
}

func (p *promised) warns(text string) bool {
	return strings.Contains(strings.Join(p.plan.warnings, "\n"), text)
}

// checkCreation has what the warnings about an adoption and a replacement promise.
func (p *promised) checkCreation() {
	for _, item := range p.said["These current values will be replaced"] {
		leaf, rest, _ := strings.Cut(item, " (currently ")
		if strings.HasPrefix(leaf, "credentials of source_credentials.postgres ") {
			p.want(p.credentials || p.hedges(secretPath) || p.hedges(versionPath), "credentials in a body")
		} else if !strings.Contains(rest, "known only after apply") {
			p.want(slices.Contains(p.leaves, leaf) || p.hedges(leaf), "%s in a body", leaf)
		}
	}
	for _, item := range p.said["These table mappings will be added"] {
		key, _ := strconv.Unquote(item)
		_, isAdded := p.added[key]
		p.want(isAdded || p.hedgesMapping(key), "%s to be added", key)
	}
}

var (
	mappingLine = regexp.MustCompile(`^("[^"]*")(?:: (.*))?$`)
	movedLine   = regexp.MustCompile(`^("[^"]*"): to (.*), no longer to (.*)$`)
)

// checkMappings has what the warning about table mappings promises.
func (p *promised) checkMappings() {
	isSaved := p.way == "stale" || p.way == "saved" // somebody else may have made the change after the plan
	p.want(!p.warns(") change: ") || len(p.removed)+len(p.added) > 0 || isSaved, "a change to the mappings")
	for _, heading := range []string{headings[2], headings[4], headings[5], headings[7]} {
		for _, item := range p.said[heading] {
			parts := mappingLine.FindStringSubmatch(item)
			key, _ := strconv.Unquote(parts[1])
			is, isAdded := p.added[key]
			_, isRemoved := p.removed[key]
			isGone := isRemoved || p.was(key) == nil // somebody else may have removed it after the plan
			switch heading {
			case headings[2]:
				for column := range strings.SplitSeq(parts[2], ", ") {
					p.want(isAdded && !is.excludesColumn(column) || p.isThere(key), "%s to be added without the exclusion of %s", key, column)
				}
			case headings[7]:
				p.want(isRemoved && isAdded || p.isThere(key), "%s to be removed and added", key)
			default:
				p.want(isGone && !isAdded, "%s to be removed", key)
			}
		}
	}
	for _, item := range p.said["Written to one target"] {
		parts := mappingLine.FindStringSubmatch(item)
		key, _ := strconv.Unquote(parts[1])
		_, isAdded := p.added[key]
		isCopied := isAdded || p.was(key) != nil || isSaved || p.hedgesMapping(key)
		p.want(isCopied && strings.HasSuffix(key, ":"+parts[2]), "%s to be copied to %s", key, parts[2])
	}
	for _, item := range p.said["Written to another target"] {
		parts := movedLine.FindStringSubmatch(item)
		source, _ := strconv.Unquote(parts[1])
		_, isRemoved := p.removed[source+":"+parts[3]]
		p.want(isRemoved || p.was(source+":"+parts[3]) == nil, "%s:%s to be removed", source, parts[3])
		for target := range strings.SplitSeq(parts[2], ", ") {
			_, isAdded := p.added[source+":"+target]
			p.want(isAdded || p.was(source+":"+target) != nil, "%s to be copied to %s", source, target)
		}
	}
}

// was is a mapping as the platform had it before the apply.
func (p *promised) was(key string) *mapping {
	all := map[string]mapping{}
	addMappings(all, member(p.before, tableMappings))
	if is, ok := all[key]; ok {
		return &is
	}
	return nil
}

// isThere reports whether the platform had a mapping before the apply as it is configured: somebody has made the change after the plan.
func (p *promised) isThere(key string) bool {
	was, want := p.was(key), p.text.mappings[key]
	return was != nil && *was == mappingOf(mapping{excludes: want.excluded}.columns(), strings.Split(want.sorting, ","))
}

// checkDenials has what warnings say that is not sent.
func (p *promised) checkDenials() {
	if p.warns("changes none of its values") {
		for _, leaf := range p.leaves {
			p.want(p.hedges(leaf), "no %s in a body", leaf)
		}
		for key := range p.added {
			p.want(p.hedgesMapping(key), "%s not to be added", key)
		}
		p.want(!p.credentials || p.hedges(secretPath) || p.hedges(versionPath), "no credentials")
	}
	if p.warns("Source may change without its credentials") {
		p.want(slices.Contains(p.leaves, hostPath) || p.h.unknown == hostPath, "a leaf of the source in a body")
	}
	if p.warns("Source may change without its credentials") && slices.Contains(p.leaves, hostPath) {
		isSet, hidesVersion := p.text.arguments[secretPath] != "null", p.ignores(versionPath) && p.text.arguments[versionPath] != "1"
		p.want(p.credentials == (isSet && !hidesVersion), "credentials in the body: %t", isSet && !hidesVersion)
	}
}

// checkShown wants what is sent to be shown: in the plan of an update, and otherwise in a warning, which has the values that
// are overwritten. A plan with an unknown ID reads nothing, and says nothing.
func (p *promised) checkShown(creates bool) {
	shown := append(p.plan.changed(), p.plan.unknown()...)
	if creates {
		shown = nil
		for _, item := range p.said["These current values will be replaced"] {
			leaf, _, _ := strings.Cut(item, " ")
			shown = append(shown, leaf)
		}
	}
	isUnread := p.h.unknown == "pipe_id" || p.warns("may overwrite its values")
	for _, leaf := range p.leaves {
		p.want(slices.Contains(shown, leaf) || creates && (isUnread || p.hedges(leaf)), "%s to be shown, and not only %q", leaf, shown)
	}
	for key := range p.added {
		isListed := slices.Contains(p.said["These table mappings will be added"], strconv.Quote(key)) || p.warns("Which table mappings will be added")
		p.want(isListed || creates && (isUnread || p.hedgesMapping(key)) || !creates && slices.Contains(shown, mapPath),
			"%s to be shown", key)
	}
	if creates && p.credentials {
		p.want(shown != nil && slices.Contains(shown, "credentials") || isUnread || p.hedges(secretPath) || p.hedges(versionPath), "credentials to be named")
	}
	p.want(!creates || len(p.removed) == 0, "no removal in an adoption")
}

// checkColumns wants each column that an update uncovers to be named with its table, and each mapping that it removes.
func (p *promised) checkColumns(creates bool) {
	if creates {
		return
	}
	var lines []string
	for heading, some := range p.said {
		if heading != copiedSince {
			lines = append(lines, some...)
		}
	}
	for key := range p.removed {
		source, target, _ := strings.Cut(key, ":")
		isNamed := slices.ContainsFunc(lines, func(line string) bool {
			return strings.HasPrefix(line, strconv.Quote(key)) || strings.HasPrefix(line, strconv.Quote(source)) && strings.HasSuffix(line, ", no longer to "+target)
		})
		p.want(isNamed, "%s, which is removed, to be named", key)
	}
	for key := range p.added {
		_, target, _ := strings.Cut(key, ":")
		for other := range p.text.mappings {
			_, isAdded := p.added[other]
			_, isRemoved := p.removed[other]
			isThere := isAdded || p.was(other) != nil && !isRemoved
			isTogether := other != key && strings.HasSuffix(other, ":"+target) && p.was(key) == nil && isThere
			p.want(!isTogether || slices.Contains(p.said["Written to one target"], strconv.Quote(key)+": "+target) || p.warns("whether it stays"),
				"%s to be named beside %s", key, other)
		}
	}
	for key, is := range p.added {
		isRemoved := func(other string) bool { _, isRemoved := p.removed[other]; return isRemoved }
		for _, column := range excludedBefore(p.before, key, isRemoved) {
			if is.excludesColumn(column) {
				continue
			}
			p.count["columns"]++
			source, target, _ := strings.Cut(key, ":")
			word := regexp.MustCompile(`\b` + column + `\b`)
			isNamed := slices.ContainsFunc(lines, func(line string) bool {
				isOfMapping := strings.Contains(line, "whether it stays") && !strings.Contains(line, "which columns it excludes (today: ")
				isPredecessor := strings.Contains(line, ":"+target+`": whether it stays`) // of a map that is unknown
				return (strings.HasPrefix(line, `"`+source+":") || isPredecessor) && word.MatchString(line) && !isOfMapping
			})
			p.want(isNamed, "%s of %s, which is uncovered, to be named", column, key)
		}
	}
}

// checkNews wants each column that the console has uncovered to be named with its mapping, if the plan has read that, and no other.
func (p *promised) checkNews() {
	now := map[string]mapping{}
	addMappings(now, member(p.before, tableMappings))
	isGone := func(other string) bool { _, isThere := now[other]; return !isThere }
	var lines []string
	for key, is := range now {
		columns := slices.DeleteFunc(excludedBefore(p.seed, key, isGone), is.excludesColumn)
		slices.Sort(columns)
		if len(columns) > 0 && p.way == "update" {
			lines = append(lines, strconv.Quote(key)+": "+strings.Join(columns, ", "))
		}
	}
	slices.Sort(lines)
	said := slices.Sorted(slices.Values(p.said[copiedSince]))
	p.want(slices.Equal(said, lines), "%q to be news, and not %q", lines, said)
	p.count["news"] += len(said)
}

// excludedBefore are the columns that the mapping of a key excluded in a document; or, if it is new, those that all of its table
// excluded, and each one that is removed from its target.
func excludedBefore(doc mockplatform.Document, key string, isRemoved func(key string) bool) []string {
	all := map[string]mapping{}
	addMappings(all, member(doc, tableMappings))
	if was, isThere := all[key]; isThere {
		return was.columns()
	}
	var columns, ofPredecessors []string
	source, target, _ := strings.Cut(key, ":")
	isFirst := true
	for other, is := range all {
		if strings.HasPrefix(other, source+":") {
			if isFirst {
				columns = is.columns()
			}
			columns = slices.DeleteFunc(columns, func(column string) bool { return !is.excludesColumn(column) })
			isFirst = false
		}
		if isRemoved(other) && strings.HasSuffix(other, ":"+target) {
			ofPredecessors = append(ofPredecessors, is.columns()...)
		}
	}
	return append(columns, ofPredecessors...)
}
