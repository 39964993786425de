// Mutates rules that an audit proved, by changing an op, a literal, an operand, or the result of the replacement. Each
// mutant must be refuted with a witness, or proved and confirmed by the second solver.
// usage: audit_mutants_main AUDIT.json [STEP [MUTANTS]]    MUTANTS mutants (default 5) of every STEP-th proved rule
#include <algorithm>
#include <atomic>
#include <fstream>
#include <iostream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/meaning.h"
#include "ir/op_table.h"
#include "ir/text/rule_text.h"
#include "ir/text/sizes.h"
#include "verifier/mesa/mesa_reading.h"
#include "verifier/prover.h"
#include "verifier/rule_check.h"
#include "verifier/worker/open_solvers.h"

namespace rewrought {
namespace {

using ir::Node;
using ir::NodeKind;
using verifier::RuleCase;

struct Mutant {
  std::string what;
  ir::Term replace;
};

// Returns whether `other` can replace `row` at size `bits`.
bool IsSibling(const ir::OpRow& row, const ir::OpRow& other, int bits) {
  const std::vector<int> sizes = ir::FreeSizesOf(other);
  if (other.result.bits == 0 && std::find(sizes.begin(), sizes.end(), bits) == sizes.end()) return false;
  return &other != &row && other.result == row.result && other.sources == row.sources &&
         !(other.properties & ir::kApproximate);
}

// Adds mutants that apply one more op to the replacement's result.
void AddWrapped(const ir::Term& replace, std::vector<Mutant>* mutants) {
  const Node& root = replace.root_node();
  const uint64_t top = uint64_t{1} << (root.bits - 1);
  for (const auto& [op, operand] : std::vector<std::pair<const char*, uint64_t>>{
           {"ixor", 1}, {"ixor", top}, {"iadd", 1}, {"iand", ~uint64_t{1}}, {"ior", top}, {"inot", 0}}) {
    Mutant mutant{absl::StrCat("the result changed by ", op), replace};
    Node wrapped;
    wrapped.kind = NodeKind::kOp;
    wrapped.op = ir::FindOp(op);
    wrapped.bits = root.bits;
    wrapped.components = root.components;
    wrapped.sources = {{replace.root}};
    if (wrapped.op->sources.size() > 1) {
      Node constant;
      constant.kind = NodeKind::kConstant;
      constant.bits = root.bits;
      constant.components = root.components;
      constant.values.fill(root.bits == 64 ? operand : operand & ((uint64_t{1} << root.bits) - 1));
      mutant.replace.nodes.push_back(constant);
      wrapped.sources.push_back({static_cast<ir::NodeIndex>(mutant.replace.nodes.size() - 1)});
    }
    mutant.replace.nodes.push_back(wrapped);
    mutant.replace.root = static_cast<ir::NodeIndex>(mutant.replace.nodes.size() - 1);
    mutants->push_back(std::move(mutant));
  }
}

void AddLiterals(const ir::Term& replace, ir::NodeIndex i, std::vector<Mutant>* mutants) {
  const Node& node = replace.nodes[i];
  for (const int bit : {0, node.bits - 1}) {
    if (bit == 0 && node.bits == 1) continue;  // do not mutate 1-bit literals
    mutants->push_back({absl::StrCat("bit ", bit, " of a literal"), replace});
    for (uint64_t& value : mutants->back().replace.nodes[i].values) value ^= uint64_t{1} << bit;
  }
}

std::vector<Mutant> MutantsOf(const ir::Term& replace) {
  std::vector<Mutant> mutants;
  for (ir::NodeIndex i = 0; i < replace.nodes.size(); ++i) {
    const Node& node = replace.nodes[i];
    if (node.kind == NodeKind::kConstant) AddLiterals(replace, i, &mutants);
    if (node.kind != NodeKind::kOp) continue;
    for (const ir::OpRow* other : ir::AllOps()) {
      if (!IsSibling(*node.op, *other, node.bits)) continue;
      mutants.push_back({absl::StrCat(node.op->name, " becomes ", other->name), replace});
      mutants.back().replace.nodes[i].op = other;
    }
    for (size_t k = 0; k < node.sources.size(); ++k) {
      for (ir::NodeIndex j = 0; j < i; ++j) {
        const Node& from = replace.nodes[node.sources[k].node];
        if (j == node.sources[k].node || replace.nodes[j].bits != from.bits ||
            replace.nodes[j].components != from.components)
          continue;
        mutants.push_back({absl::StrCat("source ", k, " of ", node.op->name, " becomes node ", j), replace});
        mutants.back().replace.nodes[i].sources[k].node = j;
      }
    }
  }
  AddWrapped(replace, &mutants);
  return mutants;
}

struct Tally {
  std::mutex mutex;
  size_t rules = 0, skipped = 0, few = 0, unrefuted = 0;
  size_t mutants = 0, refuted = 0, equivalent = 0, unconfirmed = 0, undecided = 0, unsupported = 0, solvers = 0;
};

// Returns the case of the rule's middle size assignment, in the form that the audit verified.
std::optional<RuleCase> CaseOf(const nlohmann::json& rule) {
  const std::string verified = rule.value("verified_as", "");
  const absl::StatusOr<ir::Rule> parsed = ir::ParseRule(
      verified.empty() ? absl::StrCat("(", rule.value("search", ""), ", ", rule.value("replace", ""), ")") : verified);
  if (!parsed.ok()) return std::nullopt;
  const auto sizes = ir::EnumerateSizes(*parsed);
  if (!sizes.ok() || sizes->empty()) return std::nullopt;
  absl::StatusOr<ir::Rule> concrete = ir::Instantiate(*parsed, (*sizes)[sizes->size() / 2]);
  if (!concrete.ok()) return std::nullopt;
  verifier::RuleCheckOptions options;
  options.inherit_flags = !absl::StrContains(rule.value("note", ""), "the condition permits");
  RuleCase rule_case{std::move(concrete->search), std::move(concrete->replace), ir::DenormMode::kAny};
  options.index_in_range = true;
  verifier::ReadCase(options, &rule_case);
  const std::string mode = rule["cases"][0].value("mode", "any");
  for (const ir::DenormMode known : {ir::DenormMode::kPreserve, ir::DenormMode::kFlush}) {
    if (mode == ir::NameOf(known)) rule_case.mode = known;
  }
  return rule_case.replace.nodes.empty() ? std::nullopt : std::optional<RuleCase>(std::move(rule_case));
}

class MutantVerifier {
 public:
  explicit MutantVerifier(const verifier::Solvers& solvers)
      : cheap_({}, CheapOptions()), full_(solvers, FullOptions()) {}

