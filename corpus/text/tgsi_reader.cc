#include "corpus/text/tgsi_reader.h"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "corpus/shader_builder.h"
#include "corpus/text/text_cursor.h"
#include "ir/scalar.h"
#include "proto/parse_limits.h"

namespace rewrought::corpus {
namespace {

constexpr int kComponents = 4;

std::optional<const char*> StageOf(absl::string_view line) {
  static constexpr std::pair<const char*, const char*> kStages[] = {
      {"VERT", "vertex"},  {"FRAG", "fragment"},       {"GEOM", "geometry"},
      {"COMP", "compute"}, {"TESS_CTRL", "tess_ctrl"}, {"TESS_EVAL", "tess_eval"}};
  for (const auto& [word, stage] : kStages) {
    if (line == word) return stage;
  }
  return std::nullopt;
}

enum class Kind : uint8_t {
  kEach,    // applies the op to each component
  kScalar,  // applies the op to x, and writes the result to all components
  kDot,     // applies the op to the first components, and writes the result to all components
};

struct Meaning {
  const char* op;
  int sources;
  Kind kind = Kind::kEach;
  bool is_float = true;  // whether signs of sources are float modifiers
  int across = 0;        // number of components read by kDot
  bool swapped = false;  // whether the first two sources are swapped
};

const Meaning* FindMeaning(absl::string_view name) {
  static const auto& meanings = *new absl::flat_hash_map<std::string, Meaning>{
      {"MOV", {"mov", 1}},
      {"ADD", {"fadd", 2}},
      {"MUL", {"fmul", 2}},
      {"MIN", {"fmin", 2}},
      {"MAX", {"fmax", 2}},
      {"SLT", {"slt", 2}},
      {"SGE", {"sge", 2}},
      {"SEQ", {"seq", 2}},
      {"SNE", {"sne", 2}},
      {"SGT", {"slt", 2, Kind::kEach, true, 0, true}},
      {"SLE", {"sge", 2, Kind::kEach, true, 0, true}},
      {"FLR", {"ffloor", 1}},
      {"CEIL", {"fceil", 1}},
      {"TRUNC", {"ftrunc", 1}},
      {"ROUND", {"fround_even", 1}},
      {"FRC", {"ffract", 1}},
      {"SSG", {"fsign", 1}},
      {"DIV", {"fdiv", 2}},
      {"RCP", {"frcp", 1, Kind::kScalar}},
      {"RSQ", {"frsq", 1, Kind::kScalar}},
      {"SQRT", {"fsqrt", 1, Kind::kScalar}},
      {"EX2", {"fexp2", 1, Kind::kScalar}},
      {"LG2", {"flog2", 1, Kind::kScalar}},
      {"SIN", {"fsin", 1, Kind::kScalar}},
      {"COS", {"fcos", 1, Kind::kScalar}},
      {"POW", {"fpow", 2, Kind::kScalar}},
      {"DP2", {"fdot2", 2, Kind::kDot, true, 2}},
      {"DP3", {"fdot3", 2, Kind::kDot, true, 3}},
      {"DP4", {"fdot4", 2, Kind::kDot, true, 4}},
      {"I2F", {"i2f32", 1, Kind::kEach, false}},
      {"U2F", {"u2f32", 1, Kind::kEach, false}},
      {"F2I", {"f2i32", 1}},
      {"F2U", {"f2u32", 1}},
      {"UADD", {"iadd", 2, Kind::kEach, false}},
      {"UMUL", {"imul", 2, Kind::kEach, false}},
      {"INEG", {"ineg", 1, Kind::kEach, false}},
      {"IABS", {"iabs", 1, Kind::kEach, false}},
      {"IMIN", {"imin", 2, Kind::kEach, false}},
      {"IMAX", {"imax", 2, Kind::kEach, false}},
      {"UMIN", {"umin", 2, Kind::kEach, false}},
      {"UMAX", {"umax", 2, Kind::kEach, false}},
      {"AND", {"iand", 2, Kind::kEach, false}},
      {"OR", {"ior", 2, Kind::kEach, false}},
      {"XOR", {"ixor", 2, Kind::kEach, false}},
      {"NOT", {"inot", 1, Kind::kEach, false}},
      {"SHL", {"ishl", 2, Kind::kEach, false}},
      {"ISHR", {"ishr", 2, Kind::kEach, false}},
      {"USHR", {"ushr", 2, Kind::kEach, false}},
      {"UDIV", {"udiv", 2, Kind::kEach, false}},
      {"UMOD", {"umod", 2, Kind::kEach, false}},
      {"IDIV", {"idiv", 2, Kind::kEach, false}},
      {"FSLT", {"flt32", 2}},
      {"FSGE", {"fge32", 2}},
      {"FSEQ", {"feq32", 2}},
      {"FSNE", {"fneu32", 2}},
      {"ISLT", {"ilt32", 2, Kind::kEach, false}},
      {"ISGE", {"ige32", 2, Kind::kEach, false}},
      {"USLT", {"ult32", 2, Kind::kEach, false}},
      {"USGE", {"uge32", 2, Kind::kEach, false}},
      {"USEQ", {"ieq32", 2, Kind::kEach, false}},
      {"USNE", {"ine32", 2, Kind::kEach, false}},
  };
  const auto found = meanings.find(name);
  return found == meanings.end() ? nullptr : &found->second;
}

// A register name in an operand, such as "CONST[0][3]". A name that contains an address register is indirect.
struct RegisterName {
  std::string file, name;
  bool indirect = false;
};

struct SourceText {
  RegisterName reg;
  std::array<int, kComponents> swizzle = {0, 1, 2, 3};
  bool negated = false, absolute = false;
};

std::optional<RegisterName> TakeRegister(TextCursor* text) {
  RegisterName reg;
  reg.file = std::string(text->TakeWord());
  if (reg.file.empty()) return std::nullopt;
  reg.name = reg.file;
  while (absl::StartsWith(text->rest(), "[")) {
    const absl::string_view rest = text->rest();
    size_t end = 0;
    for (int depth = 0; end < rest.size(); ++end) {
      if (rest[end] == '[') ++depth;
      if (rest[end] == ']' && --depth == 0) break;
    }
    if (end == rest.size()) return std::nullopt;
    const absl::string_view index = rest.substr(0, end + 1);
    absl::StrAppend(&reg.name, index);
    reg.indirect |= index.find_first_not_of("[]0123456789") != absl::string_view::npos;
    text->Take(index);
  }
  return reg;
}

// Parses a swizzle such as ".xyz", in which any component letters may occur and repeat. Returns an empty list, which
// means all four components, if there is no swizzle.
std::optional<std::vector<int>> TakeComponents(TextCursor* text) {
  std::vector<int> components;
  if (!text->Take(".")) return components;
  for (const char c : text->TakeWord()) {
    const size_t at = absl::string_view("xyzw").find(c);
    if (at == absl::string_view::npos) return std::nullopt;
    components.push_back(static_cast<int>(at));
  }
  return components;
}

std::optional<SourceText> ParseSource(absl::string_view text) {
  TextCursor cursor(absl::StripAsciiWhitespace(text));
  SourceText source;
  source.negated = cursor.Take("-");
  source.absolute = cursor.Take("|");
  std::optional<RegisterName> reg = TakeRegister(&cursor);
  if (!reg.has_value()) return std::nullopt;
  source.reg = *std::move(reg);
  const std::optional<std::vector<int>> order = TakeComponents(&cursor);
  if (!order.has_value() || order->size() > kComponents) return std::nullopt;
  for (size_t c = 0; c < kComponents && !order->empty(); ++c) {
    source.swizzle[c] = (*order)[std::min(c, order->size() - 1)];
  }
  if (source.absolute && !cursor.Take("|")) return std::nullopt;
  return source;
}

// Splits operands at the commas that are outside of brackets.
std::vector<absl::string_view> SplitOperands(absl::string_view text) {
  std::vector<absl::string_view> parts;
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '[') ++depth;
    if (i < text.size() && text[i] == ']') --depth;
    if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
    const absl::string_view part = absl::StripAsciiWhitespace(text.substr(start, i - start));
    if (!part.empty()) parts.push_back(part);
    start = i + 1;
  }
  return parts;
}

