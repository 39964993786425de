#include "machine/select/emulate.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "ir/evaluate.h"
#include "ir/match/rewriter.h"
#include "ir/scalar.h"
#include "ir/text/rule_text.h"
#include "machine/program_term.h"
#include "machine/select/instruction_term.h"

namespace rewrought::machine::select {
namespace {

std::string Hex(uint64_t bits, int width) { return absl::StrFormat("0x%0*x", std::max(1, width / 4), bits); }

// If `tame`, returns an ordinary number; otherwise, may also return a special value, a small integer, or random bits.
// In a long shader, inputs that are not tame soon turn every value into NaN.
uint64_t RandomPattern(int width, bool tame, std::mt19937_64& random) {
  const uint64_t mask = ir::MaskOf(width);
  if (width == 1) return random() & 1;
  const unsigned kind = tame ? 1 + random() % 2 : random() % 8;
  if (ir::IsFloatWidth(width) && kind < 5) {
    const ir::FloatFormat format = ir::FormatOf(width);
    if (kind == 0) {
      const uint64_t specials[] = {0,
                                   format.one(),
                                   format.infinity(),
                                   format.quiet_nan(),
                                   format.smallest_normal(),
                                   1,
                                   format.smallest_normal() - 1,
                                   format.infinity() - 1,
                                   format.one() + 1,
                                   format.one() - 1};
      return specials[random() % std::size(specials)] | (random() % 2 ? format.sign() : 0);
    }
    const double range[] = {0, 1, 2, 16, 1000};
    const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
    return ir::FloatToBits((unit * 2 - (kind % 2)) * range[kind], width);
  }
  if (kind == 5) return random() % 70;
  if (kind == 6) return (~(random() % 70)) & mask;
  return random() & mask;
}

struct Runnable {
  ir::Dag dag;
  ir::ChoiceTerm term;
};

// An instruction's meaning in one denormal mode.
struct CompiledStep {
  std::optional<Runnable> result, flag;
};

// A tile's IR meaning in one denormal mode.
struct CompiledTile {
  Runnable run;
  std::vector<ir::NodeIndex> nodes;  // The shader's nodes for the inputs "n<index>".
};

using RegisterContents = std::array<std::optional<uint64_t>, ir::kShaderComponents>;

class Emulator {
 public:
  Emulator(const Selection& selection, const EmulateOptions& options)
      : s_(selection), m_(*selection.machine), options_(options), random_(options.seed) {
    for (const v1::Deviation& deviation : m_.description().deviations()) deviations_.insert(deviation.op());
  }

  absl::StatusOr<EmulationReport> Run() {
    for (int run = 0; run < options_.runs; ++run) {
      mode_ = run % 2 == 0 ? ir::DenormMode::kPreserve : ir::DenormMode::kFlush;
      tame_ = run / 2 % 2 == 0;
      registers_.clear(), flags_.clear(), opaque_.clear();
      ++report_.runs;
      for (ir::NodeIndex n = 0; n < s_.value_of.size(); ++n) {
        if (s_.value_of[n] == kNoValue || !s_.values[s_.value_of[n]].uniform) continue;
        if (term().at(n).kind == ir::NodeKind::kVariable) SetOpaque(n);
      }
      for (const SelectedBlock& block : s_.blocks) {
        for (const Step& step : block.steps) {
          if (absl::Status status = Execute(step); !status.ok()) return status;
        }
      }
      for (size_t t = 0; t < s_.cover.tiles.size(); ++t) {
        if (absl::Status status = Check(static_cast<int>(t)); !status.ok()) return status;
      }
    }
    return std::move(report_);
  }

 private:
  const ir::Term& term() const { return s_.scalar.shader.values; }

  void Difference(const std::string& what) {
    ++report_.differences;
    if (report_.examples.size() < options_.examples) report_.examples.push_back(what);
  }

  absl::Status Execute(const Step& step) {
    if (step.opaque) {
      for (const ValueId value : step.reads) {
        if (!registers_.contains(s_.values[value].name))
          Difference(absl::StrCat(s_.values[value].name, " is read before it is written, by ", step.what));
      }
      for (const ir::NodeIndex node : step.nodes) SetOpaque(node);
      return absl::OkStatus();
    }
    ++report_.steps;
    absl::StatusOr<CompiledStep*> compiled = Compile(step);
    if (!compiled.ok()) return compiled.status();
    // The flag depends on the registers before the instruction's write.
    std::vector<uint64_t> result, flag;
    if ((*compiled)->result.has_value()) result = Evaluate(step, *(*compiled)->result);
    if ((*compiled)->flag.has_value()) flag = Evaluate(step, *(*compiled)->flag);
    const uint8_t written = ComponentsWritten(step.code, m_.components() == 1);
    Set(result, written, &registers_[step.code.destination.name]);
    if (!flag.empty()) Set(flag, written, &flags_[step.code.flag]);
    return absl::OkStatus();
  }

