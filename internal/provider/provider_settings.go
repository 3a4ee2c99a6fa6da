package provider

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

type setting struct {
	name, description string
	needed            bool // required where it is used; the others have a default
	sensitive         bool
	partners          []string // without which a credential is useless
	// rule is what accepts requires of a value, after the setting's name in an error. Errors repeat no value, which may
	// be a secret in the wrong variable. A URL has neither: its check depends on allow_http.
	rule    string
	accepts func(string) bool
}

const secretRule = "must not be empty, and must not contain whitespace or control characters; use trimspace() if it is read from a file"

// providerSettings are in the order in which they are read.
var providerSettings = []setting{
	{name: "allow_http", rule: "must be true or false", accepts: isBool,
		description: "Whether `base_url` and `alerts_base_url` may use plain `http` with any host, such as a fake platform in another container. " +
			"Credentials then travel in the clear. Defaults to `false`."},
	{name: "base_url", needed: true,
		description: "Base URL of the management API. Must be `https`; plain `http` is allowed only for a loopback address, or with `allow_http`. " +
			"A path prefix is kept; a trailing slash is ignored."},
	{name: "organization_id", needed: true, rule: "must be a UUID", accepts: words.IsUUID,
		description: "UUID of the default organization. An `organization_id` of a resource or data source takes precedence, " +
			"and an existing resource keeps its organization when the default changes."},
	{name: "key_id", needed: true, partners: []string{"base_url", "key_secret"}, rule: "must not contain a colon, and " + secretRule, accepts: isKeyID,
		description: "ID of the API key for the management API. Must not contain a colon or whitespace."},
	{name: "key_secret", needed: true, sensitive: true, partners: []string{"base_url", "key_id"}, rule: secretRule, accepts: isSecretText,
		description: "Secret of the API key for the management API. Must not contain whitespace."},
	{name: "alerts_base_url", needed: true,
		description: "Base URL of the alerting API, which only `dataplatform_alert` uses. Has the form of `base_url`."},
	{name: "alerts_access_token", needed: true, sensitive: true, partners: []string{"alerts_base_url"}, rule: secretRule, accepts: isSecretText,
		description: "Bearer token for the alerting API. Must not contain whitespace."},
	{name: "request_timeout", rule: "must be a duration greater than zero, such as 30s", accepts: isDurationFrom(1),
		description: fmt.Sprintf("Timeout of one attempt of a request, a duration greater than zero such as `30s`. Defaults to `%s`.",
			platform.DefaultRequestTimeout)},
	{name: "retry_timeout", rule: "must be a duration such as 5m, and must not be negative", accepts: isDurationFrom(0),
		description: fmt.Sprintf("Time limit of one operation with all its retries, a duration such as `5m`. `0s` disables retries. Defaults to `%s`.",
			platform.DefaultRetryTimeout)},
	{name: "max_concurrent_requests", rule: "must be a whole number between 1 and 2147483647", accepts: isCount,
		description: fmt.Sprintf("Maximum number of concurrent requests, at least 1. Defaults to %d.", platform.DefaultMaxConcurrentRequests)},
}

func providerAttributes() map[string]schema.Attribute {
	attributes := map[string]schema.Attribute{}
	for _, s := range providerSettings {
		description := s.description + " Environment variable: `" + conn.Environment(s.name) + "`."
		switch s.name {
		case "allow_http":
			attributes[s.name] = optional.bool(description)
		case "max_concurrent_requests":
			attributes[s.name] = optional.number(description)
		default:
			attributes[s.name] = access{optional: true, sensitive: s.sensitive}.string(description)
		}
	}
	return attributes
}

func isBool(value string) bool {
	_, err := strconv.ParseBool(value)
	return err == nil
}

// isKeyID rejects a colon, which would end the ID within the header.
func isKeyID(value string) bool { return !strings.Contains(value, ":") && isSecretText(value) }

