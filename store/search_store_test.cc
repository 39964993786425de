#include "store/search_store.h"

#include "store/testing/store_testing.h"

namespace rewrought::store {
namespace {

class SearchStoreTest : public testing::Test {
 protected:
  void SetUp() override {
    CorpusStore corpus(store_.get());
    ASSERT_OK(corpus.PutSource("a", false));
    ASSERT_OK(corpus.PutShader(Shader("x"), {"a", "x"}, {Site("f", 3), Site("g", 2)}));
  }

  int Contradictions() {
    int count = 0;
    EXPECT_TRUE(search_
                    .ForEachContradiction([&](const ir::Digest&, absl::string_view, const ir::Digest&) {
                      ++count;
                      return absl::OkStatus();
                    })
                    .ok());
    return count;
  }

  std::unique_ptr<Store> store_ = OpenStore(NewPath());
  SearchStore search_{store_.get()};
};

TEST_F(SearchStoreTest, AttemptsAreFoundUnderTheirKeyOnly) {
  AttemptRecord attempt;
  attempt.key = {D("f"), "intel_gen9", D("semantics"), D("search")};
  attempt.outcome = AttemptOutcome::kCandidates;
  attempt.enumerated = 1000;
  attempt.candidates = 2;
  ASSERT_OK(search_.PutAttempt(attempt));
  const auto found = search_.FindAttempt(attempt.key);
  ASSERT_OK(found.status());
  ASSERT_TRUE(found->has_value());
  EXPECT_EQ((*found)->candidates, 2);
  EXPECT_EQ((*found)->outcome, AttemptOutcome::kCandidates);
  for (AttemptKey other : {AttemptKey{D("g"), "intel_gen9", D("semantics"), D("search")},
                           AttemptKey{D("f"), "agx_g13", D("semantics"), D("search")},
                           AttemptKey{D("f"), "intel_gen9", D("other"), D("search")},
                           AttemptKey{D("f"), "intel_gen9", D("semantics"), D("other")}}) {
    EXPECT_FALSE(search_.FindAttempt(other)->has_value());
  }
  // A later attempt that was cut short does not replace a complete one.
  attempt.outcome = AttemptOutcome::kCutShort;
  ASSERT_OK(search_.PutAttempt(attempt));
  EXPECT_EQ((*search_.FindAttempt(attempt.key))->outcome, AttemptOutcome::kCandidates);
  attempt.key.fragment = D("unknown fragment");
  EXPECT_TRUE(absl::IsNotFound(search_.PutAttempt(attempt)));
}

TEST_F(SearchStoreTest, CandidatesAreKeptOnce) {
  CandidateRecord of_fragment = Candidate("(a, b)");
  of_fragment.fragment = D("f");
  ASSERT_OK(search_.PutCandidate(of_fragment));
  ASSERT_OK(search_.PutCandidate(of_fragment));
  ASSERT_OK(search_.PutCandidate(Candidate("(c, d)")));
  ASSERT_OK(search_.PutCandidate(Candidate("(a, b)", "agx_g13")));
  std::vector<std::string> candidates;
  ASSERT_OK(store_->Read([&](sqlite::Database& reader) {
    return reader.Query(
        "SELECT text, (SELECT digest FROM fragments WHERE id = fragment_id) FROM candidates ORDER BY fragment_id, text",
        {}, [&](const sqlite::Row& row) {
          candidates.push_back(row.String(0) + (row.IsNull(1) ? "" : " of a fragment"));
          return absl::OkStatus();
        });
  }));
  EXPECT_EQ(candidates, std::vector<std::string>({"(a, b)", "(c, d)", "(a, b) of a fragment"}));
}

TEST_F(SearchStoreTest, VerdictComesBack) {
  VerdictRecord verdict = VerdictOf("r", v1::VERDICT_PROVED);
  verdict.certificate = std::string("\0\xff bytes", 8);
  verdict.confirmed_by = "cvc5";
  ASSERT_OK(search_.PutVerdict(verdict));
  const auto found = search_.FindVerdict(D("r"), "32 any", D("semantics 1"));
  ASSERT_OK(found.status());
  ASSERT_TRUE(found->has_value());
  EXPECT_EQ((*found)->certificate, verdict.certificate);
  EXPECT_EQ((*found)->tier, "uf");
  EXPECT_EQ((*found)->confirmed_by, "cvc5");
  EXPECT_FALSE(search_.FindVerdict(D("r"), "16 any", D("semantics 1"))->has_value());
  EXPECT_FALSE(search_.FindVerdict(D("r"), "32 any", D("semantics 2"))->has_value());
}

TEST_F(SearchStoreTest, StrongerVerdictStays) {
  const auto code = [&] { return (*search_.FindVerdict(D("r"), "32 any", D("semantics 1")))->verdict; };
  ASSERT_OK(search_.PutVerdict(VerdictOf("r", v1::VERDICT_UNKNOWN)));
  ASSERT_OK(search_.PutVerdict(VerdictOf("r", v1::VERDICT_PROVED)));
  EXPECT_EQ(code(), v1::VERDICT_PROVED);
  ASSERT_OK(search_.PutVerdict(VerdictOf("r", v1::VERDICT_UNKNOWN)));
  EXPECT_EQ(code(), v1::VERDICT_PROVED);
  EXPECT_EQ(Contradictions(), 0);
}

TEST_F(SearchStoreTest, ProvedAndRefutedIsAContradiction) {
  for (const bool proved_first : {true, false}) {
    const std::string rule = proved_first ? "p" : "q";
    const v1::Verdict first = proved_first ? v1::VERDICT_PROVED : v1::VERDICT_REFUTED;
    const v1::Verdict second = proved_first ? v1::VERDICT_REFUTED : v1::VERDICT_PROVED;
    ASSERT_OK(search_.PutVerdict(VerdictOf(rule, first)));
    ASSERT_OK(search_.PutVerdict(VerdictOf(rule, second)));
    ASSERT_OK(search_.PutVerdict(VerdictOf(rule, second)));
    EXPECT_EQ((*search_.FindVerdict(D(rule), "32 any", D("semantics 1")))->verdict, v1::VERDICT_REFUTED);
  }
  EXPECT_EQ(Contradictions(), 2);
}

TEST_F(SearchStoreTest, VerdictsOfARuleInOrder) {
  for (const char* case_key : {"64 any", "16 any", "32 any"}) {
    ASSERT_OK(search_.PutVerdict(VerdictOf("r", v1::VERDICT_PROVED, case_key)));
  }
  std::string cases;
  ASSERT_OK(search_.ForEachVerdict(D("r"), D("semantics 1"), [&](const VerdictRecord& verdict) {
    cases += verdict.case_key + ";";
    return absl::OkStatus();
  }));
  EXPECT_EQ(cases, "16 any;32 any;64 any;");
}

}  // namespace
}  // namespace rewrought::store
