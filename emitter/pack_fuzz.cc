// Any text as pack.json, as a manifest, and as every file of a pack that is known to be good: nothing crashes. The
// first byte says which.
#include <cstddef>
#include <cstdint>

#include "emitter/entry_rule.h"
#include "emitter/formats.h"
#include "emitter/json_writer.h"
#include "emitter/nir/nir_target.h"
#include "emitter/pack_entry_check.h"
#include "emitter/testing/sample_rules.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rewrought;
  if (size == 0) return 0;
  const absl::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  static const auto& sample = *new emitter::Pack(*emitter::BuildPack(emitter::SampleRules(), emitter::SampleOptions()));
  const size_t which = data[0] % (2 + emitter::Formats().size());
  if (which == 0) {
    (void)emitter::ReadManifestJson(text);
  } else if (which == 1) {
    const auto pack = emitter::ReadPackJson(text);
    if (!pack.ok()) return 0;
    emitter::Manifest manifest;
    manifest.message = pack->manifest();
    manifest.target = emitter::NewestNirTarget().name();
    (void)emitter::CheckEntries(*pack, manifest);
    for (const v1::PackEntry& entry : pack->entries()) (void)emitter::CanonicalText(entry.rule());
  } else {
    const emitter::Format& format = emitter::Formats()[which - 2];
    const std::vector<std::string> texts(format.files.size(), std::string(text));
    (void)format.check(texts, sample.message, emitter::NewestNirTarget());
  }
  return 0;
}
