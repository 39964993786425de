// Prints and parses TableGen's DAG values, such as `(f32 (nir_fadd f32:$a, (i32 7)))`, and calls, such as
// `!or(modifier_abs, modifier_neg)`.
#ifndef REWROUGHT_EMITTER_TABLEGEN_DAG_H_
#define REWROUGHT_EMITTER_TABLEGEN_DAG_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace rewrought::emitter {

struct Dag {
  enum class Kind : unsigned char { kAtom, kList, kCall } kind = Kind::kAtom;
  std::string head;  // Name or number of an atom; empty for a bare `$name`.
  std::string name;  // Variable that an atom binds, without "$".
  std::vector<Dag> arguments;

  friend bool operator==(const Dag&, const Dag&) = default;
};

// Returns `head`, `head:$name`, or `$name`.
Dag Atom(std::string head, std::string name = "");
// Returns `(head arguments...)`.
Dag List(std::string head, std::vector<Dag> arguments);

// Returns the text of the DAG on one line.
std::string PrintDag(const Dag& dag);

// Parses a DAG at the start of `text` and removes it. Fails with InvalidArgument, naming the expected text. Nesting is
// limited to 200 levels.
absl::StatusOr<Dag> TakeDag(absl::string_view* text);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_TABLEGEN_DAG_H_
