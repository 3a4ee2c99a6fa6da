// Package process sets up the process of a provider: what it logs, which signals it
// ignores, and, in a build for it, its profiles.
//
//	logs.go     the levels of the SDK's loggers
//	orphan.go   signals during writes, and the end of Terraform
//	profile.go  profiles, in a build with the tag profile
//	exit.go     what has to be done before the process ends
package process
