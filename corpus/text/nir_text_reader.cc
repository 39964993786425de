#include "corpus/text/nir_text_reader.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "corpus/shader_builder.h"
#include "corpus/text/nir_text_header.h"
#include "corpus/text/nir_text_syntax.h"
#include "corpus/text/text_cursor.h"
#include "ir/dialect/nir26_rows.h"
#include "ir/op_table.h"
#include "proto/parse_limits.h"

namespace rewrought::corpus {
namespace {

// A brace that is open inside a function, identified by the keyword before it.
enum class Brace : uint8_t { kIf, kElse, kLoop, kContinue };

constexpr bool IsOfLoop(Brace brace) { return brace == Brace::kLoop || brace == Brace::kContinue; }

// Returns the stage that `word` names, such as "fragment" for MESA_SHADER_FRAGMENT.
std::string StageOf(absl::string_view word) {
  absl::ConsumePrefix(&word, "MESA_SHADER_");
  return absl::AsciiStrToLower(word);
}

// Returns the mode in a deref such as "deref_var &color (shader_in mediump vec4)", or "" if there is none. Names of
// variables and casts before the mode may contain parentheses.
absl::string_view ModeOfDeref(absl::string_view text) {
  for (size_t open = text.find('('); open != absl::string_view::npos; open = text.find('(', open + 1)) {
    TextCursor cursor(text.substr(open + 1));
    const absl::string_view word = cursor.TakeWord();
    for (const absl::string_view mode : {"shader_in", "shader_out"}) {
      if (word == mode && cursor.Take(" ")) return mode;
    }
  }
  return "";
}

class NirShaderReader {
 public:
  // `budget` is the budget for the whole text. `first_line` is the line where the shader begins.
  NirShaderReader(absl::string_view name, absl::string_view source, absl::string_view stage, NirTextHeader header,
                  int first_line, proto::ParseBudget* budget);

  // Reads a line before the first shader.
  absl::Status ReadPreamble(absl::string_view line, int number);
  absl::Status ReadLine(absl::string_view line, int number);
  absl::StatusOr<ir::Shader> Finish();

 private:
  absl::Status Refuse(absl::string_view what, absl::string_view text) const;
  absl::Status Charge();
  absl::Status ReadOutside(absl::string_view line);
  absl::StatusOr<bool> ReadStructure(absl::string_view line);
  absl::Status ReadBrace(absl::string_view line);
  absl::Status ReadBlock(absl::string_view line);
  void ReadPredecessors(absl::string_view comment);
  absl::Status ReadInstruction(absl::string_view line);
  void ReadCopies(absl::string_view line);
  absl::Status ReadAssignment(const NirDefinition& definition, TextCursor cursor);
  absl::Status ReadAlu(const NirDefinition& definition, absl::string_view text);
  absl::StatusOr<NirFloatFlags> TakeFloatFlags(absl::string_view* text) const;
  absl::Status TakeOpSuffixes(TextCursor& cursor, bool* exact, bool* saturated) const;
  absl::StatusOr<bool> ReadOperands(TextCursor& cursor, const std::vector<int>& wanted, std::vector<Lanes>* sources);
  uint8_t FlagsOf(const ir::OpRow& row, uint8_t bits, const NirFloatFlags& printed) const;
  bool ReadConstant(const NirDefinition& definition, TextCursor cursor);
  bool ReadOperand(TextCursor& cursor, int wanted, Lanes* lanes);
  void Define(const NirDefinition& definition, Lanes lanes);
  Lanes DefineOpaque(const NirDefinition& definition, absl::string_view what, bool uniform);
  void DefineByUse(const NirDefinition& definition, absl::string_view what, absl::string_view text,
                   bool uniform = false);
  Lanes Value(uint32_t index, int components);
  std::string NameOf(absl::string_view intrinsic, absl::string_view operands);
  size_t UseAllIn(absl::string_view what, absl::string_view text);
  void ReadPhi(const NirDefinition& definition, absl::string_view text);
  bool AllUniformIn(absl::string_view text);
  absl::Status Open(Brace brace);
  void Close();
  void FinishFunction();

