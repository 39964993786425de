#include "ir/text/expression_parser.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/match/relation.h"
#include "ir/text/literal.h"
#include "ir/text/nearest_name.h"
#include "ir/text/predicates.h"
#include "ir/text/rule_text.h"

namespace rewrought::ir {
namespace {

constexpr size_t kMaxSources = 4;  // Mesa 25.0.7 nir_search.h, nir_search_expression::srcs

Node BoolConstant(bool value) {
  Node node;
  node.kind = NodeKind::kConstant;
  node.literal = LiteralKind::kBool;
  node.values.fill(value ? 1 : 0);
  return node;
}

bool IsFloatZero(const Node& node) {
  return node.kind == NodeKind::kConstant && node.literal == LiteralKind::kFloat && node.values[0] << 1 == 0;
}

bool HasMarks(const AnnotatedName& name) { return name.constant_only || name.typed || !name.predicates.empty(); }

}  // namespace

bool ExpressionParser::Fail(size_t offset, std::string message) {
  error_offset_ = offset;
  error_ = std::move(message);
  return false;
}

bool ExpressionParser::ParseRoot(Term* term) {
  term_ = term;
  const Token start = lexer_->peek();
  Source use;
  if (!ParseOperand(&use)) return false;
  const bool is_op = term_->nodes[use.node].kind == NodeKind::kOp;
  if (!is_op && side_ == ExpressionSide::kSearch) {
    return Fail(start.begin, "the search must be an op with sources, not a bare variable or literal");
  }
  term_->root = use.node;
  if (use.swizzle == kIdentitySwizzle) return true;
  if (is_op) return Fail(start.begin, "a swizzle on the root has no effect; omit it");
  // A swizzled variable as the whole replacement copies the selected components.
  const OpRow* mov = find_("mov");
  if (mov == nullptr) return Fail(start.begin, "a swizzle needs an op around it");
  Node node;
  node.kind = NodeKind::kOp;
  node.op = mov;
  node.bits = term_->nodes[use.node].bits;
  node.sources = {use};
  Source root;
  AddOp(term_->nodes.size(), std::move(node), &root);
  term_->root = root.node;
  return true;
}

bool ExpressionParser::ParseOperand(Source* use) {
  if (!budget_.TakeItems()) return Fail(lexer_->peek().begin, budget_.error());
  const Token token = lexer_->Next();
  position_ = token.begin;
  switch (token.kind) {
    case TokenKind::kBad:
      return Fail(token.begin, std::string(token.text));
    case TokenKind::kEnd:
      return Fail(token.begin, "unexpected end of the text; is a value or a ')' missing?");
    case TokenKind::kName:
      return ParseName(token, use);
    case TokenKind::kString:
      return ParseString(token, use);
    case TokenKind::kNumber:
      return ParseNumberToken(token, use);
    case TokenKind::kPunctuation:
      break;
  }
  if (token.Is('(')) return ParseTuple(false, use);
  if (token.Is(')') || token.Is(',')) {
    return Fail(token.begin, absl::StrCat("a value is expected before '", token.text, "'"));
  }
  if (token.Is('[')) return Fail(token.begin, "a list is not a value; write tuples in round parentheses");
  return Fail(token.begin,
              absl::StrCat("'", token.text, "' is not a value; write an op in parentheses, a name or a number"));
}

bool ExpressionParser::ParseTuple(bool ignore_exact, Source* use) {
  const proto::ParseLevel level(&budget_);
  if (!level.ok()) return Fail(lexer_->peek().begin, budget_.error());
  const Token token = lexer_->Next();
  if (token.kind == TokenKind::kBad) return Fail(token.begin, std::string(token.text));
  if (token.kind != TokenKind::kString && token.kind != TokenKind::kName) {
    return Fail(token.begin, "expected an op name in quotes after '(', as in ('fadd', a, b)");
  }
  AnnotatedName name;
  NameError error;
  if (!ParseOpName(token.text, &name, &error)) return FailAt(token, error);
  Node node;
  node.kind = NodeKind::kOp;
  ++depth_;
  if (name.name == kWhere) {
    if (!CheckWhere(token, name, ignore_exact)) return false;
    node.op = &WhereRow();
  } else if (!CheckOp(token, name, &node.op)) {
    return false;
  }
  node.bits = name.bits;
  if (name.components != 0) node.components = name.components;
  node.write_mask = name.write_mask;
  node.flags = name.flags;
  node.predicates = std::move(name.predicates);
  if (ignore_exact) node.predicates.emplace_back(kIgnoreExact);
  std::sort(node.predicates.begin(), node.predicates.end());
  const size_t first_below = term_->nodes.size();
  if (!ParseSources(token, &node)) return false;
  --depth_;
  if (IsWhere(node)) {
    node.bits = term_->nodes[node.sources[0].node].bits;
    node.components = term_->nodes[node.sources[0].node].components;
  }
  position_ = token.begin;
  AddOp(first_below, std::move(node), use);
  if (name.has_swizzle) use->swizzle = name.swizzle;
  return true;
}

bool ExpressionParser::CheckOp(const Token& token, const AnnotatedName& name, const OpRow** row) {
  *row = FindGenericConversion(name.name);
  if (*row != nullptr && name.bits != 0) {
    return Fail(token.begin, absl::StrCat(name.name, " infers its size from its use; write '", name.name,
                                          static_cast<int>(name.bits), "' to fix it"));
  }
  if (*row == nullptr) *row = find_(name.name);
  if (*row == nullptr) {
    const std::vector<std::string> nearest = NearestOpNames(name.name, find_);
    const std::string guess =
        nearest.empty() ? "" : absl::StrCat("did you mean '", absl::StrJoin(nearest, "' or '"), "'? ");
    return Fail(token.begin,
                absl::StrCat("no op is called '", name.name, "'; ", guess, "`rewrought ops` lists all ops"));
  }
  if (side_ == ExpressionSide::kReplace && (name.flags & kInexact)) {
    return Fail(token.begin, "~ is allowed only on the search side; on the replacement side, write ! for an exact op");
  }
  const bool has_predicate = std::any_of(name.predicates.begin(), name.predicates.end(),
                                         [](const std::string& mark) { return !IsPreserveFlag(mark); });
  if (side_ == ExpressionSide::kReplace && has_predicate) {
    return Fail(token.begin, "predicates belong to the search side; the replacement is new and has none");
  }
  if ((*row)->result.bits != 0 && name.bits != 0 && name.bits != (*row)->result.bits) {
    return Fail(token.begin, absl::StrCat("the result of ", name.name, " has ", static_cast<int>((*row)->result.bits),
                                          " bits, not ", static_cast<int>(name.bits), "; omit the size"));
  }
  if (!in_relation_) return true;
  if (const std::string why = WhyUnfitForRelation(**row); !why.empty()) {
    return Fail(token.begin, absl::StrCat("a relation between constants cannot have ", name.name, ": it ", why));
  }
  const bool plain = name.flags == 0 && name.predicates.empty() && !name.has_swizzle && name.components <= 1 &&
                     name.write_mask == kWritesAll;
  return plain ||
         Fail(token.begin, "an op of a relation between constants cannot have flags, predicates or components");
}

bool ExpressionParser::CheckWhere(const Token& token, const AnnotatedName& name, bool ignore_exact) {
  const bool may_relate = side_ == ExpressionSide::kSearch || side_ == ExpressionSide::kSearchTerm;
  if (!may_relate || depth_ != 1 || ignore_exact) {
    return Fail(token.begin,
                "'where' must enclose a rule's whole search: "
                "(('where', SEARCH, RELATION), REPLACEMENT)");
  }
  const bool plain = name.bits == 0 && name.components == 0 && name.flags == 0 && name.predicates.empty() &&
                     !name.has_swizzle && name.write_mask == kWritesAll;
  return plain || Fail(token.begin, "'where' takes no marks; write them on the op that it searches for");
}

// Checks that `source` may be part of a relation. `is_whole` is true for the relation itself.
bool ExpressionParser::CheckRelationSource(size_t at, const Source& source, bool is_whole) {
  const Node& node = term_->nodes[source.node];
  if (source.swizzle != kIdentitySwizzle)
    return Fail(at, "a relation between constants reads whole values; remove the swizzle");
  switch (node.kind) {
    case NodeKind::kOp:
      return true;
    case NodeKind::kConstant:
      if (is_whole)
        return Fail(at, "a relation compares constants, as in ('ult', 'b', 'c'); a literal is not a relation");
      if (node.literal != LiteralKind::kFloat && node.components == 1) return true;
      return Fail(at, "a relation between constants works on integers; write a float's bits as 0x…");
    case NodeKind::kVariable:
      break;
  }
  if (source.node >= first_of_relation_ || !node.constant_only) {
    return Fail(at,
                absl::StrCat("'", node.name, "' is not a constant of the search; a relation compares `#` variables ",
                             "that it binds: mark it '#", node.name, "' there"));
  }
  return !is_whole ||
         Fail(at, "a relation compares constants, as in ('ult', 'b', 'c'); a single constant is not a relation");
}

bool ExpressionParser::ParseSource(const Token& op_token, Node* node) {
  const size_t at = lexer_->peek().begin;
  const bool is_relation = IsWhere(*node) && node->sources.size() == 1;
  if (is_relation) {
    const Source& searched = node->sources[0];
    if (term_->nodes[searched.node].kind != NodeKind::kOp || searched.swizzle != kIdentitySwizzle) {
      return Fail(op_token.begin, "the search inside 'where' must be an op with sources, not a bare value");
    }
    in_relation_ = true;
    first_of_relation_ = static_cast<NodeIndex>(term_->nodes.size());
  }
  Source source;
  operand_type_ =
      node->sources.size() < node->op->sources.size() ? node->op->sources[node->sources.size()].base : BaseType::kUint;
  if (!ParseOperand(&source)) return false;
  if (in_relation_ && !CheckRelationSource(at, source, is_relation)) return false;
  if (is_relation) in_relation_ = false;
  node->sources.push_back(source);
  return true;
}

bool ExpressionParser::ParseSources(const Token& op_token, Node* node) {
  const size_t wanted = node->op->sources.size();
  for (;;) {
    if (lexer_->peek().Is(')')) break;
    if (!lexer_->peek().Is(',')) {
      const Token& token = lexer_->peek();
      if (token.kind == TokenKind::kBad) return Fail(token.begin, std::string(token.text));
      return Fail(token.begin,
                  token.kind == TokenKind::kEnd ? "missing ')' at the end of an expression" : "expected ',' or ')'");
    }
    lexer_->Next();
    if (lexer_->peek().Is(')')) break;  // a trailing comma
    if (node->sources.size() == kMaxSources) {
      return Fail(lexer_->peek().begin,
                  absl::StrCat("more than ", kMaxSources, " sources; Mesa's tuples have at most ", kMaxSources));
    }
    if (!ParseSource(op_token, node)) return false;
  }
  lexer_->Next();
  if (node->sources.size() == wanted) return true;
  return Fail(op_token.begin, absl::StrCat(node->op->name, " takes ", wanted, wanted == 1 ? " source" : " sources",
                                           ", not ", node->sources.size()));
}

bool ExpressionParser::ParseName(const Token& token, Source* use) {
  if (token.text == "True" || token.text == "False") {
    AddConstant(BoolConstant(token.text == "True"), use);
    return true;
  }
  if (lexer_->peek().Is('(')) {
    if (token.text == "float") return ParseFloatCall(use);
    if (token.text == "ignore_exact") {
      lexer_->Next();
      if (side_ == ExpressionSide::kReplace) return Fail(token.begin, "ignore_exact belongs to the search side");
      return ParseTuple(true, use);
    }
    return Fail(token.begin,
                absl::StrCat("'", token.text, "' is not a function; write an op inside its parentheses: ('",
                             token.text.substr(0, 40), "', ...)"));
  }
  if (token.text == "None") return Fail(token.begin, "None is not a value");
  return ParseString(token, use);
}

bool ExpressionParser::ParseFloatCall(Source* use) {
  lexer_->Next();
  const Token token = lexer_->Next();
  Node node;
  Source ignored;
  bool handled = false;
  NameError error;
  if (token.kind != TokenKind::kString || !ParseQuotedConstant(token.text, &node, &ignored, &handled, &error) ||
      node.literal != LiteralKind::kFloat) {
    return Fail(token.begin,
                "only float('inf'), float('-inf') and float('nan') are allowed; write other numbers as literals");
  }
  if (!lexer_->peek().Is(')')) return Fail(lexer_->peek().begin, "expected ')' after float('…'");
  lexer_->Next();
  AddConstant(std::move(node), use);
  return true;
}

bool ExpressionParser::ParseString(const Token& token, Source* use) {
  NameError error;
  Node constant;
  bool handled = false;
  if (ParseQuotedConstant(token.text, &constant, use, &handled, &error)) {
    AddConstant(std::move(constant), use);
    return true;
  }
  if (handled) return FailAt(token, error);
  AnnotatedName name;
  if (!ParseVariableName(token.text, &name, &error)) return FailAt(token, error);
  return AddVariable(token, name, use);
}

bool ExpressionParser::ParseNumberToken(const Token& token, Source* use) {
  const size_t at = token.text.find('@');
  const absl::string_view number = token.text.substr(0, at);
  Node node;
  std::string message;
  if (!ParseNumber(number, &node, &message)) return Fail(token.begin, message);
  if (at != absl::string_view::npos) {
    NameError error;
    const bool is_pattern = number.substr(0, 2) == "0x" || number.substr(0, 2) == "0X";
    if (!ApplyShape(token.text.substr(at + 1), is_pattern, &node, &error)) {
      return Fail(token.begin + at + 1 + error.offset, error.message);
    }
  }
  AddConstant(std::move(node), use);
  return true;
}

void ExpressionParser::AddConstant(Node node, Source* use) {
  const bool sized = node.bits != 0;
  if (sized && !(side_ == ExpressionSide::kSearch && IsFloatZero(node))) {
    use->node = table_.Intern(std::move(node), term_);
    determined_.resize(term_->nodes.size(), true);
    offsets_.resize(term_->nodes.size(), position_);
    return;
  }
  use->node = static_cast<NodeIndex>(term_->nodes.size());
  term_->nodes.push_back(std::move(node));
  determined_.push_back(sized);
  offsets_.push_back(position_);
}

// Returns whether the sizes of the op's result and open operands follow from a node below the op that has a size.
bool ExpressionParser::IsSizeDetermined(const Node& node) const {
  if (IsGenericConversion(node.op)) return false;
  bool has_free = node.op->result.bits == 0;
  bool free_is_known = node.bits != 0;
  for (size_t k = 0; k < node.sources.size(); ++k) {
    const bool known = determined_[node.sources[k].node];
    const Node& source = term_->nodes[node.sources[k].node];
    if (!known && source.kind == NodeKind::kOp) return false;
    // Each zero in a search may match a zero of either sign, so two zeros may differ.
    if (side_ == ExpressionSide::kSearch && IsFloatZero(source)) return false;
    if (node.op->sources[k].bits != 0) continue;
    has_free = true;
    free_is_known = free_is_known || known;
  }
  return !has_free || free_is_known;
}

// Returns whether `node` means the same as the op at `index`. Literals whose size is still undetermined are separate
// nodes, so they are compared by value. This is enough, because literals at the same position of ops with determined
// sizes have the same size.
bool ExpressionParser::IsSameOp(const Node& node, NodeIndex index) const {
  const Node& other = term_->nodes[index];
  if (node.sources.size() != other.sources.size()) return false;
  Node aligned = node;
  for (size_t k = 0; k < node.sources.size(); ++k) {
    const NodeIndex mine = node.sources[k].node, theirs = other.sources[k].node;
    if (mine == theirs) continue;
    if (determined_[mine] || determined_[theirs] || !SameNode(term_->nodes[mine], term_->nodes[theirs])) return false;
    aligned.sources[k].node = theirs;
  }
  return SameNode(aligned, other);
}

void ExpressionParser::AddOp(size_t first_below, Node node, Source* use) {
  const bool shared = IsSizeDetermined(node);
  if (shared) {
    uint64_t hash = MixHash(node.flags, node.sources.size());
    for (const char c : node.op->name) hash = MixHash(hash, static_cast<uint64_t>(c));
    for (const Source& source : node.sources) {
      hash = MixHash(hash, determined_[source.node] ? source.node : HashNode(term_->nodes[source.node]));
    }
    auto& bucket = shared_ops_[hash];
    for (const NodeIndex index : bucket) {
      if (!IsSameOp(node, index)) continue;
      // The nodes from `first_below` on are this op's literals of open size. The equal op that was found has its own
      // copies of them.
      term_->nodes.resize(first_below);
      determined_.resize(first_below);
      offsets_.resize(first_below);
      use->node = index;
      return;
    }
    bucket.push_back(static_cast<NodeIndex>(term_->nodes.size()));
  }
  use->node = static_cast<NodeIndex>(term_->nodes.size());
  term_->nodes.push_back(std::move(node));
  determined_.push_back(shared);
  offsets_.push_back(position_);
}

bool ExpressionParser::AddVariable(const Token& token, const AnnotatedName& name, Source* use) {
  use->swizzle = name.swizzle;
  const auto found = variables_.find(std::string(name.name));
  if (found != variables_.end()) {
    use->node = found->second;
    return MergeVariable(token, name, &term_->nodes[found->second]);
  }
  if (!CheckFirstUse(token, name)) return false;
  Node node;
  node.name = std::string(name.name);
  node.bits = name.bits;
  if (name.components != 0) node.components = name.components;
  node.write_mask = name.write_mask;
  node.constant_only = name.constant_only;
  node.typed = name.typed;
  node.type = name.type;
  node.predicates = name.predicates;
  use->node = static_cast<NodeIndex>(term_->nodes.size());
  variables_.emplace(node.name, use->node);
  term_->nodes.push_back(std::move(node));
  determined_.push_back(true);
  offsets_.push_back(position_);
  return true;
}

bool ExpressionParser::CheckFirstUse(const Token& token, const AnnotatedName& name) {
  if (side_ == ExpressionSide::kReplace) {
    const bool known = std::any_of(known_->nodes.begin(), known_->nodes.end(), [&](const Node& node) {
      return node.kind == NodeKind::kVariable && node.name == name.name;
    });
    if (!known) {
      return Fail(token.begin,
                  absl::StrCat("variable '", name.name, "' is not in the search side; the replacement may use only ",
                               "variables that the search binds"));
    }
    if (HasMarks(name)) {
      return Fail(token.begin, absl::StrCat("marks of '", name.name,
                                            "' belong to the search side; write only the variable's name here"));
    }
  } else if (const size_t most = is_26_ ? kMaxVariablesIn26 : kMaxVariables; variables_.size() == most) {
    return Fail(token.begin, absl::StrCat("more than ", most, " variables; Mesa's matcher supports no more"));
  }
  return true;
}

bool ExpressionParser::MergeVariable(const Token& token, const AnnotatedName& name, Node* node) {
  if (name.bits != 0 && node->bits != 0 && name.bits != node->bits) {
    return Fail(token.begin, absl::StrCat("variable '", name.name, "' has ", static_cast<int>(node->bits),
                                          " bits at its first use and ", static_cast<int>(name.bits),
                                          " here; a variable has a single size"));
  }
  if (name.components != 0 && name.components != node->components) {
    return Fail(token.begin,
                absl::StrCat("variable '", name.name, "' has a different number of components at its first use"));
  }
  const bool same_marks = name.constant_only == node->constant_only && name.typed == node->typed &&
                          name.type == node->type && name.predicates == node->predicates;
  if (HasMarks(name) && !same_marks && is_26_) {
    if (name.typed) return Fail(token.begin, "Mesa 26 has no variable types; omit the type");
    node->constant_only = node->constant_only || name.constant_only;
    for (const std::string& predicate : name.predicates) {
      if (std::find(node->predicates.begin(), node->predicates.end(), predicate) == node->predicates.end())
        node->predicates.push_back(predicate);
    }
    std::sort(node->predicates.begin(), node->predicates.end());
    if (operand_type_ == BaseType::kInt) node->predicates.emplace_back(kReadAsInt);
  } else if (HasMarks(name) && !same_marks) {
    return Fail(token.begin, absl::StrCat("the marks of '", name.name,
                                          "' must appear at its first use: Mesa's matcher ", "reads them only there"));
  }
  if (name.bits != 0) node->bits = name.bits;
  return true;
}

}  // namespace rewrought::ir