class Reader {
 public:
  Reader(absl::string_view name, absl::string_view source, absl::string_view stage) : builder_(name, source, stage) {
    builder_.BeginBlock(0);
  }

  absl::Status Line(absl::string_view line, int number) {
    builder_.set_line(number);
    TextCursor cursor(line);
    if (cursor.TakeNumber().has_value()) {  // an instruction number such as "12: "
      cursor.Take(":");
      cursor.SkipSpaces();
    }
    line = cursor.rest();
    if (absl::StartsWith(line, "DCL") || absl::StartsWith(line, "PROPERTY") || absl::StartsWith(line, "IMM")) {
      return absl::StartsWith(line, "IMM") ? Immediate(line) : absl::OkStatus();
    }
    return Instruction(line);
  }

  ir::Shader Finish() {
    EndBlock();
    return builder_.Take();
  }

 private:
  using Register = std::array<std::optional<Lane>, kComponents>;

  // Parses "IMM[0] FLT32 {1.0000, 0.0000, 0.5000, 2.0000}".
  absl::Status Immediate(absl::string_view line) {
    TextCursor cursor(line);
    const std::optional<RegisterName> reg = TakeRegister(&cursor);
    cursor.SkipSpaces();
    const absl::string_view type = cursor.TakeWord();
    const size_t open = cursor.rest().find('{'), close = cursor.rest().find('}');
    if (!reg.has_value() || open == absl::string_view::npos || close == absl::string_view::npos || close < open) {
      return Unknown(line);
    }
    int component = 0;
    for (absl::string_view text : absl::StrSplit(cursor.rest().substr(open + 1, close - open - 1), ',')) {
      text = absl::StripAsciiWhitespace(text);
      uint64_t bits = 0;
      int64_t whole = 0;
      double number = 0;
      if (absl::StartsWith(text, "0x") ? absl::SimpleHexAtoi(text, &bits) : false) {
      } else if (type == "FLT32" && absl::SimpleAtod(text, &number)) {
        bits = ir::FloatToBits(number, 32);
      } else if (type != "FLT32" && absl::SimpleAtoi(text, &whole)) {
        bits = static_cast<uint64_t>(whole) & 0xffffffff;
      } else {
        return Unknown(line);
      }
      if (component < kComponents) lasting_[reg->name][component++] = Lane{builder_.AddConstant(32, {bits}), 0};
    }
    return absl::OkStatus();
  }