  static void Set(const std::vector<uint64_t>& values, uint8_t written, RegisterContents* to) {
    size_t next = 0;
    for (int c = 0; c < ir::kShaderComponents && next < values.size(); ++c) {
      if ((written >> c & 1) != 0) (*to)[c] = values[next++];
    }
  }

  std::optional<uint64_t>& StorageOf(ir::NodeIndex node, int component) {
    const int c = s_.components_of.empty() ? component : s_.components_of[node][component];
    return registers_[s_.values[s_.value_of[node]].name][c];
  }
  void SetOpaque(ir::NodeIndex node) {
    for (int c = 0; c < term().at(node).components; ++c) StorageOf(node, c) = OpaqueValue(node, c);
  }

  std::vector<uint64_t> Evaluate(const Step& step, const Runnable& run) {
    std::vector<uint64_t> inputs;
    for (const ir::Input& input : run.dag.inputs()) inputs.push_back(InputOf(step, input));
    ir::Evaluator evaluator(&run.dag);
    evaluator.Start(inputs, [](uint32_t) { return 0; });
    std::vector<uint64_t> results;
    for (const ir::ValueIndex root : run.term.lowered.root) results.push_back(evaluator.Evaluate(root));
    return results;
  }

  // Splits a name such as "s0.2" into its base name and component.
  static std::pair<std::string, int> Split(const std::string& name) {
    const size_t dot = name.find('.');
    if (dot == std::string::npos) return {name, 0};
    return {name.substr(0, dot), name[dot + 1] - '0'};
  }

  uint64_t InputOf(const Step& step, const ir::Input& input) {
    const auto [what, component] = Split(input.name);
    if (what == "flag") {
      const std::optional<uint64_t> held = flags_[step.code.predicate][component];
      if (held.has_value()) return *held;
      Difference(absl::StrCat("flag ", step.code.predicate, " is read before it is written"));
      return 0;
    }
    const bool old = what == "old";
    const std::string& name = old ? step.code.destination.name : step.code.sources[what[1] - '0'].name;
    const std::optional<uint64_t> held = registers_[name][component];
    if (held.has_value()) return *held;
    // Unwritten parts of a destination have arbitrary contents.
    if (!old) Difference(absl::StrCat(name, " is read before it is written, by ", PrintInstruction(m_, step.code)));
    return random_() & ir::MaskOf(input.width);
  }

  absl::StatusOr<CompiledStep*> Compile(const Step& step) {
    // Vector registers contain values of several sizes and have no subregisters.
    const bool scalar = m_.components() == 1;
    std::vector<int> bits;
    for (size_t i = 0; i < step.sources.size(); ++i) {
      const ValueId source = step.sources[i];
      bits.push_back(source == kNoValue ? 0
                     : scalar           ? s_.values[source].bits
                                        : m_.types()[step.code.sources[i].type].bits);
    }
    int destination = step.defines.empty() ? 0 : s_.values[step.defines[0]].bits;
    if (!scalar) destination = m_.types()[step.code.destination.type].bits;
    Instruction shape = step.code;
    for (size_t i = 0; i < shape.sources.size(); ++i) {
      if (shape.sources[i].kind != OperandKind::kImmediate) shape.sources[i].name = absl::StrCat("s", i, ".", bits[i]);
    }
    shape.destination.name = absl::StrCat(destination);
    const std::string key = absl::StrCat(static_cast<int>(mode_), reinterpret_cast<uintptr_t>(step.code.variant),
                                         PrintInstruction(m_, shape));
    std::unique_ptr<CompiledStep>& compiled = steps_[key];
    if (compiled != nullptr) return compiled.get();
    auto made = std::make_unique<CompiledStep>();
    InstructionTerm meaning = TermOfInstruction(m_, step.code, bits, destination);
    for (const auto& [root, run] : {std::pair(meaning.result, &made->result), std::pair(meaning.flag, &made->flag)}) {
      if (!root.has_value()) continue;
      meaning.term.root = *root;
      run->emplace();
      absl::StatusOr<ir::ChoiceTerm> lowered = ir::LowerWithChoices(&(*run)->dag, meaning.term, mode_, 0);
      if (!lowered.ok()) {
        return absl::InternalError(absl::StrCat(PrintInstruction(m_, step.code), ": ", lowered.status().message()));
      }
      (*run)->term = *std::move(lowered);
    }
    compiled = std::move(made);
    return compiled.get();
  }

