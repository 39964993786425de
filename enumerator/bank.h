// All programs of one instruction set over given inputs up to a size, by what they compute on the ordinary block; and
// the search for longer ones that compute a goal.
#ifndef REWROUGHT_ENUMERATOR_BANK_H_
#define REWROUGHT_ENUMERATOR_BANK_H_

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "absl/types/span.h"
#include "enumerator/class_table.h"
#include "enumerator/instruction_set.h"
#include "enumerator/lanes/kernels.h"
#include "enumerator/lanes/vector_blocks.h"

namespace rewrought::enumerator {

struct Constant {
  uint64_t bits = 0;
  ValueType type;
  friend bool operator==(const Constant&, const Constant&) = default;
};

// The constants that every bank has: 0, ±1, ±0.5, ±2, 4 and 0.25; 0, 1, 2, 16, 31, all ones and 0xff; by size.
std::vector<Constant> DefaultConstants(bool halves);

struct BankProgress {
  int size = 0;             // instructions of the programs that are being enumerated
  uint64_t enumerated = 0;  // programs evaluated
  uint64_t distinct = 0;    // kept
  uint64_t bytes = 0;
};

struct BankOptions {
  int max_size = 2;                        // instructions of programs that are kept: 1 or 2
  uint64_t max_bytes = uint64_t{1} << 30;  // of entries, lanes and index together; nothing is added beyond it
  uint64_t max_candidates = 200'000'000;   // evaluated by Build
  uint64_t max_longer = 200'000'000;       // evaluated by one FindLonger
  int max_members = 6;                     // programs kept of one class: those that differ on the mixed block
  int max_modified = 1;                    // operands with modifiers in one instruction, in programs of 2 and more
  int max_immediates = 2 * kMaxSlots;      // of programs of two instructions together
  bool all_inputs = false;                 // programs of 2 read every input: goals that do not, have a bank of fewer
  std::function<void(const BankProgress&)> progress;  // called now and then, and at the end of each size
  std::stop_token stop;
};

// One operand of a step: an entry read in one of the instruction set's forms; kImmediateForm for a constant in its
// place.
struct OperandUse {
  EntryIndex entry = kNoEntry;
  uint32_t form = 0;
  friend bool operator==(const OperandUse&, const OperandUse&) = default;
};
inline constexpr uint32_t kImmediateForm = 0xffff;

// An expression over the bank's entries: its last instruction.
struct Expression {
  int step = -1;
  std::array<OperandUse, kMaxSlots> operands;
  ValueType type;
  float cost = 0;  // steps of the whole program, shared ones once
};

// A goal: values on the ordinary block.
struct Goal {
  LaneBlock ordinary;
  ValueType type;
  uint8_t mask = 0;                    // inputs that it may use; a program of size 3 must use all of them
  float cost_below = 1e30f;            // only cheaper programs are reported
  std::optional<LaneBlock> bits = {};  // those of `ordinary` that matter, of an integer; FindLonger alone looks at it
};

class Bank {
 public:
  // `set` must outlive the bank. At most kMaxInputs inputs; input i has the vectors of inputs[i] in slot i.
  Bank(const InstructionSet* set, std::vector<ValueSet> inputs, std::vector<Constant> constants,
       const BankOptions& options);

  ~Bank();

  // Enumerates programs of 1 to options.max_size instructions, in a fixed order. Returns false if it stopped early: at
  // the limit of memory or candidates, or because a stop was asked for; what it has then stays usable.
  bool Build();

  // Calls `found` for every kept program that agrees with the goal on the ordinary block, cheapest first.
  void LookUp(const Goal& goal, const std::function<void(const Expression&)>& found) const;

  // Calls `visit` for every `stride`-th kept program, in order.
  void ForEachKept(EntryIndex stride, const std::function<void(const Expression&)>& visit) const;

  // Enumerates the last instruction of programs of three instructions: over a program of two and inputs, and over two
  // programs of one. Calls `found` with the number of the goal. Returns false if it stopped early.
  bool FindLonger(absl::Span<const Goal> goals, const std::function<void(size_t, const Expression&)>& found);

  // The values of an expression on any block of its inputs.
  LaneBlock Evaluate(const Expression& expression, BlockKind kind) const;

  // The program of an expression, results in `r`, variables named by `names` (one per input).
  machine::Program ProgramOf(const Expression& expression, absl::Span<const std::string> names) const;

  // How many instructions the expression's program has.
  int SizeOf(const Expression& expression) const;
  // Inputs used, one bit each.
  uint8_t MaskOf(const Expression& expression) const;

  const BankProgress& progress() const { return progress_; }
  uint64_t peak_bytes() const { return peak_bytes_; }
  bool truncated() const { return truncated_; }
  const InstructionSet& set() const { return *set_; }
  // A digest of all kept entries in order; equal options give equal digests.
  uint64_t Digest() const;

