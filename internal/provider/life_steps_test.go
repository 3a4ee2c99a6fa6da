package provider

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

func (l *life) step(name string, r *rand.Rand) {
	apply := lifeCommand{name: "apply"}
	switch name {
	case "change":
		l.mutate(r)
		l.command(apply)
	case "drift":
		l.console(r)
		l.command(apply)
	case "console":
		l.console(r)
	case "saved":
		if r.IntN(3) > 0 {
			l.mutate(r)
		}
		apply.between = func() { l.console(r) }
		l.command(apply)
	case "norefresh":
		if r.IntN(2) == 0 {
			l.console(r)
		}
		l.mutate(r)
		apply.noRefresh = true
		l.command(apply)
	case "adopt", "import":
		l.command(lifeCommand{name: "forget"})
		if r.IntN(2) == 0 {
			l.mutate(r)
		}
		apply.imports = name == "import"
		l.command(apply)
	case "move":
		if l.has("second") {
			return // which could not be where the first one is
		}
		l.move(r)
		l.command(apply)
	case "ignore":
		s := l.driver.subjects[r.IntN(len(l.driver.subjects))]
		l.ignore(r, s)
		if r.IntN(2) == 0 {
			l.mutate(r)
		}
		if r.IntN(2) == 0 {
			l.console(r)
		}
		l.command(apply)
	case "unknown":
		l.mutate(r)
		for _, s := range l.driver.subjects {
			s.unknown = l.forget(r, s)
		}
		l.command(apply)
	case "fault":
		l.mutate(r)
		f := randomFault(r)
		l.fault = &f
		l.logf("  fault: %s", f.name)
		l.platform.Inject(f.Fault)
		l.command(apply)
		l.platform.ClearFaults()
		l.fault = nil
	case "once":
		leaf := l.leaves[r.IntN(len(l.leaves))]
		field := lifeField(leaf.path)
		switch parent := strings.LastIndexByte(field, '.'); {
		case leaf.path == mappingsPath && r.IntN(2) == 0:
			field += "." + fmt.Sprint(oneOf(r, "excludedColumns", "sortingKeys", "useCustomSortingKey"))
		case parent > 0 && r.IntN(3) == 0:
			field = field[:parent]
		}
		operations := [][]mockplatform.Operation{nil, lifeReads, lifePatches}[r.IntN(3)]
		l.logf("  %s is omitted once, in %v", field, operations)
		l.once = field
		l.behave(mockplatform.Sparse{Path: field, Operations: operations, Times: 1})
		if r.IntN(2) == 0 {
			l.mutate(r)
		}
		l.command(apply)
		l.behave()
		l.once = ""
	case "omit":
		if l.omitted == "" {
			leaf := l.leaves[r.IntN(len(l.leaves))]
			l.forgotten = false
			l.omitted = fmt.Sprint(oneOf(r, "omits-always:", "omits-in-reads:", "omits-in-patches:"), lifeField(leaf.path))
		} else {
			l.omitted = ""
		}
		l.logf("  the platform %q", l.omitted)
		l.behave()
		l.command(apply)
	case "kind":
		if l.spec.kind == "scaling" {
			return
		}
		if l.source == nil {
			other := mockplatform.KafkaPipeID
			if l.spec.kind == "kafka" {
				other = mockplatform.CloudStreamPipeID
			}
			source := l.platform.Pipe(other)["source"]
			l.swapped = l.id()
			l.updateDoc(func(doc mockplatform.Document) { l.source, doc["source"] = doc["source"], source })
		} else {
			l.platform.UpdatePipe(l.swapped, func(doc mockplatform.Document) { doc["source"] = l.source })
			l.source = nil
		}
		l.logf("  console: another source, own: %v", l.source == nil)
		l.command(apply)
	case "renew":
		if l.has("credentials") && l.spec.kind != "scaling" {
			l.renew(r, l.subject())
		}
		l.command(apply)
	default:
		l.command(lifeCommand{name: name})
	}
}

