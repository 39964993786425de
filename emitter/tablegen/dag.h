// TableGen's DAG values as this format uses them, printed and parsed: `(f32 (nir_fadd f32:$a, (i32 7)))`, and calls of
// its operators, `!or(modifier_abs, modifier_neg)`.
#ifndef REWROUGHT_EMITTER_TABLEGEN_DAG_H_
#define REWROUGHT_EMITTER_TABLEGEN_DAG_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace rewrought::emitter {

struct Dag {
  enum class Kind : unsigned char { kAtom, kList, kCall } kind = Kind::kAtom;
  std::string head;  // of an atom its name or number; empty: `$name` alone
  std::string name;  // of an atom: the variable that it binds, without "$"
  std::vector<Dag> arguments;

  friend bool operator==(const Dag&, const Dag&) = default;
};

// `head`, `head:$name`, `$name`.
Dag Atom(std::string head, std::string name = "");
// `(head arguments...)`.
Dag List(std::string head, std::vector<Dag> arguments);

// The text, on one line.
std::string PrintDag(const Dag& dag);

// Reads one DAG from the front of `text` and removes it there. InvalidArgument says what was expected; nesting beyond
// 200 levels is refused.
absl::StatusOr<Dag> TakeDag(absl::string_view* text);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_TABLEGEN_DAG_H_
