// Package terraformtest plays Terraform's part for one resource: over the protocol, and
// in the process of a test. It validates, proposes, plans and applies as Terraform does,
// and finds the faults for which Terraform blames a provider. A test of its own compares
// it with a real terraform.
//
//	resource.go: a resource block and its object: refresh, import, generate, plan, apply
//	propose.go: what Terraform proposes to a provider, and ignore_changes
//	fault.go: what Terraform rejects in a plan and in a result
//	schema.go: types, values and paths
//	workspace.go: a directory in which a real Terraform runs the built provider
//	program.go: that Terraform, its version, and what older ones lack
//
// It is Terraform 1.16. It has what this provider needs: no nested blocks, no computed
// members of sets, no deferred changes, no replacement because of a part of an attribute,
// and nothing more of objects that stay deposed or tainted.
//
// Rejected: a real terraform in every test. It takes a second where this takes a
// millisecond, and nothing can be done between its plan and its apply in one process.
package terraformtest
