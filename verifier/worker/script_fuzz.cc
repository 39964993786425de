// Parses arbitrary text as an SMT-LIB script, a model, a literal and an answer of cvc5. No input may cause a crash.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "verifier/worker/cvc5_process.h"
#include "verifier/worker/script.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rewrought::verifier;
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  if (CheckScript(text).ok()) (void)HasLogic(text);
  (void)IsQuotableName(text);
  (void)LiteralToHex(text);
  (void)ParseModel(text);
  const SolverAnswer answer = ReadCvc5Output(text, {"a", "b"});
  if (answer.answer == Answer::kUnsat && !answer.model.empty()) std::abort();
  return 0;
}
