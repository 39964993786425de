// Fuzzes the readers of pack.json, of manifests, and of the first file of each format. The other files of a format come
// from a valid sample pack. No input may crash a reader. The first line selects the reader: "manifest", "pack", or a
// format's name.
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "emitter/entry_rule.h"
#include "emitter/formats.h"
#include "emitter/json_writer.h"
#include "emitter/nir/nir_target.h"
#include "emitter/pack_entry_check.h"
#include "emitter/testing/sample_rules.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rewrought;
  const absl::string_view whole(reinterpret_cast<const char*>(data), size);
  const size_t line = whole.find('\n');
  if (line == absl::string_view::npos) return 0;
  const absl::string_view what = whole.substr(0, line), text = whole.substr(line + 1);
  if (what == "manifest") {
    (void)emitter::ReadManifestJson(text);
  } else if (what == "pack") {
    const auto pack = emitter::ReadPackJson(text);
    if (!pack.ok()) return 0;
    emitter::Manifest manifest;
    manifest.message = pack->manifest();
    manifest.target = emitter::DefaultNirTarget().name();
    (void)emitter::CheckEntries(*pack, manifest);
    for (const v1::PackEntry& entry : pack->entries()) (void)emitter::CanonicalText(entry.rule());
  } else if (const auto formats = emitter::FindFormats({std::string(what)}); formats.ok()) {
    const emitter::Format& format = *formats->front();
    static const auto& sample =
        *new v1::Pack(emitter::BuildPack(emitter::SampleRules(), emitter::SampleOptions())->message);
    static auto& written = *new std::map<absl::string_view, std::vector<std::string>>;
    std::vector<std::string>& texts = written[format.name];
    if (texts.empty()) texts = *format.write(sample, emitter::DefaultNirTarget());
    texts[0] = std::string(text);
    (void)format.check(texts, sample, emitter::DefaultNirTarget());
  }
  return 0;
}