  void VerifyRule(const nlohmann::json& rule, size_t wanted, Tally* tally) const {
    const std::optional<RuleCase> original = CaseOf(rule);
    if (!original.has_value()) {
      const std::lock_guard<std::mutex> lock(tally->mutex);
      ++tally->skipped;
      return;
    }
    const std::vector<Mutant> mutants = MutantsOf(original->replace);
    bool refuted = false;
    // Mutants are ordered by kind, so sample them evenly.
    const size_t count = std::min(wanted, mutants.size());
    for (size_t k = 0; k < count; ++k)
      refuted |= VerifyMutant(rule, *original, mutants[k * mutants.size() / count], tally);
    const std::lock_guard<std::mutex> lock(tally->mutex);
    ++tally->rules;
    tally->few += count < wanted;
    tally->unrefuted += !refuted;
    if (!refuted)
      std::cout << "none refuted: " << rule.value("search", "") << " -> " << rule.value("replace", "") << "\n";
  }

 private:
  static verifier::ProverOptions CheapOptions() {
    verifier::ProverOptions options;
    options.keep_query = false;
    return options;
  }
  static verifier::ProverOptions FullOptions() {
    verifier::ProverOptions options = CheapOptions();
    options.confirm = true;
    return options;
  }

  bool VerifyMutant(const nlohmann::json& rule, const RuleCase& original, const Mutant& mutant, Tally* tally) const {
    RuleCase rule_case = original;
    rule_case.replace = mutant.replace;
    verifier::ReadAsMesa(&rule_case);
    if (!ir::HasFloatOperation(rule_case.search) && !ir::HasFloatOperation(rule_case.replace))
      rule_case.mode = ir::DenormMode::kNone;
    verifier::CaseResult result = cheap_.Prove(rule_case);
    const bool by_solvers = result.verdict == v1::VERDICT_UNKNOWN;
    if (by_solvers) result = full_.Prove(rule_case);
    const std::lock_guard<std::mutex> lock(tally->mutex);
    ++tally->mutants;
    tally->solvers += by_solvers;
    const bool by_itself = result.tier == v1::TIER_CANONICAL || result.tier == v1::TIER_EXHAUSTIVE ||
                           result.tier == v1::TIER_SECOND_SOLVER || !result.confirmed_by.empty();
    switch (result.verdict) {
      case v1::VERDICT_REFUTED:
        ++tally->refuted;
        return true;
      case v1::VERDICT_VACUOUS:
        ++tally->equivalent;
        return false;
      case v1::VERDICT_PROVED:
        ++(by_itself ? tally->equivalent : tally->unconfirmed);
        break;
      case v1::VERDICT_UNKNOWN:
        ++tally->undecided;
        break;
      default:
        ++tally->unsupported;
        break;
    }
    const char* const kind = result.verdict != v1::VERDICT_PROVED ? "undecided: "
                             : by_itself                          ? "equivalent: "
                                                                  : "unconfirmed: ";
    std::cout << kind << rule.value("search", "") << " -> " << rule.value("replace", "") << "; " << mutant.what << "; "
              << result.reason << "\n";
    return false;
  }

