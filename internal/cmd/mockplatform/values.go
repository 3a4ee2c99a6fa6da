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
	"time"
)

// These functions parse the value of a flag. The flag package names the flag and
// the value before their errors.

func whole(to *int, maximum int) func(string) error {
	return func(value string) error {
		number, err := strconv.Atoi(value)
		if err != nil || number < 0 || number > maximum {
			return fmt.Errorf("must be a whole number between 0 and %d", maximum)
		}
		*to = number
		return nil
	}
}

func rate(to *float64) func(string) error {
	return func(value string) error {
		number, err := strconv.ParseFloat(value, 64)
		if err != nil || number != 0 && !(number >= 0.001 && number <= 1e6) { // so that NaN is rejected
			return errors.New("must be a number between 0.001 and 1000000, or 0 for no limit")
		}
		*to = number
		return nil
	}
}

func duration(to *time.Duration) func(string) error {
	return func(value string) error {
		length, err := time.ParseDuration(value)
		if err != nil || length < 0 {
			return errors.New("must be a duration of at least 0, such as 200ms")
		}
		*to = length
		return nil
	}
}

func notEmpty(to *string) func(string) error {
	return func(value string) error {
		if value == "" {
			return errors.New("must not be empty")
		}
		*to = value
		return nil
	}
}

func hostPort(to *string) func(string) error {
	return func(value string) error {
		_, port, err := net.SplitHostPort(value)
		if _, portErr := strconv.ParseUint(port, 10, 16); err != nil || portErr != nil {
			return errors.New("must be HOST:PORT with a port between 0 and 65535, such as 127.0.0.1:8080")
		}
		*to = value
		return nil
	}
}

// prefix rejects characters that a URL escapes, since the path of a request is
// compared as it was sent.
func prefix(to *string) func(string) error {
	return func(value string) error {
		clean := "/" + strings.Trim(value, "/")
		if path.Clean(clean) != clean || (&url.URL{Path: clean}).EscapedPath() != clean {
			return errors.New("must be a path that needs no escapes, such as /mgmt")
		}
		*to = value
		return nil
	}
}

// choice defines a flag with a closed list of values. The first is the default.
func choice[T ~string](flags *flag.FlagSet, to *T, name, usage string, allowed ...T) {
	list := fmt.Sprint(allowed[0])
	for _, one := range allowed[1:] {
		list += ", " + string(one)
	}
	flags.Func(name, fmt.Sprintf("%s: %s (default %s)", usage, list, allowed[0]), func(value string) error {
		if !slices.Contains(allowed, T(value)) {
			return fmt.Errorf("must be one of %s", list)
		}
		*to = T(value)
		return nil
	})
}