  absl::Status Unknown(absl::string_view line) {
    builder_.Note(absl::StrCat("TGSI ", line.substr(0, line.find(' '))));
    return absl::OkStatus();
  }

  absl::Status Instruction(absl::string_view line) {
    TextCursor cursor(line);
    absl::string_view name = cursor.TakeWord();
    uint8_t flags = 0;
    bool saturates = false;
    while (true) {
      if (absl::ConsumeSuffix(&name, "_SAT")) {
        saturates = true;
      } else if (absl::ConsumeSuffix(&name, "_PRECISE")) {
        flags |= ir::kExact;
      } else {
        break;
      }
    }
    const std::vector<absl::string_view> operands = SplitOperands(cursor.rest());
    if (name.empty() || name == "END" || name == "NOP" || name == "RET") return absl::OkStatus();
    if (IsFlow(name)) return Flow(name, operands);
    if (absl::StartsWith(name, "KILL") || operands.size() < 2) return UseAll(name, operands, 0).status();
    const absl::StatusOr<Lanes> value = Value(name, operands, flags);
    if (!value.ok()) return value.status();
    return Store(operands[0], *value, saturates, flags);
  }

  static bool IsFlow(absl::string_view name) {
    for (const char* flow : {"IF", "UIF", "ELSE", "ENDIF", "BGNLOOP", "ENDLOOP", "BRK", "CONT", "BGNSUB", "ENDSUB",
                             "CAL", "SWITCH", "CASE", "DEFAULT", "ENDSWITCH"}) {
      if (name == flow) return true;
    }
    return false;
  }

