#include "enumerator/lanes/vector_blocks.h"

#include <array>
#include <bit>
#include <cmath>
#include <memory>

#include "ir/scalar.h"

namespace rewrought::enumerator {
namespace {

constexpr ValueSetInfo kInfos[kValueSetCount] = {
    {"f32", ValueKind::kFloat, 32, ValueSet::kFloat32},
    {"f32>=0", ValueKind::kFloat, 32, ValueSet::kFloat32},
    {"f32:0..1", ValueKind::kFloat, 32, ValueSet::kFloat32},
    {"f32:integral", ValueKind::kFloat, 32, ValueSet::kFloat32},
    {"i32", ValueKind::kInteger, 32, ValueSet::kInteger32},
    {"u32:8bit", ValueKind::kInteger, 32, ValueSet::kInteger32},
    {"u32:16bit", ValueKind::kInteger, 32, ValueSet::kInteger32},
    {"f16", ValueKind::kFloat, 16, ValueSet::kFloat16},
    {"i16", ValueKind::kInteger, 16, ValueSet::kInteger16},
    {"bool", ValueKind::kBoolean, 1, ValueSet::kBoolean},
};

constexpr uint64_t kSeed = 0x5eed'b10c'7a9e'0001;
// On the last few lanes on which floats are compared, and on the last few of all lanes, all inputs are equal.
constexpr int kEqualFloatLanes = 6, kEqualLastLanes = 4;
bool IsEqualLane(int lane) {
  return (lane >= kFloatLanes - kEqualFloatLanes && lane < kFloatLanes) || lane >= kLanes - kEqualLastLanes;
}

// The splitmix64 generator (Steele, Lea, Flood 2014).
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t Next() {
    uint64_t x = state_ += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }
  uint64_t Below(uint64_t n) { return Next() % n; }
  double Unit() { return static_cast<double>(Next() >> 11) * 0x1p-53; }

