// A bank contains all programs over given inputs, up to a given size, that an instruction set allows. The programs are
// indexed by their results on the ordinary block (BlockKind::kOrdinary). A bank can also search for longer programs
// that compute a goal.
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

// Returns the constants that every bank contains at each size: the floats 0, ±1, ±0.5, ±2, 4, and 0.25, and the
// integers 0, 1, 2, half the width, the width minus 1, all ones, and 0xff.
std::vector<Constant> DefaultConstants(bool halves);

struct BankProgress {
  int size = 0;  // The number of instructions of the current programs.
  uint64_t enumerated = 0;
  uint64_t distinct = 0;  // The number of kept programs.
  uint64_t bytes = 0;
};

struct BankOptions {
  int max_size = 2;                        // The maximum size of kept programs: 1 or 2.
  uint64_t max_bytes = uint64_t{1} << 30;  // Limits the memory for entries, lanes, and index.
  uint64_t max_candidates = 200'000'000;   // The maximum number of programs that Build evaluates.
  uint64_t max_longer = 200'000'000;       // The maximum number of programs that FindLonger evaluates per call.
  int max_members = 6;                     // The maximum number of programs per class.
  // The maximum number of modified operands per instruction in programs of two or more instructions.
  int max_modified = 1;
  int max_immediates = 2 * kMaxSlots;  // The maximum number of immediates in a program of two instructions.
  bool all_inputs = false;             // Whether to keep programs of two instructions only if they read every input.
  std::function<void(const BankProgress&)> progress;  // Called periodically, and after each size.
  std::stop_token stop;
};

// An operand of a step: an entry, and the form of the InstructionSet in which the step reads it. The form of an
// immediate is kImmediateForm.
struct OperandUse {
  EntryIndex entry = kNoEntry;
  uint32_t form = 0;
  friend bool operator==(const OperandUse&, const OperandUse&) = default;
};
inline constexpr uint32_t kImmediateForm = 0xffff;

// An expression over the bank's entries, given by its last instruction.
struct Expression {
  int step = -1;
  std::array<OperandUse, kMaxSlots> operands;
  ValueType type;
  float cost = 0;  // The cost of all steps; shared steps count once.
};

// A value for which programs are sought, given by its lanes on the ordinary block.
struct Goal {
  LaneBlock ordinary;
  ValueType type;
  uint8_t mask = 0;  // The allowed inputs; a program of size 3 must use all of them.
  float cost_below = 1e30f;
  std::optional<LaneBlock> bits = {};  // The relevant bits of an integer goal; only FindLonger uses them.
};

class Bank {
 public:
  // Creates an empty bank. `set` must outlive the bank. There can be at most kMaxInputs inputs; the values of input i
  // are the vectors of inputs[i] for slot i.
  Bank(const InstructionSet* set, std::vector<ValueSet> inputs, std::vector<Constant> constants,
       const BankOptions& options);

  ~Bank();

  // Enumerates programs of 1 to options.max_size instructions in a fixed order. Returns false if it stopped early,
  // because of the memory limit, the candidate limit, or a stop request. The bank is usable in either case.
  bool Build();

  // Calls `found` for every kept program that equals the goal on the ordinary block, cheapest first.
  void LookUp(const Goal& goal, const std::function<void(const Expression&)>& found) const;

  // Calls `visit` with every `stride`-th kept program, in order of enumeration.
  void ForEachKept(EntryIndex stride, const std::function<void(const Expression&)>& visit) const;

  // Enumerates programs of three instructions. The last instruction reads either inputs and the result of a program of
  // two instructions, or the results of two programs of one instruction. For each program that computes a goal, calls
  // `found` with the goal's index and the program. Returns false if it stopped early.
  bool FindLonger(absl::Span<const Goal> goals, const std::function<void(size_t, const Expression&)>& found);

  LaneBlock Evaluate(const Expression& expression, BlockKind kind) const;

  // Returns the expression's program, with its result in `r` and inputs named by `names`.
  machine::Program ProgramOf(const Expression& expression, absl::Span<const std::string> names) const;

  int SizeOf(const Expression& expression) const;
  // Returns a bit mask of the inputs that the program reads.
  uint8_t MaskOf(const Expression& expression) const;

