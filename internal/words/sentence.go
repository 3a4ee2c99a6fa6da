package words

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Enumerate joins names for a sentence: "a", "a, b and c". names must not be empty.
func Enumerate(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// Remark is what a message says of one thing.
type Remark struct{ Of, Text string }

// ListRemarks is a list. What is said of several things is one line, with their number and at most
// twenty of them. If the text is "", each thing is a line.
func ListRemarks(all []Remark, thing string) string {
	var lines []string
	of := map[string][]string{}
	for _, said := range all {
		if !slices.Contains(of[said.Text], said.Of) {
			of[said.Text] = append(of[said.Text], said.Of)
		}
	}
	for _, said := range all {
		switch things := of[said.Text]; {
		case said.Text == "":
			lines = append(lines, "  - "+said.Of)
		case len(things) == 1:
			lines = append(lines, "  - "+said.Of+": "+said.Text)
		case len(things) > 20:
			lines = append(lines, fmt.Sprintf("  - %s (%s: %s, …)", said.Text, Count(len(things), thing), strings.Join(things[:20], ", ")))
		case len(things) > 1:
			lines = append(lines, fmt.Sprintf("  - %s (%s: %s)", said.Text, Count(len(things), thing), strings.Join(things, ", ")))
		}
		delete(of, said.Text)
	}
	return strings.Join(lines, "\n")
}

// Without are the names that are not among others.
func Without(names, others []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(others, name) })
}

// Paragraphs joins paragraphs, of which some may be "".
func Paragraphs(all ...string) string { return strings.Join(Without(all, []string{""}), "\n\n") }

// Are is the beginning of a sentence about names: "a is", "a, b and c are". names must not be empty.
func Are(names []string) string {
	if len(names) == 1 {
		return names[0] + " is"
	}
	return Enumerate(names) + " are"
}

// Sentence adds a full stop to a text that has no end mark. A colon at its end announces something
// that is not there, and is removed.
func Sentence(s string) string {
	s = strings.TrimRight(s, ": ")
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?") {
		return s
	}
	return s + "."
}

// Count is a number of things, whose name gets an s.
func Count(n int, thing string) string {
	number := strconv.Itoa(n)
	for i := len(number) - 3; i > 0; i -= 3 {
		number = number[:i] + "," + number[i:]
	}
	if n != 1 {
		thing += "s"
	}
	return number + " " + thing
}

// Duration rounds a duration for a message.
func Duration(d time.Duration) string {
	if d >= 10*time.Second {
		return d.Round(time.Second).String()
	}
	return d.Round(time.Millisecond).String()
}

// Clock is a time of day for a message, with its time zone; with its date unless it is within half a day.
func Clock(t time.Time) string {
	if time.Until(t).Abs() > 12*time.Hour {
		return t.Format("2006-01-02 15:04:05 MST")
	}
	return t.Format("15:04:05 MST")
}
