// Fuzzes the language of meanings. No input may crash the parser, and a meaning that parses must either build or be
// rejected at every width.
#include <cstddef>
#include <cstdint>

#include "ir/meaning.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rewrought::ir;
  const auto parsed = ParseMeaning(absl::string_view(reinterpret_cast<const char*>(data), size));
  if (!parsed.ok()) return 0;
  for (const int width : {1, 16, 32, 64}) {
    Dag dag;
    MeaningScope scope;
    scope.free_size = scope.result_size = width;
    for (const char* name : {"a", "b", "c", "d"}) scope.sources.push_back({dag.InputNamed(name, width)});
    for (const Expression& expression : *parsed) (void)BuildMeaning(&dag, expression, scope, width);
  }
  return 0;
}