  absl::Status Flow(absl::string_view name, const std::vector<absl::string_view>& operands) {
    if (name == "IF" || name == "UIF" || name == "SWITCH") {
      const std::vector<absl::string_view> test(operands.begin(), operands.begin() + (operands.empty() ? 0 : 1));
      if (absl::Status status = UseAll(name, test, 0).status(); !status.ok()) return status;
    }
    EndBlock();
    if (name == "BGNLOOP") ++depth_;
    if (name == "ENDLOOP" && depth_ > 0) --depth_;
    builder_.BeginBlock(depth_);
    return absl::OkStatus();
  }

  // Returns the lanes gathered in a single node. Adds a vec op if necessary.
  Lanes Together(const Lanes& lanes) {
    const int count = static_cast<int>(lanes.size());
    if (count < 2 || (lanes == AllLanes(lanes[0].node, count) && builder_.node(lanes[0].node).components == count)) {
      return lanes;
    }
    std::vector<Lanes> parts;
    for (const Lane& lane : lanes) parts.push_back({lane});
    const absl::StatusOr<ir::NodeIndex> whole =
        builder_.AddOp(absl::StrCat("vec", count), builder_.bits(lanes[0].node), count, parts, 0);
    return whole.ok() ? AllLanes(*whole, count) : lanes;
  }

  // Adds uses of the values that were written since the start of the block, because other blocks may read them, or they
  // may be outputs.
  void EndBlock() {
    for (const auto& [name, reg] : written_) {
      Lanes lanes;
      for (const std::optional<Lane>& lane : reg) {
        if (lane.has_value()) lanes.push_back(*lane);
      }
      const Lanes value = Together(lanes);
      builder_.Read(builder_.AddUse("written"), value);
    }
    written_.clear();
    current_.clear();
  }

  // Adds a use named `what`, which reads the sources starting at index `from`. Returns the number of the use.
  absl::StatusOr<size_t> UseAll(absl::string_view what, const std::vector<absl::string_view>& operands, size_t from) {
    std::vector<Lanes> reads;
    for (size_t i = from; i < operands.size(); ++i) {
      const std::optional<SourceText> source = ParseSource(operands[i]);
      if (!source.has_value() || absl::StartsWith(source->reg.file, "SAMP") || source->reg.name == source->reg.file)
        continue;
      absl::StatusOr<Lanes> lanes = Read(*source, {0, 1, 2, 3}, true);
      if (!lanes.ok()) return lanes.status();
      reads.push_back(*std::move(lanes));
    }
    const size_t use = builder_.AddUse(what);
    for (const Lanes& lanes : reads) builder_.Read(use, lanes);
    return use;
  }

  // Returns the current components of the register.
  Register& CurrentRegister(const RegisterName& reg) {
    const bool lasts = reg.file == "IN" || reg.file == "CONST" || reg.file == "IMM" || reg.file == "SV";
    Register& held = lasts ? lasting_[reg.name] : current_[reg.name];
    if (std::all_of(held.begin(), held.end(), [](const std::optional<Lane>& lane) { return lane.has_value(); }))
      return held;
    const bool uniform = reg.file == "CONST";
    const char* what = uniform            ? "load_ubo"
                       : reg.file == "IN" ? "load_input"
                       : reg.file == "SV" ? "load_sv"
                                          : "load_reg";
    const Lanes lanes = builder_.AddVariable(32, kComponents, what, uniform);
    for (int c = 0; c < kComponents; ++c) {
      if (!held[c].has_value()) held[c] = lanes[c];
    }
    return held;
  }

  absl::StatusOr<Lanes> Read(const SourceText& source, const std::vector<int>& wanted, bool is_float) {
    Lanes lanes;
    if (source.reg.indirect) {
      const Lanes all = builder_.AddVariable(32, kComponents, "load_indirect", false);
      for (const int c : wanted) lanes.push_back(all[source.swizzle[c]]);
    } else {
      const Register& held = CurrentRegister(source.reg);
      for (const int c : wanted) lanes.push_back(*held[source.swizzle[c]]);
    }
    const int count = static_cast<int>(wanted.size());
    for (const bool negates : {false, true}) {
      if (!(negates ? source.negated : source.absolute)) continue;
      const char* op = is_float ? (negates ? "fneg" : "fabs") : (negates ? "ineg" : "iabs");
      absl::StatusOr<ir::NodeIndex> made = builder_.AddOp(op, 32, count, {lanes}, 0);
      if (!made.ok()) return made.status();
      lanes = AllLanes(*made, count);
    }
    return lanes;
  }

