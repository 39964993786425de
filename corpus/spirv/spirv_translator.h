// Translates the instructions of one SPIR-V module to one ir::Shader, scalar by scalar. Used only by the SPIR-V reader.
// The implementation is divided into spirv_translator.cc (control flow and routing), spirv_memory.cc, spirv_alu.cc, and
// spirv_glsl450.cc.
#ifndef REWROUGHT_CORPUS_SPIRV_SPIRV_TRANSLATOR_H_
#define REWROUGHT_CORPUS_SPIRV_SPIRV_TRANSLATOR_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "corpus/shader_builder.h"
#include "corpus/spirv/spirv_module.h"
#include "corpus/spirv/spirv_types.h"

namespace rewrought::corpus {

class SpirvTranslator {
 public:
  SpirvTranslator(const SpirvModule& module, absl::string_view name, absl::string_view source);

  // Translates the module. Fails with ResourceExhausted if there are more nodes than ShaderBuilder::kMaxNodes.
  absl::Status Translate();
  ir::Shader Take() { return builder_.Take(); }

 private:
  // A location in memory: a variable, and the constant or dynamic steps of an access chain into it.
  struct Place {
    uint32_t variable = 0;
    std::vector<uint32_t> steps;  // ids
  };

  // Functions for control flow and routing.
  void TranslateConstant(const SpirvInstruction& instruction);
  void TranslateInstruction(const SpirvInstruction& instruction);
  bool TranslateRouting(const SpirvInstruction& instruction);
  Lanes ExtractFrom(uint32_t type, const Lanes& whole, const std::vector<uint32_t>& literals, size_t first,
                    size_t* offset);
  void TranslateShuffle(const SpirvInstruction& instruction);
  void TranslateOpaque(const SpirvInstruction& instruction);
  size_t UseOperands(const SpirvInstruction& instruction, absl::string_view what);
  Lanes Opaque(uint32_t type, absl::string_view what, bool uniform);
  Lanes Value(uint32_t id);
  uint32_t TypeOf(uint32_t id) const;
  void SetResult(const SpirvInstruction& instruction, Lanes lanes);

  // Functions for memory accesses.
  bool FindPlace(uint32_t pointer, Place* place) const;
  void TranslateLoad(const SpirvInstruction& instruction);
  Lanes LoadLeaves(uint32_t type, const std::string& key, absl::string_view what, bool uniform, bool read_only);

  // Functions for ALU instructions. Each function returns the lanes of the result, or no lanes if it does not support
  // the instruction.
  Lanes TranslateAlu(const SpirvInstruction& instruction);
  Lanes TranslateCompare(const SpirvInstruction& instruction);
  Lanes TranslateMatrix(const SpirvInstruction& instruction);
  Lanes TranslateConversion(const SpirvInstruction& instruction);
  Lanes TranslateWide(const SpirvInstruction& instruction);
  Lanes TranslateGlsl450(const SpirvInstruction& instruction);
  Lanes TranslateGeometric(uint32_t entry, const std::vector<Lanes>& operands);
  Lanes TranslateShaping(uint32_t entry, const std::vector<Lanes>& operands);
  Lanes TranslatePacking(uint32_t entry, const std::vector<Lanes>& operands);
  void SetFlagsFor(uint32_t result);

  // Emits one scalar op. If no row matches, adds a variable and a note instead.
  Lane Emit(absl::string_view op, uint8_t bits, const std::vector<Lane>& operands);
  Lane EmitExact(absl::string_view op, uint8_t bits, const std::vector<Lane>& operands);
  // Emits one op for each component. An operand that has only one lane is used for all components.
  Lanes EmitEach(absl::string_view op, uint8_t bits, const std::vector<Lanes>& operands);
  Lane Float(uint8_t bits, double value);
  Lane Dot(const Lanes& a, const Lanes& b);
  uint8_t BitsOf(Lane lane) const { return builder_.bits(lane.node); }
  Lanes Scaled(const Lanes& vector, Lane factor);

  const SpirvModule& module_;
  const SpirvTypes types_;
  ShaderBuilder builder_;
  absl::flat_hash_map<uint32_t, Lanes> values_;
  absl::flat_hash_map<std::string, Lanes> read_only_;    // loads from memory that nothing writes
  absl::flat_hash_map<uint32_t, uint32_t> blocks_;       // block numbers by label id
  uint32_t block_ = 0;                                   // the open block
  std::vector<std::pair<uint32_t, uint32_t>> branches_;  // pairs of a block and a label that it may branch to
  std::vector<std::pair<uint32_t, uint32_t>> phis_;      // pairs of a label id and a value id; a phi may name a later
                                                         // value
  absl::flat_hash_map<uint32_t, int> loop_depths_;
  bool exact_ = false;
  bool has_fast_math_mode_ = false;
  uint8_t fast_math_mode_ = 0;  // flags of the instruction's own FPFastMathMode
};

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_SPIRV_SPIRV_TRANSLATOR_H_
