#include "enumerator/sweep/term_sweep.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <memory>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "enumerator/lanes/vector_blocks.h"
#include "enumerator/sweep/sweep_check.h"
#include "enumerator/sweep/sweep_rules.h"
#include "enumerator/sweep/term_table.h"
#include "ir/scalar.h"

namespace rewrought::enumerator {
namespace {

constexpr int kExhaustiveBits = 12;
constexpr size_t kSampledVectors = 512;
constexpr uint64_t kMaxRederivedTerms = 100'000;  // The maximum number of candidates to derive, summed over all rules.
constexpr size_t kStepsToDrop = 60;  // The maximum number of terms visited to derive a rule from the others.

// The representatives among the terms that agree on all vectors.
using Group = absl::InlinedVector<TermIndex, 1>;

// A term that agrees with earlier terms and has not been processed yet.
struct Pending {
  TermIndex term = kNoTerm;
  std::pair<int, LanesHash> key;
  int variables = 0;
};

struct FoundRule {
  TermIndex search = kNoTerm, replace = kNoTerm;
  size_t number = 0;  // The index in SweepRules.
};

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

class Sweep {
 public:
  Sweep(const SweepOptions& options, ProverInterface* prover)
      : options_(options), prover_(prover), start_(std::chrono::steady_clock::now()) {}

  absl::Status Prepare();
  SweepResult Run();

 private:
  void MakeLeaves();
  void AddLeaf(Shape shape, Lanes lanes);
  bool Grow(int size);
  bool Choose(int op, size_t source, int left, Shape* shape);
  bool LookAt(const Shape& shape);
  void AddRepresentative(TermIndex term, const std::pair<int, LanesHash>& key, Lanes lanes);

  bool Settle();
  bool SettleOne(const Pending& pending);
  bool Verify(TermIndex search, TermIndex replace);
  void DropDerivableRules();
  void RestoreNeededRules();
  void DropByRederiving();
  std::vector<PatternRule> Kept() const;
  std::vector<DroppedRule> Dropped() const;
  void CompareWithOthers();
  void Finish();

  bool Stop() const { return options_.stop.stop_requested() || terms_.bytes() + known_bytes_ > options_.max_bytes; }
  void Report(int size);

