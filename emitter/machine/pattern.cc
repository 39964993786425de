#include "emitter/machine/pattern.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "emitter/entry_rule.h"
#include "emitter/machine/words.h"
#include "emitter/nir/nir_text.h"
#include "emitter/proved_cases.h"
#include "ir/match/relation.h"
#include "ir/op_table.h"
#include "ir/text/rule_lexer.h"
#include "ir/text/rule_text.h"
#include "machine/legality.h"

namespace rewrought::emitter {
namespace {

constexpr absl::string_view kOpen = ", InstructionList([";
constexpr absl::string_view kMark = "constant(";

// Returns one pattern per proved case, with sizes unless the search side states them itself.
absl::StatusOr<std::vector<Pattern>> PatternsOf(const v1::PackEntry& entry) {
  const absl::StatusOr<EntryRule> parsed = ParseEntry(entry.rule());
  if (!parsed.ok()) return parsed.status();
  const absl::StatusOr<ProvedCases> proved = FindProvedCases(parsed->rule, entry);
  if (!proved.ok()) return proved.status();
  std::vector<Pattern> patterns;
  for (const ProvedCase& one : proved->cases) {
    const auto search = NirSearchText(parsed->rule.search, DefaultNirTarget(), &one.sizes.search_bits);
    if (!search.ok()) return search.status();
    const std::string marked = WithConstantsMarked(search->searched);
    const std::string whole =
        search->relation.empty() ? marked : absl::StrCat("('", ir::kWhere, "', ", marked, ", ", search->relation, ")");
    patterns.push_back(
        {&entry, whole, BothConditions(parsed->rule.condition, one.condition), parsed->machine, *parsed->program});
  }
  return patterns;
}

// Parses a tuple from NirText and writes it with constant(...) marks.
class ConstantMarker {
 public:
  explicit ConstantMarker(absl::string_view text) : text_(text) {
    for (size_t at = text.find("'#"); at != absl::string_view::npos; at = text.find("'#", at + 1)) {
      symbols_.insert(NameIn(text.substr(at + 1)));
    }
  }

  std::string Run() { return Read().text; }

 private:
  struct Part {
    std::string text;
    bool is_expression = false;
    bool is_constant = false;  // Consists only of symbols and literals.
    bool has_symbol = false;
  };

  // Returns "a" for "#a@32(is_odd)".
  static std::string NameIn(absl::string_view quoted) {
    if (absl::StartsWith(quoted, "#")) quoted.remove_prefix(1);
    return std::string(quoted.substr(0, quoted.find_first_of("@(.'")));
  }

  // Returns whether the op's result is a single bit pattern in all modes. `name` is the op's spelling in the tuple.
  static bool IsExact(absl::string_view name) {
    const ir::OpRow* const op = ir::FindOp(name.substr(0, name.find('@')));
    return op != nullptr && op->contract == ir::Contract::kBits && op->poison.empty() && op->free_zero.empty();
  }

  Part Read() {
    if (text_.substr(at_, 2) == "('") return ReadExpression();
    const size_t start = at_;
    if (text_[at_] == '\'') {
      at_ = text_.find('\'', at_ + 1) + 1;
      const std::string name = NameIn(text_.substr(start + 1));
      return {std::string(text_.substr(start, at_ - start)), false, symbols_.contains(name), symbols_.contains(name)};
    }
    // A literal, including float('inf').
    for (int depth = 0; at_ < text_.size() && (depth > 0 || (text_[at_] != ',' && text_[at_] != ')')); ++at_) {
      depth += text_[at_] == '(' ? 1 : text_[at_] == ')' ? -1 : 0;
    }
    return {std::string(text_.substr(start, at_ - start)), false, true, false};
  }

  Part ReadExpression() {
    const size_t end = text_.find('\'', at_ + 2);
    const absl::string_view op = text_.substr(at_ + 2, end - at_ - 2);
    Part whole = {absl::StrCat("('", op, "'"), true, IsExact(op), false};
    std::vector<Part> parts;
    for (at_ = end + 1; text_.substr(at_, 2) == ", ";) {
      at_ += 2;
      parts.push_back(Read());
      whole.is_constant &= parts.back().is_constant;
      whole.has_symbol |= parts.back().has_symbol;
    }
    ++at_;  // ')'
    for (const Part& part : parts) {
      const bool marked = !whole.is_constant && part.is_expression && part.is_constant && part.has_symbol;
      absl::StrAppend(&whole.text, ", ", marked ? absl::StrCat(kMark, part.text, ")") : part.text);
    }
    whole.text += ')';
    return whole;
  }

