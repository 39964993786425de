#include "pipeline/generalize/constant_symbols.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/types/span.h"
#include "ir/facts/fact_predicates.h"
#include "ir/fold.h"
#include "ir/scalar.h"
#include "ir/term_order.h"
#include "ir/text/predicates.h"
#include "ir/text/rule_text.h"
#include "ir/text/sizes.h"
#include "ir/text/value_types.h"
#include "pipeline/generalize/rule_edit.h"

namespace rewrought::pipeline {
namespace {

// The maximum number of replacements tried for one constant of the search. Each is tried with every condition.
constexpr size_t kMaxForms = 40;

// The minimum number of samples that a condition must admit to be more general than the constant.
constexpr int kMinAdmittedSamples = 3;

// Functions that rules commonly apply to constants. x and y are constants of the search, and N is the size of x. Simple
// functions come first.
constexpr absl::string_view kIntegerFunctions[] = {
    "x",
    "('ineg', x)",
    "('inot', x)",
    "('iadd', N, ('ineg', x))",
    "('iadd', x, 1)",
    "('iadd', x, -1)",
    "('ishl', 1, x)",
    "('iadd', ('ishl', 1, x), -1)",
    "('ishl', -1, x)",
    "('ushr', -1, x)",
    "('find_lsb', x)",
    "('iadd', ('find_lsb', x), 1)",
    "('ufind_msb', x)",
    "('bit_count', x)",
    "('iadd', x, x)",
    "('iadd', x, y)",
    "('iadd', x, ('ineg', y))",
    "('iadd', y, ('ineg', x))",
    "('imul', x, y)",
    "('iand', x, y)",
    "('iand', x, ('inot', y))",
    "('ior', x, y)",
    "('ixor', x, y)",
    "('ishl', x, y)",
    "('ishl', y, x)",
    "('ushr', x, y)",
    "('ushr', y, x)",
    "('ishr', x, y)",
    "('imin', x, y)",
    "('imax', x, y)",
    "('umin', x, y)",
    "('umax', x, y)",
};
constexpr absl::string_view kFloatFunctions[] = {
    "x",
    "('fneg', x)",
    "('fabs', x)",
    "('fneg', ('fabs', x))",
    "('fmul', x, y)",
    "('fadd', x, y)",
    "('fadd', x, ('fneg', y))",
    "('fadd', y, ('fneg', x))",
    "('fneg', ('fmul', x, y))",
    "('fneg', ('fadd', x, y))",
    "('fmin', x, y)",
    "('fmax', x, y)",
    "('fmul', x, x)",
    "('frcp', x)",
    "('fmul', x, 2.0)",
    "('fmul', x, 0.5)",
    "('fadd', x, 1.0)",
    "('fadd', 1.0, ('fneg', x))",
    "('fadd', x, -1.0)",
    "('fsat', x)",
};

// Returns sample values. The more of them satisfy a predicate, the more general the predicate is.
std::vector<uint64_t> Samples(int width, ir::BaseType base) {
  std::vector<uint64_t> samples;
  if (base == ir::BaseType::kFloat) {
    for (const double magnitude : {0.0, 0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 10.0, 255.0, 1e4}) {
      samples.push_back(ir::FloatToBits(magnitude, width));
      samples.push_back(ir::FloatToBits(-magnitude, width));
    }
    return samples;
  }
  for (uint64_t value = 0; value <= 40; ++value) {
    samples.push_back(value & ir::MaskOf(width));
    samples.push_back((0 - value) & ir::MaskOf(width));
  }
  for (int bit = 5; bit < width; ++bit) {
    const uint64_t power = uint64_t{1} << bit;
    for (const uint64_t value : {power, power - 1, power + 1, 0 - power, 3 * power / 2})
      samples.push_back(value & ir::MaskOf(width));
  }
  return samples;
}

struct Literal {
  ir::NodeIndex node = 0;
  uint64_t bits = 0;
  int width = 0;
  ir::BaseType base = ir::BaseType::kUint;
};

// Returns the literals of a side that are not Boolean, in node order.
std::vector<Literal> LiteralsOf(const ir::Term& term, const std::vector<uint8_t>& sizes,
                                const std::vector<std::optional<ir::BaseType>>& types) {
  std::vector<Literal> literals;
  const std::vector<bool> reached = ReachedNodes(term);
  for (ir::NodeIndex i = 0; i < term.nodes.size(); ++i) {
    const ir::Node& node = term.at(i);
    const bool usable = reached[i] && node.kind == ir::NodeKind::kConstant && node.components == 1 && sizes[i] > 1 &&
                        node.literal != ir::LiteralKind::kBool;
    if (!usable) continue;
    literals.push_back({i, ir::LiteralBits(node, sizes[i]), sizes[i], types[i].value_or(ir::BaseType::kUint)});
  }
  return literals;
}

ir::Node LiteralNode(uint64_t bits, int width) {
  ir::Node node;
  node.kind = ir::NodeKind::kConstant;
  node.bits = static_cast<uint8_t>(width);
  node.values[0] = bits;
  return node;
}

// Returns the value of a function at x and y if its result can have `width` bits.
std::optional<uint64_t> ValueAt(ir::Term function, int width, const Literal& x, const Literal* y) {
  ir::Node& root = function.nodes[function.root];
  if (root.kind == ir::NodeKind::kOp && root.op->result.bits == 0) root.bits = static_cast<uint8_t>(width);
  for (ir::Node& node : function.nodes) {
    if (node.kind == ir::NodeKind::kVariable) node.bits = static_cast<uint8_t>(node.name == "x" ? x.width : y->width);
  }
  const ir::Rule alone{std::move(function), {}, "", 0};
  const auto sizes = ir::EnumerateSizes(alone);
  if (!sizes.ok() || sizes->size() != 1) return std::nullopt;
  absl::StatusOr<ir::Rule> sized = ir::Instantiate(alone, sizes->front());
  if (!sized.ok()) return std::nullopt;
  for (ir::Node& node : sized->search.nodes) {
    if (node.kind == ir::NodeKind::kVariable) node = LiteralNode(node.name == "x" ? x.bits : y->bits, node.bits);
  }
  const ir::Term folded = ir::FoldConstants(std::move(sized->search));
  const ir::Node& result = folded.root_node();
  if (result.kind != ir::NodeKind::kConstant || result.bits != width) return std::nullopt;
  return result.values[0];
}

// A function of the constants x and y that yields a constant of the replacement.
struct Function {
  ir::Term term;
  ir::NodeIndex other = 0;  // the literal of the search that y stands for, if the function reads y
};

std::vector<Function> FunctionsTo(const Literal& wanted, const Literal& x, const std::vector<Literal>& others) {
  std::vector<Function> found;
  const bool real = x.base == ir::BaseType::kFloat;
  const auto texts = real ? absl::MakeConstSpan(kFloatFunctions) : absl::MakeConstSpan(kIntegerFunctions);
  for (const absl::string_view text : texts) {
    const absl::StatusOr<ir::Term> term =
        ir::ParseTerm(absl::StrReplaceAll(text, {{"N", absl::StrCat(x.width)}}), nullptr);
    if (!term.ok()) continue;
    if (text.find('y') == absl::string_view::npos) {
      if (ValueAt(*term, wanted.width, x, nullptr) == wanted.bits) found.push_back({*term});
      continue;
    }
    for (const Literal& other : others) {
      if (ValueAt(*term, wanted.width, x, &other) == wanted.bits) found.push_back({*term, other.node});
    }
  }
  return found;
}

// Replaces node `at` of the replacement with a function of the variable `name`.
void WriteFunction(const Function& function, const ir::Term& search, const std::string& name, ir::NodeIndex at,
                   ir::Term* replace) {
  ir::Term result;
  std::vector<ir::NodeIndex> moved(replace->nodes.size());
  for (ir::NodeIndex i = 0; i < replace->nodes.size(); ++i) {
    const auto append = [&](ir::Node node) {
      result.nodes.push_back(std::move(node));
      return static_cast<ir::NodeIndex>(result.nodes.size() - 1);
    };
    if (i != at) {
      ir::Node node = replace->nodes[i];
      for (ir::Source& source : node.sources) source.node = moved[source.node];
      moved[i] = append(std::move(node));
      continue;
    }
    std::vector<ir::NodeIndex> of_function;
    for (const ir::Node& part : function.term.nodes) {
      ir::Node node = part;
      if (node.kind == ir::NodeKind::kVariable) {
        node = node.name == "x" ? VariableNode(name, 0) : search.at(function.other);
        node.constant_only = false;
        node.predicates.clear();
      }
      for (ir::Source& source : node.sources) source.node = of_function[source.node];
      of_function.push_back(append(std::move(node)));
    }
    moved[i] = of_function[function.term.root];
  }
  result.root = moved[replace->root];
  *replace = std::move(result);
}

bool IsCommon(const Literal& literal) {
  if (literal.base == ir::BaseType::kFloat) {
    const double value = ir::BitsToFloat(literal.bits, literal.width);
    return value == 0 || value == 1 || value == -1;
  }
  return literal.bits <= 1 || literal.bits == ir::MaskOf(literal.width);
}

class Symbols {
 public:
  Symbols(Judge* judge, ir::Rule* rule, std::vector<std::string>* steps) : judge_(judge), rule_(rule), steps_(steps) {}

