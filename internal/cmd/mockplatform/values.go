package main

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
)

// value returns the function that sets a flag. A value that cannot be parsed or
// is not valid breaks the rule; the flag package adds the flag and the value.
func value[T any](to *T, parse func(string) (T, error), valid func(T) bool, rule string) func(string) error {
	return func(text string) error {
		parsed, err := parse(text)
		if err != nil || !valid(parsed) {
			return errors.New(rule)
		}
		*to = parsed
		return nil
	}
}

// text parses a flag that is a string.
func text[T ~string](value string) (T, error) { return T(value), nil }

func count(to *int) func(string) error {
	return value(to, strconv.Atoi, func(n int) bool { return n >= 0 && n <= maxObjects },
		fmt.Sprintf("must be a whole number between 0 and %d", maxObjects))
}

func notEmpty(to *string) func(string) error {
	return value(to, text, func(value string) bool { return value != "" }, "must not be empty")
}

func hostPort(to *string) func(string) error {
	return value(to, text, func(value string) bool {
		_, port, err := net.SplitHostPort(value)
		_, portErr := strconv.ParseUint(port, 10, 16)
		return err == nil && portErr == nil
	}, "must be HOST:PORT with a port between 0 and 65535, such as 127.0.0.1:8080")
}

// prefix rejects characters that a URL escapes, since the path of a request is
// compared as it was sent.
func prefix(to *string) func(string) error {
	return value(to, text, func(value string) bool {
		clean := "/" + strings.Trim(value, "/")
		return path.Clean(clean) == clean && (&url.URL{Path: clean}).EscapedPath() == clean
	}, "must be a path that needs no escapes, such as /mgmt")
}

// choice defines a flag with a closed list of values. The first is the default.
func choice[T ~string](flags *flag.FlagSet, to *T, name, usage string, allowed ...T) {
	list := string(allowed[0])
	for _, one := range allowed[1:] {
		list += ", " + string(one)
	}
	flags.Func(name, fmt.Sprintf("%s: %s (default %s)", usage, list, allowed[0]),
		value(to, text, func(value T) bool { return slices.Contains(allowed, value) }, "must be one of "+list))
}
