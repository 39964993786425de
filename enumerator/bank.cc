#include "enumerator/bank.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "enumerator/bank_sink.h"
#include "ir/scalar.h"

namespace rewrought::enumerator {
namespace {

constexpr EntryIndex kMaxEntries = (1u << 24) - 1;
constexpr int kLaneChunk = 1024;  // The number of pairs of blocks.

uint64_t TypeCode(const ValueType& type) {
  return (static_cast<uint64_t>(type.kind) * 256 + type.bits * 2u + (type.flag ? 1 : 0) + 1) * 0x9e3779b97f4a7c15u;
}

}  // namespace

std::vector<Constant> DefaultConstants(bool halves) {
  std::vector<Constant> constants;
  for (const int bits : {32, 16}) {
    if (bits == 16 && !halves) continue;
    const ValueType real{ValueKind::kFloat, static_cast<uint8_t>(bits), false};
    const ValueType integer{ValueKind::kInteger, static_cast<uint8_t>(bits), false};
    for (const double value : {0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 4.0, 0.25}) {
      constants.push_back({ir::FloatToBits(value, bits), real});
    }
    // The width minus 1 must precede all ones, because shifts by these two amounts are equal and the bank keeps the
    // first.
    for (const uint64_t value : {uint64_t{0}, uint64_t{1}, uint64_t{2}, uint64_t(bits / 2), uint64_t(bits - 1),
                                 ~uint64_t{0}, uint64_t{0xff}}) {
      constants.push_back({value & ir::MaskOf(bits), integer});
    }
  }
  return constants;
}

Bank::Bank(const InstructionSet* set, std::vector<ValueSet> inputs, std::vector<Constant> constants,
           const BankOptions& options)
    : set_(set),
      inputs_(std::move(inputs)),
      options_(options),
      kernels_(Kernels()),
      leaf_forms_(std::make_unique<FormCache>()) {
  AddLeaves(constants);
  leaf_choices_.resize(set_->steps().size());
  for (size_t s = 0; s < set_->steps().size(); ++s) {
    const Step& step = set_->steps()[s];
    for (size_t slot = 0; slot < step.slots.size(); ++slot) {
      for (EntryIndex e = 0; e < leaves_; ++e) {
        AddChoices(step, static_cast<int>(slot), e, StoredValues(e), 0, leaf_forms_.get(), &leaf_choices_[s][slot]);
      }
    }
  }
  Account();
}

Bank::~Bank() = default;

const LaneBlock& Bank::StoredLanes(EntryIndex index, BlockKind kind) const {
  return lanes_[index / kLaneChunk][index % kLaneChunk * 2 + (kind == BlockKind::kMixed ? 1 : 0)];
}

Bank::Values Bank::StoredValues(EntryIndex index) const {
  return {&StoredLanes(index, BlockKind::kOrdinary), &StoredLanes(index, BlockKind::kMixed)};
}

void Bank::AddLeaves(absl::Span<const Constant> constants) {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const ValueSetInfo& info = InfoOf(inputs_[i]);
    Entry entry;
    entry.type = {info.kind, static_cast<uint8_t>(info.bits), false};
    entry.mask = static_cast<uint8_t>(1u << i);
    entry.key = KeyOf(InputLanes(inputs_[i], static_cast<int>(i), BlockKind::kOrdinary), entry.type);
    entry.mixed = KeyOf(InputLanes(inputs_[i], static_cast<int>(i), BlockKind::kMixed), entry.type, BlockKind::kMixed);
    constants_.push_back(0);
    EntryIndex last = FindClass(entry.key);
    while (last != kNoEntry && At(last).next != kNoEntry) last = At(last).next;
    Insert(entry, last);
  }
  for (const Constant& constant : constants) {
    Entry entry;
    entry.type = constant.type;
    constants_.push_back(constant.bits);
    // On a machine, constants occur only as immediates, so they are not members of a class.
    LaneBlock lanes;
    std::fill_n(lanes.lane, kLanes, static_cast<uint32_t>(constant.bits));
    entry.key = entry.mixed = KeyOf(lanes, entry.type);
    Insert(entry, kNoEntry);
  }
  leaves_ = ones_end_ = count_;
}