  const verifier::Prover cheap_, full_;
};

int Main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: audit_mutants_main AUDIT.json [STEP [MUTANTS]]\n";
    return 2;
  }
  const size_t step = argc > 2 ? static_cast<size_t>(std::max(1, std::atoi(argv[2]))) : 1;
  const size_t wanted = argc > 3 ? static_cast<size_t>(std::max(1, std::atoi(argv[3]))) : 5;
  std::vector<nlohmann::json> rules;
  std::ifstream file(argv[1]);
  std::string line;
  for (size_t proved = 0; std::getline(file, line);) {
    nlohmann::json rule = nlohmann::json::parse(line, nullptr, false);
    if (rule.is_object() && rule.value("class", "") == "proved" && proved++ % step == 0)
      rules.push_back(std::move(rule));
  }
  const absl::StatusOr<verifier::Solvers> solvers = verifier::OpenSolvers({.workers = 2});
  if (!solvers.ok()) {
    std::cerr << solvers.status().message() << "\n";
    return 2;
  }
  const MutantVerifier mutant_verifier(*solvers);
  Tally tally;
  std::atomic<size_t> next = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      for (size_t r = next++; r < rules.size(); r = next++) mutant_verifier.VerifyRule(rules[r], wanted, &tally);
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::cout << tally.rules << " proved rules (" << tally.skipped << " without a case, " << tally.few
            << " with fewer than " << wanted << " mutants), " << tally.mutants << " mutants: " << tally.refuted
            << " refuted, " << tally.equivalent << " equivalent, confirmed, " << tally.unconfirmed
            << " proved by one solver, " << tally.undecided << " undecided, " << tally.unsupported << " unsupported; "
            << tally.solvers << " went to solvers; " << tally.unrefuted << " rules without a refuted mutant\n";
  // Up to 1 % of the mutants may be undecided or proved by only one solver.
  return (tally.undecided + tally.unconfirmed) * 100 > tally.mutants || tally.mutants == 0 ? 1 : 0;
}

}  // namespace
}  // namespace rewrought

int main(int argc, char** argv) { return rewrought::Main(argc, argv); }