  proto::ParseBudget* const budget_;
  ShaderBuilder builder_;
  const NirTextHeader header_;
  int number_ = 0;  // the line that is being read
  absl::flat_hash_map<uint32_t, Lanes> values_;
  NirNames names_;
  absl::flat_hash_map<std::string, uint32_t> blocks_;       // the blocks of this function by name
  std::vector<std::pair<std::string, uint32_t>> branches_;  // pairs of the name of a source block and a target block
  std::vector<std::pair<std::string, uint32_t>> phis_;      // pairs of a block name and a value name; a phi may name a
                                                            // later value
  absl::flat_hash_map<uint32_t, std::string> deref_modes_;  // "shader_in" or "shader_out" by value name
  std::vector<Brace> open_;                                 // the open braces inside a function
  int loops_ = 0;                                           // number of open loops
  uint32_t block_ = 0;                                      // the current block
  bool in_function_ = false, in_struct_ = false, had_function_ = false;
};

NirShaderReader::NirShaderReader(absl::string_view name, absl::string_view source, absl::string_view stage,
                                 NirTextHeader header, int first_line, proto::ParseBudget* budget)
    : budget_(budget), builder_(name, source, stage), header_(std::move(header)) {
  builder_.set_version(DescriptionOf(header_.version));
  builder_.set_line(header_.mode_line == 0 ? first_line : first_line + header_.mode_line - 1);
  for (const std::string& note : header_.notes) builder_.Note(note);
}

// Returns the error for a construct that could change a flag or a verdict if it were ignored.
absl::Status NirShaderReader::Refuse(absl::string_view what, absl::string_view text) const {
  constexpr size_t kShown = 60;
  const absl::string_view more = text.size() > kShown ? "..." : "";
  return absl::InvalidArgumentError(absl::StrCat("NIR text not understood: line ", number_, ": ", what, ": ",
                                                 absl::CHexEscape(text.substr(0, kShown)), more,
                                                 "; NIR text must be the output of Mesa 22.3 to 26.2"));
}

absl::Status NirShaderReader::Charge() {
  if (builder_.size() >= ShaderBuilder::kMaxNodes) return absl::ResourceExhaustedError("shader too large");
  if (!budget_->TakeItems())
    return absl::ResourceExhaustedError(absl::StrCat("line ", number_, ": ", budget_->error()));
  return absl::OkStatus();
}

absl::Status NirShaderReader::ReadPreamble(absl::string_view line, int number) {
  number_ = number;
  builder_.set_line(number);
  if (absl::StripAsciiWhitespace(line).empty()) return absl::OkStatus();
  if (absl::Status status = Charge(); !status.ok()) return status;
  builder_.Note("line before the first shader");
  return absl::OkStatus();
}

absl::Status NirShaderReader::ReadLine(absl::string_view line, int number) {
  number_ = number;
  builder_.set_line(number);
  line = absl::StripAsciiWhitespace(line);
  if (line.empty()) return absl::OkStatus();
  if (in_function_ && IsNirLineComment(line)) {
    if (absl::StartsWith(line, "/*")) ReadPredecessors(line);
    return absl::OkStatus();
  }
  if (absl::Status status = Charge(); !status.ok()) return status;
  if (!in_function_) return ReadOutside(line);
  if (absl::StartsWith(line, "//") || absl::StartsWith(line, "/*")) {
    builder_.Note("comment not understood");
    return absl::OkStatus();
  }
  line = WithoutPassFlags(line);
  const absl::StatusOr<bool> structure = ReadStructure(line);
  if (!structure.ok()) return structure.status();
  return *structure ? absl::OkStatus() : ReadInstruction(line);
}

absl::Status NirShaderReader::ReadOutside(absl::string_view line) {
  if (in_struct_) {
    in_struct_ = line != "}";
  } else if (absl::StartsWith(line, "struct ") && absl::EndsWith(line, "{")) {
    in_struct_ = true;
  } else if (absl::StartsWith(line, "impl ")) {
    if (!absl::EndsWith(line, "{")) return Refuse("unknown header of a function", line);
    in_function_ = had_function_ = true;
  } else if (absl::StartsWith(line, "}")) {
    return Refuse("unexpected closing brace", line);
  } else if (!absl::StartsWith(line, "decl_var ") && !absl::StartsWith(line, "decl_function ") &&
             !absl::StartsWith(line, "shader: ") && (had_function_ || !IsNirHeaderField(line))) {
    builder_.Note("line outside functions not understood");
  } else if (absl::StartsWith(line, "float_controls_execution_mode:") && !header_.mode_valid) {
    return Refuse("unknown value", line);
  }
  return absl::OkStatus();
}

// Reads a line that is a jump, or that opens or closes a block, a loop, or an if. Returns false for any other line.
absl::StatusOr<bool> NirShaderReader::ReadStructure(absl::string_view line) {
  absl::string_view bare = line;
  if (!absl::ConsumePrefix(&bare, "con ")) absl::ConsumePrefix(&bare, "div ");
  bare = absl::StripLeadingAsciiWhitespace(bare);
  absl::Status status;
  if (absl::StartsWith(bare, "block ")) {
    status = ReadBlock(bare);
  } else if (IsNirLoop(bare)) {
    status = Open(Brace::kLoop);
  } else if (IsNirIf(bare, names_)) {
    UseAllIn("if", bare);
    status = Open(Brace::kIf);
  } else if (absl::StartsWith(bare, "loop") || absl::StartsWith(bare, "if ") || absl::StartsWith(bare, "impl ")) {
    status = Refuse("unknown header of a loop, an if, or a function", line);
  } else if (absl::StartsWith(line, "}")) {
    status = ReadBrace(line);
  } else {
    return line == "break" || line == "continue" || line == "return" || line == "halt" || line == "abort" ||
           absl::StartsWith(line, "decl_var ") || absl::StartsWith(line, "decl_reg ") ||
           absl::StartsWith(line, "preamble ");
  }
  if (!status.ok()) return status;
  return true;
}

absl::Status NirShaderReader::ReadBrace(absl::string_view line) {
  if (line == "} else {" && !open_.empty() && open_.back() == Brace::kIf) {
    open_.back() = Brace::kElse;
  } else if (line == "} continue {" && !open_.empty() && open_.back() == Brace::kLoop) {
    open_.back() = Brace::kContinue;
  } else if (line == "}" && open_.empty()) {
    FinishFunction();
  } else if (line == "}") {
    Close();
  } else {
    return Refuse("unexpected closing brace", line);
  }
  return absl::OkStatus();
}

// Parses "block b4:  // preds: b1 b3, succs: b5" or "block block_4:".
absl::Status NirShaderReader::ReadBlock(absl::string_view line) {
  TextCursor cursor(line.substr(6));
  const absl::string_view name = cursor.TakeWord();
  if (name.empty() || !cursor.Take(":")) return Refuse("unknown header of a block", line);
  cursor.SkipSpaces();
  if (!cursor.empty() && !absl::StartsWith(cursor.rest(), "//")) return Refuse("unknown header of a block", line);
  block_ = builder_.BeginBlock(loops_);
  blocks_[std::string(name)] = block_;
  if (absl::StrContains(cursor.rest(), "preds:")) {
    ReadPredecessors(cursor.rest());
  } else if (!cursor.empty()) {
    builder_.Note("comment not understood");
  }
  return absl::OkStatus();
}

// Parses "// preds: b1 b3, succs: b5" or "/* preds: block_1 block_3 */".
void NirShaderReader::ReadPredecessors(absl::string_view comment) {
  const size_t begin = comment.find("preds:");
  if (begin == absl::string_view::npos) return;
  comment.remove_prefix(begin + 6);
  comment = comment.substr(0, comment.find_first_of(",*"));
  for (const absl::string_view name : absl::StrSplit(comment, ' ', absl::SkipEmpty())) {
    branches_.emplace_back(std::string(name), block_);
  }
}

absl::Status NirShaderReader::ReadInstruction(absl::string_view line) {
  TextCursor cursor(line);
  const std::optional<NirDefinition> definition = TakeNirDefinition(cursor);
  const absl::string_view copied = definition ? cursor.rest() : line;
  if (absl::StartsWith(copied, "*") || (definition && TakeNirNumber(cursor))) {
    ReadCopies(line);
    return absl::OkStatus();
  }
  if (definition) return ReadAssignment(*definition, cursor);
  if (cursor.Take("@") || cursor.Take("intrinsic ") || absl::StartsWith(line, "cmat_call_") ||
      absl::StartsWith(line, "call ") || absl::StartsWith(line, "goto ")) {
    const absl::string_view name = cursor.TakeWord();
    UseAllIn(NameOf(name, cursor.rest()), line);
    return absl::OkStatus();
  }
  if (TakeNirRegister(cursor)) {
    builder_.Note("register written");
    UseAllIn("register", cursor.rest());
    return absl::OkStatus();
  }
  if (ContainsNirDefinition(line)) return Refuse("unknown words before a definition", line);
  if (absl::EndsWith(line, "{")) return Refuse("unknown opening brace", line);
  builder_.Note("line not understood");
  return absl::OkStatus();
}

// Parses parallel copies, which Mesa had until 25.0: "32 %5 = %3; 32 %6 = %4". Their sources are defined before them. A
// copy from or to a register (marked with "*") is noted.
void NirShaderReader::ReadCopies(absl::string_view line) {
  for (const absl::string_view copy : absl::StrSplit(line, "; ")) {
    TextCursor cursor(copy);
    const std::optional<NirDefinition> definition = TakeNirDefinition(cursor);
    const std::optional<uint32_t> source = definition ? TakeNirValue(cursor, names_) : std::nullopt;
    TakeNirConstant(cursor);
    const auto value = source && cursor.empty() ? values_.find(*source) : values_.end();
    if (value != values_.end() && value->second.size() == static_cast<size_t>(definition->components)) {
      const Lanes lanes = value->second;
      Define(*definition, lanes);
    } else {
      builder_.Note("copy not understood");
      if (definition) DefineByUse(*definition, "parallel_copy", cursor.rest());
      if (!definition) UseAllIn("parallel_copy", copy);
    }
  }
}

absl::Status NirShaderReader::ReadAssignment(const NirDefinition& definition, TextCursor cursor) {
  names_.erase(definition.index);
  if (!definition.name.empty()) names_.emplace(definition.index, std::string(definition.name));
  if (cursor.Take("load_const ")) {
    if (!ReadConstant(definition, cursor)) {
      builder_.Note("constant not understood");
      DefineOpaque(definition, "load_const", true);
    }
    return absl::OkStatus();
  }
  const absl::string_view rest = cursor.rest();
  if (rest == "undefined") {
    DefineOpaque(definition, "undef", false);
  } else if (absl::StartsWith(rest, "phi ")) {
    ReadPhi(definition, rest.substr(4));
  } else if (cursor.Take("@") || cursor.Take("intrinsic ")) {
    const absl::string_view intrinsic = cursor.TakeWord();
    const std::string name = NameOf(intrinsic, cursor.rest());
    // These loads return the same value in all invocations of a draw if their address is the same in all of them.
    const bool of_draw = absl::StartsWith(name, "load_ubo") || absl::StartsWith(name, "load_uniform") ||
                         absl::StartsWith(name, "load_push_constant");
    DefineByUse(definition, name, cursor.rest(), of_draw && AllUniformIn(cursor.rest()));
  } else if (absl::StartsWith(rest, "(")) {
    absl::string_view type;
    cursor.TakeParenthesised(&type);
    const absl::string_view name = cursor.TakeWord();
    DefineByUse(definition, name.empty() ? "tex" : name, cursor.rest());
  } else if (absl::StartsWith(rest, "deref_")) {
    deref_modes_[definition.index] = std::string(ModeOfDeref(rest));
    DefineByUse(definition, cursor.TakeWord(), rest);
  } else {
    return ReadAlu(definition, rest);
  }
  return absl::OkStatus();
}

// Parses "(0x3f800000 = 1.000000)", "(0x1, 0x2) = (1, 2)" or "(true, false)". The first list contains the bit
// patterns.
bool NirShaderReader::ReadConstant(const NirDefinition& definition, TextCursor cursor) {
  if (!cursor.Take("(")) return false;
  std::vector<uint64_t> patterns;
  for (int i = 0; i < definition.components; ++i) {
    if (i > 0 && !cursor.Take(", ")) return false;
    const absl::string_view word = cursor.TakeWord();
    uint64_t pattern = 0;
    const bool is_bool = word == "true" || word == "false";
    if (is_bool != (definition.bits == 1)) return false;
    if (is_bool) {
      pattern = word == "true" ? 1 : 0;
    } else if (!absl::StartsWith(word, "0x") || !absl::SimpleHexAtoi(word, &pattern)) {
      return false;
    }
    patterns.push_back(pattern);
  }
  if (!cursor.Take(")") && !cursor.Take(" = ")) return false;
  Lanes lanes;
  for (size_t start = 0; start < patterns.size(); start += ir::kShaderComponents) {
    const size_t end = std::min(patterns.size(), start + ir::kShaderComponents);
    const std::vector<uint64_t> part(patterns.begin() + static_cast<std::ptrdiff_t>(start),
                                     patterns.begin() + static_cast<std::ptrdiff_t>(end));
    const ir::NodeIndex node = builder_.AddConstant(definition.bits, part);
    for (const Lane& lane : AllLanes(node, static_cast<int>(part.size()))) lanes.push_back(lane);
  }
  Define(definition, std::move(lanes));
  return true;
}

// Removes the comment that contains float flags from the end of `text` and returns the flags.
absl::StatusOr<NirFloatFlags> NirShaderReader::TakeFloatFlags(absl::string_view* text) const {
  const size_t begin = text->find("//");
  if (begin == absl::string_view::npos) return NirFloatFlags();
  const absl::string_view comment = text->substr(begin);
  std::optional<NirFloatFlags> flags;
  if (header_.version == NirTextVersion::kMesa26_1)
    flags = ParseNirFloatFlags(absl::StripAsciiWhitespace(comment.substr(2)));
  if (!flags) return Refuse("unknown comment on an instruction", comment);
  *text = absl::StripTrailingAsciiWhitespace(text->substr(0, begin));
  return *flags;
}

// Parses the suffixes of an op's name, such as "!.nsw". Ignores integer no-wrap flags, which is safe, because nothing
// uses these flags.
absl::Status NirShaderReader::TakeOpSuffixes(TextCursor& cursor, bool* exact, bool* saturated) const {
  const absl::string_view suffixes = cursor.rest();
  *exact = cursor.Take("!");
  *saturated = cursor.Take(".sat");
  while (cursor.Take(".nsw") || cursor.Take(".nuw")) {
  }
  if (*exact && header_.version == NirTextVersion::kMesa26_1) {
    return Refuse("`!`, although other instructions have the comments of Mesa 26", suffixes);
  }
  if (!cursor.empty() && cursor.rest()[0] != ' ') return Refuse("unknown suffix of an op", suffixes);
  return absl::OkStatus();
}

// Reads one operand for each number of components in `wanted`. Returns false if an operand is not understood.
absl::StatusOr<bool> NirShaderReader::ReadOperands(TextCursor& cursor, const std::vector<int>& wanted,
                                                   std::vector<Lanes>* sources) {
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (i > 0 && !cursor.Take(",")) return false;
    cursor.SkipSpaces();
    Lanes lanes;
    if (!ReadOperand(cursor, wanted[i], &lanes)) return false;
    sources->push_back(std::move(lanes));
  }
  cursor.SkipSpaces();
  if (absl::StartsWith(cursor.rest(), "/*")) return Refuse("unknown comment on an instruction", cursor.rest());
  return cursor.empty();
}

absl::Status NirShaderReader::ReadAlu(const NirDefinition& definition, absl::string_view text) {
  const absl::string_view whole = text;
  const absl::StatusOr<NirFloatFlags> printed = TakeFloatFlags(&text);
  if (!printed.ok()) return printed.status();
  TextCursor cursor(text);
  const absl::string_view op = cursor.TakeWord();
  bool exact = false, saturated = false;
  if (absl::Status status = TakeOpSuffixes(cursor, &exact, &saturated); !status.ok()) return status;
  cursor.SkipSpaces();
  const auto define_opaque = [&](absl::string_view note) {
    builder_.Note(note);
    DefineByUse(definition, op.empty() ? "unknown" : op, whole);
    return absl::OkStatus();
  };
  absl::string_view width = op;
  uint32_t count = 0;
  const bool is_vector = absl::ConsumePrefix(&width, "vec") && absl::SimpleAtoi(width, &count);
  const bool is_routing = op == "mov" || is_vector;
  const ir::OpRow* row = ir::FindOp(op);
  if (row == nullptr && !is_routing) return define_opaque(absl::StrCat("no row for op ", op.empty() ? "(none)" : op));
  if (saturated) return define_opaque("result with .sat");
  std::vector<int> wanted(is_vector    ? static_cast<size_t>(definition.components)
                          : is_routing ? 1
                                       : row->sources.size(),
                          is_vector ? 1 : definition.components);
  for (size_t i = 0; !is_routing && i < wanted.size(); ++i) {
    if (row->sources[i].components != 0) wanted[i] = row->sources[i].components;
  }
  std::vector<Lanes> sources;
  const absl::StatusOr<bool> read = ReadOperands(cursor, wanted, &sources);
  if (!read.ok()) return read.status();
  if (!*read) return define_opaque(absl::StrCat("operands of ", op, " not understood"));
  if (is_routing) {
    Lanes lanes;
    for (const Lanes& source : sources) lanes.insert(lanes.end(), source.begin(), source.end());
    Define(definition, std::move(lanes));
    return absl::OkStatus();
  }
  // The size of a comparison is the size of its operands.
  const bool is_float = row->result.base == ir::BaseType::kFloat || sources.empty();
  uint8_t flags = FlagsOf(*row, is_float ? definition.bits : builder_.bits(sources[0][0].node), *printed);
  if (exact || printed->exact) flags |= ir::kExact;
  const absl::StatusOr<ir::NodeIndex> node = builder_.AddOp(op, definition.bits, definition.components, sources, flags);
  if (absl::IsResourceExhausted(node.status())) return node.status();
  if (!node.ok()) return define_opaque(node.status().message());
  Define(definition, AllLanes(*node, definition.components));
  return absl::OkStatus();
}

// Returns the flags nsz, nnan, and ninf of an instruction. Since Mesa 26.1, an instruction has each flag whose preserve
// bit is valid for its op and is not printed.
uint8_t NirShaderReader::FlagsOf(const ir::OpRow& row, uint8_t bits, const NirFloatFlags& printed) const {
  if (header_.version == NirTextVersion::kMesa26_1) {
    return static_cast<uint8_t>(ir::FlagsOfOpIn26(row) & ~printed.preserved);
  }
  if (bits < 16) return 0;
  const uint8_t permitted = header_.permitted[bits == 16 ? 0 : bits == 32 ? 1 : 2];
  return header_.version == NirTextVersion::kMesaUnmarked ? permitted & ir::FlagsOfOpIn26(row) : permitted;
}

// Parses "%5", "%5.xzw", "%5.name.x", or "%5 (0x0, 0x1).yy": a value, optionally followed by its name, by its constant
// in parentheses, and by the components to read.
bool NirShaderReader::ReadOperand(TextCursor& cursor, int wanted, Lanes* lanes) {
  const std::optional<uint32_t> index = TakeNirValue(cursor, names_);
  if (!index) return false;
  TakeNirConstant(cursor);
  absl::string_view letters;
  if (cursor.Take(".")) letters = cursor.TakeWord();
  const Lanes value = Value(*index, wanted);
  if (letters.empty()) {
    if (value.size() < static_cast<size_t>(wanted)) return false;
    lanes->assign(value.begin(), value.begin() + wanted);
    return true;
  }
  if (letters.size() != static_cast<size_t>(wanted)) return false;
  for (char letter : letters) {
    const std::optional<int> component = NirComponent(letter, static_cast<int>(value.size()));
    if (!component || *component >= static_cast<int>(value.size())) return false;
    lanes->push_back(value[static_cast<size_t>(*component)]);
  }
  return true;
}

void NirShaderReader::Define(const NirDefinition& definition, Lanes lanes) {
  if (!values_.insert_or_assign(definition.index, std::move(lanes)).second) builder_.Note("value defined twice");
}

Lanes NirShaderReader::DefineOpaque(const NirDefinition& definition, absl::string_view what, bool uniform) {
  const Lanes lanes = builder_.AddVariable(definition.bits, definition.components, what, uniform);
  Define(definition, lanes);
  return lanes;
}

// Defines a value as the result of a use named `what`, which reads all values that are named in `text`.
void NirShaderReader::DefineByUse(const NirDefinition& definition, absl::string_view what, absl::string_view text,
                                  bool uniform) {
  const size_t use = UseAllIn(what, text);
  builder_.Give(use, DefineOpaque(definition, what, uniform));
}

// Parses "b1: %3, b5: %7 (0x1)". Skips the names of sources, because they may be defined later.
void NirShaderReader::ReadPhi(const NirDefinition& definition, absl::string_view text) {
  TextCursor cursor(text);
  while (true) {
    const absl::string_view block = cursor.TakeWord();
    const bool has_block = !block.empty() && cursor.Take(":");
    cursor.SkipSpaces();
    const std::optional<uint32_t> value = TakeNirNumber(cursor);
    if (has_block && value) {
      phis_.emplace_back(std::string(block), *value);
    } else {
      builder_.Note("source of a phi not understood");
    }
    const size_t next = cursor.rest().find(", b");
    if (next == absl::string_view::npos) break;
    cursor = TextCursor(cursor.rest().substr(next + 2));
  }
  DefineOpaque(definition, "phi", false);
}

// Returns the lanes of a value. If the value has no definition, because its line was not understood, it becomes a
// variable.
Lanes NirShaderReader::Value(uint32_t index, int components) {
  const auto found = values_.find(index);
  if (found != values_.end()) return found->second;
  builder_.Note("value used but not defined");
  const Lanes lanes = builder_.AddVariable(32, components, "missing", false);
  values_[index] = lanes;
  return lanes;
}

// Returns the name of an intrinsic. Before nir_lower_io, inputs and outputs are accessed like other variables, as in
// "@load_deref (%5)".
std::string NirShaderReader::NameOf(absl::string_view intrinsic, absl::string_view operands) {
  const bool load = intrinsic == "load_deref";
  if (!load && intrinsic != "store_deref") return std::string(intrinsic);
  const size_t first = operands.find(absl::StrContains(operands, '%') ? "%" : "ssa_");
  TextCursor cursor(operands.substr(std::min(operands.size(), first)));
  const std::optional<uint32_t> index = TakeNirNumber(cursor);
  const auto mode = index ? deref_modes_.find(*index) : deref_modes_.end();
  if (mode == deref_modes_.end() || mode->second != (load ? "shader_in" : "shader_out")) return std::string(intrinsic);
  return load ? "load_input" : "store_output";
}

// Adds a use that reads all values that are named in `text`, and returns the number of the use.
size_t NirShaderReader::UseAllIn(absl::string_view what, absl::string_view text) {
  const size_t use = builder_.AddUse(what);
  for (size_t i = 0; i < text.size(); ++i) {
    TextCursor cursor(text.substr(i));
    const std::optional<uint32_t> index = TakeNirNumber(cursor);
    if (!index) continue;
    const auto found = values_.find(*index);
    if (found != values_.end()) builder_.Read(use, found->second);
  }
  return use;
}

bool NirShaderReader::AllUniformIn(absl::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    TextCursor cursor(text.substr(i));
    const std::optional<uint32_t> index = TakeNirNumber(cursor);
    if (!index) continue;
    const auto found = values_.find(*index);
    if (found == values_.end() || !builder_.IsUniform(found->second)) return false;
  }
  return true;
}