  void Run() {
    for (size_t done = 0; !judge_->time_is_up() && ReadRule();) {
      // A success removes a literal, so `done` is then already the index of the next one.
      if (done >= search_.size()) break;
      if (!TryAt(done)) ++done;
    }
  }

 private:
  // Reads the literals of the current rule.
  bool ReadRule() {
    const absl::StatusOr<ir::Rule> read = Normalized(*rule_, judge_->dialect());
    if (!read.ok()) return false;
    *rule_ = *read;
    const auto sizes = ir::EnumerateSizes(*rule_, judge_->size_options());
    if (!sizes.ok()) return false;
    const ir::ValueTypes types = ir::InferTypes(*rule_);
    search_ = LiteralsOf(rule_->search, sizes->front().search_bits, types.search);
    replace_ = LiteralsOf(rule_->replace, sizes->front().replace_bits, types.replace);
    return true;
  }

  // Tries to replace the literal with index `which`: first only this one, then all equal ones.
  bool TryAt(size_t which) {
    const Literal literal = search_[which];
    if (TrySet({literal})) return true;
    std::vector<Literal> equal;
    for (const Literal& other : search_) {
      if (other.bits == literal.bits && other.width == literal.width) equal.push_back(other);
    }
    return equal.size() > 1 && TrySet(equal);
  }

