// Converts the result DAGs of patterns back to programs.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "emitter/tablegen/machine_records.h"
#include "emitter/tablegen/program_dag.h"
#include "ir/scalar.h"
#include "machine/legality.h"

namespace rewrought::emitter {
namespace {

absl::Status Wrong(absl::string_view what) { return absl::DataLossError(what); }

// Returns X if `dag` is a typed value such as `(f32 X)`, and otherwise `dag` itself.
const Dag& Untyped(const Dag& dag) {
  const bool typed = dag.kind == Dag::Kind::kList && (IsValueType(dag.head) || dag.head == "untyped");
  return typed && dag.arguments.size() == 1 ? dag.arguments[0] : dag;
}

bool IsUndefined(const Dag& dag) { return Untyped(dag).head == "IMPLICIT_DEF"; }

class Arguments {
 public:
  explicit Arguments(const Dag& dag) : dag_(dag) {}
  // Returns the next operand, or null after the last operand.
  const Dag* Next() { return at_ < dag_.arguments.size() ? &dag_.arguments[at_++] : nullptr; }
  bool empty() const { return at_ == dag_.arguments.size(); }

 private:
  const Dag& dag_;
  size_t at_ = 0;
};

class Reader {
 public:
  explicit Reader(const machine::Machine& machine) : m_(machine) {}

  absl::StatusOr<machine::Program> Read(const Dag& dag) {
    const absl::StatusOr<std::string> result = Register(dag, std::string(machine::kResultName));
    if (!result.ok()) return result.status();
    if (*result != machine::kResultName) return Wrong("its result is not an instruction");
    const std::string text = absl::StrCat("[", absl::StrJoin(instructions_, ", "), "]");
    absl::StatusOr<machine::Program> program = machine::ParseProgram(m_, text);
    if (!program.ok()) return Wrong(program.status().message());
    if (const absl::Status legal = machine::CheckLegal(m_, *program); !legal.ok()) return Wrong(legal.message());
    return program;
  }

 private:
  // Returns the register, flag, or variable that contains the value. If `wanted` is nonempty and the value is an
  // instruction's result, the instruction writes the result to `wanted`.
  absl::StatusOr<std::string> Register(const Dag& typed, const std::string& wanted) {
    const Dag& dag = Untyped(typed);
    if (dag.kind == Dag::Kind::kAtom) {
      return dag.name.empty() ? absl::StatusOr<std::string>(Wrong("expected a value")) : dag.name;
    }
    const std::string key = PrintDag(dag);
    if (const auto known = values_.find(key); wanted.empty() && known != values_.end()) return known->second;
    const std::string name = wanted.empty() ? absl::StrCat("t", next_++) : wanted;
    absl::Status status;
    if (dag.head == "INSERT_SUBREG" && dag.arguments.size() == 3) {
      status = Insert(dag, name);
    } else if (dag.head == "EXTRACT_SUBREG" && dag.arguments.size() == 2) {
      return OneOfBoth(dag, wanted);
    } else {
      status = Emit(dag, name, "");
    }
    if (!status.ok()) return status;
    if (wanted.empty()) values_[key] = name;
    return name;
  }

  // Returns the value or the flag of an instruction that produces both.
  absl::StatusOr<std::string> OneOfBoth(const Dag& dag, const std::string& wanted) {
    const Dag& instruction = Untyped(dag.arguments[0]);
    const std::string key = PrintDag(instruction);
    const bool flag = dag.arguments[1].head == "flag_part";
    if (!flag && dag.arguments[1].head != "value_part") return Wrong("a subregister is used as a whole register");
    const auto [known, is_new] = pairs_.try_emplace(key);
    if (is_new) {
      known->second = {absl::StrCat("t", next_), absl::StrCat("p", next_)};
      ++next_;
      if (!wanted.empty()) (flag ? known->second.second : known->second.first) = wanted;
      const std::pair<std::string, std::string> names = known->second;
      if (absl::Status status = Emit(instruction, names.first, names.second); !status.ok()) return status;
    }
    return flag ? pairs_[key].second : pairs_[key].first;
  }

  absl::Status Insert(const Dag& dag, const std::string& name) {
    if (!IsUndefined(dag.arguments[0])) {
      const absl::StatusOr<std::string> old = Register(dag.arguments[0], name);
      if (!old.ok()) return old.status();
    }
    const absl::StatusOr<std::string> part = Part(dag.arguments[2].head);
    return part.ok() ? Emit(Untyped(dag.arguments[1]), name, "", *part) : part.status();
  }

  // Converts "part32_1" to ".subscript(1)".
  static absl::StatusOr<std::string> Part(absl::string_view name) {
    const std::vector<std::string> words = absl::StrSplit(name, '_');
    if (words.size() != 2 || words[0].substr(0, 4) != "part") return Wrong("expected a subregister");
    return absl::StrCat(".subscript(", words[1], ")");
  }