  static absl::StatusOr<std::vector<int>> MaskOf(absl::string_view destination) {
    TextCursor cursor(destination);
    const std::optional<RegisterName> reg = TakeRegister(&cursor);
    std::optional<std::vector<int>> mask = TakeComponents(&cursor);
    if (!reg.has_value() || !mask.has_value()) return absl::InvalidArgumentError("no destination");
    if (mask->empty()) *mask = {0, 1, 2, 3};
    return *mask;
  }

  // Returns one lane for each component that the destination writes.
  absl::StatusOr<Lanes> Value(absl::string_view name, const std::vector<absl::string_view>& operands, uint8_t flags) {
    const absl::StatusOr<std::vector<int>> mask = MaskOf(operands[0]);
    const size_t count = mask.ok() ? mask->size() : kComponents;
    std::vector<SourceText> sources;
    for (size_t i = 1; i < operands.size(); ++i) {
      if (std::optional<SourceText> source = ParseSource(operands[i]); source.has_value()) sources.push_back(*source);
    }
    const Meaning* meaning = FindMeaning(name);
    if (mask.ok() && meaning != nullptr && sources.size() == static_cast<size_t>(meaning->sources))
      return Meant(*meaning, *mask, sources, flags);
    if (mask.ok() && sources.size() == 3) {
      absl::StatusOr<Lanes> value = TranslateThreeOperandOp(name, *mask, sources, flags);
      if (value.ok() || value.status().code() != absl::StatusCode::kNotFound) return value;
    }
    const std::string what = absl::StartsWith(name, "T") ? "tex" : absl::StrCat("tgsi ", name);
    const absl::StatusOr<size_t> use = UseAll(what, operands, 1);
    if (!use.ok()) return use.status();
    Lanes lanes = builder_.AddVariable(32, kComponents, what, false);
    builder_.Give(*use, lanes);
    lanes.resize(count);
    return lanes;
  }

  absl::StatusOr<Lanes> Meant(const Meaning& meaning, const std::vector<int>& mask,
                              const std::vector<SourceText>& sources, uint8_t flags) {
    std::vector<int> wanted = mask;
    if (meaning.kind == Kind::kScalar) wanted = {0};
    if (meaning.kind == Kind::kDot) {
      wanted.clear();
      for (int c = 0; c < meaning.across; ++c) wanted.push_back(c);
    }
    std::vector<Lanes> operands;
    for (const SourceText& source : sources) {
      absl::StatusOr<Lanes> lanes = Read(source, wanted, meaning.is_float);
      if (!lanes.ok()) return lanes.status();
      operands.push_back(*std::move(lanes));
    }
    if (meaning.op == absl::string_view("mov")) return operands[0];
    if (meaning.swapped) std::swap(operands[0], operands[1]);
    const int count = meaning.kind == Kind::kEach ? static_cast<int>(mask.size()) : 1;
    absl::StatusOr<ir::NodeIndex> made = builder_.AddOp(meaning.op, 32, count, operands, flags);
    if (!made.ok()) return made.status();
    Lanes lanes = AllLanes(*made, count);
    lanes.resize(mask.size(), lanes[0]);
    return lanes;
  }

