// Parses a single expression of rule text into a term, for ParseRule and ParseTerm.
#ifndef REWROUGHT_IR_TEXT_EXPRESSION_PARSER_H_
#define REWROUGHT_IR_TEXT_EXPRESSION_PARSER_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/term.h"
#include "ir/text/annotated_name.h"
#include "ir/text/generic_ops.h"
#include "ir/text/node_table.h"
#include "ir/text/rule_lexer.h"
#include "proto/parse_limits.h"

namespace rewrought::ir {

// kSearchTerm is a term that may be a search with a relation (ir/match/relation.h).
enum class ExpressionSide : uint8_t { kTerm, kSearchTerm, kSearch, kReplace };

// NIR_SEARCH_MAX_VARIABLES of Mesa 26 (nir_search.h:32).
inline constexpr size_t kMaxVariablesIn26 = 24;

class ExpressionParser {
 public:
  // On the replacement side, `known` is the search side, which binds all variables; otherwise it is null.
  ExpressionParser(RuleLexer* lexer, ExpressionSide side, const Term* known, OpResolver find)
      : lexer_(lexer), side_(side), known_(known), find_(find), is_26_(find("fcanonicalize") != nullptr) {}

  // Returns false on errors; see error_offset() and error().
  bool ParseRoot(Term* term);

  size_t error_offset() const { return error_offset_; }
  const std::string& error() const { return error_; }

  // Returns, for each node of the parsed term, the offset of its op name, variable, or literal in the text.
  const std::vector<size_t>& offsets() const { return offsets_; }

 private:
  bool Fail(size_t offset, std::string message);
  bool FailAt(const Token& token, const NameError& error) { return Fail(token.begin + error.offset, error.message); }

  // Each of these functions parses one operand and sets `use`.
  bool ParseOperand(Source* use);
  bool ParseTuple(bool ignore_exact, Source* use);
  bool ParseSources(const Token& op_token, Node* node);
  bool ParseName(const Token& token, Source* use);
  bool ParseString(const Token& token, Source* use);
  bool ParseNumberToken(const Token& token, Source* use);
  bool ParseFloatCall(Source* use);

  bool CheckOp(const Token& token, const AnnotatedName& name, const OpRow** row);
  bool CheckWhere(const Token& token, const AnnotatedName& name, bool ignore_exact);
  bool ParseSource(const Token& op_token, Node* node);
  bool CheckRelationSource(size_t at, const Source& source, bool is_whole);
  bool AddVariable(const Token& token, const AnnotatedName& name, Source* use);
  bool CheckFirstUse(const Token& token, const AnnotatedName& name);
  bool MergeVariable(const Token& token, const AnnotatedName& name, Node* node);
  void AddConstant(Node node, Source* use);
  // `first_below` is the number of nodes that existed before the op's sources were parsed.
  void AddOp(size_t first_below, Node node, Source* use);
  bool IsSameOp(const Node& node, NodeIndex index) const;
  bool IsSizeDetermined(const Node& node) const;

  RuleLexer* lexer_;
  ExpressionSide side_;
  const Term* known_;
  OpResolver find_;
  bool is_26_;  // the ops are those of Mesa 26, which also checks the marks of a variable's later uses
  Term* term_ = nullptr;
  NodeTable table_;  // contains only literals that have a size
  absl::flat_hash_map<uint64_t, std::vector<NodeIndex>> shared_ops_;
  absl::flat_hash_map<std::string, NodeIndex> variables_;
  // Indexed by node; true if the size follows from variables and written sizes. Such a node may be shared.
  std::vector<bool> determined_;
  std::vector<size_t> offsets_;              // indexed by node
  size_t position_ = 0;                      // offset of the value that is being parsed
  BaseType operand_type_ = BaseType::kUint;  // the type that the op assumes for the operand being parsed
  int depth_ = 0;                            // nesting depth of tuples
  bool in_relation_ = false;
  NodeIndex first_of_relation_ = 0;
  proto::ParseBudget budget_{proto::kRuleLimits};
  size_t error_offset_ = 0;
  std::string error_;
};

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_TEXT_EXPRESSION_PARSER_H_
