// Defines fixtures for tests of the stages: a small corpus, a search with a fixed list of programs, and solvers that
// count queries, lie, or decide nothing.
#ifndef REWROUGHT_PIPELINE_TESTING_PIPELINE_TESTING_H_
#define REWROUGHT_PIPELINE_TESTING_PIPELINE_TESTING_H_

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "corpus/fragment_form.h"
#include "corpus/site_record.h"
#include "enumerator/candidate_search.h"
#include "gtest/gtest.h"
#include "ir/digest.h"
#include "ir/site_flags.h"
#include "ir/term_order.h"
#include "ir/text/rule_text.h"
#include "machine/machine.h"
#include "machine/program.h"
#include "pipeline/discovery/discover.h"
#include "store/corpus_store.h"
#include "store/rule_store.h"
#include "store/store.h"
#include "verifier/solvers.h"
#include "verifier/worker/open_solvers.h"

namespace rewrought::pipeline {

namespace fs = std::filesystem;

constexpr char kMachine[] = "intel_gen9";

// A search that returns programs from a fixed list. Discovery must reject the wrong programs in the list.
class ListedSearch : public enumerator::CandidateSearch {
 public:
  ListedSearch(const machine::Machine& machine, std::vector<std::pair<std::string, std::string>> programs)
      : machine_(machine), programs_(std::move(programs)) {}

  std::string Configuration() const override { return "listed"; }

  absl::StatusOr<enumerator::SearchStatistics> Search(const enumerator::SearchGoal& goal, std::stop_token,
                                                      const std::function<bool(machine::Program)>& found) override {
    ++searched;
    ir::Term plain = goal.term;
    ir::ApplyNodeFlags(0, &plain);
    for (const auto& [fragment, text] : programs_) {
      if (fragment != ir::PrintTerm(plain)) continue;
      absl::StatusOr<machine::Program> program = machine::ParseProgram(machine_, text);
      EXPECT_TRUE(program.ok()) << program.status();
      if (program.ok()) found(*program);
    }
    return enumerator::SearchStatistics{};
  }

  std::string SignatureOf(const enumerator::SearchGoal&) const override { return ""; }
  enumerator::SearchStatistics SearchLonger(absl::Span<const enumerator::SearchGoal>, std::stop_token,
                                            const std::function<void(size_t, machine::Program)>&) override {
    return {};
  }

  std::atomic<int> searched{0};

 private:
  const machine::Machine& machine_;
  const std::vector<std::pair<std::string, std::string>> programs_;
};

class CountingSolver : public verifier::Solver {
 public:
  explicit CountingSolver(verifier::Solver* inner) : inner_(inner) {}
  verifier::SolverAnswer Solve(const verifier::SolverQuery& query) override {
    ++queries;
    if (kill_at > 0 && queries >= kill_at) kill(getpid(), SIGKILL);
    return inner_->Solve(query);
  }
  std::string name_and_version() override { return inner_->name_and_version(); }
  std::atomic<int> queries{0};
  int kill_at = 0;

 private:
  verifier::Solver* const inner_;
};

// A solver that claims to have proved everything.
class Liar : public verifier::Solver {
 public:
  verifier::SolverAnswer Solve(const verifier::SolverQuery&) override {
    verifier::SolverAnswer answer;
    answer.answer = verifier::Answer::kUnsat;
    answer.solver = "liar 1";
    return answer;
  }
  std::string name_and_version() override { return "liar 1"; }
};

// A solver that decides nothing.
class Undecided : public verifier::Solver {
 public:
  verifier::SolverAnswer Solve(const verifier::SolverQuery&) override {
    verifier::SolverAnswer answer;
    answer.reason = "budget";
    return answer;
  }
  std::string name_and_version() override { return "undecided 1"; }
};

// Three of Programs() are proved, and each of them also has a NIR form.
constexpr size_t kRules = 6, kExported = 6;

class PipelineTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(testing::TempDir()) /
            absl::StrCat("pipeline_", getpid(), "_", testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(root_);
    fs::create_directories(root_);
    machine_ = *machine::FindMachine(kMachine);
    absl::StatusOr<verifier::Solvers> solvers = verifier::OpenSolvers({});
    ASSERT_TRUE(solvers.ok()) << solvers.status();
    solvers_ = *std::move(solvers);
  }
  void TearDown() override { fs::remove_all(root_); }

