#include "corpus/spirv/spirv_mutator.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "corpus/spirv/spirv_simplify.h"
#include "corpus/spirv/spirv_words.h"
#include "glslang/SPIRV/spirv.hpp"
#include "spirv-tools/libspirv.hpp"

namespace rewrought::corpus {
namespace {

constexpr size_t kHeaderWords = 5;
constexpr size_t kBoundWord = 3;

struct Instruction {
  std::vector<uint32_t> words;
  uint32_t opcode = 0, type = 0, result = 0;
  std::vector<uint32_t> ids;       // positions in `words` of the ids that the instruction reads
  std::vector<uint32_t> literals;  // positions in `words` of one-word literals
};

struct Module {
  std::vector<uint32_t> header;
  std::vector<Instruction> instructions;
};

spv_result_t OnHeader(void* user_data, spv_endianness_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t) {
  static_cast<Module*>(user_data)->instructions.clear();
  return SPV_SUCCESS;
}

spv_result_t OnInstruction(void* user_data, const spv_parsed_instruction_t* parsed) {
  Instruction instruction;
  instruction.words.assign(parsed->words, parsed->words + parsed->num_words);
  instruction.opcode = parsed->opcode;
  instruction.type = parsed->type_id;
  instruction.result = parsed->result_id;
  for (uint16_t i = 0; i < parsed->num_operands; ++i) {
    const spv_parsed_operand_t& operand = parsed->operands[i];
    if (operand.type == SPV_OPERAND_TYPE_ID) instruction.ids.push_back(operand.offset);
    const bool number = operand.type == SPV_OPERAND_TYPE_LITERAL_INTEGER ||
                        operand.type == SPV_OPERAND_TYPE_TYPED_LITERAL_NUMBER ||
                        operand.type == SPV_OPERAND_TYPE_EXTENSION_INSTRUCTION_NUMBER;
    if (number && operand.num_words == 1) instruction.literals.push_back(operand.offset);
  }
  static_cast<Module*>(user_data)->instructions.push_back(std::move(instruction));
  return SPV_SUCCESS;
}

// Returns families of opcodes that have the same kinds of operands and results.
const std::vector<std::vector<uint32_t>>& Families() {
  static const auto& families = *new std::vector<std::vector<uint32_t>>{
      {spv::OpFAdd, spv::OpFSub, spv::OpFMul, spv::OpFDiv, spv::OpFRem, spv::OpFMod},
      {spv::OpIAdd, spv::OpISub, spv::OpIMul, spv::OpUDiv, spv::OpSDiv, spv::OpUMod, spv::OpSRem, spv::OpSMod,
       spv::OpShiftRightLogical, spv::OpShiftRightArithmetic, spv::OpShiftLeftLogical, spv::OpBitwiseOr,
       spv::OpBitwiseXor, spv::OpBitwiseAnd},
      {spv::OpSNegate, spv::OpNot, spv::OpBitReverse, spv::OpBitCount},
      {spv::OpFOrdEqual, spv::OpFUnordEqual, spv::OpFOrdNotEqual, spv::OpFUnordNotEqual, spv::OpFOrdLessThan,
       spv::OpFUnordLessThan, spv::OpFOrdGreaterThan, spv::OpFUnordGreaterThan, spv::OpFOrdLessThanEqual,
       spv::OpFUnordLessThanEqual, spv::OpFOrdGreaterThanEqual, spv::OpFUnordGreaterThanEqual},
      {spv::OpIEqual, spv::OpINotEqual, spv::OpUGreaterThan, spv::OpSGreaterThan, spv::OpUGreaterThanEqual,
       spv::OpSGreaterThanEqual, spv::OpULessThan, spv::OpSLessThan, spv::OpULessThanEqual, spv::OpSLessThanEqual},
      {spv::OpLogicalEqual, spv::OpLogicalNotEqual, spv::OpLogicalOr, spv::OpLogicalAnd},
      {spv::OpIsNan, spv::OpIsInf},
      {spv::OpDPdx, spv::OpDPdy, spv::OpFwidth},
      {spv::OpConvertFToU, spv::OpConvertFToS},
      {spv::OpConvertSToF, spv::OpConvertUToF},
      {spv::OpConstantTrue, spv::OpConstantFalse},
  };
  return families;
}

class Mutator {
 public:
  Mutator(Module module, uint64_t seed) : module_(std::move(module)), random_(seed) {
    for (const Instruction& instruction : module_.instructions) {
      if (instruction.result != 0) types_[instruction.result] = instruction.type;
    }
  }

  std::vector<uint32_t> Run() {
    const size_t changes = 1 + Below(4);
    for (size_t done = 0, tries = 0; done < changes && tries < 200; ++tries) done += Change() ? 1 : 0;
    std::vector<uint32_t> words = module_.header;
    for (const Instruction& instruction : module_.instructions) {
      words.insert(words.end(), instruction.words.begin(), instruction.words.end());
    }
    return words;
  }

 private:
  size_t Below(size_t count) { return static_cast<size_t>(random_() % count); }

  bool Change() {
    const size_t place = Below(module_.instructions.size());
    switch (Below(7)) {
      case 0:
      case 1:
        return ReplaceId(place);
      case 2:
        return ReplaceOpcode(place);
      case 3:
        return ExchangeIds(place);
      case 4:
        return ChangeLiteral(place);
      case 5:
        return Copy(place);
      default:
        return Remove(place);
    }
  }