  absl::string_view text_;
  size_t at_ = 0;
  std::set<std::string> symbols_;
};

// Quotes the components of swizzles and masks, because Python has no bare words.
std::string WithComponentsQuoted(std::string text) {
  for (const std::string method : {".swizzle(", ".mask("}) {
    for (size_t at = text.find(method); at != std::string::npos; at = text.find(method, at + 1)) {
      text.insert(at + method.size(), "\"");
      text.insert(text.find(')', at), "\"");
    }
  }
  return text;
}

std::string InstructionText(const Pattern& pattern, const machine::Instruction& instruction) {
  const std::string text = machine::PrintInstruction(*pattern.machine, instruction);
  const std::string& mnemonic = instruction.variant->mnemonic;
  return WithComponentsQuoted(PythonName(mnemonic) + text.substr(mnemonic.size()));
}

// Returns an item of a program in the syntax of the machine's parser.
std::string MachineItem(absl::string_view line) {
  line = absl::StripAsciiWhitespace(line);
  absl::ConsumeSuffix(&line, ",");
  if (absl::StartsWith(line, "TempReg(")) return absl::StrReplaceAll(line, {{"\"", "'"}});
  const size_t name = std::min(line.find('('), line.size());
  return absl::StrCat(WithoutPythonName(line.substr(0, name)), absl::StrReplaceAll(line.substr(name), {{"\"", ""}}));
}

}  // namespace

std::string WithConstantsMarked(absl::string_view search) { return ConstantMarker(search).Run(); }

absl::StatusOr<std::vector<Pattern>> PatternsOf(const v1::Pack& pack) {
  std::vector<Pattern> patterns;
  for (const v1::PackEntry& entry : pack.entries()) {
    if (entry.rule().program().empty()) continue;
    absl::StatusOr<std::vector<Pattern>> own = PatternsOf(entry);
    if (!own.ok()) {
      return absl::Status(own.status().code(), absl::StrCat("entry ", entry.rule().id(), ": ", own.status().message()));
    }
    for (Pattern& pattern : *own) patterns.push_back(std::move(pattern));
  }
  return patterns;
}

std::string PatternText(const Pattern& pattern) {
  std::string text = absl::StrCat("(", pattern.search, kOpen, "\n");
  std::set<std::string> declared;
  for (const machine::Instruction& instruction : pattern.program.instructions) {
    const machine::Operand& to = instruction.destination;
    if (to.kind != machine::OperandKind::kRegister || to.name == machine::kResultName) continue;
    if (!declared.insert(to.name).second) continue;
    absl::StrAppend(&text, "    TempReg(\"", to.name, "\", ", pattern.machine->types()[to.type].name, "),\n");
  }
  for (const machine::Instruction& instruction : pattern.program.instructions) {
    absl::StrAppend(&text, "    ", InstructionText(pattern, instruction), ",\n");
  }
  absl::StrAppend(&text, "])");
  if (!pattern.condition.empty()) absl::StrAppend(&text, ", ", ir::QuoteString(pattern.condition));
  return absl::StrCat(text, ")");
}

absl::Status ComparePattern(absl::string_view text, const Pattern& wanted) {
  const std::vector<std::string> lines = absl::StrSplit(text, '\n');
  const std::string &first = lines.front(), &last = lines.back();
  if (lines.size() < 2 || !absl::StartsWith(first, "(") || !absl::EndsWith(first, kOpen) ||
      !absl::StartsWith(last, "])") || !absl::EndsWith(last, ")")) {
    return absl::DataLossError("is not a pattern");
  }
  const std::string search = first.substr(1, first.size() - 1 - kOpen.size());
  if (search != wanted.search) return absl::DataLossError(absl::StrCat("its search is ", search));
  std::string condition = last.substr(2, last.size() - 3);
  if (condition.size() > 4) condition = ir::UnescapeString(condition.substr(3, condition.size() - 4));
  if (condition != wanted.condition) return absl::DataLossError(absl::StrCat("its condition is ", condition));
  std::vector<std::string> items;
  for (size_t i = 1; i + 1 < lines.size(); ++i) items.push_back(MachineItem(lines[i]));
  const auto program = machine::ParseProgram(*wanted.machine, absl::StrCat("[", absl::StrJoin(items, ", "), "]"));
  if (!program.ok()) return absl::DataLossError(program.status().message());
  const absl::Status legal = machine::CheckLegal(*wanted.machine, *program);
  if (!legal.ok()) return absl::DataLossError(legal.message());
  if (program->instructions != wanted.program.instructions) {
    return absl::DataLossError(absl::StrCat("its program is ", machine::PrintProgram(*wanted.machine, *program)));
  }
  // The machine's parser skips declarations, so compare them as text.
  if (text != PatternText(wanted)) return absl::DataLossError("its declarations or their spelling differ");
  return absl::OkStatus();
}

}  // namespace rewrought::emitter
