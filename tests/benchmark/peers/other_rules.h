// Rules as Ruler's files have them: a line `(+ ?a ?b) ==> (+ ?b ?a)` each, `<=>` for both ways. To compare what follows
// from whose rules.
#ifndef REWROUGHT_TESTS_BENCHMARK_PEERS_OTHER_RULES_H_
#define REWROUGHT_TESTS_BENCHMARK_PEERS_OTHER_RULES_H_

#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/term.h"

namespace rewrought::peers {

// Over NIR's ops, all nodes of `width` bits; lines that say one thing twice, from left and from right, once.
// InvalidArgument names the line that is none.
absl::StatusOr<std::vector<std::pair<ir::Term, ir::Term>>> ReadOtherRules(absl::string_view text, int width);

}  // namespace rewrought::peers

#endif  // REWROUGHT_TESTS_BENCHMARK_PEERS_OTHER_RULES_H_
