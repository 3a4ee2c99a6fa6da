// Package adopt manages objects that exist before and after Terraform manages them: they can be read and updated, but
// neither created nor deleted. An Engine handles the RPCs of a resource, from refresh to generated configuration, on
// the values of the protocol. The framework only serves its schema, in package provider.
//
// The engine knows leaves and table mappings. A Kind says what is special about a kind of object.
//
//	kind.go: what the engine has to know of a kind
//	rpc.go: the calls of the protocol, decoded and encoded
//	engine.go: the engine of a kind, what its schema allows, generated configuration, and the identity of an object
//	read.go: a refresh, and the read of one object
//	plan.go: the plan of an adoption, of an update, and of a replacement
//	review.go: what a change has to achieve, and what is against it
//	warnings.go: the warnings of plans
//	apply.go: an apply, from the read to the state
//	excluded.go: which columns a table mapping excludes, and others do not
//	private.go: what private state remembers of earlier reads and updates
//
// An update has two parts, and no PATCH belongs to both:
//
//	update.go: what they share: responses, reads, waits
//	update_leaves.go: the leaves, and what is said of them
//	update_mappings.go: the table mappings
//	report_mappings.go: what is said of them
package adopt
