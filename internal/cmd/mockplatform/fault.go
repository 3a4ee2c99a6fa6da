package main

import (
	"errors"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// methods are the methods in the API document.
var methods = []string{http.MethodGet, http.MethodPost, http.MethodPatch}

// parseFault parses [after-|half-|later-DURATION-][page-]STATUS|reset|hang|cut[:N[:METHOD[:PATH]]].
func parseFault(value string) (mockplatform.Fault, error) {
	what, rest, _ := strings.Cut(value, ":")
	count, rest, _ := strings.Cut(rest, ":")
	method, urlPath, _ := strings.Cut(rest, ":")
	fault := mockplatform.Fault{Method: strings.ToUpper(method), Path: urlPath, Times: 1}
	what, err := cutCarriedOut(what, &fault)
	if err != nil {
		return fault, err
	}
	if fault.Method != "" && !slices.Contains(methods, fault.Method) {
		return fault, fmt.Errorf("METHOD must be one of %s", strings.Join(methods, ", "))
	}
	if _, err := path.Match(urlPath, ""); err != nil {
		return fault, errors.New("PATH must be part of a path, or a pattern such as /v1/*/services")
	}
	if count != "" {
		times, err := strconv.Atoi(count)
		if err != nil || times < 0 {
			return fault, errors.New("the number of requests must be whole, or 0 for all")
		}
		fault.Times = times
		if times == 0 {
			fault.Times = mockplatform.Always
		}
	}
	switch what {
	case "reset":
		fault.Reset = true
	case "hang":
		fault.Hang = true
	case "cut":
		// Part of the JSON arrives and part is missing.
		fault.Cut, fault.CutBytes = mockplatform.CutBody, -20
	default:
		status, isPage := strings.CutPrefix(what, "page-")
		if isPage {
			fault.Body = mockplatform.BodyHTML
		}
		fault.Status, err = strconv.Atoi(status)
		if err != nil || fault.Status < 200 || http.StatusText(fault.Status) == "" {
			return fault, errors.New("must begin with reset, hang, cut or an HTTP status of at least 200")
		}
	}
	return fault, nil
}

// cutCarriedOut parses what of the request is carried out, or when, and returns the rest.
func cutCarriedOut(what string, fault *mockplatform.Fault) (rest string, err error) {
	when, rest, found := strings.Cut(what, "-")
	switch {
	case !found:
		return what, nil
	case when == "after":
		fault.After = true
	case when == "half":
		fault.Half = true
	case when == "later":
		when, rest, _ = strings.Cut(rest, "-")
		if fault.Later, err = time.ParseDuration(when); err != nil || fault.Later <= 0 || rest == "cut" {
			return "", errors.New("later- needs a duration and a status, reset or hang, such as later-14s-504")
		}
	default:
		return what, nil
	}
	return rest, nil
}