absl::Status NirShaderReader::Open(Brace brace) {
  if (!budget_->Enter()) return budget_->status();
  open_.push_back(brace);
  loops_ += IsOfLoop(brace) ? 1 : 0;
  return absl::OkStatus();
}

void NirShaderReader::Close() {
  budget_->Leave();
  loops_ -= IsOfLoop(open_.back()) ? 1 : 0;
  open_.pop_back();
}

void NirShaderReader::FinishFunction() {
  for (const auto& [name, to] : branches_) {
    if (const auto from = blocks_.find(name); from != blocks_.end()) builder_.AddEdge(from->second, to);
  }
  branches_.clear();
  for (const auto& [name, index] : phis_) {
    const auto block = blocks_.find(name);
    const auto value = values_.find(index);
    if (block == blocks_.end()) {
      builder_.Note("phi from an unknown block");
    } else if (value != values_.end()) {
      builder_.ReadByPhi(block->second, value->second);
    }
  }
  phis_.clear();
  blocks_.clear();
  deref_modes_.clear();
  values_.clear();
  names_.clear();
  in_function_ = false;
}

absl::StatusOr<ir::Shader> NirShaderReader::Finish() {
  if (in_function_ || in_struct_) return Refuse("text ends inside braces", absl::StrCat(open_.size() + 1, " open"));
  return builder_.Take();
}

