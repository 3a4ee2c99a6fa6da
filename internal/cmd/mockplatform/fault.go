package main

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// methods are those that the API document uses.
var methods = []string{http.MethodGet, http.MethodPost, http.MethodPatch}

// parseFault reads [after-]STATUS|reset|hang|cut[:N[:METHOD[:PATH]]].
func parseFault(value string) (mockplatform.Fault, error) {
	what, rest, _ := strings.Cut(value, ":")
	count, rest, _ := strings.Cut(rest, ":")
	method, path, _ := strings.Cut(rest, ":")
	what, after := strings.CutPrefix(what, "after-")

	method = strings.ToUpper(method)
	if method != "" && !slices.Contains(methods, method) {
		return mockplatform.Fault{}, fmt.Errorf("%q is none of the API's methods: %s", method, strings.Join(methods, ", "))
	}
	fault := mockplatform.Fault{After: after, Method: method, Path: path}
	switch what {
	case "reset":
		fault.Reset = true
	case "hang":
		fault.Hang = true
	case "cut":
		// Some JSON has arrived by then, and some of it is missing.
		fault.Cut, fault.CutBytes = mockplatform.CutBody, -20
	default:
		status, err := strconv.Atoi(what)
		if err != nil || http.StatusText(status) == "" {
			return fault, fmt.Errorf("%q is none of reset, hang, cut or an HTTP status", what)
		}
		fault.Status = status
	}
	var err error
	fault.Times, err = parseTimes(count)
	return fault, err
}

func parseTimes(count string) (int, error) {
	if count == "" {
		return 1, nil
	}
	times, err := strconv.Atoi(count)
	if err != nil || times < 0 {
		return 0, fmt.Errorf("%q is not a number of requests", count)
	}
	if times == 0 {
		return mockplatform.Always, nil
	}
	return times, nil
}
