// Reads rules from Ruler's files, to determine which rules follow from others. Each line has the form
// `(+ ?a ?b) ==> (+ ?b ?a)`, with `<=>` for both directions.
#ifndef REWROUGHT_TESTS_BENCHMARK_PEERS_OTHER_RULES_H_
#define REWROUGHT_TESTS_BENCHMARK_PEERS_OTHER_RULES_H_

#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/term.h"

namespace rewrought::peers {

// Returns the rules over NIR's ops, with `width` bits in all nodes; a rule that occurs in both directions is returned
// once. If a line is not a rule, fails with InvalidArgument and names the line.
absl::StatusOr<std::vector<std::pair<ir::Term, ir::Term>>> ReadOtherRules(absl::string_view text, int width);

}  // namespace rewrought::peers

#endif  // REWROUGHT_TESTS_BENCHMARK_PEERS_OTHER_RULES_H_