  // Returns the covered nodes as a term over the tile's inputs.
  ir::Term TermOf(const Tile& tile, std::vector<ir::NodeIndex>* inputs) const {
    ir::Term out;
    absl::flat_hash_map<ir::NodeIndex, ir::NodeIndex> made;
    std::vector<ir::NodeIndex> nodes = tile.inner;
    nodes.push_back(tile.root);
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    const auto take = [&](ir::Node node, ir::NodeIndex from) {
      out.nodes.push_back(std::move(node));
      made[from] = static_cast<ir::NodeIndex>(out.nodes.size() - 1);
    };
    for (const ir::NodeIndex index : nodes) {
      ir::Node node = term().at(index);
      for (ir::Source& source : node.sources) {
        if (!made.contains(source.node)) {
          const ir::Node& leaf = term().at(source.node);
          if (leaf.kind == ir::NodeKind::kConstant) {
            take(leaf, source.node);
          } else {
            ir::Node variable;
            variable.bits = leaf.bits;
            variable.components = leaf.components;
            variable.name = absl::StrCat("n", inputs->size());
            inputs->push_back(source.node);
            take(std::move(variable), source.node);
          }
        }
        source.node = made.at(source.node);
      }
      take(std::move(node), index);
    }
    out.root = made.at(tile.root);
    return out;
  }

  static const std::vector<ir::CompiledRule>& Contractions() {
    static const std::vector<ir::CompiledRule>& rules = *[] {
      auto* made = new std::vector<ir::CompiledRule>;
      for (const char* text : {"(('fadd', ('fmul', 'a', 'b'), 'c'), ('ffma', 'a', 'b', 'c'))",
                               "(('fadd', ('fneg', ('fmul', 'a', 'b')), 'c'), ('ffma', ('fneg', 'a'), 'b', 'c'))",
                               "(('fsub', 'c', ('fmul', 'a', 'b')), ('ffma', ('fneg', 'a'), 'b', 'c'))",
                               "(('fsub', ('fmul', 'a', 'b'), 'c'), ('ffma', 'a', 'b', ('fneg', 'c')))"}) {
        absl::StatusOr<ir::Rule> rule = ir::ParseRule(text);
        if (!rule.ok()) continue;
        absl::StatusOr<ir::CompiledRule> compiled = ir::CompiledRule::Compile(*std::move(rule));
        if (compiled.ok()) made->push_back(*std::move(compiled));
      }
      return made;
    }();
    return rules;
  }

  enum Reading {
    kStrict,  // Ignores fast-math flags.
    kAsMarked,
    kContracted,  // Like kStrict, with fused multiply-adds.
  };
  absl::StatusOr<CompiledTile*> CompileTile(int index, Reading reading) {
    std::unique_ptr<CompiledTile>& compiled = tiles_[{index, static_cast<int>(mode_) * 3 + reading}];
    if (compiled != nullptr) return compiled.get();
    auto made = std::make_unique<CompiledTile>();
    ir::Term meaning = TermOf(s_.cover.tiles[index], &made->nodes);
    if (reading != kAsMarked) {
      for (ir::Node& node : meaning.nodes) node.flags = 0;
    }
    if (reading == kContracted) ir::Rewriter(Contractions(), {}).Run(&meaning);
    absl::StatusOr<ir::ChoiceTerm> lowered = ir::LowerWithChoices(&made->run.dag, meaning, mode_, 0);
    if (!lowered.ok()) {
      return absl::InternalError(absl::StrCat("tile ", s_.cover.tiles[index].rule, ": ", lowered.status().message()));
    }
    made->run.term = *std::move(lowered);
    compiled = std::move(made);
    return compiled.get();
  }

  // Returns the opaque node's value in this run, independently of registers.
  uint64_t OpaqueValue(ir::NodeIndex node, int component) {
    const auto [found, is_new] = opaque_.try_emplace({node, component}, 0);
    if (is_new) found->second = RandomPattern(term().at(node).bits, tame_, random_);
    return found->second;
  }