 private:
  struct Entry {
    uint64_t key = 0, mixed = 0;
    std::array<uint32_t, kMaxSlots> operands = {};  // packed uses
    EntryIndex next = kNoEntry;                     // in the class
    float cost = 0;
    int16_t step = -1;  // -1: an input or a constant
    ValueType type;
    uint8_t mask = 0, size = 0;
  };
  // Of one value. `mixed` is null where programs are sought, not kept.
  struct Values {
    const LaneBlock* ordinary = nullptr;
    const LaneBlock* mixed = nullptr;
  };
  // A possible operand of a slot, with its values.
  struct Choice {
    OperandUse use;
    Values values;
    uint8_t mask = 0;
    ValueKind kind = ValueKind::kInteger;
    bool modified = false, immediate = false;
    uint8_t fresh = 0;  // bits of what a candidate must use
  };
  using Choices = std::array<std::vector<Choice>, kMaxSlots>;
  // A program whose last instruction is the step that is being enumerated.
  struct Candidate {
    uint64_t key = 0;  // on the ordinary block
    float cost = 0;
    ValueType type;
    uint8_t mask = 0;
    std::array<const Choice*, kMaxSlots> chosen = {};  // of its step's slots
  };
  struct Sink;  // what is done with a candidate
  // What the operands of the first slots have in common.
  struct Prefix {
    uint8_t mask = 0, fresh = 0;
    int modified = 0, immediates = 0;
  };

  static constexpr int kChunk = 4096;
  static uint32_t Pack(const OperandUse& use);
  static OperandUse Unpack(uint32_t packed);
  EntryIndex FindClass(uint64_t key) const {
    return classes_.Find(key, [this](EntryIndex e) { return At(e).key; });
  }
  Entry& At(EntryIndex index) { return chunks_[index / kChunk][index % kChunk]; }
  const Entry& At(EntryIndex index) const { return chunks_[index / kChunk][index % kChunk]; }

  void AddLeaves(absl::Span<const Constant> constants);
  bool SlotTakes(const StepSlot& slot, const ValueType& type) const;
  // The values of entries in forms, kept while their owner lives; addresses do not change.
  struct FormCache;
  void AddChoices(const Step& step, int slot, EntryIndex entry, const Values& values, uint8_t fresh, FormCache* cache,
                  std::vector<Choice>* choices) const;
  // Evaluates all tuples of one choice per slot; false if it stopped early.
  bool EnumerateStep(int step, const Choices& choices, Sink* sink);
  bool EnumerateSlot(const Step& step, const Choices& choices, size_t slot, const Prefix& before, Sink* sink);
  int ImmediatesIn(EntryIndex entry);
  static bool CanComplete(const Prefix& prefix, size_t slots_left, const Sink& sink);
  void EvaluateCandidate(const Step& step, const Prefix& whole, Sink* sink);
  // Hands the candidate, whose values are `out`, to the goals that it is one for.
  void Compare(const Step& step, const LaneBlock& out, const ValueType& type, Sink* sink);
  bool ExtendBy(EntryIndex entry, const Values& values, absl::Span<const EntryIndex> also, Sink* sink);
  bool JoinPairs(Sink* sink);
  // Programs of two instructions that cost less and have two constants at most: those of a goal's type first, then
  // those with few constants.
  std::vector<EntryIndex> MostPlausibleFirst(absl::Span<const Goal> goals, float cost_below);
  bool Stopped();
  void Report(int size);
  void OfferBatch(Sink* sink);
  bool Offer(const Sink& sink, const Candidate& candidate);
  void Insert(const Entry& entry, EntryIndex last);
  void Account();
  ValueType ResultType(const Step& step, absl::Span<const ValueKind> passed_kinds) const;
  // Of values on the ordinary block, or on the mixed one.
  uint64_t KeyOf(const LaneBlock& lanes, const ValueType& type, BlockKind kind = BlockKind::kOrdinary) const;
  LaneBlock EvaluateEntry(EntryIndex index, BlockKind kind) const;
  LaneBlock Apply(int step, const std::array<OperandUse, kMaxSlots>& operands, BlockKind kind) const;
  Expression ExpressionOf(EntryIndex index) const;
  void Collect(const Expression& expression, std::vector<EntryIndex>* order) const;
  const LaneBlock& StoredLanes(EntryIndex index, BlockKind kind) const;
  Values StoredValues(EntryIndex index) const;
  Values StoredOrdinary(EntryIndex index) const { return {.ordinary = &StoredLanes(index, BlockKind::kOrdinary)}; }

  const InstructionSet* const set_;
  const std::vector<ValueSet> inputs_;
  const BankOptions options_;
  const KernelSet& kernels_;

  std::vector<std::unique_ptr<Entry[]>> chunks_;
  EntryIndex count_ = 0;
  EntryIndex leaves_ = 0;            // entries below are inputs and constants
  EntryIndex ones_end_ = 0;          // entries below this have at most one instruction
  std::vector<uint64_t> constants_;  // bits, by entry of a leaf (inputs: 0)
  std::vector<std::unique_ptr<AlignedBlock[]>>
      lanes_;  // of leaves and programs of one instruction, ordinary then mixed
  ClassTable classes_;

  std::vector<Choices> leaf_choices_;  // by step
  std::unique_ptr<FormCache> leaf_forms_;
  mutable TapeScratch scratch_;
  BankProgress progress_;
  uint64_t peak_bytes_ = 0;
  uint64_t budget_ = 0;
  bool truncated_ = false;
};

}  // namespace rewrought::enumerator

#endif  // REWROUGHT_ENUMERATOR_BANK_H_