uint64_t Bank::KeyOf(const LaneBlock& lanes, const ValueType& type, BlockKind kind) const {
  const uint64_t values = kind == BlockKind::kOrdinary
                              ? OrdinaryHash(lanes, type.kind, type.bits)
                              : kernels_.hash(lanes, type.kind == ValueKind::kFloat && type.bits == 32, kLanes);
  return values ^ TypeCode(type);
}

void Bank::Account() {
  progress_.bytes = chunks_.size() * sizeof(Entry) * kChunk + lanes_.size() * sizeof(LaneBlock) * 2 * kLaneChunk +
                    classes_.bytes() + leaf_forms_->blocks.size() * sizeof(LaneBlock);
  for (const Choices& choices : leaf_choices_) {
    for (const std::vector<Choice>& slot : choices) progress_.bytes += slot.capacity() * sizeof(Choice);
  }
  peak_bytes_ = std::max(peak_bytes_, progress_.bytes);
}

// Adds an entry to a class, after the class's last entry `last`, or as its first entry if `last` is kNoEntry. Stores
// the values of the entry if it is a leaf or a program of one instruction.
void Bank::Insert(const Entry& entry, EntryIndex last) {
  const EntryIndex index = count_++;
  if (index / kChunk >= chunks_.size()) chunks_.push_back(std::make_unique<Entry[]>(kChunk));
  At(index) = entry;
  At(index).next = kNoEntry;
  if (entry.size <= 1) {
    if (index / kLaneChunk >= lanes_.size()) lanes_.push_back(std::make_unique<AlignedBlock[]>(2 * kLaneChunk));
    AlignedBlock* lanes = &lanes_[index / kLaneChunk][index % kLaneChunk * 2];
    static_cast<LaneBlock&>(lanes[0]) = EvaluateEntry(index, BlockKind::kOrdinary);
    static_cast<LaneBlock&>(lanes[1]) = EvaluateEntry(index, BlockKind::kMixed);
  }
  if (entry.step < 0 && entry.mask == 0) return;
  if (last != kNoEntry) {
    At(last).next = index;
    return;
  }
  peak_bytes_ = std::max(peak_bytes_, progress_.bytes + classes_.growth_bytes());
  classes_.Add(entry.key, index);
}

bool Bank::SlotTakes(const StepSlot& slot, const ValueType& type) const {
  return slot.any_kind || set_->options().mix_kinds || slot.kind == type.kind;
}

void Bank::AddChoices(const Step& step, int slot_index, EntryIndex entry, const Values& values, uint8_t fresh,
                      FormCache* cache, std::vector<Choice>* choices) const {
  const StepSlot& slot = step.slots[slot_index];
  const Entry& e = At(entry);
  Choice choice;
  choice.mask = e.mask;
  choice.kind = e.type.kind;
  choice.fresh = fresh;
  if (e.step < 0 && e.mask == 0) {  // The entry is a constant.
    if (e.type.bits != slot.bits || !SlotTakes(slot, e.type)) return;
    if (!set_->TakesImmediate(step, slot_index, constants_[entry])) return;
    for (const Choice& other : *choices) {
      if (other.immediate && constants_[other.use.entry] == constants_[entry]) return;
    }
    choice.use = {entry, kImmediateForm};
    choice.values = values;
    choice.immediate = true;
    choices->push_back(choice);
    return;
  }
  for (const int index : slot.forms) {
    const OperandForm& form = set_->forms()[index];
    if (form.from.bits != e.type.bits || form.from.flag != e.type.flag) continue;
    const bool same_kind =
        form.from.kind == e.type.kind || (slot.any_kind && form.identity) || set_->options().mix_kinds;
    if (!same_kind) continue;
    choice.use = {entry, static_cast<uint32_t>(index)};
    choice.modified = !form.modifiers.empty();
    choice.values = values;
    if (!form.identity) {
      Values& known = cache->found[{entry, index}];
      const auto apply = [&](const LaneBlock* const& input) -> const LaneBlock* {
        if (input == nullptr) return nullptr;
        form.tape.Run(kernels_, &input, &cache->blocks.emplace_back(), &scratch_);
        return &cache->blocks.back();
      };
      if (known.ordinary == nullptr) known = {apply(values.ordinary), apply(values.mixed)};
      choice.values = known;
    }
    choices->push_back(choice);
  }
}