// isSecretText rejects whitespace and control characters, which are not valid in a header, and
// which files and variables often append.
func isSecretText(value string) bool {
	return value != "" && !strings.ContainsFunc(value, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
}

func isDurationFrom(minimum time.Duration) func(string) bool {
	return func(value string) bool {
		d, err := time.ParseDuration(value)
		return err == nil && d >= minimum
	}
}

func isCount(value string) bool {
	n, err := strconv.ParseInt(value, 10, 32)
	return err == nil && n >= 1
}

type settings struct {
	values  map[string]string
	unknown []string
}

// readSettings reads and checks every setting. Errors point at the argument, and name the
// environment variable if the value comes from there.
func readSettings(config tfvalue.Value, getenv func(string) string, diags *diag.Diagnostics) settings {
	set := settings{values: map[string]string{}}
	for _, s := range providerSettings {
		value, from := config.At(s.name), s.name
		if !value.IsKnown() {
			set.unknown = append(set.unknown, s.name)
			continue
		}
		written := value.Text()
		switch {
		case value.IsNull():
			if written = getenv(conn.Environment(s.name)); written == "" {
				continue
			}
			from = "The environment variable " + conn.Environment(s.name)
		case !value.Type().Is(tftypes.String):
			written = value.DescribeInFull() // as the environment spells a boolean or a number
		}
		wrong := s.rule
		switch _, err := platform.ParseBaseURL(written, set.allowsHTTP()); {
		case written == "":
			wrong = "must not be empty; to leave it unset, omit it or pass null, such as from a module's default"
		case s.accepts == nil && err != nil:
			wrong = fmt.Sprintf("is not valid: %s", err)
		case s.accepts == nil || s.accepts(written):
			wrong = ""
		}
		if wrong != "" {
			diags.AddAttributeError(path.Root(s.name), "Invalid provider setting", fmt.Sprintf("%s %s.", from, wrong))
			continue
		}
		set.values[s.name] = written
	}
	return set
}

// allowsHTTP reports whether plain http may be used with any host. It may while allow_http is
// unknown, since nothing is sent then.
func (s settings) allowsHTTP() bool {
	return slices.Contains(s.unknown, "allow_http") || parsed(strconv.ParseBool, s.values["allow_http"], false)
}

// checkComplete reports in one error that nothing is set, or that a credential is set without its
// partner. An unknown setting may turn out to be set or not, so nothing is reported about it.
func (s settings) checkComplete(diags *diag.Diagnostics) {
	unset := s.unset()
	if len(unset) == len(settings{}.unset()) { // all of them
		diags.AddError("Provider not configured",
			fmt.Sprintf("Neither the provider block nor the environment sets any of these: %s. The last two are for the alerting API, "+
				"which only dataplatform_alert uses, and the others for the management API. To use an API, %s.", words.Enumerate(unset), conn.ToSet(unset)))
		return
	}
	var halves, lacking []string
	for _, setting := range providerSettings {
		for _, partner := range setting.partners {
			if s.values[setting.name] != "" && slices.Contains(unset, partner) {
				halves, lacking = append(halves, setting.name), append(lacking, partner)
			}
		}
	}
	if len(halves) == 0 {
		return
	}
	slices.Sort(lacking)
	halves, lacking = slices.Compact(halves), slices.Compact(lacking)
	diags.AddError("Provider settings are incomplete",
		fmt.Sprintf("%s set, but %s not: %s.", words.Are(halves), words.Are(lacking), conn.ToSet(lacking)))
}

// unset names the settings that are required where they are used, and are not set.
func (s settings) unset() []string {
	var unset []string
	for _, setting := range providerSettings {
		if _, ok := s.values[setting.name]; !ok && setting.needed && !slices.Contains(s.unknown, setting.name) {
			unset = append(unset, setting.name)
		}
	}
	return unset
}

// parsed is the value of a checked setting, or its default.
func parsed[T any](parse func(string) (T, error), text string, otherwise T) T {
	if value, err := parse(text); err == nil {
		return value
	}
	return otherwise
}
