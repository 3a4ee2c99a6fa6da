package platform

import (
	"fmt"
	"math/big"
)

// Integer is a number that the API document calls an integer, exact at any size
// (byte counts exceed 2^53, where a float64 rounds) and in any spelling: 4, 4.0
// and 4e0 are equal. A fraction, which the document rules out, is kept, or it
// would fail the whole response.
type Integer struct{ big.Float }

// Exact is the number with all its digits, to read and to set.
func (i *Integer) Exact() *big.Float { return &i.Float }

const (
	// integerPrecision is the precision of Terraform's numbers, in bits.
	integerPrecision = 512
	// Numbers beyond these limits are rejected: 1e999999999 is short, but takes
	// gigabytes to print.
	maxNumberLength = 1000 // characters
	maxExponent     = 4096 // of two, in both directions
)

// MarshalJSON writes the number without exponent or trailing zeros.
func (i *Integer) MarshalJSON() ([]byte, error) {
	if !i.isSane() {
		return nil, fmt.Errorf("%s is no number for a setting", i.Text('g', 10))
	}
	return []byte(i.Text('f', -1)), nil
}

// UnmarshalJSON reads any spelling of a JSON number.
func (i *Integer) UnmarshalJSON(data []byte) error {
	if len(data) > maxNumberLength {
		return fmt.Errorf("%.40s… is too long for a number", data)
	}
	f, _, err := big.ParseFloat(string(data), 10, integerPrecision, big.ToNearestEven)
	if err != nil {
		return fmt.Errorf("%.40s is not a number", data)
	}
	read := Integer{*f}
	if !read.isSane() {
		return fmt.Errorf("%.40s is no number for a setting", data)
	}
	*i = read
	return nil
}

func (i *Integer) isSane() bool {
	exponent := i.MantExp(nil)
	return !i.IsInf() && -maxExponent < exponent && exponent < maxExponent
}
