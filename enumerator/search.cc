#include "enumerator/search.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <memory>
#include <set>

#include "enumerator/block_compare.h"
#include "ir/float_contract.h"
#include "ir/scalar.h"
#include "machine/base_selection.h"
#include "machine/legality.h"
#include "machine/program_term.h"

namespace rewrought::enumerator {
namespace {

constexpr uint8_t kPermissions = ir::kNoSignedZero | ir::kNoNan | ir::kNoInf;

bool PassesSource(const ir::Node& node, size_t source) {
  const absl::StatusOr<std::vector<bool>> passed = PassedSources(*node.op, node.bits);
  return passed.ok() && (*passed)[source] && node.op->sources[source].base != ir::BaseType::kFloat;
}

// The constants of a term, each pattern and kind once, and what folding two of them may give.
std::vector<Constant> ConstantsOf(const ir::Term& term) {
  std::vector<Constant> found;
  const auto add = [&](uint64_t bits, ValueType type) {
    const Constant constant{bits & ir::MaskOf(type.bits), type};
    if (std::find(found.begin(), found.end(), constant) == found.end()) found.push_back(constant);
  };
  for (size_t i = 0; i < term.nodes.size(); ++i) {
    const ir::Node& node = term.nodes[i];
    if (node.kind != ir::NodeKind::kConstant || node.bits == 1) continue;
    uint64_t bits = node.values[0];
    if (node.literal == ir::LiteralKind::kFloat) bits = ir::FloatToBits(std::bit_cast<double>(bits), node.bits);
    add(bits, {KindOfNode(term, static_cast<ir::NodeIndex>(i)), node.bits, false});
  }
  const std::vector<Constant> own = found;
  for (const Constant& x : own) {
    const int bits = x.type.bits;
    const bool real = x.type.kind == ValueKind::kFloat;
    if (real) {
      add(x.bits ^ ir::FormatOf(bits).sign(), x.type);
      add(ir::FloatToBits(1 / ir::BitsToFloat(x.bits, bits), bits), x.type);
    } else {
      add(0 - x.bits, x.type);
      add(~x.bits, x.type);
      add(bits - x.bits, x.type);
      if (x.bits < static_cast<uint64_t>(bits)) add(uint64_t{1} << x.bits, x.type);
    }
    for (const Constant& y : own) {
      if (!(x.type == y.type)) continue;
      if (real) {
        add(ir::FloatToBits(ir::BitsToFloat(x.bits, bits) + ir::BitsToFloat(y.bits, bits), bits), x.type);
        add(ir::FloatToBits(ir::BitsToFloat(x.bits, bits) * ir::BitsToFloat(y.bits, bits), bits), x.type);
      } else {
        for (const uint64_t value :
             {x.bits + y.bits, x.bits - y.bits, x.bits * y.bits, x.bits & y.bits, x.bits | y.bits}) {
          add(value, x.type);
        }
      }
    }
  }
  return found;
}

double OpCount(const ir::Term& term) {
  std::vector<bool> used(term.nodes.size(), false);
  used[term.root] = true;
  double count = 0;
  for (size_t i = term.nodes.size(); i-- > 0;) {
    if (!used[i] || term.nodes[i].kind != ir::NodeKind::kOp) continue;
    ++count;
    for (const ir::Source& source : term.nodes[i].sources) used[source.node] = true;
  }
  return count;
}

double ProgramPrice(const machine::Program& program) {
  double cost = 0;
  for (const machine::Instruction& i : program.instructions)
    cost += i.variant->cost->issue_cycles + i.variant->cost->latency * 0.001;
  return cost;
}

}  // namespace

ValueKind KindOfNode(const ir::Term& term, ir::NodeIndex index) {
  const ir::Node& node = term.at(index);
  if (node.bits == 1) return ValueKind::kBoolean;
  if (node.kind == ir::NodeKind::kOp) {
    if (node.op->result.base == ir::BaseType::kFloat) return ValueKind::kFloat;
    bool passes = false, all_float = true;
    for (size_t k = 0; k < node.sources.size(); ++k) {
      const ir::Node& source = term.at(node.sources[k].node);
      if (source.bits == 1 || !PassesSource(node, k) || source.kind == ir::NodeKind::kConstant) continue;
      passes = true;
      all_float = all_float && KindOfNode(term, node.sources[k].node) == ValueKind::kFloat;
    }
    return passes && all_float ? ValueKind::kFloat : ValueKind::kInteger;
  }
  for (const ir::Node& user : term.nodes) {
    if (user.kind != ir::NodeKind::kOp) continue;
    for (size_t k = 0; k < user.sources.size(); ++k) {
      const ir::Node& read = term.at(user.sources[k].node);
      const bool same =
          user.sources[k].node == index ||
          (read.kind == ir::NodeKind::kVariable && node.kind == ir::NodeKind::kVariable && read.name == node.name);
      if (same && user.op->sources[k].base == ir::BaseType::kFloat) return ValueKind::kFloat;
    }
  }
  return ValueKind::kInteger;
}

ProofResult Ask(ProverInterface* prover, const ir::Term& search, const ir::Term& replace,
                absl::Span<const ir::DenormMode> modes) {
  static constexpr ir::DenormMode kNone[] = {ir::DenormMode::kNone};
  const bool floats = ir::HasFloatOperation(search) || ir::HasFloatOperation(replace);
  return prover->ProveCandidate(search, replace, floats ? modes : absl::MakeConstSpan(kNone));
}

void SetFloatFlags(ir::Term* term, uint8_t flags) {
  for (ir::Node& node : term->nodes) {
    if (node.kind != ir::NodeKind::kOp) continue;
    node.flags &= static_cast<uint8_t>(~kPermissions);
    if (node.op->contract != ir::Contract::kBits) node.flags |= flags;
  }
}

void InheritFlags(const ir::Term& search, ir::Term* replace) {
  const uint8_t flags = search.root_node().flags & kPermissions;
  for (ir::Node& node : replace->nodes) {
    if (node.kind == ir::NodeKind::kOp) node.flags = static_cast<uint8_t>((node.flags & ~kPermissions) | flags);
  }
}

struct Search::Prepared {
  size_t fragment = 0;
  ir::Term term;                       // with predicates of the facts that are used
  std::vector<std::string> variables;  // by slot
  std::vector<ValueSet> sets;          // by slot
  std::vector<Constant> own;           // constants that the pool lacks, sorted
  std::optional<FragmentValues> values;
  Goal goal;
  double base_cost = 0, tuned_cost = 0;
  uint8_t permitted = 0;  // flags that every float node has
  bool found = false;
};

struct Search::Group {
  std::vector<Prepared*> members;
};

bool Search::BaseCosts(const ir::Term& term, double* one, double* strong) const {
  if (set_.machine() == nullptr) {
    *one = *strong = OpCount(term);
    return true;
  }
  const absl::StatusOr<machine::Program> plain = machine::BaseProgram(*set_.machine(), term, machine::BaseKind::kNaive);
  if (!plain.ok()) return false;
  *one = ProgramPrice(*plain);
  const absl::StatusOr<machine::Program> folded =
      machine::BaseProgram(*set_.machine(), term, machine::BaseKind::kTuned);
  *strong = folded.ok() ? ProgramPrice(*folded) : 0;
  return true;
}

void Search::Prepare(const SearchFragment& fragment, size_t index, bool with_facts, std::vector<Prepared>* out) {
  Prepared p;
  p.fragment = index;
  p.term = fragment.term;
  if (!BaseCosts(p.term, &p.base_cost, &p.tuned_cost)) return;
  std::vector<std::pair<ValueSet, std::string>> inputs;
  p.permitted = kPermissions;
  for (size_t i = 0; i < p.term.nodes.size(); ++i) {
    ir::Node& node = p.term.nodes[i];
    if (node.components != 1) return;
    if (node.kind == ir::NodeKind::kOp && node.op->contract != ir::Contract::kBits) p.permitted &= node.flags;
    if (node.kind != ir::NodeKind::kVariable) continue;
    bool ok = false;
    ValueSet set = PlainSet(KindOfNode(p.term, static_cast<ir::NodeIndex>(i)), node.bits, &ok);
    if (!ok) return;
    const auto facts = fragment.facts.find(node.name);
    if (with_facts && facts != fragment.facts.end()) {
      for (const ValueSet fact : facts->second) {
        if (InfoOf(fact).plain != set || InfoOf(fact).predicate.empty()) continue;
        node.predicates.push_back(std::string(InfoOf(fact).predicate));
        set = fact;
        break;
      }
    }
    if (std::find(inputs.begin(), inputs.end(), std::pair(set, node.name)) == inputs.end())
      inputs.emplace_back(set, node.name);
  }
  if (inputs.empty() || inputs.size() > kMaxInputs) return;
  std::stable_sort(inputs.begin(), inputs.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
  for (const auto& [set, name] : inputs) p.sets.push_back(set), p.variables.push_back(name);
  absl::StatusOr<FragmentValues> values = FragmentValues::Create(p.term, p.variables, p.sets);
  if (!values.ok()) return;
  p.values = *std::move(values);
  p.goal.ordinary = p.values->Root(BlockKind::kOrdinary);
  p.goal.type = {KindOfNode(p.term, p.term.root), p.term.root_node().bits, false};
  p.goal.mask = static_cast<uint8_t>((1u << inputs.size()) - 1);
  p.goal.cost_below = static_cast<float>(p.base_cost - 1e-3);
  std::vector<Constant> pool = DefaultConstants(set_.options().halves);
  pool.insert(pool.end(), options_.constants.begin(), options_.constants.end());
  for (const Constant& constant : ConstantsOf(p.term)) {
    if (std::find(pool.begin(), pool.end(), constant) == pool.end()) p.own.push_back(constant);
  }
  out->push_back(std::move(p));
}

std::vector<DiscoveredRule> Search::Run(absl::Span<const SearchFragment> fragments) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<Prepared> prepared;
  for (size_t i = 0; i < fragments.size(); ++i) {
    ++run_statistics_.fragments;
    const size_t before = prepared.size();
    Prepare(fragments[i], i, false, &prepared);
    if (prepared.size() == before) ++run_statistics_.skipped;
    if (!fragments[i].facts.empty()) Prepare(fragments[i], i, true, &prepared);
  }
  std::map<std::pair<std::vector<ValueSet>, std::vector<std::pair<uint64_t, int>>>, Group> groups;
  for (Prepared& p : prepared) {
    std::vector<std::pair<uint64_t, int>> own;
    for (const Constant& c : p.own) own.emplace_back(c.bits, static_cast<int>(c.type.kind) * 64 + c.type.bits);
    groups[{p.sets, own}].members.push_back(&p);
  }
  std::vector<DiscoveredRule> rules;
  for (auto& [key, group] : groups) {
    if (options_.stop.stop_requested()) break;
    RunGroup(&group, &rules);
    run_statistics_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (options_.progress) options_.progress(run_statistics_);
  }
  std::stable_sort(rules.begin(), rules.end(), [](const DiscoveredRule& x, const DiscoveredRule& y) {
    return std::pair(x.fragment, x.cost) < std::pair(y.fragment, y.cost);
  });
  return rules;
}

void Search::RunGroup(Group* group, std::vector<DiscoveredRule>* rules) {
  const Prepared& first = *group->members[0];
  const bool local = !first.own.empty();
  BankOptions options = local ? options_.local_bank : options_.bank;
  options.stop = options_.stop;
  // A fragment's own constants come first, beside the shortest of pools.
  std::vector<Constant> constants = first.own;
  for (const Constant& c : DefaultConstants(set_.options().halves)) {
    if (!local || c.bits == 0 || c.bits == 1 || c.bits == 0x3f800000) constants.push_back(c);
  }
  constants.insert(constants.end(), options_.constants.begin(), options_.constants.end());
  if (local) {  // constants of the pool that the fragment uses
    for (const Constant& c : ConstantsOf(first.term)) {
      if (std::find(constants.begin(), constants.end(), c) == constants.end()) constants.push_back(c);
    }
  }
  Bank bank(&set_, first.sets, constants, options);
  bank.Build();
  std::vector<Goal> open;
  std::vector<Prepared*> owners;
  for (Prepared* p : group->members) {
    std::vector<Expression> candidates;
    bank.LookUp(p->goal, [&](const Expression& e) { candidates.push_back(e); });
    const size_t before = rules->size();
    Verify(bank, *p, std::move(candidates), rules);
    p->found = rules->size() > before;
    if (!p->found && options_.longer) open.push_back(p->goal), owners.push_back(p);
  }
  if (!open.empty() && !options_.stop.stop_requested()) {
    std::vector<std::vector<Expression>> hits(open.size());
    bank.FindLonger(open, [&](size_t goal, const Expression& e) {
      if (hits[goal].size() < 64) hits[goal].push_back(e);
    });
    for (size_t i = 0; i < open.size(); ++i) Verify(bank, *owners[i], std::move(hits[i]), rules);
  }
  run_statistics_.enumerated += bank.progress().enumerated;
  run_statistics_.distinct += bank.progress().distinct;
  run_statistics_.peak_bytes = std::max(run_statistics_.peak_bytes, bank.peak_bytes());
}

void Search::Verify(const Bank& bank, const Prepared& prepared, std::vector<Expression> candidates,
                    std::vector<DiscoveredRule>* rules) {
  std::stable_sort(candidates.begin(), candidates.end(), [](const auto& x, const auto& y) { return x.cost < y.cost; });
  int proofs = 0;
  bool have_flagged = false;
  for (const Expression& candidate : candidates) {
    if (proofs >= options_.max_proofs || options_.stop.stop_requested()) return;
    ++run_statistics_.candidates;
    DiscoveredRule rule;
    bool flagless = false, asked = false;
    const bool proved = Propose(bank, prepared, candidate, &rule, &flagless, &asked);
    proofs += asked;
    if (!proved) continue;
    ++run_statistics_.proved;
    if (!flagless && have_flagged) continue;
    have_flagged = have_flagged || !flagless;
    rules->push_back(std::move(rule));
    if (flagless) return;
  }
}

bool Search::Propose(const Bank& bank, const Prepared& prepared, const Expression& candidate, DiscoveredRule* rule,
                     bool* flagless, bool* asked) {
  const std::vector<uint8_t> proposals =
      prepared.values->FlagProposals([&](BlockKind kind) { return bank.Evaluate(candidate, kind); });
  if (set_.machine() == nullptr) {
    rule->replace = bank.TermOf(candidate, prepared.variables);
  } else {
    if (candidate.step < 0) return false;  // no instruction at all: not a machine's rule
    rule->program = bank.ProgramOf(candidate, prepared.variables);
    absl::StatusOr<ir::Term> term = machine::ProgramTerm(*set_.machine(), *rule->program);
    if (!term.ok()) return false;  // two immediates, or fields that exclude each other
    rule->replace = *std::move(term);
  }
  rule->fragment = prepared.fragment;
  rule->cost = candidate.cost;
  rule->base_cost = prepared.base_cost;
  rule->tuned_cost = prepared.tuned_cost;
  // A machine's free choices do not show on the blocks; so what the prover refutes is asked again with more flags.
  std::vector<uint8_t> tries = proposals;
  if (!proposals.empty() && options_.propose_flags) {
    for (const uint8_t more : {uint8_t{ir::kNoSignedZero}, kPermissions}) {
      const uint8_t flags = proposals[0] | more;
      if (std::find(tries.begin(), tries.end(), flags) == tries.end()) tries.push_back(flags);
    }
  }
  bool unknown = false;
  for (const uint8_t flags : tries) {
    const bool granted = (flags & ~prepared.permitted) == 0;
    if (!granted && !options_.propose_flags) continue;
    if (ir::HasFloatOperation(prepared.term) == false && flags != 0) break;  // nothing carries flags
    rule->search = prepared.term;
    SetFloatFlags(&rule->search, flags);
    if (set_.machine() == nullptr) InheritFlags(rule->search, &rule->replace);
    *asked = true;
    const ProofResult result = Ask(&prover_, rule->search, rule->replace, options_.modes);
    if (result.outcome == Outcome::kProved) {
      rule->flags = flags;
      rule->granted = granted;
      *flagless = flags == 0;
      return true;
    }
    unknown = unknown || result.outcome == Outcome::kUnknown;
  }
  ++(unknown ? run_statistics_.unknown : run_statistics_.refuted);
  return false;
}

}  // namespace rewrought::enumerator