  bool TrySet(const std::vector<Literal>& set) {
    const Literal& x = set.front();
    const std::string name = FreshName(*rule_);
    ir::Rule base = *rule_;
    ir::Node symbol = VariableNode(name, rule_->search.at(x.node).bits);
    symbol.constant_only = true;
    for (const Literal& literal : set) base.search.nodes[literal.node] = symbol;
    std::vector<std::string> conditions = {""};
    for (std::string& one : ConditionsOf(x.bits, x.width, x.base, judge_->dialect()))
      conditions.push_back(std::move(one));
    const std::vector<ir::Rule> forms = Forms(base, set, name);
    for (const std::string& condition : conditions) {
      for (ir::Rule form : forms) {
        for (ir::Node& node : form.search.nodes) {
          if (node.kind == ir::NodeKind::kVariable && node.name == name && !condition.empty())
            node.predicates = {condition};
        }
        ir::ShareVariables(&form.search);
        ir::ShareVariables(&form.replace);
        if (!StillSaves(*rule_, form) || !Normalized(form, judge_->dialect()).ok()) continue;
        if (!judge_->Verify(form).proved) continue;
        steps_->push_back(absl::StrCat("the constant ", ir::PrintTerm({{rule_->search.at(x.node)}, 0}),
                                       " may be any constant", condition.empty() ? "" : " with ", condition));
        *rule_ = std::move(form);
        return true;
      }
    }
    return false;
  }