ValueType Bank::ResultType(const Step& step, absl::Span<const ValueKind> passed_kinds) const {
  ValueType type = step.result;
  if (step.result_any_kind && !passed_kinds.empty()) {
    const bool agree =
        std::all_of(passed_kinds.begin(), passed_kinds.end(), [&](ValueKind k) { return k == passed_kinds[0]; });
    type.kind = agree ? passed_kinds[0] : ValueKind::kInteger;
  }
  return type;
}

bool Bank::Stopped() {
  if (options_.stop.stop_requested() || progress_.enumerated >= budget_) truncated_ = true;
  if (progress_.bytes >= options_.max_bytes) truncated_ = true;
  return truncated_;
}

void Bank::Report(int size) {
  progress_.size = size;
  progress_.distinct = count_ - leaves_;
  Account();
  if (options_.progress) options_.progress(progress_);
}

bool Bank::EnumerateStep(int step, const Choices& choices, Sink* sink) {
  const Step& s = set_->steps()[step];
  for (size_t slot = 0; slot < s.slots.size(); ++slot) {
    if (choices[slot].empty()) return true;
  }
  sink->step = step;
  const bool complete = EnumerateSlot(s, choices, 0, {}, sink);
  OfferBatch(sink);
  return complete && !truncated_;
}

// Returns true if the remaining slots can read all required inputs. A leaf reads one input, and the entry that the
// candidates extend may read several.
bool Bank::CanComplete(const Prefix& prefix, size_t slots_left, const Sink& sink) {
  if (prefix.modified > sink.max_modified || prefix.immediates > sink.max_immediates) return false;
  if (sink.wanted == 0) return true;
  int left = static_cast<int>(slots_left);
  uint8_t mask = prefix.mask;
  if (prefix.fresh == 0) {
    --left;
    mask |= sink.fresh_mask;
  }
  return left >= std::popcount(static_cast<unsigned>(sink.wanted & ~mask));
}

bool Bank::EnumerateSlot(const Step& step, const Choices& choices, size_t slot, const Prefix& before, Sink* sink) {
  const size_t slots_left = step.slots.size() - slot - 1;
  for (const Choice& choice : choices[slot]) {
    sink->chosen[slot] = &choice;
    const Prefix prefix = {static_cast<uint8_t>(before.mask | choice.mask),
                           static_cast<uint8_t>(before.fresh | choice.fresh), before.modified + choice.modified,
                           before.immediates + choice.immediate};
    if (!CanComplete(prefix, slots_left, *sink)) continue;
    if (slot == 1 && step.commutative) {  // Try only one operand order; prefer an immediate in slot 1.
      const Choice& first = *sink->chosen[0];
      if (first.immediate && !choice.immediate && step.slots[1].immediate) continue;
      if (!first.immediate && !choice.immediate &&
          std::pair(first.use.entry, first.use.form) > std::pair(choice.use.entry, choice.use.form)) {
        continue;
      }
    }
    // A step has at most kMaxSlots slots. The second condition states this for the compiler, which otherwise warns.
    if (slots_left > 0 && slot + 1 < kMaxSlots) {
      if (!EnumerateSlot(step, choices, slot + 1, prefix, sink)) return false;
      continue;
    }
    EvaluateCandidate(step, prefix, sink);
    if (truncated_) return false;
  }
  return slots_left > 1 || !Stopped();
}

void Bank::EvaluateCandidate(const Step& step, const Prefix& whole, Sink* sink) {
  if ((whole.fresh & sink->required) != sink->required) return;
  if (whole.mask == 0 && step.slots.size() > 1) return;  // Constant folding covers this.
  if (sink->same_mask && whole.mask != sink->goal_mask) return;
  const LaneBlock* inputs[kMaxSlots];
  ValueKind passed[kMaxSlots];
  size_t passed_count = 0;
  for (size_t i = 0; i < step.slots.size(); ++i) {
    const Choice& choice = *sink->chosen[i];
    inputs[i] = choice.values.ordinary;
    if (step.slots[i].any_kind && !choice.immediate) passed[passed_count++] = choice.kind;
  }
  AlignedBlock out;
  step.tape.Run(kernels_, inputs, &out, &scratch_);
  ++progress_.enumerated;
  const ValueType type = ResultType(step, absl::MakeConstSpan(passed, passed_count));
  if (sink->found != nullptr) return Compare(step, out, type, sink);
  const uint64_t key = KeyOf(out, type);
  sink->batch[sink->batched++] = {
      .key = key, .cost = sink->base_cost + step.cost, .type = type, .mask = whole.mask, .chosen = sink->chosen};
  classes_.Prefetch(key);
  if (sink->batched == kBatch) OfferBatch(sink);
}

