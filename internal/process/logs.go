// Package process sets up the process of a provider before it serves: what it
// logs, and how it collects garbage.
package process

import (
	"fmt"
	"os"
	"strings"

	"github.com/hashicorp/go-hclog"
)

// The variables that Terraform documents for the level of what providers log.
const (
	envLog         = "TF_LOG"
	envLogProvider = "TF_LOG_PROVIDER"
)

// SetLogLevels turns off what Terraform would throw away, for the provider of
// this name.
//
// The SDK's loggers begin at TRACE, and leave it to Terraform to filter: with
// no TF_LOG set, half of a provider's time goes into lines of JSON that travel
// to Terraform and are dropped there. So no logger is more verbose than what
// Terraform passes on; where the user chose a logger to be more silent than
// that, it stays so.
//
// The levels go through the environment because the SDK has no other way to
// set those of all its parts.
func SetLogLevels(provider string) error {
	passed := passedLevel()
	for _, logger := range []struct {
		variable string
		follows  bool // the level of TF_LOG_SDK, where it has none of its own
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

// PluginLogger is the logger of the library that talks to Terraform, at the
// same level. By itself it is as verbose as the SDK.
func PluginLogger() hclog.Logger {
	return hclog.New(&hclog.LoggerOptions{Level: passedLevel(), Output: os.Stderr, JSONFormat: true}) //nolint:forbidigo // what Terraform reads logs from
}

// passedLevel is the level from which on Terraform passes a provider's lines
// on: TF_LOG_PROVIDER, or else TF_LOG. JSON is TRACE in another form, and what
// is no level at all is TRACE too, as Terraform has it.
func passedLevel() hclog.Level {
	asked := os.Getenv(envLogProvider)
	if asked == "" {
		asked = os.Getenv(envLog)
	}
	if asked == "" {
		return hclog.Off
	}
	if level := hclog.LevelFromString(asked); level != hclog.NoLevel {
		return level
	}
	return hclog.Trace
}
