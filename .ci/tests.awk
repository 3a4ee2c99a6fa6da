# Reads what gotestsum prints, drops the lines of packages without tests and of quick tests
# that pass, and sums the skipped tests up by their reasons.
/^=== Skipped/ { summing = 1; next }
summing && /^=== SKIP: / { test = $4; next }
summing && /^ +[^ ]+\.go:[0-9]+: / {
	sub(/^[^:]*:[0-9]+: /, "")
	if (!($0 in tests)) reasons[++count] = $0
	tests[$0] = tests[$0] " " test
	next
}
summing && /^(DONE|=== )/ {
	summing = 0
	for (i = 1; i <= count; i++) printf "skipped: %s:%s\n", reasons[i], tests[reasons[i]]
	print ""
}
summing || /^(EMPTY .*|(PASS|SKIP) .* \(0\.[0-9]+s\))$/ { next }
{ print; fflush() }
