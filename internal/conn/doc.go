// Package conn is what resources and data sources share: the client and settings
// of the provider, checks whether they can be used, and errors as diagnostics.
//
//	conn.go    the connection, its settings, and the default organization
//	errors.go  errors as diagnostics
package conn
