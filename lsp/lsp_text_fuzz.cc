// Reads arbitrary bytes as an editor's messages, and arbitrary text as a tuple and as a rule file. No parser may crash.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "lsp/message_stream.h"
#include "lsp/rule_edit.h"
#include "lsp/rule_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rewrought::lsp;
  const std::string text(reinterpret_cast<const char*>(data), size);
  size_t at = 0;
  MessageReader reader([&](char* bytes, size_t most) {
    const size_t count = std::min(most, text.size() - at);
    std::copy_n(text.data() + at, count, bytes);
    at += count;
    return absl::StatusOr<size_t>(count);
  });
  for (;;) {
    const absl::StatusOr<std::optional<Json>> message = reader.Read();
    if (!message.ok() || !message->has_value()) break;
  }
  (void)ElementsOf(text);
  (void)WithoutTilde(text);
  const TextLines lines(text, CharacterUnit::kUtf16);
  (void)ReplaceSides(lines, {0, text.size()}, text);
  (void)RemoveRule(lines, {0, text.size()});
  (void)RuleFile("fuzz.rules", {}, "").ReadLiterals(lines);
  return 0;
}