  absl::Status Emit(const Dag& dag, const std::string& name, const std::string& flag, const std::string& part = "") {
    absl::StatusOr<InstructionShape> shape = ShapeNamed(m_, dag.head);
    if (!shape.ok()) return shape.status();
    if ((shape->gives == Gives::kBoth) == flag.empty())
      return Wrong("the results of an instruction do not match their uses");
    const machine::Variant* variant = VariantOf(*shape);
    if (variant == nullptr) return Wrong(absl::StrCat("unknown instruction ", dag.head));
    Arguments arguments(dag);
    std::vector<std::string> sources;
    for (size_t i = 1; i < shape->types.size(); ++i) {
      absl::StatusOr<std::string> source = Source(m_.types()[shape->types[i]], &arguments);
      if (!source.ok()) return source.status();
      sources.push_back(*std::move(source));
    }
    const std::string flag_written = shape->gives == Gives::kFlag ? name : flag;
    std::string mask;
    // A subregister's old value is already in the register.
    const std::string keeps = part.empty() ? name : "";
    absl::StatusOr<std::string> methods = Methods(*shape, *variant, flag_written, keeps, &arguments, &mask);
    if (!methods.ok()) return methods.status();
    if (!arguments.empty()) return Wrong(absl::StrCat(dag.head, " has too many operands"));
    const std::string to = shape->gives == Gives::kFlag ? "null" : name;
    instructions_.push_back(absl::StrCat(shape->mnemonic, "(", to, "(", m_.types()[shape->types[0]].name, ")", mask,
                                         part, sources.empty() ? "" : ", ", absl::StrJoin(sources, ", "), ")",
                                         *methods));
    return absl::OkStatus();
  }

  // Returns any variant with the shape's fields, which do not depend on types.
  const machine::Variant* VariantOf(const InstructionShape& shape) const {
    for (const bool exact : {true, false}) {
      for (const int index : m_.VariantsOf(shape.mnemonic)) {
        const machine::Variant& variant = m_.variants()[index];
        if (variant.sources.size() + 1 != shape.types.size()) continue;
        int narrowing = machine::NarrowingOf(m_, variant, shape.types[0]);
        bool fits = narrowing != -2 && (!exact || narrowing == -1);
        for (size_t i = 1; i < shape.types.size(); ++i) {
          const int widening = machine::WideningOf(m_, variant, static_cast<int>(i) - 1, shape.types[i]);
          fits = fits && widening != -2 && (!exact || widening == -1);
        }
        fits = fits && (variant.selector >= 0) == shape.chooses && (!shape.tests || variant.result_flag >= 0);
        if (fits) return &variant;
      }
    }
    return nullptr;
  }

  absl::StatusOr<std::string> Source(const machine::Type& type, Arguments* arguments) {
    const Dag* const typed = arguments->Next();
    const Dag* const modifiers = arguments->Next();
    if (typed == nullptr || modifiers == nullptr) return Wrong("an operand is missing");
    const Dag& dag = Untyped(*typed);
    std::string text;
    int64_t number;
    if (dag.kind == Dag::Kind::kAtom && absl::SimpleAtoi(dag.head, &number)) {
      text = absl::StrCat("imm(0x", absl::Hex(static_cast<uint64_t>(number) & ir::MaskOf(type.bits)), ", ", type.name,
                          ")");
    } else {
      const bool part =
          dag.head == "EXTRACT_SUBREG" && dag.arguments.size() == 2 && dag.arguments[1].head.substr(0, 4) == "part";
      const absl::StatusOr<std::string> name = Register(part ? dag.arguments[0] : *typed, "");
      if (!name.ok()) return name;
      const absl::StatusOr<std::string> subscript = part ? Part(dag.arguments[1].head) : "";
      if (!subscript.ok()) return subscript;
      text = absl::StrCat(*name, "(", type.name, ")", *subscript);
    }
    if (m_.components() > 1) {
      const Dag* const swizzle = arguments->Next();
      if (swizzle == nullptr) return Wrong("an operand has no swizzle");
      if (swizzle->head != "swizzle_xyzw") {
        absl::StrAppend(&text, ".swizzle(",
                        absl::StrJoin(absl::StrSplit(absl::StripPrefix(swizzle->head, "swizzle_"), 'n'), "-"), ")");
      }
    }
    return Modified(std::move(text), *modifiers);
  }

  // Applies the modifiers in the machine's order.
  absl::StatusOr<std::string> Modified(std::string text, const Dag& modifiers) const {
    absl::StatusOr<std::vector<machine::ModifierIndex>> indices = Modifiers(modifiers);
    if (!indices.ok()) return indices.status();
    for (const machine::ModifierIndex index : *indices) {
      if (index == static_cast<int>(m_.modifiers().size())) {
        text += ".uniform()";
        continue;
      }
      const std::string& spelling = m_.modifiers()[index].spelling;
      const bool sign = spelling == "-" || spelling == "~";
      text = sign ? absl::StrCat(spelling, text) : absl::StrCat(spelling, "(", text, ")");
    }
    return text;
  }