  // Returns the contents of the node's register. For an opaque value or a constant, returns its value instead, without
  // reading a register.
  std::optional<uint64_t> ValueOf(ir::NodeIndex node, int component) {
    const ir::Node& value = term().at(node);
    if (value.kind == ir::NodeKind::kConstant) return ConstantBits(value);
    if (s_.cover.tile_of[node] < 0 && s_.cover.needed[node]) return OpaqueValue(node, component);
    if (s_.value_of[node] == kNoValue) return std::nullopt;
    return StorageOf(node, component);
  }

  // Returns the tile's inputs. A value without a register is never read, so any bits will do.
  std::vector<uint64_t> InputsOf(const CompiledTile& tile) {
    std::vector<uint64_t> inputs;
    for (const ir::Input& input : tile.run.dag.inputs()) {
      size_t number = 0;
      const auto [name, component] = Split(input.name);
      if (name.size() < 2 || name[0] != 'n' || !absl::SimpleAtoi(name.substr(1), &number)) {
        inputs.push_back(0);  // The input chooses the sign of a zero that may have either sign.
        continue;
      }
      inputs.push_back(ValueOf(tile.nodes[number], component).value_or(random_() & ir::MaskOf(input.width)));
    }
    return inputs;
  }

  ir::Membership Member(const CompiledTile& tile, const std::vector<uint64_t>& inputs,
                        const std::vector<uint64_t>& target, bool* equal) const {
    ir::Evaluator evaluator(&tile.run.dag);
    evaluator.Start(inputs, [](uint32_t) { return 0; });
    *equal = true;
    for (size_t c = 0; c < target.size(); ++c) {
      *equal &= evaluator.Evaluate(tile.run.term.lowered.root[c]) == target[c];
    }
    if (*equal) return ir::Membership::kMember;
    return ir::IsAllowed(tile.run.dag, tile.run.term, inputs, target, target).membership;
  }

  // Returns all components of the node's value, or nullopt if a component was never written.
  std::optional<std::vector<uint64_t>> ValuesOf(ir::NodeIndex node) {
    std::vector<uint64_t> values;
    for (int c = 0; c < term().at(node).components; ++c) {
      const std::optional<uint64_t> value = ValueOf(node, c);
      if (!value.has_value()) return std::nullopt;
      values.push_back(*value);
    }
    return values;
  }

  absl::Status Check(int index) {
    const Tile& tile = s_.cover.tiles[index];
    if (tile.from_pack != nullptr &&
        std::find(tile.from_pack->modes.begin(), tile.from_pack->modes.end(), mode_) == tile.from_pack->modes.end()) {
      ++report_.other_modes;
      return absl::OkStatus();
    }
    const std::optional<std::vector<uint64_t>> given = ValuesOf(tile.root);
    ++report_.checks;
    if (!given.has_value()) {
      Difference(absl::StrCat("no instruction writes value ", tile.root, " of ", tile.rule));
      return absl::OkStatus();
    }
    std::vector<Reading> readings = {kStrict, kAsMarked};
    if (tile.inexact) readings.push_back(kContracted);
    ir::Membership membership = ir::Membership::kNotMember;
    for (const Reading reading : readings) {
      absl::StatusOr<CompiledTile*> compiled = CompileTile(index, reading);
      if (!compiled.ok()) return compiled.status();
      bool equal = false;
      const ir::Membership is = Member(**compiled, InputsOf(**compiled), *given, &equal);
      if (is == ir::Membership::kMember) {
        ++(reading == kContracted ? report_.contracted
           : equal                ? report_.equal
           : reading == kStrict   ? report_.allowed
                                  : report_.permitted);
        return absl::OkStatus();
      }
      if (is == ir::Membership::kNotFound) membership = is;
    }
    const std::optional<std::vector<uint64_t>> alone = Deviates(tile) ? EvaluateTileProgram(tile) : std::nullopt;
    if (alone == given) {
      ++report_.deviating;
    } else if (membership == ir::Membership::kNotFound) {
      ++report_.undecided;
    } else {
      absl::StatusOr<CompiledTile*> compiled = CompileTile(index, kStrict);
      if (!compiled.ok()) return compiled.status();
      Difference(Describe(index, **compiled, InputsOf(**compiled), *given));
    }
    return absl::OkStatus();
  }

