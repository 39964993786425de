#include "corpus/spirv/spirv_reader.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "corpus/spirv/spirv_module.h"
#include "corpus/spirv/spirv_translator.h"
#include "corpus/spirv/spirv_words.h"

namespace rewrought::corpus {

absl::StatusOr<ir::Shader> ReadSpirv(absl::string_view bytes, absl::string_view name, absl::string_view source,
                                     const SpirvSimplifier& simplify) {
  const absl::StatusOr<std::vector<uint32_t>> words = SpirvWords(bytes);
  if (!words.ok()) return words.status();
  const absl::StatusOr<SpirvModule> module = LoadSpirvModule(*words, simplify);
  if (!module.ok()) return module.status();
  const std::string full_name = module->entry_point.empty() || module->entry_point == "main"
                                    ? std::string(name)
                                    : absl::StrCat(name, ":", module->entry_point);
  SpirvTranslator translator(*module, full_name, source);
  const absl::Status status = translator.Translate();
  if (!status.ok()) return status;
  return translator.Take();
}

}  // namespace rewrought::corpus