// Offers the batch to its classes, in order of arrival. Prefetches the classes first, because they are scattered in
// memory.
void Bank::OfferBatch(Sink* sink) {
  for (size_t i = 0; i < sink->batched; ++i) {
    const EntryIndex head = classes_.LikelyEntry(sink->batch[i].key);
    if (head != kNoEntry) __builtin_prefetch(&At(head));
  }
  const size_t count = std::exchange(sink->batched, 0);
  for (size_t i = 0; i < count; ++i) {
    if (Offer(*sink, sink->batch[i])) continue;
    truncated_ = true;
    return;
  }
}

// Keeps the candidate, unless its class contains a cheaper program that also equals the candidate on the mixed block.
// Returns false if the memory limit is reached.
bool Bank::Offer(const Sink& sink, const Candidate& candidate) {
  const auto& [key, cost, type, mask, chosen] = candidate;
  const EntryIndex head = FindClass(key);
  int members = 0;
  bool all_cheaper = true;
  EntryIndex last = kNoEntry;
  for (EntryIndex e = head; e != kNoEntry; e = At(e).next) {
    ++members;
    last = e;
    all_cheaper = all_cheaper && At(e).cost <= cost;
  }
  if (members >= options_.max_members && all_cheaper) return true;
  Entry entry;
  entry.key = key;
  entry.cost = cost;
  entry.step = static_cast<int16_t>(sink.step);
  entry.type = type;
  entry.mask = mask;
  entry.size = static_cast<uint8_t>(sink.size);
  const Step& step = set_->steps()[sink.step];
  const LaneBlock* inputs[kMaxSlots];
  for (int i = 0; i < kMaxSlots; ++i) {
    const bool read = static_cast<size_t>(i) < step.slots.size();
    entry.operands[i] = Pack(read ? chosen[i]->use : OperandUse{});
    inputs[i] = read ? chosen[i]->values.mixed : nullptr;
  }
  AlignedBlock mixed;
  step.tape.Run(kernels_, inputs, &mixed, &scratch_);
  entry.mixed = KeyOf(mixed, type, BlockKind::kMixed);
  for (EntryIndex e = head; e != kNoEntry; e = At(e).next) {
    Entry& old = At(e);
    if (old.mixed != entry.mixed) continue;
    if (old.step >= 0 && cost < old.cost) {
      const EntryIndex next = old.next;
      old = entry;
      old.next = next;
    }
    return true;
  }
  if (members >= options_.max_members) return true;
  if (count_ >= kMaxEntries) return false;
  if (count_ % kChunk == 0 || classes_.growth_bytes() > 0) {
    Account();
    const uint64_t growth =
        sizeof(Entry) * kChunk + (entry.size <= 1 ? sizeof(LaneBlock) * 2 * kChunk : 0) + classes_.growth_bytes();
    if (progress_.bytes + growth > options_.max_bytes) return false;
  }
  Insert(entry, last);
  return true;
}

LaneBlock Bank::Apply(int step_index, const std::array<OperandUse, kMaxSlots>& operands, BlockKind kind) const {
  const Step& step = set_->steps()[step_index];
  AlignedBlock values[kMaxSlots];
  const LaneBlock* inputs[kMaxSlots];
  const bool stored = kind == BlockKind::kOrdinary || kind == BlockKind::kMixed;
  for (size_t i = 0; i < step.slots.size(); ++i) {
    if (stored && operands[i].entry < ones_end_) {
      inputs[i] = &StoredLanes(operands[i].entry, kind);
    } else {
      static_cast<LaneBlock&>(values[i]) = EvaluateEntry(operands[i].entry, kind);
      inputs[i] = &values[i];
    }
    if (operands[i].form != kImmediateForm && !set_->forms()[operands[i].form].identity) {
      const LaneBlock* input = inputs[i];
      set_->forms()[operands[i].form].tape.Run(kernels_, &input, &values[i], &scratch_);
      inputs[i] = &values[i];
    }
  }
  LaneBlock out;
  step.tape.Run(kernels_, inputs, &out, &scratch_);
  return out;
}

