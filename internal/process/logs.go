package process

import (
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/hashicorp/go-hclog"
)

// The environment variables for the log level of providers, as Terraform documents
// them.
const (
	envLog         = "TF_LOG"
	envLogProvider = "TF_LOG_PROVIDER"
)

// SetLogLevels limits the loggers of the provider with this name to the level that
// Terraform passes on. A logger that the user has set to a less verbose level
// keeps it. It fails only if the environment cannot be changed.
//
// By default, the loggers of the SDK write at TRACE and leave the filtering to
// Terraform: if TF_LOG is not set, half of the provider's time goes into lines
// that Terraform drops. The levels are set through the environment because the
// SDK has no other way to set all of them.
func SetLogLevels(provider string) error {
	passed := passedLevel()
	for _, logger := range []struct {
		variable string
		follows  bool // defaults to the level of TF_LOG_SDK
	}{
		{envLogProvider + "_" + strings.ToUpper(provider), false},
		{"TF_LOG_SDK", false},
		{"TF_LOG_SDK_PROTO", true},
		{"TF_LOG_SDK_FRAMEWORK", true},
	} {
		chosen := hclog.LevelFromString(os.Getenv(logger.variable))
		if chosen == hclog.NoLevel && logger.follows {
			continue
		}
		if err := os.Setenv(logger.variable, max(chosen, passed).String()); err != nil {
			return fmt.Errorf("setting the level of %s: %w", logger.variable, err)
		}
	}
	return nil
}

// DiscardStandardLogger discards what libraries write to the standard logger. With GODEBUG=http2debug=2, net/http writes all
// headers and bodies there, credentials among them, and Terraform would pass them on as lines of the provider's log.
func DiscardStandardLogger() { log.SetOutput(io.Discard) } //nolint:forbidigo // it is silenced, not used

// PluginLogger returns a logger for the plugin library, at the level that Terraform
// passes on. The library's own default is TRACE.
func PluginLogger() hclog.Logger {
	return hclog.New(&hclog.LoggerOptions{Level: passedLevel(), Output: os.Stderr, JSONFormat: true}) //nolint:forbidigo // what Terraform reads logs from
}

// passedLevel is the level from which Terraform passes on the lines of a provider:
// TF_LOG_PROVIDER, or else TF_LOG. As in Terraform, JSON and unknown levels mean
// TRACE.
func passedLevel() hclog.Level {
	level := os.Getenv(envLogProvider)
	if level == "" {
		level = os.Getenv(envLog)
	}
	if level == "" {
		return hclog.Off
	}
	if known := hclog.LevelFromString(level); known != hclog.NoLevel {
		return known
	}
	return hclog.Trace
}