  const BankProgress& progress() const { return progress_; }
  uint64_t peak_bytes() const { return peak_bytes_; }
  bool truncated() const { return truncated_; }
  const InstructionSet& set() const { return *set_; }
  // Returns a digest of all kept entries in order; equal options produce equal digests.
  uint64_t Digest() const;

 private:
  struct Entry {
    uint64_t key = 0, mixed = 0;
    std::array<uint32_t, kMaxSlots> operands = {};  // Packed uses.
    EntryIndex next = kNoEntry;                     // The next entry of the class.
    float cost = 0;
    int16_t step = -1;  // Negative for inputs and constants.
    ValueType type;
    uint8_t mask = 0, size = 0;
  };
  // The lanes of a value. `mixed` is null during a search for goals.
  struct Values {
    const LaneBlock* ordinary = nullptr;
    const LaneBlock* mixed = nullptr;
  };
  struct Choice {
    OperandUse use;
    Values values;
    uint8_t mask = 0;
    ValueKind kind = ValueKind::kInteger;
    bool modified = false, immediate = false;
    uint8_t fresh = 0;  // The bits of Sink::required that this choice satisfies.
  };
  using Choices = std::array<std::vector<Choice>, kMaxSlots>;
  // A program whose last instruction is the current step.
  struct Candidate {
    uint64_t key = 0;
    float cost = 0;
    ValueType type;
    uint8_t mask = 0;
    std::array<const Choice*, kMaxSlots> chosen = {};  // Indexed by slot.
  };
  struct Sink;
  // Combined properties of the operands chosen so far. These operands fill the first slots.
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
  // Caches the values of entries in each form in which they are read. The addresses of the values are stable.
  struct FormCache;
  void AddChoices(const Step& step, int slot, EntryIndex entry, const Values& values, uint8_t fresh, FormCache* cache,
                  std::vector<Choice>* choices) const;
  // Evaluates the step with every combination of one choice per slot. Returns false if it stopped early.
  bool EnumerateStep(int step, const Choices& choices, Sink* sink);
  bool EnumerateSlot(const Step& step, const Choices& choices, size_t slot, const Prefix& before, Sink* sink);
  int ImmediatesIn(EntryIndex entry);
  static bool CanComplete(const Prefix& prefix, size_t slots_left, const Sink& sink);
  void EvaluateCandidate(const Step& step, const Prefix& whole, Sink* sink);
  // Reports the current candidate, which computes `out`, for each goal that it matches.
  void Compare(const Step& step, const LaneBlock& out, const ValueType& type, Sink* sink);
  bool ExtendBy(EntryIndex entry, const Values& values, absl::Span<const EntryIndex> also, Sink* sink);
  bool JoinPairs(Sink* sink);
  // Returns the kept programs of two instructions that cost less than `cost_below` and contain at most two constants.
  // Programs whose result has the type of a goal come first, then programs with few constants.
  std::vector<EntryIndex> MostPlausibleFirst(absl::Span<const Goal> goals, float cost_below);
  bool Stopped();
  void Report(int size);
  void OfferBatch(Sink* sink);
  bool Offer(const Sink& sink, const Candidate& candidate);
  void Insert(const Entry& entry, EntryIndex last);
  void Account();
  ValueType ResultType(const Step& step, absl::Span<const ValueKind> passed_kinds) const;
  // Returns a hash of `lanes`, the values of a program on block `kind`.
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
  EntryIndex leaves_ = 0;            // Entries below this index are inputs and constants.
  EntryIndex ones_end_ = 0;          // Entries below this index have at most one instruction.
  std::vector<uint64_t> constants_;  // Bit patterns by leaf entry (0 for inputs).
  std::vector<std::unique_ptr<AlignedBlock[]>>
      lanes_;  // The ordinary and mixed blocks of leaves and of programs of one instruction.
  ClassTable classes_;

  std::vector<Choices> leaf_choices_;  // Indexed by step.
  std::unique_ptr<FormCache> leaf_forms_;
  mutable TapeScratch scratch_;
  BankProgress progress_;
  uint64_t peak_bytes_ = 0;
  uint64_t budget_ = 0;
  bool truncated_ = false;
};

}  // namespace rewrought::enumerator

#endif  // REWROUGHT_ENUMERATOR_BANK_H_
