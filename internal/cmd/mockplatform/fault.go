package main

import (
	"errors"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// methods are the methods in the API document.
var methods = []string{http.MethodGet, http.MethodPost, http.MethodPatch}

// parseFault parses [after-]STATUS|reset|hang|cut[:N[:METHOD[:PATH]]].
func parseFault(value string) (mockplatform.Fault, error) {
	what, rest, _ := strings.Cut(value, ":")
	count, rest, _ := strings.Cut(rest, ":")
	method, urlPath, _ := strings.Cut(rest, ":")
	what, after := strings.CutPrefix(what, "after-")

	method = strings.ToUpper(method)
	if method != "" && !slices.Contains(methods, method) {
		return mockplatform.Fault{}, fmt.Errorf("METHOD must be one of %s", strings.Join(methods, ", "))
	}
	if _, err := path.Match(urlPath, ""); err != nil {
		return mockplatform.Fault{}, errors.New("PATH must be part of a path, or a pattern such as /v1/*/services")
	}
	fault := mockplatform.Fault{After: after, Method: method, Path: urlPath}
	switch what {
	case "reset":
		fault.Reset = true
	case "hang":
		fault.Hang = true
	case "cut":
		// Part of the JSON arrives and part is missing.
		fault.Cut, fault.CutBytes = mockplatform.CutBody, -20
	default:
		status, err := strconv.Atoi(what)
		if err != nil || status < 200 || http.StatusText(status) == "" {
			return fault, errors.New("must begin with reset, hang, cut or an HTTP status of at least 200")
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
		return 0, errors.New("the number of requests must be whole, or 0 for all")
	}
	if times == 0 {
		return mockplatform.Always, nil
	}
	return times, nil
}