// The part of the input that contains one shader. `line` is the number of its first line.
struct ShaderText {
  absl::string_view text;
  int line = 1;
};

// Splits the text at the lines "shader: …". A shader that begins with a function has no such line. The text before the
// first shader becomes `preamble`.
std::vector<ShaderText> SplitShaders(absl::string_view text, ShaderText* preamble) {
  std::vector<std::pair<size_t, int>> starts;  // offsets and line numbers
  int number = 0;
  for (size_t at = 0; at < text.size();) {
    ++number;
    const absl::string_view rest = text.substr(at);
    const bool headless = starts.empty() && absl::StartsWith(rest, "impl ");
    if (headless) starts.emplace_back(0, 1);
    if (absl::StartsWith(rest, "shader: ")) starts.emplace_back(at, number);
    const size_t end = rest.find('\n');
    at = end == absl::string_view::npos ? text.size() : at + end + 1;
  }
  std::vector<ShaderText> shaders;
  for (size_t i = 0; i < starts.size(); ++i) {
    const size_t end = i + 1 < starts.size() ? starts[i + 1].first : text.size();
    shaders.push_back({text.substr(starts[i].first, end - starts[i].first), starts[i].second});
  }
  if (!starts.empty()) preamble->text = text.substr(0, starts[0].first);
  return shaders;
}

}  // namespace

