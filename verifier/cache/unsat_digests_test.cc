// Checks that exactly the queries with the answer "unsat" are recorded, and that only queries with the same text are
// answered from the record.
#include "verifier/cache/unsat_digests.h"

#include <gtest/gtest.h>

namespace rewrought::verifier {
namespace {

// Answers kUnsat to "false", kSat to "true", and kUnknown to all other queries.
class TinySolver : public Solver {
 public:
  SolverAnswer Solve(const SolverQuery& query) override {
    SolverAnswer answer;
    if (query.text == "false") answer.answer = Answer::kUnsat;
    if (query.text == "true") answer.answer = Answer::kSat;
    return answer;
  }
  std::string name_and_version() override { return "tiny 1"; }
};

TEST(UnsatDigests, AShortDigestHas96Bits) {
  // The first 12 bytes of the SHA-256 digest of "abc" are ba7816bf8f01cfea414140de.
  EXPECT_EQ(ShortDigest("abc"), "ungWv48Bz-pBQUDe");
  EXPECT_EQ(ShortDigest("").size(), kShortDigestLength);
}

TEST(UnsatDigests, RecordsOnlyUnsatAnswers) {
  TinySolver behind;
  std::mutex mutex;
  std::set<std::string> digests;
  UnsatRecorder recorder(&behind, &mutex, &digests);
  EXPECT_EQ(recorder.Solve({Tactic::kNative, "true"}).answer, Answer::kSat);
  EXPECT_EQ(recorder.Solve({Tactic::kNative, "undecided"}).answer, Answer::kUnknown);
  EXPECT_TRUE(digests.empty());
  EXPECT_EQ(recorder.Solve({Tactic::kNative, "false"}).answer, Answer::kUnsat);
  EXPECT_EQ(recorder.Solve({Tactic::kReal, "false"}).answer, Answer::kUnsat);
  EXPECT_EQ(digests, std::set<std::string>{ShortDigest("false")});
  EXPECT_EQ(recorder.name_and_version(), "tiny 1");
}

TEST(UnsatDigests, AnswersOnlyRecordedQueries) {
  const std::set<std::string> known = {ShortDigest("false")};
  RecordedSolver solver([&](const std::string& digest) { return known.contains(digest); });
  EXPECT_EQ(solver.Solve({Tactic::kNative, "false"}).answer, Answer::kUnsat);
  for (const char* text : {"true", "false ", ""}) {
    const SolverAnswer answer = solver.Solve({Tactic::kNative, text});
    EXPECT_EQ(answer.answer, Answer::kUnknown) << text;
    EXPECT_EQ(answer.reason, "not recorded");
  }
}

}  // namespace
}  // namespace rewrought::verifier
