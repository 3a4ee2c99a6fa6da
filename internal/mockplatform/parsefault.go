package mockplatform

import (
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var (
	faultText     = regexp.MustCompile(`^(?:(after|half)-|later-(\d[\w.]*)-)?((?:page-)?\d{3}|reset|hang|cut)(?::(\d*)(?::(GET|POST|PATCH|)(?::(.*))?)?)?$`)
	errFaultValue = errors.New("a fault has the form [after-|half-|later-DURATION-][page-]STATUS|reset|hang|cut[:N[:METHOD[:PATH]]], such as 503:2:GET")
)

// parseFault parses the text of a fault. After- carries the request out first, half- only what it
// removes, and later-14s- 14 s after its arrival. page- responds with the HTML page of a gateway.
// N is the number of requests, one if it is omitted, and all if it is 0.
func parseFault(value string) (Fault, error) {
	found := faultText.FindStringSubmatch(value)
	if found == nil {
		return Fault{}, errFaultValue
	}
	when, later, what, times := found[1], found[2], found[3], found[4]
	fault := Fault{After: when == "after", Half: when == "half", Method: found[5], Path: found[6]}
	if later != "" {
		var err error
		if fault.Later, err = time.ParseDuration(later); err != nil || what == "cut" {
			return Fault{}, errFaultValue
		}
	}
	if times != "" {
		fault.Times, _ = strconv.Atoi(times)
		if fault.Times == 0 {
			fault.Times = Always
		}
	}
	switch what {
	case "reset":
		fault.Reset = true
	case "hang":
		fault.Hang = true
	case "cut":
		fault.Cut, fault.CutBytes = CutBody, -20 // part of the JSON arrives
	default:
		status, isPage := strings.CutPrefix(what, "page-")
		if isPage {
			fault.Body = BodyHTML
		}
		fault.Status, _ = strconv.Atoi(status)
		if fault.Status < 200 || http.StatusText(fault.Status) == "" {
			return Fault{}, errFaultValue
		}
	}
	return fault, nil
}
