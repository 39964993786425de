#!/usr/bin/env python3
"""Summarizes a run of `bazel test` for ./test.

usage: test_summary.py LOG TESTS BAZEL_STATUS [TEST_LOGS]
LOG: the output of `bazel test --test_summary=short`
TESTS: a file with the label of each selected test, one per line
BAZEL_STATUS: Bazel's exit status
TEST_LOGS: the folder that contains the logs of the tests, by default bazel-testlogs

Prints the end of the log of each failed test, because Bazel's own report is hard to find in its output, and the tests
that Bazel neither ran nor reported. The last line is "N passed, N failed", or "N passed, N failed, N not run" if Bazel
skipped tests; the numbers add up to the number of tests. A test that was not built counts as failed.
Exit status: 0 if Bazel succeeded and all tests passed, 1 otherwise.
"""
import collections
import glob
import os
import re
import sys

# Bazel's summary follows this line and has one line for each test: "//folder:name  [(cached)] STATUS [in 1.0s]". The
# output of a test may contain similar lines.
START_OF_SUMMARY = "INFO: Elapsed time:"
RESULT = re.compile(r"(//\S+)\s+(?:\(cached\) )?"
                    r"(PASSED|FLAKY|FAILED TO BUILD|FAILED|TIMEOUT|NO STATUS|INCOMPLETE|REMOTE FAILURE)(?:[ ,]|$)")
PASSED = ("PASSED", "FLAKY")
NOT_RUN = ("NO STATUS", None)
SHOWN_LINES = 40  # of the log of a failed test


def statuses(log, tests):
    """Returns the status of each test, or None for a test that the log does not report. Includes reported tests that
    are missing from `tests`."""
    found = dict.fromkeys(tests)
    lines = log.split("\n")
    starts = [number for number, line in enumerate(lines) if line.startswith(START_OF_SUMMARY)]
    for line in lines[starts[-1]:] if starts else []:
        result = RESULT.match(line)
        if result:
            found[result.group(1)] = result.group(2)
    return found


def end_of_logs(test_logs, test):
    """Yields the last lines of the logs of a test. A sharded test has several logs."""
    folder = os.path.join(test_logs, test[2:].replace(":", "/"))
    for path in sorted(glob.glob(os.path.join(glob.escape(folder), "**", "test.log"), recursive=True)):
        with open(path, encoding="utf-8", errors="replace") as file:
            yield from collections.deque((line.rstrip("\n") for line in file), SHOWN_LINES)


def summarize(log, tests, bazel_status, test_logs):
    """Returns the lines of the summary, and whether the run succeeded."""
    found = statuses(log, tests)
    passed = sum(status in PASSED for status in found.values())
    not_run = sorted(test for test, status in found.items() if status in NOT_RUN)
    failed = len(found) - passed - len(not_run)
    lines = []
    for test, status in sorted(found.items()):
        if status in ("FAILED", "TIMEOUT"):
            lines.append("test: the end of the log of %s:" % test)
            lines += end_of_logs(test_logs, test)
    unbuilt = sorted(test for test, status in found.items() if status == "FAILED TO BUILD")
    for reason, names in (("was not built (counted as failed)", unbuilt), ("was not run", not_run)):
        lines += ["test: %s %s" % (name, reason) for name in names]
    if bazel_status and not failed and not not_run:
        lines.append("test: no test failed, but bazel did (counted as one failure); see its errors above")
        failed = 1
    counts = "%d passed, %d failed" % (passed, failed)
    lines.append(counts + (", %d not run" % len(not_run) if not_run else ""))
    return lines, not failed and not not_run


def main(arguments):
    if len(arguments) not in (3, 4):
        sys.exit("usage: test_summary.py LOG TESTS BAZEL_STATUS [TEST_LOGS]")
    texts = []
    for path in arguments[:2]:
        with open(path, encoding="utf-8", errors="replace") as file:
            texts.append(file.read())
    lines, succeeded = summarize(texts[0], texts[1].split(), int(arguments[2]),
                                 arguments[3] if len(arguments) == 4 else "bazel-testlogs")
    print("\n".join(lines))
    return 0 if succeeded else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