  // Handles MAD, LRP, CMP, UCMP, and UMAD as tgsi_to_nir.c does. Fails with NotFound for other instructions.
  absl::StatusOr<Lanes> TranslateThreeOperandOp(absl::string_view name, const std::vector<int>& mask,
                                                const std::vector<SourceText>& sources, uint8_t flags) {
    const bool whole = name == "UMAD" || name == "UCMP";
    if (name != "MAD" && name != "LRP" && name != "CMP" && !whole) return absl::NotFoundError("no op");
    const int count = static_cast<int>(mask.size());
    std::vector<Lanes> s;
    for (const SourceText& source : sources) {
      absl::StatusOr<Lanes> lanes = Read(source, mask, !whole);
      if (!lanes.ok()) return lanes.status();
      s.push_back(*std::move(lanes));
    }
    absl::StatusOr<ir::NodeIndex> made;
    if (name == "LRP") {
      made = builder_.AddOp("flrp", 32, count, {s[2], s[1], s[0]}, flags);
    } else if (name == "MAD" || name == "UMAD") {
      made = builder_.AddOp(whole ? "imul" : "fmul", 32, count, {s[0], s[1]}, flags);
      if (made.ok()) made = builder_.AddOp(whole ? "iadd" : "fadd", 32, count, {AllLanes(*made, count), s[2]}, flags);
    } else {
      const Lanes zero(static_cast<size_t>(count), Lane{builder_.AddConstant(32, {0}), 0});
      made = builder_.AddOp(whole ? "ine" : "flt", 1, count, {s[0], zero}, flags);
      if (made.ok()) made = builder_.AddOp("bcsel", 32, count, {AllLanes(*made, count), s[1], s[2]}, flags);
    }
    if (!made.ok()) return made.status();
    return AllLanes(*made, count);
  }

  absl::Status Store(absl::string_view destination, Lanes value, bool saturates, uint8_t flags) {
    const absl::StatusOr<std::vector<int>> mask = MaskOf(destination);
    TextCursor cursor(destination);
    const std::optional<RegisterName> reg = TakeRegister(&cursor);
    if (!mask.ok() || !reg.has_value() || mask->size() != value.size()) return Unknown(destination);
    const int count = static_cast<int>(value.size());
    if (saturates) {
      const absl::StatusOr<ir::NodeIndex> made = builder_.AddOp("fsat", 32, count, {value}, flags);
      if (!made.ok()) return made.status();
      value = AllLanes(*made, count);
    }
    if (reg->indirect) {
      builder_.Read(builder_.AddUse("written"), value);
      current_.clear();  // any register may have been written
      return absl::OkStatus();
    }
    for (int i = 0; i < count; ++i) {
      current_[reg->name][(*mask)[i]] = value[i];
      written_[reg->name][(*mask)[i]] = value[i];
    }
    return absl::OkStatus();
  }

  ShaderBuilder builder_;
  int depth_ = 0;
  std::map<std::string, Register> lasting_;  // values of inputs and constants
  std::map<std::string, Register> current_;  // current register values in this block
  std::map<std::string, Register> written_;  // register values that this block has written
};

}  // namespace

bool LooksLikeTgsi(absl::string_view text) {
  bool stage = false;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    line = absl::StripAsciiWhitespace(line);
    if (stage && (absl::StartsWith(line, "DCL ") || absl::StartsWith(line, "PROPERTY ") ||
                  absl::StartsWith(line, "IMM[") || absl::StartsWith(line, "0: "))) {
      return true;
    }
    if (stage && !line.empty()) return false;
    stage |= StageOf(line).has_value();
  }
  return false;
}

absl::StatusOr<std::vector<ir::Shader>> ReadTgsi(absl::string_view text, absl::string_view name,
                                                 absl::string_view source) {
  std::vector<ir::Shader> shaders;
  proto::ParseBudget budget(proto::kTgsiLimits);
  if (!budget.TakeBytes(text.size())) return budget.status();
  std::optional<Reader> reader;
  int number = 0;
  const auto finish = [&] {
    if (reader.has_value()) shaders.push_back(reader->Finish());
    reader.reset();
  };
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line);
    if (const std::optional<const char*> stage = StageOf(line); stage.has_value()) {
      finish();
      reader.emplace(shaders.empty() ? std::string(name) : absl::StrCat(name, "#", shaders.size() + 1), source, *stage);
      continue;
    }
    if (!reader.has_value() || line.empty() || line[0] == '#') continue;
    if (!budget.TakeItems()) return absl::ResourceExhaustedError(absl::StrCat("line ", number, ": ", budget.error()));
    if (absl::Status status = reader->Line(line, number); !status.ok()) return status;
    if (absl::EndsWith(line, ": END") || line == "END") finish();
  }
  finish();
  if (shaders.empty()) return absl::InvalidArgumentError("no TGSI shader in the text");
  return shaders;
}

}  // namespace rewrought::corpus
