// Package tfvalue has values of a schema and the operations on them: which leaves
// are owned, which differ, what a response means, and what the state is after it.
// It knows no attribute by name; what a type cannot express is in Rules.
//
//	value.go: a value, its members and elements, and the Unicode forms of its texts
//	leaf.go: the leaves of an object: what is owned, compared and sent as a whole
//	json.go: values from JSON, and as JSON
//	same.go: when two values are equal, as a table, and Rules
//	keyed.go: keyed maps: their keys, elements by key, and differences
//	edit.go: a change to a keyed map, the question before it, and what became of it
//	owned.go: what the configuration manages, and the state after an apply
//	traits.go: what a schema allows: in a plan before the object is read, in a generated configuration
//	interpret.go: what a read means, and a field that it omits
//	describe.go: a value, or two, in a message
package tfvalue