  const SweepOptions& options_;
  ProverInterface* const prover_;
  const std::chrono::steady_clock::time_point start_;
  TermTable terms_;
  std::unique_ptr<SweepRules> rules_;
  std::vector<std::vector<TermIndex>> by_size_;                    // Representatives.
  absl::flat_hash_map<std::pair<int, LanesHash>, Group> classes_;  // Keyed by width and values.
  std::vector<Pending> pending_;                                   // The terms of the current size.
  std::vector<FoundRule> found_;
  Lanes lanes_;
  uint64_t known_bytes_ = 0;
  std::vector<PatternRule> others_;
  SweepResult result_;
};

absl::Status Sweep::Prepare() {
  if (options_.variables < 1 || options_.variables > kMaxInputs) {
    return absl::InvalidArgumentError(absl::StrCat("variables: 1 to ", kMaxInputs, ", not ", options_.variables));
  }
  if (options_.width < 1 || options_.width > 32) return absl::InvalidArgumentError("width: 1 to 32 bits");
  if (options_.max_size < 1 || options_.max_size > 8) return absl::InvalidArgumentError("size: 1 to 8 ops");
  for (const SweepConstant& constant : options_.constants) {
    if (constant.is_float && options_.width != 16 && options_.width != 32) {
      return absl::InvalidArgumentError("constants: floats require a width of 16 or 32 bits");
    }
  }
  if (options_.ops.empty()) return absl::InvalidArgumentError("ops: name at least one");
  for (const ir::OpRow* row : options_.ops) {
    if (absl::Status status = terms_.AddOp(*row, options_.width); !status.ok()) return status;
  }
  rules_ = std::make_unique<SweepRules>(&terms_, terms_.HasFloats());
  MakeLeaves();
  for (const auto& [search, replace] : options_.others) {
    absl::StatusOr<Pattern> from = PatternOf(terms_, search), to = PatternOf(terms_, replace);
    if (!from.ok()) return from.status();
    if (!to.ok()) return to.status();
    others_.emplace_back(*std::move(from), *std::move(to));
  }
  return absl::OkStatus();
}

void Sweep::MakeLeaves() {
  const int bits = options_.variables * options_.width;
  result_.exhaustive = bits <= kExhaustiveBits;
  const size_t inputs = size_t{1} << std::min(bits, 62);
  terms_.SetVectors(options_.width, std::min(inputs, kSampledVectors), inputs <= kSampledVectors);
  by_size_.resize(static_cast<size_t>(options_.max_size) + 1);
  for (int v = 0; v < options_.variables; ++v) {
    Shape shape;
    shape.leaf = v;
    shape.bits = options_.width;
    AddLeaf(shape, terms_.OfVariable(v));
  }
  for (const SweepConstant& constant : options_.constants) {
    Shape shape;
    shape.op = kSweepConstant;
    shape.leaf = constant.value;
    shape.real = constant.is_float;
    shape.bits = options_.width;
    const uint64_t value = constant.is_float ? ir::FloatToBits(std::bit_cast<double>(constant.value), options_.width)
                                             : static_cast<uint64_t>(constant.value);
    AddLeaf(shape, terms_.OfConstant(value));
  }
}

void Sweep::AddLeaf(Shape shape, Lanes lanes) {
  const std::pair<int, LanesHash> key = {shape.bits, terms_.HashOf(lanes)};
  if (shape.op == kSweepConstant && classes_.contains(key)) return;
  AddRepresentative(terms_.Add(shape), key, std::move(lanes));
}

void Sweep::AddRepresentative(TermIndex term, const std::pair<int, LanesHash>& key, Lanes lanes) {
  const int size = terms_.shape(term).size;
  classes_[key].push_back(term);
  by_size_[static_cast<size_t>(size)].push_back(term);
  known_bytes_ += 128;
  if (size < options_.max_size) terms_.Keep(term, std::move(lanes));
  rules_->AddRepresentative(term);
  ++result_.run_statistics.distinct;
}

bool Sweep::Grow(int size) {
  for (size_t op = 0; op < terms_.ops().size(); ++op) {
    Shape shape;
    shape.op = static_cast<int>(op);
    shape.size = size;
    shape.bits = terms_.ops()[op].result_bits;
    if (!Choose(shape.op, 0, size - 1, &shape)) return false;
  }
  return true;
}

// Enumerates the sources of `shape` from index `source` on, which must have `left` ops in total.
bool Sweep::Choose(int op_index, size_t source, int left, Shape* shape) {
  const SizedOp& op = terms_.ops()[static_cast<size_t>(op_index)];
  if (source == op.source_bits.size()) return left != 0 || LookAt(*shape);
  const bool is_last = source + 1 == op.source_bits.size();
  for (int size = is_last ? left : 0; size <= left; ++size) {
    for (const TermIndex index : by_size_[static_cast<size_t>(size)]) {
      if (terms_.shape(index).bits != op.source_bits[source]) continue;
      if (op.commutative && source == 1 && index < shape->sources[0]) continue;
      shape->sources[source] = index;
      if (!Choose(op_index, source + 1, left - size, shape)) return false;
    }
  }
  shape->sources[source] = kNoTerm;
  return true;
}

bool Sweep::LookAt(const Shape& shape) {
  if (Stop()) return false;
  ++result_.run_statistics.enumerated;
  if (result_.run_statistics.enumerated % 1024 == 0) Report(shape.size);
  terms_.Evaluate(shape, &lanes_);
  const std::pair<int, LanesHash> key = {shape.bits, terms_.HashOf(lanes_)};
  const TermIndex term = terms_.Add(shape);
  if (classes_.contains(key)) {
    ++result_.run_statistics.candidates;
    pending_.push_back({term, key, terms_.VariablesIn(term)});
    known_bytes_ += sizeof(Pending) + 64;
  } else {
    AddRepresentative(term, key, lanes_);
  }
  return true;
}

// Processes the pending terms, sorted by number of variables (descending), then by the size of the replacement
// (ascending). Later terms that follow from the rules found do not become rules.
bool Sweep::Settle() {
  std::vector<TermIndex> terms;
  for (const Pending& pending : pending_) terms.push_back(pending.term);
  rules_->Open(std::move(terms));
  std::stable_sort(pending_.begin(), pending_.end(), [&](const Pending& x, const Pending& y) {
    const auto size_of = [&](const Pending& pending) { return terms_.shape(classes_.at(pending.key).front()).size; };
    return std::tuple(-x.variables, size_of(x)) < std::tuple(-y.variables, size_of(y));
  });
  for (const Pending& pending : pending_) {
    if (!SettleOne(pending)) return false;
  }
  rules_->Close();
  pending_.clear();
  return true;
}

// Shows that a term equals a representative of its group, or makes the term a new representative.
bool Sweep::SettleOne(const Pending& pending) {
  if (options_.stop.stop_requested()) return false;
  if (rules_->KnownAs(pending.term) != kNoTerm) {
    ++result_.derived;
    return true;
  }
  const Group group = classes_.at(pending.key);
  for (const TermIndex representative : group) {
    if (!rules_->Reaches(pending.term, representative)) continue;
    rules_->Assume(pending.term, representative);
    ++result_.derived;
    return true;
  }
  for (const TermIndex representative : group) {
    if (Verify(pending.term, representative)) {
      found_.push_back({pending.term, representative, rules_->AddRule(pending.term, representative)});
      return true;
    }
    if (options_.stop.stop_requested()) return false;
  }
  Lanes lanes;
  const Shape shape = terms_.shape(pending.term);
  if (shape.size < options_.max_size) terms_.Evaluate(shape, &lanes);
  AddRepresentative(pending.term, pending.key, std::move(lanes));
  return true;
}

// Verifies the rule and counts the outcome. Returns true if the rule is proved.
bool Sweep::Verify(TermIndex search, TermIndex replace) {
  const auto asked = std::chrono::steady_clock::now();
  const ProofResult proof = Ask(prover_, terms_.TermOf(search), terms_.TermOf(replace), options_.modes);
  result_.seconds_proving += SecondsSince(asked);
  if (options_.stop.stop_requested() && proof.outcome == Outcome::kUnknown)
    return false;  // Interrupted, so not counted as undecided.
  switch (proof.outcome) {
    case Outcome::kProved:
      ++result_.run_statistics.proved;
      break;
    case Outcome::kRefuted:
      ++result_.run_statistics.refuted;
      return false;
    case Outcome::kUnknown:
      ++result_.run_statistics.unknown;
      return false;
  }
  ++result_.run_statistics.general;
  Report(terms_.shape(search).size);
  return true;
}

void Sweep::Report(int size) {
  result_.run_statistics.seconds = SecondsSince(start_);
  result_.run_statistics.peak_bytes = terms_.bytes() + known_bytes_;
  if (options_.progress) options_.progress(result_.run_statistics, size);
}

// Drops rules that follow from other rules. Starts with the last rule. The derivation of a rule uses only terms that
// were known before it, so that derivations are not circular.
void Sweep::DropDerivableRules() {
  for (auto rule = found_.rbegin(); rule != found_.rend(); ++rule) {
    rules_->SetDisabled(rule->number, true);
    if (!rules_->Reaches(rule->search, rule->replace, rules_->OrderOf(rule->search), kStepsToDrop))
      rules_->SetDisabled(rule->number, false);
  }
}

std::vector<PatternRule> Sweep::Kept() const {
  std::vector<PatternRule> kept;
  for (const FoundRule& rule : found_) {
    if (rules_->IsDisabled(rule.number)) continue;
    kept.emplace_back(PatternOf(terms_, rule.search), PatternOf(terms_, rule.replace));
  }
  return kept;
}

std::vector<DroppedRule> Sweep::Dropped() const {
  std::vector<DroppedRule> dropped;
  for (const FoundRule& rule : found_) {
    if (rules_->IsDisabled(rule.number)) dropped.push_back({rule.search, rule.replace});
  }
  return dropped;
}

// Checks that the remaining rules, applied from the start, derive every known term. If they do not, restores dropped
// rules, and adds rules for terms whose original derivation is not found again.
void Sweep::RestoreNeededRules() {
  absl::flat_hash_map<TermIndex, size_t> number_of;
  for (const FoundRule& rule : found_) {
    if (rules_->IsDisabled(rule.number)) number_of[rule.search] = rule.number;
  }
  for (const TermIndex term : NotDerived(terms_, *rules_, Kept(), Dropped())) {
    const TermIndex representative = rules_->KnownAs(term);
    if (const auto rule = number_of.find(term); rule != number_of.end()) {
      rules_->SetDisabled(rule->second, false);
    } else if (Verify(term, representative)) {
      found_.push_back({term, representative, rules_->AddRule(term, representative)});
    } else {
      ++result_.underived;
    }
  }
  std::stable_sort(found_.begin(), found_.end(), [&](const FoundRule& x, const FoundRule& y) {
    return terms_.shape(x.search).size < terms_.shape(y.search).size;
  });
}

// In a small sweep, drops each rule that is unnecessary because the remaining rules still derive all terms.
void Sweep::DropByRederiving() {
  if (found_.size() * result_.run_statistics.candidates > kMaxRederivedTerms) return;
  for (auto rule = found_.rbegin(); rule != found_.rend(); ++rule) {
    if (rules_->IsDisabled(rule->number)) continue;
    rules_->SetDisabled(rule->number, true);
    if (!NotDerived(terms_, *rules_, Kept(), Dropped()).empty()) rules_->SetDisabled(rule->number, false);
  }
}

void Sweep::CompareWithOthers() {
  result_.others_not_known = NotKnown(*rules_, others_);
  const std::vector<TermIndex> underived = NotDerived(terms_, *rules_, others_);
  size_t number = 0;
  for (const FoundRule& rule : found_) {
    if (rules_->IsDisabled(rule.number)) continue;
    if (std::binary_search(underived.begin(), underived.end(), rule.search)) result_.not_from_others.push_back(number);
    ++number;
  }
}

void Sweep::Finish() {
  DropDerivableRules();
  RestoreNeededRules();
  DropByRederiving();
  if (!others_.empty()) CompareWithOthers();
  for (const FoundRule& rule : found_) {
    if (rules_->IsDisabled(rule.number)) continue;
    result_.rules.push_back({terms_.TermOf(rule.search), terms_.TermOf(rule.replace), terms_.shape(rule.search).size,
                             terms_.shape(rule.replace).size});
  }
  result_.run_statistics.minimal = result_.rules.size();
  for (size_t size = 1; size < by_size_.size(); ++size) {
    for (const TermIndex term : by_size_[size]) result_.representatives.push_back(terms_.TermOf(term));
  }
}

SweepResult Sweep::Run() {
  result_.complete = true;
  for (int size = 1; size <= options_.max_size && result_.complete; ++size) {
    result_.complete = Grow(size);
    const auto grown = std::chrono::steady_clock::now();
    if (!options_.stop.stop_requested()) result_.complete = Settle() && result_.complete;
    result_.seconds_minimising += SecondsSince(grown);
    Report(size);
  }
  const auto settled = std::chrono::steady_clock::now();
  Finish();
  result_.seconds_minimising += SecondsSince(settled) - result_.seconds_proving;
  Report(options_.max_size);
  return std::move(result_);
}

}  // namespace

absl::StatusOr<SweepResult> SweepTerms(const SweepOptions& options, ProverInterface* prover) {
  Sweep sweep(options, prover);
  if (absl::Status status = sweep.Prepare(); !status.ok()) return status;
  return sweep.Run();
}

ir::Term InSize(const ir::Term& term, int from, int width) {
  ir::Term sized = term;
  for (ir::Node& node : sized.nodes) {
    if (node.bits == from && from != 1) node.bits = static_cast<uint8_t>(width);
  }
  return sized;
}

}  // namespace rewrought::enumerator