  bool ReplaceId(size_t place) {
    Instruction& instruction = module_.instructions[place];
    if (instruction.ids.empty()) return false;
    uint32_t& id = instruction.words[instruction.ids[Below(instruction.ids.size())]];
    const auto type = types_.find(id);
    if (type == types_.end() || type->second == 0) return false;
    std::vector<uint32_t> others;
    for (size_t i = 0; i < place; ++i) {
      const Instruction& other = module_.instructions[i];
      if (other.type == type->second && other.result != id) others.push_back(other.result);
    }
    if (others.empty()) return false;
    id = others[Below(others.size())];
    return true;
  }

  bool ReplaceOpcode(size_t place) {
    Instruction& instruction = module_.instructions[place];
    for (const std::vector<uint32_t>& family : Families()) {
      if (std::find(family.begin(), family.end(), instruction.opcode) == family.end()) continue;
      instruction.opcode = family[Below(family.size())];
      instruction.words[0] = (instruction.words[0] & 0xffff0000u) | instruction.opcode;
      return true;
    }
    return false;
  }

  bool ExchangeIds(size_t place) {
    Instruction& instruction = module_.instructions[place];
    if (instruction.ids.size() < 2) return false;
    std::swap(instruction.words[instruction.ids[Below(instruction.ids.size())]],
              instruction.words[instruction.ids[Below(instruction.ids.size())]]);
    return true;
  }

  // Changes a literal to a nearby number or to a corner case of arithmetic.
  bool ChangeLiteral(size_t place) {
    Instruction& instruction = module_.instructions[place];
    if (instruction.literals.empty()) return false;
    constexpr uint32_t kTurns[] = {0,          1,          2,          3,          4,          31,
                                   32,         64,         0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000,
                                   0x7f800000, 0x7fc00000, 0x00000001, 0x7f7fffff};
    uint32_t& literal = instruction.words[instruction.literals[Below(instruction.literals.size())]];
    const bool constant = instruction.opcode == spv::OpConstant;
    literal =
        constant && Below(2) == 0 ? kTurns[Below(std::size(kTurns))] : literal + static_cast<uint32_t>(Below(9)) - 4;
    return true;
  }

  // Duplicates an instruction under a new id, and makes one later instruction read the copy.
  bool Copy(size_t place) {
    Instruction copy = module_.instructions[place];
    if (copy.result == 0 || copy.type == 0 || copy.opcode == spv::OpFunction || copy.opcode == spv::OpLabel)
      return false;
    const auto result = std::find(copy.words.begin() + 2, copy.words.end(), copy.result);
    if (result == copy.words.end()) return false;
    const uint32_t old = std::exchange(copy.result, module_.header[kBoundWord]++);
    *result = copy.result;
    types_[copy.result] = copy.type;
    const uint32_t id = copy.result;
    module_.instructions.insert(module_.instructions.begin() + static_cast<std::ptrdiff_t>(place) + 1, std::move(copy));
    for (size_t i = place + 2; i < module_.instructions.size(); ++i) {
      Instruction& user = module_.instructions[i];
      for (const uint32_t at : user.ids) {
        if (user.words[at] != old) continue;
        user.words[at] = id;
        return true;
      }
    }
    return true;
  }

  bool Remove(size_t place) {
    const Instruction& instruction = module_.instructions[place];
    const bool effect = instruction.opcode == spv::OpStore || instruction.opcode == spv::OpDecorate ||
                        instruction.opcode == spv::OpExecutionMode || instruction.opcode == spv::OpName;
    if (instruction.result == 0 ? !effect : instruction.type == 0) return false;
    for (const Instruction& user : module_.instructions) {
      for (const uint32_t at : user.ids) {
        if (instruction.result != 0 && user.words[at] == instruction.result) return false;
      }
    }
    module_.instructions.erase(module_.instructions.begin() + static_cast<std::ptrdiff_t>(place));
    return true;
  }

  Module module_;
  std::mt19937_64 random_;
  absl::flat_hash_map<uint32_t, uint32_t> types_;  // the type of each result id
};

std::string OneWordChanged(absl::string_view module, uint64_t seed) {
  std::string bytes(module);
  std::mt19937_64 random(seed);
  if (bytes.size() < sizeof(uint32_t)) return bytes;
  const size_t word = random() % (bytes.size() / sizeof(uint32_t));
  const auto value = static_cast<uint32_t>(random());
  std::memcpy(bytes.data() + word * sizeof(uint32_t), &value, sizeof(value));
  return bytes;
}

}  // namespace

std::string MutateSpirv(absl::string_view module, size_t max_bytes, uint64_t seed) {
  const absl::StatusOr<std::vector<uint32_t>> words = SpirvWords(module);
  if (!words.ok() || words->size() <= kHeaderWords) return OneWordChanged(module, seed);
  Module parsed;
  const spvtools::Context context(kSpirvEnvironment);
  if (spvBinaryParse(context.CContext(), &parsed, words->data(), words->size(), OnHeader, OnInstruction, nullptr) !=
          SPV_SUCCESS ||
      parsed.instructions.empty()) {
    return OneWordChanged(module, seed);
  }
  parsed.header.assign(words->begin(), words->begin() + kHeaderWords);
  const std::vector<uint32_t> mutant = Mutator(std::move(parsed), seed).Run();
  const size_t bytes = mutant.size() * sizeof(uint32_t);
  if (bytes > max_bytes) return OneWordChanged(module, seed);
  return std::string(reinterpret_cast<const char*>(mutant.data()), bytes);
}

}  // namespace rewrought::corpus
