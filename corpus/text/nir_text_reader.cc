#include "corpus/text/nir_text_reader.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "corpus/shader_builder.h"
#include "corpus/text/text_cursor.h"
#include "ir/op_table.h"
#include "proto/parse_limits.h"

namespace rewrought::corpus {
namespace {

// The maximum number of components of a NIR value (NIR_MAX_VEC_COMPONENTS).
constexpr int kMaxNirComponents = 16;

// The left side of a '=', such as "div 32x3 %15".
struct Definition {
  uint32_t index = 0;
  uint8_t bits = 0;
  int components = 1;
};

// Returns the component that a printed swizzle letter denotes: one of xyzw if there are up to four live components,
// otherwise one of a to p.
std::optional<int> ComponentOfLetter(char letter, int live_components) {
  if (live_components <= 4) {
    const size_t position = absl::string_view("xyzw").find(letter);
    if (position == absl::string_view::npos) return std::nullopt;
    return static_cast<int>(position);
  }
  if (letter < 'a' || letter > 'p') return std::nullopt;
  return letter - 'a';
}

bool TakeValueName(TextCursor& cursor, uint32_t* index) {
  TextCursor copy = cursor;
  if (!copy.Take("%") && !copy.Take("ssa_")) return false;
  const std::optional<uint32_t> number = copy.TakeNumber();
  if (!number) return false;
  *index = *number;
  cursor = copy;
  return true;
}

// Returns the stage that `word` names, such as "fragment" for MESA_SHADER_FRAGMENT.
std::string StageOf(absl::string_view word) {
  absl::ConsumePrefix(&word, "MESA_SHADER_");
  return absl::AsciiStrToLower(word);
}

class NirShaderReader {
 public:
  // `budget` is the budget for the whole text.
  NirShaderReader(absl::string_view name, absl::string_view source, absl::string_view stage, proto::ParseBudget* budget)
      : budget_(budget), builder_(name, source, stage), of_graphics_(stage != "kernel" && stage != "unknown") {}

  absl::Status ReadLine(absl::string_view line, int number);
  ir::Shader Finish();

 private:
  void ReadHeader(absl::string_view line);
  bool ReadStructure(absl::string_view line);
  void ReadPredecessors(uint32_t block, absl::string_view line);
  bool ReadDefinition(TextCursor& cursor, Definition* definition);
  absl::Status ReadAssignment(const Definition& definition, TextCursor cursor);
  absl::Status ReadAlu(const Definition& definition, TextCursor cursor);
  bool ReadConstant(const Definition& definition, TextCursor cursor);
  bool ReadOperand(TextCursor& cursor, int wanted, Lanes* lanes);
  void Define(const Definition& definition, Lanes lanes);
  Lanes DefineOpaque(const Definition& definition, absl::string_view what, bool uniform);
  void DefineByUse(const Definition& definition, absl::string_view what, absl::string_view text, bool uniform = false);
  Lanes Value(uint32_t index, int components);
  std::string NameOf(absl::string_view intrinsic, absl::string_view operands);
  size_t UseAllIn(absl::string_view what, absl::string_view text);
  void ReadPhi(const Definition& definition, absl::string_view text);
  bool AllUniformIn(absl::string_view text);
  void Open(bool loop);
  void Close();
  void FinishFunction();
  uint8_t FastMathFor(uint8_t bits) const;

