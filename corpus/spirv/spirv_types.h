// The types of a SPIR-V module, as far as values made of scalars need them: how many lanes a value has and where each
// member begins.
#ifndef REWROUGHT_CORPUS_SPIRV_SPIRV_TYPES_H_
#define REWROUGHT_CORPUS_SPIRV_SPIRV_TYPES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "corpus/spirv/spirv_module.h"

namespace rewrought::corpus {

enum class SpirvKind : uint8_t { kOther, kBool, kInt, kFloat, kVector, kMatrix, kArray, kStruct, kPointer };

struct SpirvType {
  SpirvKind kind = SpirvKind::kOther;
  uint8_t bits = 0;                // of its scalars; 0 where they differ or there are none
  uint32_t storage = 0;            // of a pointer: its storage class
  std::vector<uint32_t> elements;  // type ids: of a struct one per member, of all others one
  uint32_t count = 0;              // components, columns, array length or members
  size_t lanes = 0;                // scalars in all; 0: not made of scalars, or more than kMaxLanes
};

class SpirvTypes {
 public:
  // Values with more scalars are not followed.
  static constexpr size_t kMaxLanes = 256;

  explicit SpirvTypes(const SpirvModule& module);

  // The type with this id; a default one (kOther) if there is none.
  const SpirvType& at(uint32_t id) const;

  // The type id of element `index`, or 0 if there is none.
  uint32_t Element(uint32_t id, uint32_t index) const;

  // The first lane of element `index` of a value of a type with lanes.
  size_t Offset(uint32_t id, uint32_t index) const;

  // The value of an integer constant with at most 32 bits; nothing for any other id.
  std::optional<uint32_t> IntegerConstant(uint32_t id) const;

 private:
  void Add(const SpirvInstruction& instruction);

  absl::flat_hash_map<uint32_t, SpirvType> types_;
  absl::flat_hash_map<uint32_t, uint32_t> integers_;
};

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_SPIRV_SPIRV_TYPES_H_