func (l *life) ignore(r *rand.Rand, s *lifeSubject) {
	switch leaf := l.leaves[r.IntN(len(l.leaves))].path; {
	case len(s.ignore) > 0 && r.IntN(2) == 0:
		s.ignore = nil
	case r.IntN(6) == 0:
		s.ignore = []string{ignoreAll}
	case r.IntN(4) == 0 && strings.Contains(leaf, "."):
		s.ignore = []string{leaf[:strings.LastIndexByte(leaf, '.')]}
	default:
		s.ignore = append(slices.Clone(s.ignore), leaf)
	}
	l.logf("  ignore_changes = %v", s.ignore)
}

// move configures the ID of another object, mostly of one of the same kind.
func (l *life) move(r *rand.Rand) {
	s, objects := l.subject(), l.spec.objects()
	to := objects[[]int{0, 0, 0, 1, 1, 1, 2}[r.IntN(7)]]
	if to == l.id() {
		to = objects[1-min(1, slices.Index(objects, to))]
	}
	if r.IntN(3) == 0 {
		l.ignore(r, s)
	}
	s.known[l.spec.idName()] = to
	l.logf("  %s = %s", l.spec.idName(), to)
	if r.IntN(2) == 0 {
		l.mutate(r)
	}
	if r.IntN(3) == 0 {
		l.console(r)
	}
}

// renew changes the configured credentials.
func (l *life) renew(r *rand.Rand, s *lifeSubject) {
	user, secret := "username", "password_wo"
	if l.spec.kind == "object_storage" || l.spec.kind == "cloud_stream" {
		user, secret = "access_key_id", "secret_key_wo"
	}
	version := r.IntN(1000)
	credentials := object{secret: fmt.Sprint("secret", version), secret + "_version": version}
	if r.IntN(2) == 0 {
		credentials[user] = fmt.Sprint("user", r.IntN(3))
	}
	s.known["source_credentials"] = object{l.spec.kind: credentials}
	if r.IntN(6) == 0 {
		delete(s.known, "source_credentials")
	}
	l.logf("  credentials: %s", lifeJSON(s.known["source_credentials"]))
}

// mutate changes what is configured. Two subjects have leaves of their own.
func (l *life) mutate(r *rand.Rand) {
	doc := l.doc()
	for i, leaf := range l.leaves {
		s := l.driver.subjects[i%len(l.driver.subjects)]
		if leaf.path == mappingsPath {
			l.mutateMappings(r, s, doc)
			continue
		}
		switch r.IntN(6) {
		case 0:
			lifeRemove(s.known, leaf.path)
		case 1:
			if now := member(doc, lifeField(leaf.path)); now != nil && (!slices.Contains(bounded, leaf.path) || fmt.Sprint(now) != "0") {
				setMember(s.known, leaf.path, inConfiguration(lifeCopy(now)))
			}
		case 2, 3:
			setMember(s.known, leaf.path, randomLeaf(r, leaf))
		}
	}
	s := l.subject()
	if l.spec.kind != "scaling" {
		switch r.IntN(12) {
		case 0:
			setMember(s.known, "source.validate_samples", r.IntN(2) == 0)
		case 1:
			lifeRemove(s.known, "source.validate_samples")
		case 2:
			if s.known["settings"] == nil {
				s.known["settings"] = object{}
			}
		}
		if l.has("credentials") && r.IntN(8) == 0 {
			l.renew(r, s)
		} else if credentials, ok := member(s.known, "source_credentials."+l.spec.kind).(object); ok && r.IntN(4) == 0 {
			delete(credentials, "password_wo") // the run after
			delete(credentials, "secret_key_wo")
			for _, s := range l.driver.subjects {
				if s.state.IsNull() {
					delete(s.known, "source_credentials")
				}
			}
		}
	}
	for i, s := range l.driver.subjects {
		l.logf("  config %d: %s", i, lifeJSON(s.known))
	}
}

