"""Plants logs of `bazel test` and expects that the counts add up to the number of tests."""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import test_summary  # noqa: E402

PASSED_LOG = """INFO: Found 9 targets and 3 test targets...
INFO: Elapsed time: 8.660s, Critical Path: 3.15s
INFO: Build completed successfully, 3 total actions
//ir:term_test                                                  (cached) PASSED in 0.1s
//ir:type_test                                                           PASSED in 0.1s
  Stats over 3 runs: max = 0.1s, min = 0.1s, avg = 0.1s, dev = 0.0s
//web:http_test                                                          FLAKY, failed in 1 out of 2 in 0.2s
"""
# Bazel does not mention //cli:check_test, and the output of //ir:type_test resembles a line of the summary.
BROKEN_LOG = """INFO: Found 9 targets and 6 test targets...
FAIL: //ir:type_test (see test.log)
//ir:type_test                                                           PASSED in 0.1s
//ir:imaginary_test                                                      PASSED in 0.1s
TIMEOUT: //web:http_test (Summary)
INFO: Elapsed time: 8.660s, Critical Path: 3.15s
FAILED: Build did NOT complete successfully
//corpus:read_test                                                     NO STATUS
//corpus/glsl:reader_test                                        FAILED TO BUILD
//ir:term_test                                                            PASSED in 0.1s
//ir:type_test                                                            FAILED in 0.1s
  bazel-testlogs/ir/type_test/test.log
//web:http_test                                                          TIMEOUT in 3.0s
  bazel-testlogs/web/http_test/test.log

Executed 3 out of 6 tests: 1 test passes, 1 fails to build, 2 fail locally and 1 was skipped.
"""
PASSED_TESTS = ["//ir:term_test", "//ir:type_test", "//web:http_test"]
BROKEN_TESTS = PASSED_TESTS + ["//cli:check_test", "//corpus:read_test", "//corpus/glsl:reader_test"]


class SummaryTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.logs = folder.name

    def summarize(self, log, tests, bazel_status):
        return test_summary.summarize(log, tests, bazel_status, self.logs)

    def test_all_passed(self):
        self.assertEqual(self.summarize(PASSED_LOG, PASSED_TESTS, 0), (["3 passed, 0 failed"], True))

    def test_unbuilt_and_unreported_tests_are_counted(self):
        lines, succeeded = self.summarize(BROKEN_LOG, BROKEN_TESTS, 1)
        self.assertFalse(succeeded)
        self.assertEqual(lines, [
            "test: the end of the log of //ir:type_test:",
            "test: the end of the log of //web:http_test:",
            "test: //corpus/glsl:reader_test was not built (counted as failed)",
            "test: //cli:check_test was not run",
            "test: //corpus:read_test was not run",
            "1 passed, 3 failed, 2 not run",
        ])

    def test_no_summary(self):
        """Bazel prints no summary if it is interrupted, or if it cannot load the packages."""
        for log in ("", "ERROR: no such target '//ir:missing'\n"):
            lines, succeeded = self.summarize(log, PASSED_TESTS, 1)
            self.assertEqual((lines[-1], succeeded), ("0 passed, 0 failed, 3 not run", False))
        self.assertEqual(self.summarize("", [], 1)[0][-1], "0 passed, 1 failed")

    def test_bazel_failed_alone(self):
        lines, succeeded = self.summarize(PASSED_LOG, PASSED_TESTS, 1)
        self.assertFalse(succeeded)
        self.assertIn("no test failed, but bazel did", lines[0])
        self.assertEqual(lines[-1], "3 passed, 1 failed")

    def test_named_test_that_the_query_omits(self):
        self.assertEqual(self.summarize(PASSED_LOG, PASSED_TESTS[:1], 0), (["3 passed, 0 failed"], True))

    def test_ends_of_logs(self):
        for shard in ("shard_1_of_2", "shard_2_of_2"):
            os.makedirs(os.path.join(self.logs, "ir/type_test", shard))
            with open(os.path.join(self.logs, "ir/type_test", shard, "test.log"), "w", encoding="utf-8") as file:
                file.write("".join("%s line %d\n" % (shard, number) for number in range(100)))
        lines = self.summarize(BROKEN_LOG, BROKEN_TESTS, 1)[0]
        self.assertEqual(lines[0], "test: the end of the log of //ir:type_test:")
        self.assertEqual(lines[1], "shard_1_of_2 line 60")
        self.assertEqual(lines[80], "shard_2_of_2 line 99")
        self.assertEqual(lines[81], "test: the end of the log of //web:http_test:")


if __name__ == "__main__":
    unittest.main()
