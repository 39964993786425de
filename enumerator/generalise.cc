#include "enumerator/generalise.h"

#include <algorithm>
#include <bit>
#include <set>

#include "absl/strings/str_cat.h"
#include "enumerator/tape.h"
#include "enumerator/vector_blocks.h"
#include "ir/digest.h"
#include "ir/op_table.h"
#include "ir/predicate_meaning.h"
#include "ir/scalar.h"
#include "ir/text/canonical.h"
#include "ir/text/predicates.h"
#include "ir/text/sizes.h"
#include "machine/constants.h"
#include "machine/program_term.h"

namespace rewrought::enumerator {
namespace {

constexpr uint8_t kPermissions[] = {ir::kNoSignedZero, ir::kNoNan, ir::kNoInf};

// Of the ordinary block's lanes; fewer are as good as the constant itself.
constexpr int kLeastAdmitted = 2;

// Whether `predicate` holds of a value, read as `base`.
bool PredicateHolds(absl::string_view predicate, uint64_t bits, int width, ir::BaseType base) {
  ir::Dag dag;
  absl::StatusOr<ir::ValueIndex> truth = ir::AssumePredicate(&dag, predicate, dag.Literal(bits, width), base);
  return truth.ok() && dag.at(*truth).primitive == ir::Primitive::kLiteral && dag.at(*truth).immediate == 1;
}

// Predicates of constants that hold of `bits`, those that admit most values first.
std::vector<std::string> PredicatesOf(uint64_t bits, int width, ir::BaseType base) {
  bool ok = false;
  const ValueSet set = PlainSet(base == ir::BaseType::kFloat ? ValueKind::kFloat : ValueKind::kInteger, width, &ok);
  std::vector<std::pair<int, std::string>> found;
  for (const ir::PredicateInfo& info : ir::AllPredicates()) {
    // What a range analysis says of floats is no condition on bits.
    const bool range = info.kind == ir::PredicateKind::kRange && base == ir::BaseType::kFloat;
    if ((info.kind != ir::PredicateKind::kConstant && !range) || !ok) continue;
    if (!ir::PredicateAssumesSomething(info.name) || !PredicateHolds(info.name, bits, width, base)) continue;
    // What no ordinary value of this kind has says something of the pattern alone: a float that is_ult_32 is a
    // denormal.
    int admitted = 0;
    for (const uint32_t lane : InputLanes(set, 0, BlockKind::kOrdinary).lane) {
      admitted += PredicateHolds(info.name, lane, width, base);
    }
    if (admitted >= kLeastAdmitted) found.emplace_back(-admitted, std::string(info.name));
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> names;
  for (const auto& [admitted, name] : found) names.push_back(name);
  return names;
}

ir::BaseType BaseOfConstant(const ir::Term& term, uint64_t bits, int width) {
  for (size_t i = 0; i < term.nodes.size(); ++i) {
    const ir::Node& node = term.nodes[i];
    if (node.kind != ir::NodeKind::kConstant || node.values[0] != bits || node.bits != width) continue;
    if (KindOfNode(term, static_cast<ir::NodeIndex>(i)) == ValueKind::kFloat) return ir::BaseType::kFloat;
  }
  return ir::BaseType::kInt;
}

ir::Node Symbol(const std::string& name, int width) {
  ir::Node node;
  node.kind = ir::NodeKind::kVariable;
  node.name = name;
  node.bits = static_cast<uint8_t>(width);
  node.constant_only = true;
  return node;
}

// The result of a NIR op on constants, if its row gives one at this size.
std::optional<uint64_t> Fold(const ir::OpRow& op, int width, uint64_t x, uint64_t y) {
  absl::StatusOr<Tape> tape = CompileRow(op, width);
  if (!tape.ok()) return std::nullopt;
  LaneBlock a, b, out;
  std::fill_n(a.lane, kLanes, static_cast<uint32_t>(x));
  std::fill_n(b.lane, kLanes, static_cast<uint32_t>(y));
  const LaneBlock* inputs[] = {&a, &b};
  TapeScratch scratch;
  tape->Run(Kernels(), inputs, &out, &scratch);
  return out.lane[0];
}

// Puts `nodes` before node `at` of the term, whose indices move up.
void InsertBefore(ir::Term* term, ir::NodeIndex at, const std::vector<ir::Node>& nodes) {
  term->nodes.insert(term->nodes.begin() + at, nodes.begin(), nodes.end());
  const auto moved = static_cast<ir::NodeIndex>(nodes.size());
  for (size_t i = at + nodes.size(); i < term->nodes.size(); ++i) {
    for (ir::Source& source : term->nodes[i].sources) {
      if (source.node >= at) source.node += moved;
    }
  }
  if (term->root >= at) term->root += moved;
}

// Writes the constant node `index` of a replacement as an op on symbols, if one gives its value: the symbol for `bits`
// alone, or with a symbol or constant that the search has. False if none does.
bool Relate(ir::Term* replace, ir::NodeIndex index, uint64_t bits, int width, const std::string& name,
            ir::BaseType base) {
  static constexpr absl::string_view kFloatOps[] = {"fneg", "fabs"};
  static constexpr absl::string_view kIntegerOps[] = {"ineg", "inot"};
  static constexpr absl::string_view kWithNumber[] = {"isub", "iadd", "ishl"};
  const uint64_t wanted = replace->at(index).values[0];
  const bool real = base == ir::BaseType::kFloat;
  const auto op_node = [&](const ir::OpRow* op, std::vector<ir::Source> sources) {
    ir::Node node;
    node.kind = ir::NodeKind::kOp;
    node.op = op;
    node.bits = static_cast<uint8_t>(width);
    node.sources = std::move(sources);
    return node;
  };
  for (const absl::string_view op_name : real ? absl::MakeConstSpan(kFloatOps) : absl::MakeConstSpan(kIntegerOps)) {
    const ir::OpRow* op = ir::FindOp(op_name);
    if (op == nullptr || Fold(*op, width, bits, 0) != wanted) continue;
    InsertBefore(replace, index, {Symbol(name, width)});
    replace->nodes[index + 1] = op_node(op, {{index}});
    return true;
  }
  if (real) return false;
  for (const absl::string_view op_name : kWithNumber) {  // 32 - #b, #b + 1, #b - 1, 1 << #b
    const ir::OpRow* op = ir::FindOp(op_name);
    if (op == nullptr) continue;
    const uint64_t number = op_name == "isub" ? static_cast<uint64_t>(width) : 1;
    const bool symbol_first = op_name == "iadd";
    const uint64_t x = symbol_first ? bits : number, y = symbol_first ? number : bits;
    if (Fold(*op, width, x, y) != wanted) continue;
    ir::Node constant;
    constant.kind = ir::NodeKind::kConstant;
    constant.bits = static_cast<uint8_t>(width);
    constant.values[0] = number;
    const ir::Source symbol{index}, literal{index + 1};
    InsertBefore(replace, index, {Symbol(name, width), constant});
    replace->nodes[index + 2] = symbol_first ? op_node(op, {symbol, literal}) : op_node(op, {literal, symbol});
    return true;
  }
  return false;
}

std::set<std::string> NamesIn(const ir::Term& term) {
  std::set<std::string> names;
  for (const ir::Node& node : term.nodes) {
    if (node.kind == ir::NodeKind::kVariable) names.insert(node.name);
  }
  return names;
}

// Constants of a term by pattern and size, in order, without Booleans.
std::vector<std::pair<uint64_t, int>> ConstantsIn(const ir::Term& term) {
  std::vector<std::pair<uint64_t, int>> found;
  for (const ir::Node& node : term.nodes) {
    if (node.kind != ir::NodeKind::kConstant || node.bits == 1 || node.literal != ir::LiteralKind::kBits) continue;
    const std::pair<uint64_t, int> constant(node.values[0], node.bits);
    if (std::find(found.begin(), found.end(), constant) == found.end()) found.push_back(constant);
  }
  return found;
}

// The term with open sizes; constants as numbers, so that they have a pattern at every size.
ir::Term Opened(const ir::Term& term) {
  ir::Term open = term;
  for (size_t i = 0; i < term.nodes.size(); ++i) {
    ir::Node& node = open.nodes[i];
    if (node.kind == ir::NodeKind::kConstant && node.literal == ir::LiteralKind::kBits) {
      if (node.bits == 1) {
        node.literal = ir::LiteralKind::kBool;
      } else if (KindOfNode(term, static_cast<ir::NodeIndex>(i)) == ValueKind::kFloat) {
        node.values[0] = std::bit_cast<uint64_t>(ir::BitsToFloat(node.values[0], node.bits));
        node.literal = ir::LiteralKind::kFloat;
      } else {
        node.values[0] = static_cast<uint64_t>(ir::SignExtend(node.values[0], node.bits));
        node.literal = ir::LiteralKind::kInt;
      }
    }
    node.bits = 0;
  }
  return open;
}

}  // namespace

bool Generaliser::Holds(const ir::Term& search, ir::Term replace) {
  if (proofs_ >= options_.max_proofs || options_.stop.stop_requested()) return false;
  ++proofs_;
  if (machine_ == nullptr) InheritFlags(search, &replace);
  return Ask(&prover_, search, replace, options_.modes).outcome == Outcome::kProved;
}

bool Generaliser::DropFlags(GeneralRule* general) {
  ir::Term& search = general->rule.search;
  bool any = false;
  for (ir::Node& node : search.nodes) {
    node.flags &= static_cast<uint8_t>(~ir::kExact);  // says only where the rule may apply
    for (const uint8_t flag : kPermissions) {
      if ((node.flags & flag) == 0) continue;
      node.flags &= static_cast<uint8_t>(~flag);
      if (Holds(search, general->rule.replace)) {
        any = true;
      } else {
        node.flags |= flag;
      }
    }
  }
  return any;
}

void Generaliser::DropPredicates(GeneralRule* general) {
  ir::Term& search = general->rule.search;
  for (ir::Node& node : search.nodes) {
    if (node.kind != ir::NodeKind::kVariable || node.predicates.empty()) continue;
    const std::vector<std::string> kept = std::move(node.predicates);
    node.predicates.clear();
    if (!Holds(search, general->rule.replace)) node.predicates = kept;
  }
}

std::optional<GeneralRule> Generaliser::WithSymbol(const GeneralRule& general, uint64_t bits, int width,
                                                   const std::string& name, bool relate) const {
  GeneralRule next = general;
  for (ir::Node& node : next.rule.search.nodes) {
    if (node.kind == ir::NodeKind::kConstant && node.values[0] == bits && node.bits == width)
      node = Symbol(name, width);
  }
  if (!general.program.has_value()) {
    const ir::BaseType base = BaseOfConstant(general.rule.search, bits, width);
    for (size_t i = 0; i < next.rule.replace.nodes.size(); ++i) {
      ir::Node& node = next.rule.replace.nodes[i];
      if (node.kind != ir::NodeKind::kConstant || node.bits != width) continue;
      if (node.values[0] == bits) {
        node = Symbol(name, width);
      } else if (relate) {
        const size_t before = next.rule.replace.nodes.size();
        if (Relate(&next.rule.replace, static_cast<ir::NodeIndex>(i), bits, width, name, base)) {
          i += next.rule.replace.nodes.size() - before;
        }
      }
    }
    return next;
  }
  next.program = machine::WithConstantAsVariable(*machine_, *std::move(next.program), bits, width, name);
  if (!next.program.has_value()) return std::nullopt;
  absl::StatusOr<ir::Term> term = machine::ProgramTerm(*machine_, *next.program);
  if (!term.ok()) return std::nullopt;
  next.rule.replace = *std::move(term);
  return next;
}

bool Generaliser::TrySymbol(GeneralRule* general, uint64_t bits, int width, const std::string& name) {
  const ir::BaseType base = BaseOfConstant(general->rule.search, bits, width);
  for (const bool relate : {true, false}) {
    std::optional<GeneralRule> next = WithSymbol(*general, bits, width, name, relate);
    if (!next.has_value()) return false;
    std::vector<std::string> conditions = PredicatesOf(bits, width, base);
    conditions.insert(conditions.begin(), "");
    for (const std::string& condition : conditions) {
      for (ir::Node& node : next->rule.search.nodes) {
        if (node.kind != ir::NodeKind::kVariable || node.name != name) continue;
        node.predicates.clear();
        if (!condition.empty()) node.predicates.push_back(condition);
      }
      if (Holds(next->rule.search, next->rule.replace)) {
        *general = *std::move(next);
        return true;
      }
    }
    if (general->program.has_value()) return false;
  }
  return false;
}

void Generaliser::SymbolsForConstants(GeneralRule* general) {
  for (const auto& [bits, width] : ConstantsIn(general->rule.search)) {
    const std::set<std::string> taken = NamesIn(general->rule.search);
    std::string name = "a";
    while (taken.contains(name)) ++name[0];
    TrySymbol(general, bits, width, name);
  }
}

void Generaliser::OpenSizes(GeneralRule* general) {
  if (general->program.has_value()) return;
  ir::Rule open;
  open.search = Opened(general->rule.search);
  open.replace = Opened(general->rule.replace);
  ir::SizeOptions size_options;
  size_options.literals_exact = true;
  const absl::StatusOr<std::vector<ir::SizeAssignment>> sizes = ir::EnumerateSizes(open, size_options);
  if (!sizes.ok()) return;
  bool all = true;
  std::set<int> proved, failed;
  for (const ir::SizeAssignment& assignment : *sizes) {
    const absl::StatusOr<ir::Rule> sized = ir::Instantiate(open, assignment, size_options);
    const bool holds = sized.ok() && Holds(sized->search, sized->replace);
    (holds ? proved : failed).insert(assignment.width);
    all = all && holds;
  }
  for (const int width : proved) {
    if (!failed.contains(width)) general->widths.push_back(width);
  }
  if (!all) return;
  general->rule = std::move(open);
  general->open_sizes = true;
}

std::string Generaliser::DigestOf(const GeneralRule& general) const {
  ir::Rule rule = general.rule;
  if (machine_ == nullptr) {
    for (ir::Node& node : rule.replace.nodes) node.flags = 0;  // inherited
  }
  return ir::CanonicalDigest(rule);
}

GeneralRule Generaliser::Generalise(const DiscoveredRule& rule) {
  proofs_ = 0;
  GeneralRule general;
  general.rule.search = rule.search;
  general.rule.replace = rule.replace;
  general.program = rule.program;
  general.found = rule;
  general.fragments = {rule.fragment};
  if (options_.drop_assumptions) {
    DropFlags(&general);
    DropPredicates(&general);
  }
  SymbolsForConstants(&general);
  if (machine_ == nullptr) InheritFlags(general.rule.search, &general.rule.replace);
  if (options_.open_sizes) OpenSizes(&general);
  general.digest = DigestOf(general);
  return general;
}

std::vector<GeneralRule> Generaliser::GeneraliseAll(absl::Span<const DiscoveredRule> rules,
                                                    RunStatistics* run_statistics) {
  std::vector<GeneralRule> result;
  for (const DiscoveredRule& rule : rules) {
    if (options_.stop.stop_requested()) break;
    GeneralRule general = Generalise(rule);
    const auto same = std::find_if(result.begin(), result.end(),
                                   [&](const GeneralRule& other) { return other.digest == general.digest; });
    if (same == result.end()) {
      result.push_back(std::move(general));
      continue;
    }
    same->fragments.push_back(rule.fragment);
    std::sort(same->fragments.begin(), same->fragments.end());
    same->fragments.erase(std::unique(same->fragments.begin(), same->fragments.end()), same->fragments.end());
  }
  run_statistics->general += result.size();
  return result;
}

}  // namespace rewrought::enumerator