  // Returns true if a deviation is listed for an op of the tile. Pack rules cannot deviate, because they are proved
  // for the machine.
  bool Deviates(const Tile& tile) const {
    if (tile.from_pack != nullptr) return false;
    bool deviates = deviations_.contains(term().at(tile.root).op->name);
    for (const ir::NodeIndex inner : tile.inner) deviates |= deviations_.contains(term().at(inner).op->name);
    return deviates;
  }

  // Evaluates the tile's program on the tile's inputs, using machine/program_term. A deviation excuses only a
  // difference between this result and the IR, and not an error in a step.
  std::optional<std::vector<uint64_t>> EvaluateTileProgram(const Tile& tile) {
    Program program;
    program.instructions = tile.code;
    std::map<std::string, uint64_t> inputs;
    for (const auto& [name, operand] : tile.operands) {
      const ir::Node& node = term().at(operand.node);
      const std::optional<std::vector<uint64_t>> values = ValuesOf(operand.node);
      if (!values.has_value()) return std::nullopt;
      for (size_t c = 0; c < values->size(); ++c) inputs[absl::StrCat(name, ".", c)] = (*values)[c];
      inputs[name] = (*values)[0];
      program.variable_bits[name] = node.bits;
    }
    for (Instruction& instruction : program.instructions) {
      for (Operand& source : instruction.sources) {
        if (source.kind == OperandKind::kRegister && inputs.contains(source.name)) source.kind = OperandKind::kVariable;
      }
    }
    const absl::StatusOr<ir::Term> meaning = ProgramTerm(m_, program);
    if (!meaning.ok()) return std::nullopt;
    Runnable run;
    absl::StatusOr<ir::ChoiceTerm> lowered = ir::LowerWithChoices(&run.dag, *meaning, mode_, 0);
    if (!lowered.ok()) return std::nullopt;
    std::vector<uint64_t> ordered;
    for (const ir::Input& input : run.dag.inputs()) ordered.push_back(inputs[input.name]);
    ir::Evaluator evaluator(&run.dag);
    evaluator.Start(ordered, [](uint32_t) { return 0; });
    std::vector<uint64_t> results;
    for (const ir::ValueIndex root : lowered->lowered.root) results.push_back(evaluator.Evaluate(root));
    return results;
  }

  std::string Describe(int index, const CompiledTile& compiled, const std::vector<uint64_t>& inputs,
                       const std::vector<uint64_t>& given) const {
    const Tile& tile = s_.cover.tiles[index];
    std::string text = absl::StrCat("line ", s_.scalar.shader.info[tile.root].line, ": ", tile.rule, " as ");
    Program code;
    code.instructions = tile.code;
    absl::StrAppend(&text, PrintProgram(m_, code), mode_ == ir::DenormMode::kFlush ? " (flush)" : " (preserve)", ":");
    for (size_t i = 0; i < inputs.size(); ++i) {
      const ir::Input& input = compiled.run.dag.inputs()[i];
      size_t number = 0;
      const bool known = absl::SimpleAtoi(absl::string_view(Split(input.name).first).substr(1), &number) &&
                         number < compiled.nodes.size();
      absl::StrAppend(&text, known ? absl::StrCat(" v", compiled.nodes[number]) : " " + input.name, "=",
                      Hex(inputs[i], input.width));
    }
    ir::Evaluator evaluator(&compiled.run.dag);
    evaluator.Start(inputs, [](uint32_t) { return 0; });
    const int width = term().at(tile.root).bits;
    for (size_t c = 0; c < given.size(); ++c) {
      absl::StrAppend(&text, ": IR ", Hex(evaluator.Evaluate(compiled.run.term.lowered.root[c]), width), ", machine ",
                      Hex(given[c], width));
    }
    return text;
  }

  const Selection& s_;
  const Machine& m_;
  const EmulateOptions& options_;
  std::mt19937_64 random_;
  ir::DenormMode mode_ = ir::DenormMode::kPreserve;
  bool tame_ = true;
  absl::flat_hash_set<std::string> deviations_;
  absl::flat_hash_map<std::string, RegisterContents> registers_, flags_;
  absl::flat_hash_map<std::pair<ir::NodeIndex, int>, uint64_t> opaque_;
  absl::flat_hash_map<std::string, std::unique_ptr<CompiledStep>> steps_;
  absl::flat_hash_map<std::pair<int, int>, std::unique_ptr<CompiledTile>> tiles_;
  EmulationReport report_;
};

}  // namespace

absl::StatusOr<EmulationReport> Emulate(const Selection& selection, const EmulateOptions& options) {
  return Emulator(selection, options).Run();
}

}  // namespace rewrought::machine::select