  // Returns the rules in which constants of the replacement are functions of the new symbol. Rules in which all
  // uncommon constants are functions come first.
  std::vector<ir::Rule> Forms(const ir::Rule& base, const std::vector<Literal>& set, const std::string& name) const {
    std::vector<Literal> others;
    for (const Literal& literal : search_) {
      const bool in_set = std::any_of(set.begin(), set.end(), [&](const Literal& x) { return x.node == literal.node; });
      if (!in_set) others.push_back(literal);
    }
    std::vector<ir::Rule> forms = {base};
    // Replace later literals first, because WriteFunction moves the nodes after the one that it replaces.
    for (size_t k = replace_.size(); k-- > 0;) {
      const std::vector<Function> functions = FunctionsTo(replace_[k], set.front(), others);
      std::vector<ir::Rule> next;
      const auto add_kept = [&] { next.insert(next.end(), forms.begin(), forms.end()); };
      if (IsCommon(replace_[k])) add_kept();
      for (const Function& function : functions) {
        for (const ir::Rule& form : forms) {
          if (next.size() >= kMaxForms) break;
          ir::Rule written = form;
          WriteFunction(function, rule_->search, name, replace_[k].node, &written.replace);
          next.push_back(std::move(written));
        }
      }
      if (!IsCommon(replace_[k])) add_kept();
      if (next.size() > kMaxForms) next.resize(kMaxForms);
      forms = std::move(next);
    }
    return forms;
  }

  Judge* const judge_;
  ir::Rule* const rule_;
  std::vector<std::string>* const steps_;
  std::vector<Literal> search_, replace_;
};

// Lets each variable that matches only constants match all values if the rule then still holds and adds no more
// instructions.
void AllowOtherValues(Judge* judge, ir::Rule* rule, std::vector<std::string>* steps) {
  std::vector<std::string> names;
  for (const ir::Node& node : rule->search.nodes) {
    if (node.kind == ir::NodeKind::kVariable && node.constant_only) names.push_back(node.name);
  }
  for (const std::string& name : names) {
    ir::Rule open = *rule;
    bool allowed = true;
    for (ir::Node& node : open.search.nodes) {
      if (node.kind != ir::NodeKind::kVariable || node.name != name) continue;
      node.constant_only = false;
      for (const std::string& predicate : node.predicates) {
        const ir::PredicateInfo* info = ir::FindPredicate(predicate);
        allowed = allowed && (info == nullptr || info->kind != ir::PredicateKind::kConstant);
      }
    }
    if (!allowed || CostOf(open).added > CostOf(*rule).added || !judge->Verify(open).proved) continue;
    steps->push_back(absl::StrCat(name, " need not be constant"));
    *rule = std::move(open);
  }
}

}  // namespace

std::vector<std::string> ConditionsOf(uint64_t bits, int width, ir::BaseType base, ir::Dialect dialect) {
  std::vector<std::string> names =
      ir::PredicatesOfConstant(bits, width, base, Samples(width, base), kMinAdmittedSamples);
  if (dialect == ir::Dialect::kNir26)
    std::erase_if(names, [](const std::string& name) { return ir::IsPredicateGoneIn26(name); });
  return names;
}

void ReplaceConstants(Judge* judge, ir::Rule* rule, std::vector<std::string>* steps) {
  Symbols(judge, rule, steps).Run();
  AllowOtherValues(judge, rule, steps);
}

}  // namespace rewrought::pipeline
