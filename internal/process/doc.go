// Package process sets up the process of a provider: what it logs, which signals it
// ignores, and that it ends with Terraform.
//
//	logs.go: the levels of the SDK's loggers
//	orphan.go: signals during writes, and the end of Terraform
package process
