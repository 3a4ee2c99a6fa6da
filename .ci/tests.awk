# Reads what gotestsum prints. Drops the lines of packages without tests and of quick tests that
# pass, and sums up the skipped tests by their reasons. A package that ran into its timeout is one
# line, without its goroutines and the tests that had not ended, which have not failed.
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

# Before the summary: a test that had not ended.
/^=== (RUN|PAUSE|CONT) / { held = held $0 "\n"; next }
/^FAIL .* \(-1\.00s\)$/ { held = ""; next }

# In the summary.
/^=== FAIL: / { package = $3; isCut = $NF == "(unknown)" && package in timedOut; cut += isCut }
/^=== Errors|^DONE / { isCut = 0 }
cut && match($0, /^DONE .*, [0-9]+ failures?/) { failures = $4 - cut; sub(/[0-9]+ failures?/, failures " failed") }
/^panic: test timed out after / {
	timedOut[package] = isCut = 1
	printf "%s did not end within %s, and was stopped. Nothing is known of the tests that had not ended. Running:", package, $NF
}
isCut && /^\t\t[^ ]+ \([0-9hms.]+\)$/ { printf " %s %s", $1, $2 }
isCut && /^goroutine / && !(package in ended) { ended[package] = 1; print "\n" }
isCut { held = ""; next }
{ printf "%s", held; held = ""; print; fflush() }
