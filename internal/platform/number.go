package platform

import (
	"errors"
	"fmt"
	"math/big"
)

// Number is a number of the API, exact at any size: byte counts exceed 2^53, where
// a float64 rounds. 4, 4.0 and 4e0 are equal. A fraction is kept even where the
// API document has an integer, since an error would fail the whole response.
type Number struct{ big.Float }

// Exact returns the number with all its digits, to read or to set.
func (n *Number) Exact() *big.Float { return &n.Float }

const (
	// numberPrecision is the precision of Terraform's numbers, in bits.
	numberPrecision = 512
	// Numbers beyond these limits are rejected: 1e999999999 is short, but takes
	// gigabytes to print. The exponents are binary and those of a float64, which
	// every JSON library reads.
	maxNumberLength          = 1000 // characters
	minExponent, maxExponent = -1073, 1024
)

var errOutOfRange = errors.New("the number is out of range")

// MarshalJSON writes the number without exponent or trailing zeros. It fails if
// the number is out of range.
func (n *Number) MarshalJSON() ([]byte, error) {
	if !n.inRange() {
		return nil, errOutOfRange
	}
	return []byte(n.Text('f', -1)), nil
}

// UnmarshalJSON reads any spelling of a JSON number. It fails if the number is out
// of range.
func (n *Number) UnmarshalJSON(data []byte) error {
	if c := data[0]; c != '-' && (c < '0' || c > '9') {
		return fmt.Errorf("%.40s is not a number", data)
	}
	if len(data) > maxNumberLength {
		return errOutOfRange
	}
	f, _, err := big.ParseFloat(string(data), 10, numberPrecision, big.ToNearestEven)
	if err != nil { // the exponent overflows
		return errOutOfRange
	}
	read := Number{*f}
	if !read.inRange() {
		return errOutOfRange
	}
	*n = read
	return nil
}

func (n *Number) inRange() bool {
	exponent := n.MantExp(nil)
	return !n.IsInf() && (n.Sign() == 0 || minExponent <= exponent && exponent <= maxExponent)
}
