// Computes the properties of a SPIR-V module's types that are needed for values made of scalars: the number of lanes,
// and the first lane of each member.
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
  uint8_t bits = 0;                // size of the type's scalars; 0 if the sizes differ or there are no scalars
  uint32_t storage = 0;            // storage class of a pointer
  std::vector<uint32_t> elements;  // type ids: one for each member of a struct, otherwise one
  uint32_t count = 0;              // number of components, columns, array elements, or members
  size_t lanes = 0;                // total number of scalars; 0 if above kMaxLanes or if there are other parts
};

class SpirvTypes {
 public:
  // Values that have more scalars are opaque.
  static constexpr size_t kMaxLanes = 256;

  explicit SpirvTypes(const SpirvModule& module);

  // Returns the type with this id, or a default type (kOther).
  const SpirvType& at(uint32_t id) const;

  // Returns the type id of element `index`, or 0.
  uint32_t Element(uint32_t id, uint32_t index) const;

  // Returns the first lane of element `index` in a value of type `id`, which must have lanes.
  size_t Offset(uint32_t id, uint32_t index) const;

  // Returns the value of an integer constant with at most 32 bits, or nullopt for other ids.
  std::optional<uint32_t> IntegerConstant(uint32_t id) const;

 private:
  void Add(const SpirvInstruction& instruction);

  absl::flat_hash_map<uint32_t, SpirvType> types_;
  absl::flat_hash_map<uint32_t, uint32_t> integers_;
};

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_SPIRV_SPIRV_TYPES_H_
