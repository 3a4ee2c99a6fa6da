package provider

import (
	"errors"
	"fmt"
	"math"
	"regexp"
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

// setting is one argument of the provider. The error of its check continues a sentence that begins
// with the setting's name, and never repeats a secret.
type setting struct {
	name, description string
	needed            bool // required where it is used; the others have a default
	sensitive         bool
	partners          []string           // without which a credential is useless
	check             func(string) error // nil for a URL, whose check depends on allow_http
}

// providerSettings are in the order in which they are read.
var providerSettings = []setting{
	{name: "allow_http", check: checkBool,
		description: "Whether `base_url` and `alerts_base_url` may use plain `http` with any host, such as a fake platform in another container. Credentials then travel in the clear. Defaults to `false`."},
	{name: "base_url", needed: true,
		description: "Base URL of the management API. Must be `https`; plain `http` is allowed only for a loopback address, or with `allow_http`. A path prefix is kept; a trailing slash is ignored."},
	{name: "organization_id", needed: true, check: checkUUID,
		description: "UUID of the default organization. An `organization_id` of a resource or data source takes precedence, and an existing resource keeps its organization when the default changes."},
	{name: "key_id", needed: true, partners: []string{"base_url", "key_secret"}, check: checkKeyID,
		description: "ID of the API key for the management API. Must not contain a colon or whitespace."},
	{name: "key_secret", needed: true, sensitive: true, partners: []string{"base_url", "key_id"}, check: checkCredential,
		description: "Secret of the API key for the management API. Must not contain whitespace."},
	{name: "alerts_base_url", needed: true,
		description: "Base URL of the alerting API, which only `dataplatform_alert` uses. Has the form of `base_url`."},
	{name: "alerts_access_token", needed: true, sensitive: true, partners: []string{"alerts_base_url"}, check: checkCredential,
		description: "Bearer token for the alerting API. Must not contain whitespace."},
	{name: "request_timeout", check: durationFrom(1, "must be greater than zero"),
		description: fmt.Sprintf("Timeout of one attempt of a request, a duration greater than zero such as `30s`. Defaults to `%s`.", platform.DefaultRequestTimeout)},
	{name: "retry_timeout", check: durationFrom(0, "must not be negative"),
		description: fmt.Sprintf("Time limit of one operation with all its retries, a duration such as `5m`. `0s` disables retries. Defaults to `%s`.", platform.DefaultRetryTimeout)},
	{name: "max_concurrent_requests", check: checkCount,
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

// checkBool never repeats a value, which may be a secret in the wrong variable.
func checkBool(value string) error {
	if _, err := strconv.ParseBool(value); err != nil {
		return errors.New("must be true or false")
	}
	return nil
}

func checkUUID(value string) error {
	if !words.IsUUID(value) {
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

// checkCredential rejects whitespace and control characters, which are not valid in a header, and
// which files and variables often append.
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
			return fmt.Errorf("must be a duration such as 30s or 5m%s", gotNumber(value))
		case d < minimum:
			return fmt.Errorf("%s, got %q", rule, value)
		default:
			return nil
		}
	}
}

func checkCount(value string) error {
	if n, err := strconv.ParseInt(value, 10, 32); err != nil || n < 1 {
		got := gotNumber(value) // quoted, so that whitespace is seen
		if _, err := strconv.ParseFloat(value, 64); err == nil {
			got = fmt.Sprintf(", got %.100s", value)
		}
		return fmt.Errorf("must be a whole number between 1 and %d%s", math.MaxInt32, got)
	}
	return nil
}

var numberLike = regexp.MustCompile(`^\s*[-+]?\d[\d.,]{0,20}\s*[a-zA-Zµ]{0,8}\s*$`)

// gotNumber repeats a rejected value at the end of a message if it is a number, with or without a
// unit. Any other text may be a secret that a pipeline has put into the wrong variable.
func gotNumber(value string) string {
	if !numberLike.MatchString(value) {
		return ""
	}
	return fmt.Sprintf(", got %q", value)
}

// settings are the provider's, from its configuration or the environment.
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
			written = tfvalue.Rules{}.DescribeInFull(s.name, value) // as the environment spells a boolean or a number
		}
		check := s.check
		if check == nil {
			check = set.checkAddress
		}
		if err := check(written); err != nil {
			diags.AddAttributeError(path.Root(s.name), "Invalid provider setting", fmt.Sprintf("%s %s.", from, err))
			continue
		}
		set.values[s.name] = written
	}
	return set
}

func (s settings) checkAddress(value string) error {
	if _, err := platform.ParseBaseURL(value, s.allowsHTTP()); err != nil {
		return fmt.Errorf("is not valid: %w", err)
	}
	return nil
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
		lines := make([]string, len(unset))
		for i, name := range unset {
			lines[i] = "  - " + name + ", or " + conn.Environment(name)
		}
		diags.AddError("Provider not configured",
			"Neither the provider block nor the environment sets any of these:\n\n"+strings.Join(lines, "\n")+
				"\n\nThe last two are for the alerting API, which only dataplatform_alert uses. The others are for the management API. Set those that your configuration needs.")
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