// lifeRemove takes away a member, and the objects that it leaves empty.
func lifeRemove(config object, path string) {
	names := strings.Split(path, ".")
	for i := len(names); i > 0; i-- {
		at := strings.Join(names[:i], ".")
		if rest, ok := member(config, at).(object); i < len(names) && (!ok || len(rest) > 0) {
			return
		}
		if i == len(names) || member(config, at) != nil {
			if parent := strings.Join(names[:i-1], "."); parent == "" || member(config, parent) != nil {
				setMember(config, at, nil)
			}
		}
	}
}

func (l *life) mutateMappings(r *rand.Rand, s *lifeSubject, doc object) {
	there, _ := member(doc, lifeField(mappingsPath)).([]any)
	configured, _ := member(s.known, mappingsPath).([]any)
	configured, _ = lifeCopy(configured).([]any)
	switch r.IntN(12) {
	case 0:
		lifeRemove(s.known, mappingsPath)
		return
	case 1, 2, 3: // as it is, whole or in part
		configured = []any{}
		for _, mapping := range there {
			next := inConfiguration(mapping).(object)
			for _, name := range []string{"excluded_columns", "use_custom_sorting_key", "sorting_keys"} {
				if next[name] == nil || r.IntN(3) == 0 {
					delete(next, name)
				}
			}
			configured = append(configured, next)
		}
	case 4, 5: // one more
		next := randomMapping(r)
		for _, name := range []string{"excluded_columns", "use_custom_sorting_key", "sorting_keys"} {
			if r.IntN(4) == 0 {
				delete(next, name)
			}
		}
		configured = l.withMapping(configured, next)
	case 6, 7: // one changed
		if len(configured) > 0 {
			next := configured[r.IntN(len(configured))].(object)
			switch r.IntN(3) {
			case 0:
				next["excluded_columns"] = lifeTexts(r)
			case 1:
				next["sorting_keys"] = lifeTexts(r)
			default:
				next["use_custom_sorting_key"] = r.IntN(2) == 0
			}
		}
	case 8: // one less
		if len(configured) > 0 {
			configured = configured[1:]
		}
	case 9: // whole
		for _, mapping := range configured {
			for name, value := range randomMapping(r) {
				if mapping.(object)[name] == nil {
					mapping.(object)[name] = value
				}
			}
		}
	case 10: // another target
		if len(configured) > 0 {
			next := lifeCopy(configured[0]).(object)
			next["target_table"] = "v"
			configured = l.withMapping(configured[1:], next)
		}
	default:
		return
	}
	if configured == nil {
		configured = []any{}
	}
	setMember(s.known, mappingsPath, configured)
}

// forget makes some of a configuration unknown.
func (l *life) forget(r *rand.Rand, s *lifeSubject) object {
	unknown := lifeCopy(s.known).(object)
	for _, leaf := range l.leaves {
		now := member(unknown, leaf.path)
		if now == nil || r.IntN(2) == 0 {
			continue
		}
		parent := ""
		if at := strings.LastIndexByte(leaf.path, '.'); at > 0 {
			parent = leaf.path[:at]
		}
		list, isList := now.([]any)
		switch {
		case isList && len(list) > 0 && r.IntN(3) > 0:
			at := r.IntN(len(list))
			if element, ok := list[at].(object); ok && r.IntN(2) == 0 {
				names := sortedKeys(element)
				element[names[r.IntN(len(names))]] = lifeUnknown{}
			} else {
				list[at] = lifeUnknown{}
			}
		case parent != "" && r.IntN(4) == 0:
			if member(unknown, parent+".validate_samples") == nil {
				setMember(unknown, parent, lifeUnknown{})
			}
		default:
			setMember(unknown, leaf.path, lifeUnknown{})
		}
	}
	l.logf("  unknown: %s", strings.ReplaceAll(lifeJSON(unknown), "{}", "?"))
	return unknown
}
