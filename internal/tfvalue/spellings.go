package tfvalue

// Spellings are the strings in lists and sets of a response that are not in Terraform's
// normal form, by that form. To a database, two forms may be two names.
type Spellings map[string]string

// Add adds the spellings of a response. Earlier ones are kept.
func (s Spellings) Add(response Value) {
	for _, leaf := range response.Leaves() {
		if isList(leaf.Value) || isSet(leaf.Value) {
			s.addElements(leaf.Value)
		}
	}
}

func (s Spellings) addElements(value Value) {
	switch {
	case value.IsObject():
		for _, member := range value.Members() {
			s.addElements(member)
		}
	case isString(value):
		if _, known := s[normal(value)]; !known && value.Text() != normal(value) {
			s[normal(value)] = value.Text()
		}
	default:
		for _, element := range value.Elements() {
			s.addElements(element)
		}
	}
}

// Apply returns an object with the strings in its lists and sets as they are spelled in
// the responses.
func (s Spellings) Apply(object Value) Value {
	if len(s) == 0 {
		return object
	}
	return object.Map(func(_ string, member Value) Value {
		if isList(member) || isSet(member) {
			return s.respell(member)
		}
		return s.Apply(member)
	})
}

func (s Spellings) respell(value Value) Value {
	switch {
	case value.IsNull() || !value.IsKnown():
		return value
	case value.IsObject():
		return value.Map(func(_ string, member Value) Value { return s.respell(member) })
	case isString(value):
		if spelled, known := s[normal(value)]; known {
			return String(spelled)
		}
		return value
	case isList(value), isSet(value):
		elements := value.Elements()
		for i := range elements {
			elements[i] = s.respell(elements[i])
		}
		return Collection(value.Type(), elements)
	default:
		return value
	}
}