 private:
  uint64_t state_;
};

// Returns a number that has a magnitude from 1/8 to 8 and a random mantissa. On some lanes, returns a small round
// number.
double OrdinaryFloat(ValueSet set, int lane, Random* random) {
  const double magnitude = std::ldexp(1 + random->Unit(), static_cast<int>(random->Below(6)) - 3);
  const bool negative = random->Below(2) != 0;
  constexpr double kRound[] = {1.0, 0.5, 2.0, -1.0, 4.0, -0.5, 0.25, 3.0};
  const double value = lane % 8 == 3 && random->Below(2) == 0 ? kRound[random->Below(8)]
                       : negative                             ? -magnitude
                                                              : magnitude;
  switch (set) {
    case ValueSet::kFloat32NonNegative:
      return std::fabs(value);
    case ValueSet::kFloat32ZeroToOne:
      return lane % 16 == 3 ? 1.0 : 0.01 + 0.98 * random->Unit();
    case ValueSet::kFloat32Integral: {
      const double whole = 1 + static_cast<double>(random->Below(40));
      return negative ? -whole : whole;
    }
    default:
      return value;
  }
}

uint64_t OrdinaryInteger(ValueSet set, int bits, int lane, Random* random) {
  if (lane >= kFloatLanes && random->Below(4) == 0) return 0;
  const uint64_t mask = ir::MaskOf(bits);
  if (set == ValueSet::kInteger32Small) return random->Below(256);
  if (set == ValueSet::kInteger32Halfword) return random->Below(4) == 0 ? random->Below(40) : random->Below(65536);
  const uint64_t corners[] = {
      0,    1,       mask, mask >> 1, (mask >> 1) + 1, 2, static_cast<uint64_t>(bits) - 1, static_cast<uint64_t>(bits),
      0xff, mask - 1};
  switch (random->Below(6)) {
    case 0:
      return corners[random->Below(std::size(corners))] & mask;
    case 1:
      return random->Below(40);
    case 2:
      return (0 - random->Below(40)) & mask;
    case 3:
      return (uint64_t{1} << random->Below(bits)) & mask;
    case 4:  // The last five bits are a small shift amount, for shifts of a number by itself.
      return (random->Next() << 5 | random->Below(4)) & mask;
    default:
      return random->Next() & mask;
  }
}

// Returns a special value of block `kind`: a float pattern of `bits` bits with a random sign.
uint64_t SpecialFloat(BlockKind kind, int bits, Random* random) {
  const ir::FloatFormat format = ir::FormatOf(bits);
  const uint64_t sign = random->Below(2) != 0 ? format.sign() : 0;
  constexpr BlockKind kKinds[] = {BlockKind::kZero, BlockKind::kInfinity, BlockKind::kNan, BlockKind::kDenormal};
  if (kind == BlockKind::kMixed) {
    const uint64_t which = random->Below(6);
    if (which < 4) return SpecialFloat(kKinds[which], bits, random);
    return sign | (which == 4 ? format.infinity() - 1 - random->Below(4) : format.one());
  }
  switch (kind) {
    case BlockKind::kInfinity:
      return sign | format.infinity();
    case BlockKind::kNan:
      return format.quiet_nan();
    case BlockKind::kDenormal:
      if (random->Below(4) == 0) return sign | (format.smallest_normal() + random->Below(3));
      return sign | (1 + random->Below(format.mantissa_mask()));
    default:
      return sign;
  }
}

bool Admits(ValueSet set, uint64_t bits) {
  if (ir::IsNan(bits, 32)) return set != ValueSet::kFloat32ZeroToOne && set != ValueSet::kFloat32Integral;
  const double value = ir::BitsToFloat(bits, 32);
  switch (set) {
    case ValueSet::kFloat32NonNegative:
      return value >= 0;
    case ValueSet::kFloat32ZeroToOne:
      return value >= 0 && value <= 1;
    case ValueSet::kFloat32Integral:
      return std::isfinite(value) && value == std::floor(value);
    default:
      return true;
  }
}

uint64_t LaneValue(ValueSet set, int slot, BlockKind kind, int lane) {
  const ValueSetInfo& info = kInfos[static_cast<int>(set)];
  const bool equal = IsEqualLane(lane);
  const uint64_t stream =
      static_cast<uint64_t>(kind) * 64 + lane + (equal ? 0 : (static_cast<uint64_t>(slot) + 1) << 16);
  Random random(kSeed + stream * 0x2545f4914f6cdd1du);
  random.Next();
  if (info.kind == ValueKind::kBoolean) {
    return equal ? lane & 1 : lane < 16 ? (lane >> slot) & 1 : random.Below(2);
  }
  if (info.kind == ValueKind::kInteger) return OrdinaryInteger(set, info.bits, lane, &random);
  const uint64_t ordinary = ir::FloatToBits(OrdinaryFloat(set, lane, &random), info.bits);
  if (kind == BlockKind::kOrdinary) {
    // These lanes distinguish a comparison with 0, or of two zeros, from a constant.
    return lane >= kFloatLanes && random.Below(2) == 0 ? SpecialFloat(BlockKind::kZero, info.bits, &random) : ordinary;
  }
  if (random.Below(5) < 2) return ordinary;
  const uint64_t special = SpecialFloat(kind, info.bits, &random);
  return info.bits == 16 || Admits(set, special) ? special : ordinary;
}

struct Table {
  AlignedBlock blocks[kValueSetCount][kMaxInputs][kBlockKindCount];
};

std::unique_ptr<Table> MakeTable() {
  auto table = std::make_unique<Table>();
  for (int set = 0; set < kValueSetCount; ++set) {
    for (int slot = 0; slot < kMaxInputs; ++slot) {
      for (int kind = 0; kind < kBlockKindCount; ++kind) {
        for (int lane = 0; lane < kLanes; ++lane) {
          table->blocks[set][slot][kind].lane[lane] =
              static_cast<uint32_t>(LaneValue(static_cast<ValueSet>(set), slot, static_cast<BlockKind>(kind), lane));
        }
      }
    }
  }
  return table;
}

}  // namespace

ValueKind KindOf(ir::BaseType base, int bits) {
  if (bits == 1 || base == ir::BaseType::kBool) return ValueKind::kBoolean;
  return base == ir::BaseType::kFloat ? ValueKind::kFloat : ValueKind::kInteger;
}

const ValueSetInfo& InfoOf(ValueSet set) { return kInfos[static_cast<int>(set)]; }

ValueSet PlainSet(ValueKind kind, int bits, bool* ok) {
  *ok = true;
  for (int i = 0; i < kValueSetCount; ++i) {
    const auto set = static_cast<ValueSet>(i);
    if (kInfos[i].kind == kind && kInfos[i].bits == bits && kInfos[i].plain == set) return set;
  }
  *ok = false;
  return ValueSet::kInteger32;
}

absl::string_view NameOf(BlockKind kind) {
  constexpr absl::string_view kNames[] = {"ordinary", "zero", "infinity", "nan", "denormal", "mixed"};
  return kNames[static_cast<int>(kind)];
}

uint64_t OrdinaryHash(const LaneBlock& values, ValueKind kind, int bits) {
  const bool real = kind == ValueKind::kFloat;
  return Kernels().hash(values, real && bits == 32, real ? kFloatLanes : kLanes);
}

const LaneBlock& InputLanes(ValueSet set, int slot, BlockKind kind) {
  static const Table& table = *MakeTable().release();
  return table.blocks[static_cast<int>(set)][slot][static_cast<int>(kind)];
}

}  // namespace rewrought::enumerator