LaneBlock Bank::EvaluateEntry(EntryIndex index, BlockKind kind) const {
  const Entry& entry = At(index);
  const bool stored = kind == BlockKind::kOrdinary || kind == BlockKind::kMixed;
  if (stored && index < ones_end_) return StoredLanes(index, kind);
  if (entry.step < 0) {
    if (index < inputs_.size()) return InputLanes(inputs_[index], static_cast<int>(index), kind);
    LaneBlock lanes;
    std::fill_n(lanes.lane, kLanes, static_cast<uint32_t>(constants_[index]));
    return lanes;
  }
  std::array<OperandUse, kMaxSlots> operands;
  for (int i = 0; i < kMaxSlots; ++i) operands[i] = Unpack(entry.operands[i]);
  return Apply(entry.step, operands, kind);
}

bool Bank::Build() {
  budget_ = options_.max_candidates;
  Sink sink;
  for (size_t s = 0; s < set_->steps().size() && !truncated_; ++s)
    EnumerateStep(static_cast<int>(s), leaf_choices_[s], &sink);
  ones_end_ = count_;
  Report(1);
  if (options_.max_size >= 2) {
    sink.size = 2;
    sink.max_modified = options_.max_modified;
    sink.required = 1;
    if (options_.all_inputs) sink.wanted = static_cast<uint8_t>((1u << inputs_.size()) - 1);
    // Start with the programs that have the fewest constants, so that a limit cuts off the least promising programs.
    std::vector<EntryIndex> ones(ones_end_ - leaves_);
    std::iota(ones.begin(), ones.end(), leaves_);
    std::stable_sort(ones.begin(), ones.end(),
                     [&](EntryIndex x, EntryIndex y) { return ImmediatesIn(x) < ImmediatesIn(y); });
    for (size_t i = 0; i < ones.size() && !truncated_; ++i) {
      const EntryIndex e = ones[i];
      sink.base_cost = At(e).cost;
      sink.fresh_mask = At(e).mask;
      sink.max_immediates = options_.max_immediates - ImmediatesIn(e);
      ExtendBy(e, StoredValues(e), {}, &sink);
      if (i % 1024 == 0) Report(2);
    }
    Report(2);
  }
  return !truncated_;
}

int Bank::ImmediatesIn(EntryIndex entry) {
  int count = 0;
  for (const uint32_t packed : At(entry).operands) {
    const OperandUse use = Unpack(packed);
    if (use.entry == kNoEntry) continue;
    count += use.form == kImmediateForm;
    if (use.entry >= leaves_) count += ImmediatesIn(use.entry);
  }
  return count;
}

// Enumerates candidates whose last instruction reads `entry`. Its other operands are inputs, constants, and entries in
// `also`.
bool Bank::ExtendBy(EntryIndex entry, const Values& values, absl::Span<const EntryIndex> also, Sink* sink) {
  FormCache cache;
  for (size_t s = 0; s < set_->steps().size(); ++s) {
    const Step& step = set_->steps()[s];
    Choices choices, fresh;
    bool takes = false;
    for (size_t slot = 0; slot < step.slots.size(); ++slot) {
      AddChoices(step, static_cast<int>(slot), entry, values, 1, &cache, &fresh[slot]);
      takes = takes || !fresh[slot].empty();
    }
    if (!takes) continue;
    for (size_t slot = 0; slot < step.slots.size(); ++slot) {
      choices[slot] = leaf_choices_[s][slot];
      for (const EntryIndex other : also) {
        AddChoices(step, static_cast<int>(slot), other, StoredOrdinary(other), 0, &cache, &choices[slot]);
      }
      choices[slot].insert(choices[slot].end(), fresh[slot].begin(), fresh[slot].end());
    }
    if (!EnumerateStep(static_cast<int>(s), choices, sink)) return false;
  }
  return true;
}

}  // namespace rewrought::enumerator
