// Implements the functions that return results of a bank: look-ups, programs, and terms.
#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "enumerator/bank.h"

namespace rewrought::enumerator {
namespace {

constexpr uint32_t kPackedImmediate = 0xff;

}  // namespace

uint32_t Bank::Pack(const OperandUse& use) {
  const uint32_t form = use.form == kImmediateForm ? kPackedImmediate : use.form;
  return use.entry == kNoEntry ? ~0u : (use.entry << 8) | form;
}
OperandUse Bank::Unpack(uint32_t packed) {
  if (packed == ~0u) return {};
  return {packed >> 8, (packed & 0xff) == kPackedImmediate ? kImmediateForm : packed & 0xff};
}

void Bank::LookUp(const Goal& goal, const std::function<void(const Expression&)>& found) const {
  std::vector<Expression> hits;
  const uint64_t key = KeyOf(goal.ordinary, goal.type);
  for (EntryIndex e = FindClass(key); e != kNoEntry; e = At(e).next) {
    if (At(e).cost < goal.cost_below && (At(e).mask & ~goal.mask) == 0) hits.push_back(ExpressionOf(e));
  }
  std::stable_sort(hits.begin(), hits.end(), [](const Expression& x, const Expression& y) { return x.cost < y.cost; });
  for (const Expression& hit : hits) found(hit);
}

void Bank::ForEachKept(EntryIndex stride, const std::function<void(const Expression&)>& visit) const {
  for (EntryIndex e = leaves_; e < count_; e += stride) visit(ExpressionOf(e));
}

Expression Bank::ExpressionOf(EntryIndex index) const {
  const Entry& entry = At(index);
  Expression expression;
  expression.step = entry.step;
  expression.type = entry.type;
  expression.cost = entry.cost;
  if (entry.step < 0) {
    expression.operands[0] = {index, kImmediateForm};
    return expression;
  }
  for (int i = 0; i < kMaxSlots; ++i) expression.operands[i] = Unpack(entry.operands[i]);
  return expression;
}

// Appends the distinct entries that an expression consists of, operands before users.
void Bank::Collect(const Expression& expression, std::vector<EntryIndex>* order) const {
  for (const OperandUse& use : expression.operands) {
    if (use.entry == kNoEntry || std::find(order->begin(), order->end(), use.entry) != order->end()) continue;
    if (At(use.entry).step >= 0) Collect(ExpressionOf(use.entry), order);
    order->push_back(use.entry);
  }
}

LaneBlock Bank::Evaluate(const Expression& expression, BlockKind kind) const {
  if (expression.step < 0) return EvaluateEntry(expression.operands[0].entry, kind);
  return Apply(expression.step, expression.operands, kind);
}

int Bank::SizeOf(const Expression& expression) const {
  std::vector<EntryIndex> order;
  Collect(expression, &order);
  int size = expression.step >= 0 ? 1 : 0;
  for (const EntryIndex e : order) size += At(e).step >= 0;
  return size;
}

uint8_t Bank::MaskOf(const Expression& expression) const {
  uint8_t mask = 0;
  for (const OperandUse& use : expression.operands) {
    if (use.entry != kNoEntry) mask |= At(use.entry).mask;
  }
  return mask;
}

uint64_t Bank::Digest() const {
  uint64_t digest = 0xcbf29ce484222325u;
  const auto add = [&](uint64_t value) { digest = (digest ^ value) * 0x100000001b3u; };
  for (EntryIndex e = 0; e < count_; ++e) {
    const Entry& entry = At(e);
    add(entry.key), add(entry.mixed), add(static_cast<uint64_t>(entry.step) + 1);
    for (const uint32_t operand : entry.operands) add(operand);
  }
  return digest;
}

machine::Program Bank::ProgramOf(const Expression& expression, absl::Span<const std::string> names) const {
  machine::Program program;
  std::vector<EntryIndex> order;
  Collect(expression, &order);
  std::map<EntryIndex, std::string> registers;
  for (size_t i = 0; i < inputs_.size(); ++i) registers[static_cast<EntryIndex>(i)] = names[i];
  int temporaries = 0, flags = 0;
  const auto emit = [&](const Expression& e, const std::string& destination, const std::string& flag) {
    const Step& step = set_->steps()[e.step];
    machine::Instruction instruction = set_->Skeleton(step);
    if (step.flag_use == FlagUse::kNone) {
      instruction.destination.name = destination;
    } else {
      instruction.flag = flag;
    }
    for (size_t i = 0; i < step.slots.size(); ++i) {
      const OperandUse& use = e.operands[i];
      if (step.slots[i].flag) {
        instruction.predicate = registers.at(use.entry);
        instruction.predicate_inverted = set_->forms()[use.form].inverted;
        continue;
      }
      machine::Operand& operand = instruction.sources[i];
      operand = {};
      if (use.form == kImmediateForm) {
        operand.kind = machine::OperandKind::kImmediate;
        operand.type = step.slots[i].type;
        operand.bits = constants_[use.entry];
        continue;
      }
      operand.kind = use.entry < inputs_.size() ? machine::OperandKind::kVariable : machine::OperandKind::kRegister;
      operand.name = registers.at(use.entry);
      operand.type = set_->forms()[use.form].written;
      operand.modifiers = set_->forms()[use.form].modifiers;
    }
    program.instructions.push_back(std::move(instruction));
  };
  for (const EntryIndex e : order) {
    if (At(e).step < 0) continue;
    const bool is_flag = At(e).type.flag;
    registers[e] = is_flag ? absl::StrCat("f", flags++) : absl::StrCat("t", temporaries++);
    emit(ExpressionOf(e), registers[e], registers[e]);
  }
  emit(expression, std::string(machine::kResultName), std::string(machine::kResultName));
  return program;
}

}  // namespace rewrought::enumerator
