package provider

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/provider/schema"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
)

// setting is one argument of the provider, with the check of its value. A
// check's error continues a sentence that begins with the setting's name, and
// never repeats a secret.
type setting struct {
	name        string
	description string
	// needed means that the setting is required where it is used; the others have
	// a default.
	needed    bool
	sensitive bool
	check     func(string) error
}

var providerSettings = []setting{
	{name: "base_url", needed: true, check: checkAddress,
		description: "Base URL of the management API. Must be `https`; plain `http` is allowed only for a loopback address. A path prefix is kept; a trailing slash is ignored. Required by everything that uses the management API."},
	{name: "organization_id", needed: true, check: checkUUID,
		description: "UUID of the default organization. An `organization_id` of a resource or data source takes precedence, and an existing resource keeps its organization when the default changes. If omitted, each resource and data source needs its own `organization_id`."},
	{name: "key_id", needed: true, check: checkKeyID,
		description: "ID of the API key for the management API. Must not contain a colon or whitespace. Required by everything that uses the management API."},
	{name: "key_secret", needed: true, sensitive: true, check: checkCredential,
		description: "Secret of the API key for the management API. Must not contain whitespace; when reading it from a file, wrap it in `trimspace()`. Required by everything that uses the management API."},
	{name: "alerts_base_url", needed: true, check: checkAddress,
		description: "Base URL of the alerting API, which only `dataplatform_alert` uses. Must be `https`; plain `http` is allowed only for a loopback address. A path prefix is kept; a trailing slash is ignored. Required to read an alert."},
	{name: "alerts_access_token", needed: true, sensitive: true, check: checkCredential,
		description: "Bearer token for the alerting API. Must not contain whitespace; when reading it from a file, wrap it in `trimspace()`. Required to read an alert."},
	{name: "request_timeout", check: durationFrom(1, "must be greater than zero"),
		description: fmt.Sprintf("Timeout of one attempt of a request, a duration greater than zero such as `30s`. Defaults to `%s`.", platform.DefaultRequestTimeout)},
	{name: "retry_timeout", check: durationFrom(0, "must not be negative"),
		description: fmt.Sprintf("Time limit of one operation with all its retries and the waits between them, a duration such as `5m`. `0s` disables retries. Defaults to `%s`.", platform.DefaultRetryTimeout)},
	{name: "max_concurrent_requests", check: checkCount,
		description: fmt.Sprintf("Maximum number of concurrent requests, at least 1. Defaults to %d.", platform.DefaultMaxConcurrentRequests)},
}

func providerAttributes() map[string]schema.Attribute {
	attributes := map[string]schema.Attribute{}
	for _, s := range providerSettings {
		description := s.description + " Can also be set with the `" + conn.Environment(s.name) + "` environment variable."
		if s.name == "max_concurrent_requests" {
			attributes[s.name] = schema.NumberAttribute{Optional: true, MarkdownDescription: description}
			continue
		}
		attributes[s.name] = schema.StringAttribute{Optional: true, Sensitive: s.sensitive, MarkdownDescription: description}
	}
	return attributes
}

func checkAddress(value string) error {
	if _, err := platform.ParseBaseURL(value); err != nil {
		return fmt.Errorf("is not valid: %w", err)
	}
	return nil
}

func checkUUID(value string) error {
	if !platform.IsUUID(value) {
		return fmt.Errorf("must be a UUID, got %q", value)
	}
	return nil
}

// checkKeyID rejects a colon, which would end the ID within the header.
func checkKeyID(value string) error {
	if strings.Contains(value, ":") {
		return errors.New("must not contain a colon")
	}
	return checkCredential(value)
}

// checkCredential rejects whitespace and control characters, which no header
// carries and which files and variables often append.
func checkCredential(value string) error {
	blank := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }
	const rule = "must not contain whitespace or control characters"
	switch {
	case value == "":
		return errors.New("must not be empty")
	case strings.TrimFunc(value, blank) != value:
		return errors.New(rule + ": it begins or ends with one, probably because it was read from a file; use trimspace() in Terraform")
	case strings.ContainsFunc(value, blank):
		return errors.New(rule)
	default:
		return nil
	}
}

// durationFrom checks a duration that is at least minimum, as rule says.
func durationFrom(minimum time.Duration, rule string) func(string) error {
	return func(value string) error {
		switch d, err := time.ParseDuration(value); {
		case err != nil:
			return fmt.Errorf("must be a duration such as 30s or 5m, got %q", value)
		case d < minimum:
			return fmt.Errorf("%s, got %q", rule, value)
		default:
			return nil
		}
	}
}

func checkCount(value string) error {
	if n, err := strconv.ParseInt(value, 10, 32); err != nil || n < 1 {
		return fmt.Errorf("must be a whole number between 1 and %d, got %s", math.MaxInt32, clean(value))
	}
	return nil
}

// duration is the value of a checked setting, or its default.
func (s settings) duration(name string, otherwise time.Duration) time.Duration {
	if d, err := time.ParseDuration(s.values[name]); err == nil {
		return d
	}
	return otherwise
}

// number is the value of a checked setting, or its default.
func (s settings) number(name string, otherwise int) int {
	if n, err := strconv.Atoi(s.values[name]); err == nil {
		return n
	}
	return otherwise
}