  // Returns the modifiers in order of application. The index after the last modifier means uniform, and the next index
  // means saturated.
  absl::StatusOr<std::vector<machine::ModifierIndex>> Modifiers(const Dag& dag) const {
    std::vector<machine::ModifierIndex> indices;
    const int count = static_cast<int>(m_.modifiers().size());
    const bool several = dag.kind == Dag::Kind::kCall && dag.head == "!or";
    for (const Dag& one : several ? dag.arguments : std::vector<Dag>{dag}) {
      absl::string_view id = one.head;
      if (!absl::ConsumePrefix(&id, "modifier_")) return Wrong(absl::StrCat("'", one.head, "' is not a modifier"));
      if (id == "none" && !several) return indices;
      int found = id == "uniform" ? count : id == "saturated" ? count + 1 : -1;
      for (int i = 0; i < count && found < 0; ++i) found = m_.modifiers()[i].id == id ? i : -1;
      if (found < 0) return Wrong(absl::StrCat(m_.id(), " has no modifier ", id));
      indices.push_back(found);
    }
    const auto order = [&](int i) { return i == count ? -1 : i > count ? 1000 : m_.modifiers()[i].order; };
    std::stable_sort(indices.begin(), indices.end(), [&](int x, int y) { return order(x) < order(y); });
    return indices;
  }

  // Returns the method calls of the instruction that writes `name`, and sets `mask` for its destination. If `name` is
  // empty, the old value is already in its register.
  absl::StatusOr<std::string> Methods(const InstructionShape& shape, const machine::Variant& variant,
                                      const std::string& flag, const std::string& name, Arguments* arguments,
                                      std::string* mask) {
    const Fields fields = FieldsOf(m_, shape, variant);
    std::string text;
    for (const bool test : {false, true}) {
      if (!(test ? fields.test : fields.choice)) continue;
      const machine::Selector& selector = m_.selectors()[test ? variant.result_flag : variant.selector];
      const bool writes = (test || !variant.flag_rows.empty()) && !flag.empty();
      const std::string choice = TakeWord(arguments);
      absl::StrAppend(&text, ".", selector.method, "(", choice.substr(std::min(choice.size(), selector.id.size() + 1)),
                      writes ? ", " + flag : "", ")");
    }
    if (fields.modifiers) {
      const Dag* const dag = arguments->Next();
      if (dag == nullptr) return Wrong("an instruction's modifiers are missing");
      const absl::StatusOr<std::vector<machine::ModifierIndex>> indices = Modifiers(*dag);
      if (!indices.ok()) return indices.status();
      for (const machine::ModifierIndex index : *indices) {
        const bool of_machine = index < static_cast<int>(m_.modifiers().size());
        absl::StrAppend(&text, ".", of_machine ? m_.modifiers()[index].spelling : "sat", "()");
      }
    }
    if (fields.mask) {
      const std::string word = TakeWord(arguments);
      if (word != "mask_whole") *mask = absl::StrCat(".mask(", absl::StripPrefix(word, "mask_"), ")");
    }
    if (fields.predicate) {
      const Dag* const dag = arguments->Next();
      if (dag == nullptr) return Wrong("a predicate is missing");
      const absl::StatusOr<std::string> predicate = Register(*dag, "");
      if (!predicate.ok()) return predicate;
      const std::string sense = TakeWord(arguments) == "predicate_inverted" ? "INVERT" : "NORMAL";
      absl::StrAppend(&text, ".predicate(", sense, ", ", *predicate, ")");
    }
    if (!fields.old) return text;
    const Dag* const old = arguments->Next();
    if (old == nullptr) return Wrong("the old value of a register is missing");
    if (name.empty() || IsUndefined(*old)) return text;
    const absl::StatusOr<std::string> kept = Register(*old, name);
    return kept.ok() ? text : kept;
  }

  static std::string TakeWord(Arguments* arguments) {
    const Dag* const dag = arguments->Next();
    return dag == nullptr ? "" : dag->head;
  }

  const machine::Machine& m_;
  std::vector<std::string> instructions_;
  std::map<std::string, std::string> values_;                         // Maps a DAG's text to a register.
  std::map<std::string, std::pair<std::string, std::string>> pairs_;  // Maps a DAG's text to a register and a flag.
  int next_ = 0;
};

}  // namespace

absl::StatusOr<machine::Program> ProgramOfDag(const machine::Machine& machine, const Dag& dag) {
  return Reader(machine).Read(dag);
}

}  // namespace rewrought::emitter