  std::unique_ptr<store::Store> OpenStore(const std::string& name) {
    absl::StatusOr<std::unique_ptr<store::Store>> opened = store::Store::Open((root_ / name).string());
    EXPECT_TRUE(opened.ok()) << opened.status();
    return *std::move(opened);
  }

  // Stores one shader of `source` per term. The term is the shader's only fragment and has three sites.
  void PutTerms(store::Store* store, const std::string& source, bool held_out, const std::vector<std::string>& texts,
                const std::string& stage = "fragment", const std::string& facts = "") {
    store::CorpusStore corpus(store);
    ASSERT_TRUE(corpus.PutSource(source, held_out).ok());
    for (const std::string& text : texts) {
      absl::StatusOr<ir::Term> term = ir::ParseTerm(text);
      ASSERT_TRUE(term.ok()) << term.status();
      corpus::Fragment fragment;
      fragment.term = *term;
      fragment.facts.resize(ir::VariablesInOrder(*term).size());
      fragment.multi_use.resize(term->nodes.size());
      absl::StatusOr<corpus::SiteRecord> site = corpus::StoredSite(fragment);
      ASSERT_TRUE(site.ok()) << site.status();
      site->count = site->loop_weight = 3;
      if (!facts.empty()) site->facts = facts;
      store::ShaderRecord shader;
      shader.digest = ir::Digest::Of(absl::StrCat(source, text));
      shader.stage = stage;
      shader.alu_instructions = 10;
      ASSERT_TRUE(corpus.PutShader(shader, {source, text}, {*site}).ok());
    }
  }

  DiscoverOptions Options() {
    DiscoverOptions options;
    options.threads = 1;
    return options;
  }

  std::set<std::string> RuleIds(store::Store* store) {
    std::set<std::string> ids;
    store::RuleStore::Query query;
    query.page_size = 1000;
    absl::StatusOr<store::RuleStore::Page> page = store::RuleStore(store).List(query);
    EXPECT_TRUE(page.ok()) << page.status();
    for (const store::RuleRecord& rule : page->rules) ids.insert(rule.id.hex());
    return ids;
  }

  fs::path root_;
  const machine::Machine* machine_ = nullptr;
  verifier::Solvers solvers_;
};

// Integer fragments, each of which a single gen9 instruction can compute, although base selection uses several.
inline const std::vector<std::string>& Fragments() {
  static const auto& texts = *new std::vector<std::string>{
      "('iadd@32', ('ineg@32', 'a@32'), ('iadd@32', 'a', 'b@32'))",
      "('ixor@32', ('iand@32', 'a@32', 'b@32'), ('ior@32', 'a', 'b'))",
      "('iand@32', 'a@32', ('ior@32', 'a', 'b@32'))",
      "('ior@32', ('iand@32', 'a@32', 'b@32'), ('iand@32', 'a', ('inot@32', 'b')))",
  };
  return texts;
}

inline std::vector<std::pair<std::string, std::string>> Programs() {
  const std::vector<std::string>& f = Fragments();
  return {
      {f[0], "[MOV(r(D), a(D))]"},           // wrong: the result is b
      {f[0], "[MOV(r(D), b(D))]"},           // right
      {f[1], "[OR(r(UD), a(UD), b(UD))]"},   // wrong
      {f[1], "[XOR(r(UD), a(UD), b(UD))]"},  // right
      {f[2], "[MOV(r(UD), a(UD))]"},         // right
      {f[3], "[AND(r(UD), a(UD), b(UD))]"},  // wrong; there is no right program in the list
  };
}

inline std::vector<std::string> StoredTexts() {
  std::vector<std::string> texts;
  for (const std::string& text : Fragments()) texts.push_back(text);
  return texts;
}

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_TESTING_PIPELINE_TESTING_H_