bool LooksLikeNirText(absl::string_view text) {
  const absl::string_view head = text.substr(0, 1u << 16);
  const bool shader = absl::StartsWith(head, "shader: ") || absl::StrContains(head, "\nshader: ");
  const bool function = absl::StartsWith(head, "impl ") || absl::StrContains(head, "\nimpl ");
  return (shader || function) && (absl::StrContains(head, "block b") || absl::StrContains(head, "decl_function"));
}

absl::StatusOr<std::vector<ir::Shader>> ReadNirText(absl::string_view text, absl::string_view name,
                                                    absl::string_view source) {
  std::vector<ir::Shader> shaders;
  proto::ParseBudget budget(proto::kNirTextLimits);
  if (!budget.TakeBytes(text.size())) return budget.status();
  ShaderText preamble;
  for (const ShaderText& part : SplitShaders(text, &preamble)) {
    absl::string_view first = part.text.substr(0, part.text.find('\n'));
    const std::string stage =
        absl::ConsumePrefix(&first, "shader: ") ? StageOf(absl::StripAsciiWhitespace(first)) : "unknown";
    NirShaderReader reader(shaders.empty() ? std::string(name) : absl::StrCat(name, "#", shaders.size() + 1), source,
                           stage, ReadNirTextHeader(part.text, stage), part.line, &budget);
    absl::Status status;
    int number = 0;
    for (absl::string_view line : absl::StrSplit(preamble.text, '\n')) {
      if (status.ok()) status = reader.ReadPreamble(line, ++number);
    }
    preamble = {};
    number = part.line;
    for (absl::string_view line : absl::StrSplit(part.text, '\n')) {
      if (status.ok()) status = reader.ReadLine(line, number++);
    }
    if (!status.ok()) return status;
    absl::StatusOr<ir::Shader> shader = reader.Finish();
    if (!shader.ok()) return shader.status();
    shaders.push_back(*std::move(shader));
  }
  if (shaders.empty()) return absl::InvalidArgumentError("no NIR shader in the text");
  return shaders;
}

}  // namespace rewrought::corpus