  proto::ParseBudget* const budget_;
  ShaderBuilder builder_;
  absl::flat_hash_map<uint32_t, Lanes> values_;
  absl::flat_hash_map<std::string, uint32_t> blocks_;       // the blocks of this function by name
  std::vector<std::pair<std::string, uint32_t>> branches_;  // pairs of the name of a source block and a target block
  std::vector<std::pair<std::string, uint32_t>> phis_;      // pairs of a block name and a value name; a phi may name a
                                                            // later value
  absl::flat_hash_map<uint32_t, std::string> deref_modes_;  // modes, such as "shader_in", by value name
  std::vector<bool> open_;                                  // the open braces inside a function; true: the brace of a
                                                            // loop
  int loops_ = 0;                                           // number of open loops
  bool in_function_ = false;
  const bool of_graphics_;  // whether this is a GLSL or Vulkan shader (including compute shaders), not a kernel
  uint32_t float_controls_ = 0;
};

absl::Status NirShaderReader::ReadLine(absl::string_view line, int number) {
  builder_.set_line(number);
  line = absl::StripAsciiWhitespace(line);
  if (line.empty() || absl::StartsWith(line, "//")) return absl::OkStatus();
  if (builder_.size() >= ShaderBuilder::kMaxNodes) return absl::ResourceExhaustedError("shader too large");
  if (!budget_->TakeItems()) return absl::ResourceExhaustedError(absl::StrCat("line ", number, ": ", budget_->error()));
  if (!in_function_ || absl::StartsWith(line, "decl_")) {
    ReadHeader(line);
    return absl::OkStatus();
  }
  if (ReadStructure(line)) return budget_->status();
  TextCursor cursor(line);
  Definition definition;
  if (ReadDefinition(cursor, &definition)) return ReadAssignment(definition, cursor);
  if (line[0] == '@' || absl::StartsWith(line, "call ") || absl::StartsWith(line, "goto ")) {
    cursor.Take("@");
    const std::string what = NameOf(cursor.TakeWord(), cursor.rest());
    UseAllIn(what, line);
    return absl::OkStatus();
  }
  builder_.Note("line not understood");
  return absl::OkStatus();
}

void NirShaderReader::ReadHeader(absl::string_view line) {
  if (absl::StartsWith(line, "impl ") && absl::EndsWith(line, "{")) {
    in_function_ = true;
  } else if (absl::ConsumePrefix(&line, "float_controls_execution_mode: ")) {
    if (!absl::SimpleHexAtoi(line, &float_controls_)) float_controls_ = UINT32_MAX;
    builder_.Note(absl::StrCat("float_controls ", line));
  }
}

bool NirShaderReader::ReadStructure(absl::string_view line) {
  if (!absl::ConsumePrefix(&line, "con ")) absl::ConsumePrefix(&line, "div ");
  line = absl::StripLeadingAsciiWhitespace(line);
  if (absl::StartsWith(line, "block ")) {
    const uint32_t block = builder_.BeginBlock(loops_);
    line.remove_prefix(6);
    blocks_[std::string(line.substr(0, line.find_first_of(": ")))] = block;
    ReadPredecessors(block, line);
  } else if (absl::StartsWith(line, "loop {")) {
    Open(true);
  } else if (absl::StartsWith(line, "if ") && absl::EndsWith(line, "{")) {
    UseAllIn("if", line);
    Open(false);
  } else if (absl::StartsWith(line, "} else {") || absl::StartsWith(line, "} continue {")) {
    return true;
  } else if (line == "}") {
    if (open_.empty()) {
      FinishFunction();
    } else {
      Close();
    }
  } else {
    return line == "break" || line == "continue" || line == "return" || line == "halt" ||
           absl::StartsWith(line, "preamble ");
  }
  return true;
}

// Parses "b4:  // preds: b1 b3, succs: b5".
void NirShaderReader::ReadPredecessors(uint32_t block, absl::string_view line) {
  const size_t begin = line.find("preds:");
  if (begin == absl::string_view::npos) return;
  line.remove_prefix(begin + 6);
  line = line.substr(0, line.find(','));
  for (const absl::string_view name : absl::StrSplit(line, ' ', absl::SkipEmpty())) {
    branches_.emplace_back(std::string(name), block);
  }
}

bool NirShaderReader::ReadDefinition(TextCursor& cursor, Definition* definition) {
  TextCursor copy = cursor;
  if (!copy.Take("con ")) copy.Take("div ");
  copy.SkipSpaces();
  const std::optional<uint32_t> bits = copy.TakeNumber();
  if (!bits || (*bits != 1 && *bits != 8 && *bits != 16 && *bits != 32 && *bits != 64)) return false;
  definition->bits = static_cast<uint8_t>(*bits);
  definition->components = 1;
  if (copy.Take("x")) {
    const std::optional<uint32_t> components = copy.TakeNumber();
    if (!components || *components < 1 || *components > kMaxNirComponents) return false;
    definition->components = static_cast<int>(*components);
  }
  copy.SkipSpaces();
  if (!TakeValueName(copy, &definition->index)) return false;
  copy.SkipSpaces();
  if (!copy.Take("=")) return false;
  copy.SkipSpaces();
  cursor = copy;
  return true;
}

absl::Status NirShaderReader::ReadAssignment(const Definition& definition, TextCursor cursor) {
  if (cursor.Take("load_const ")) {
    if (!ReadConstant(definition, cursor)) {
      builder_.Note("constant not understood");
      DefineOpaque(definition, "load_const", true);
    }
    return absl::OkStatus();
  }
  const absl::string_view rest = cursor.rest();
  if (absl::StartsWith(rest, "undefined")) {
    DefineOpaque(definition, "undef", false);
  } else if (absl::StartsWith(rest, "phi ")) {
    ReadPhi(definition, rest.substr(4));
  } else if (cursor.Take("@")) {
    const std::string name = NameOf(cursor.TakeWord(), cursor.rest());
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
    // Parses "deref_var &color (shader_in vec4)".
    TextCursor mode(rest.substr(std::min(rest.size(), rest.rfind('(') + 1)));
    deref_modes_[definition.index] = std::string(mode.TakeWord());
    DefineByUse(definition, cursor.TakeWord(), rest);
  } else {
    return ReadAlu(definition, cursor);
  }
  return absl::OkStatus();
}

// Parses "(0x3f800000 = 1.000000)", "(0x1, 0x2) = (1, 2)" or "(true, false)". The first list contains the bit
// patterns.
bool NirShaderReader::ReadConstant(const Definition& definition, TextCursor cursor) {
  if (!cursor.Take("(")) return false;
  std::vector<uint64_t> patterns;
  for (int i = 0; i < definition.components; ++i) {
    if (i > 0 && !cursor.Take(", ")) return false;
    const absl::string_view word = cursor.TakeWord();
    uint64_t pattern = 0;
    if (word == "true") {
      pattern = 1;
    } else if (word != "false" && (!absl::StartsWith(word, "0x") || !absl::SimpleHexAtoi(word, &pattern))) {
      return false;
    }
    patterns.push_back(pattern);
  }
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

absl::Status NirShaderReader::ReadAlu(const Definition& definition, TextCursor cursor) {
  const absl::string_view whole = cursor.rest();
  const absl::string_view op = cursor.TakeWord();
  uint8_t flags = FastMathFor(definition.bits);
  if (cursor.Take("!")) flags |= ir::kExact;
  // Ignores integer no-wrap flags, which is safe, because nothing uses these flags.
  while (cursor.Take(".nsw") || cursor.Take(".nuw")) {
  }
  cursor.SkipSpaces();
  absl::string_view width = op;
  uint32_t count = 0;
  const bool is_vector = absl::ConsumePrefix(&width, "vec") && absl::SimpleAtoi(width, &count);
  const bool is_routing = op == "mov" || is_vector;
  const ir::OpRow* row = ir::FindOp(op);
  if (row == nullptr && !is_routing) {
    builder_.Note(absl::StrCat("no row for op ", op.empty() ? "(none)" : op));
    DefineByUse(definition, op.empty() ? "unknown" : op, whole);
    return absl::OkStatus();
  }
  const size_t operands = is_vector ? static_cast<size_t>(definition.components) : is_routing ? 1 : row->sources.size();
  std::vector<Lanes> sources;
  for (size_t i = 0; i < operands; ++i) {
    if (i > 0) cursor.Take(",");
    cursor.SkipSpaces();
    int wanted = is_vector ? 1 : definition.components;
    if (!is_routing && row->sources[i].components != 0) wanted = row->sources[i].components;
    Lanes lanes;
    if (!ReadOperand(cursor, wanted, &lanes)) {
      builder_.Note(absl::StrCat("operands of ", op, " not understood"));
      DefineByUse(definition, op, whole);
      return absl::OkStatus();
    }
    sources.push_back(std::move(lanes));
  }
  if (is_routing) {
    Lanes lanes;
    for (const Lanes& source : sources) lanes.insert(lanes.end(), source.begin(), source.end());
    Define(definition, std::move(lanes));
    return absl::OkStatus();
  }
  // The size of a comparison is the size of its operands.
  if (row->result.base != ir::BaseType::kFloat && !sources.empty()) {
    flags = static_cast<uint8_t>((flags & ir::kExact) | FastMathFor(builder_.bits(sources[0][0].node)));
  }
  const absl::StatusOr<ir::NodeIndex> node = builder_.AddOp(op, definition.bits, definition.components, sources, flags);
  if (!node.ok()) {
    if (absl::IsResourceExhausted(node.status())) return node.status();
    builder_.Note(node.status().message());
    DefineByUse(definition, op, whole);
    return absl::OkStatus();
  }
  Define(definition, AllLanes(*node, definition.components));
  return absl::OkStatus();
}

// Parses "%5", "%5.xzw" or "%5 (0x0, 0x1).yy": a value, optionally followed by its constant in parentheses and by the
// components to read.
bool NirShaderReader::ReadOperand(TextCursor& cursor, int wanted, Lanes* lanes) {
  uint32_t index = 0;
  if (!TakeValueName(cursor, &index)) return false;
  TextCursor after_space = cursor;
  after_space.SkipSpaces();
  absl::string_view constant;
  if (after_space.TakeParenthesised(&constant)) cursor = after_space;
  absl::string_view letters;
  if (cursor.Take(".")) letters = cursor.TakeWord();
  const Lanes value = Value(index, wanted);
  if (letters.empty()) {
    if (value.size() < static_cast<size_t>(wanted)) return false;
    lanes->assign(value.begin(), value.begin() + wanted);
    return true;
  }
  if (letters.size() != static_cast<size_t>(wanted)) return false;
  for (char letter : letters) {
    const std::optional<int> component = ComponentOfLetter(letter, static_cast<int>(value.size()));
    if (!component || *component >= static_cast<int>(value.size())) return false;
    lanes->push_back(value[static_cast<size_t>(*component)]);
  }
  return true;
}

void NirShaderReader::Define(const Definition& definition, Lanes lanes) {
  if (!values_.insert_or_assign(definition.index, std::move(lanes)).second) builder_.Note("value defined twice");
}

Lanes NirShaderReader::DefineOpaque(const Definition& definition, absl::string_view what, bool uniform) {
  const Lanes lanes = builder_.AddVariable(definition.bits, definition.components, what, uniform);
  Define(definition, lanes);
  return lanes;
}

// Defines a value as the result of a use named `what`, which reads all values that are named in `text`.
void NirShaderReader::DefineByUse(const Definition& definition, absl::string_view what, absl::string_view text,
                                  bool uniform) {
  const size_t use = UseAllIn(what, text);
  builder_.Give(use, DefineOpaque(definition, what, uniform));
}

// Parses "b1: %3, b5: %7".
void NirShaderReader::ReadPhi(const Definition& definition, absl::string_view text) {
  for (absl::string_view source : absl::StrSplit(text, ',')) {
    source = absl::StripAsciiWhitespace(source);
    const size_t colon = source.find(':');
    if (colon == absl::string_view::npos) continue;
    TextCursor cursor(absl::StripLeadingAsciiWhitespace(source.substr(colon + 1)));
    uint32_t value = 0;
    if (TakeValueName(cursor, &value)) phis_.emplace_back(std::string(source.substr(0, colon)), value);
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
  TextCursor cursor(operands.substr(std::min(operands.size(), operands.find('%'))));
  uint32_t index = 0;
  const auto mode = TakeValueName(cursor, &index) ? deref_modes_.find(index) : deref_modes_.end();
  if (mode == deref_modes_.end() || mode->second != (load ? "shader_in" : "shader_out")) return std::string(intrinsic);
  return load ? "load_input" : "store_output";
}

// Adds a use that reads all values that are named in `text`, and returns the number of the use.
size_t NirShaderReader::UseAllIn(absl::string_view what, absl::string_view text) {
  const size_t use = builder_.AddUse(what);
  for (size_t i = 0; i < text.size(); ++i) {
    TextCursor cursor(text.substr(i));
    uint32_t index = 0;
    if (!TakeValueName(cursor, &index)) continue;
    const auto found = values_.find(index);
    if (found != values_.end()) builder_.Read(use, found->second);
  }
  return use;
}

bool NirShaderReader::AllUniformIn(absl::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    TextCursor cursor(text.substr(i));
    uint32_t index = 0;
    if (!TakeValueName(cursor, &index)) continue;
    const auto found = values_.find(index);
    if (found == values_.end() || !builder_.IsUniform(found->second)) return false;
  }
  return true;
}

void NirShaderReader::Open(bool loop) {
  if (!budget_->Enter()) return;
  open_.push_back(loop);
  loops_ += loop ? 1 : 0;
}

void NirShaderReader::Close() {
  budget_->Leave();
  loops_ -= open_.back() ? 1 : 0;
  open_.pop_back();
}

void NirShaderReader::FinishFunction() {
  while (!open_.empty()) Close();
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
  in_function_ = false;
}

// In float_controls, bits 0-2 are set if the sign of zero is preserved, bits 3-5 if infinities are, and bits 6-8 if
// NaNs are. Each group has one bit for 16-bit, one for 32-bit, and one for 64-bit floats (Mesa 25.0, enum
// float_controls in src/compiler/shader_enums.h).
uint8_t NirShaderReader::FastMathFor(uint8_t bits) const {
  if (!of_graphics_ || bits < 16) return 0;
  const int size = bits == 16 ? 0 : bits == 32 ? 1 : 2;
  uint8_t flags = 0;
  if ((float_controls_ >> size & 1u) == 0) flags |= ir::kNoSignedZero;
  if ((float_controls_ >> (size + 3) & 1u) == 0) flags |= ir::kNoInf;
  if ((float_controls_ >> (size + 6) & 1u) == 0) flags |= ir::kNoNan;
  return flags;
}

ir::Shader NirShaderReader::Finish() {
  if (in_function_) {
    builder_.Note("text ends inside a function");
    FinishFunction();
  }
  return builder_.Take();
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
  std::optional<NirShaderReader> reader;
  int number = 0;
  const auto begin = [&](absl::string_view stage) {
    if (reader) shaders.push_back(reader->Finish());
    reader.emplace(shaders.empty() ? std::string(name) : absl::StrCat(name, "#", shaders.size() + 1), source, stage,
                   &budget);
  };
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    absl::string_view header = line;
    if (absl::ConsumePrefix(&header, "shader: ")) {
      begin(StageOf(absl::StripAsciiWhitespace(header)));
      continue;
    }
    if (!reader && absl::StartsWith(line, "impl ")) begin("unknown");
    if (!reader) continue;
    const absl::Status status = reader->ReadLine(line, number);
    if (!status.ok()) return status;
  }
  if (reader) shaders.push_back(reader->Finish());
  if (shaders.empty()) return absl::InvalidArgumentError("no NIR shader in the text");
  return shaders;
}

}  // namespace rewrought::corpus
