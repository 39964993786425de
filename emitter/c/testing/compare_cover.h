// Compares the runtime of the `c` format with the selector on which it is modeled. Both select code for one shader, and
// the first difference is reported.
#ifndef REWROUGHT_EMITTER_C_TESTING_COMPARE_COVER_H_
#define REWROUGHT_EMITTER_C_TESTING_COMPARE_COVER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "emitter/c/c_tables.h"
#include "emitter/c/rule_tables.h"
#include "ir/match/match.h"
#include "machine/select/scalar_shader.h"

namespace rewrought::emitter {

// A scalar shader in the runtime's representation. Its source pointers point into the object, so the object must not be
// moved.
class RuntimeShader {
 public:
  RuntimeShader(const rw_tables& tables, const machine::select::ScalarShader& scalar);
  RuntimeShader(const RuntimeShader&) = delete;
  RuntimeShader& operator=(const RuntimeShader&) = delete;

  const std::vector<rw_node>& nodes() const { return nodes_; }
  uint32_t source_count() const { return static_cast<uint32_t>(sources_.size()); }

 private:
  std::vector<rw_node> nodes_;
  std::vector<uint32_t> sources_;
};

struct CoverComparison {
  bool same = false;
  std::string difference;  // For example "node 12: ADD ... | MAD ...".
  rw_status status = RW_OK;
  rw_result runtime = {};
  uint64_t selector_instructions = 0, selector_pieces = 0, selector_uncovered = 0;
  uint64_t from_pack = 0;  // The number of the selector's pieces that come from pack rules.
  double selector_cost = 0;
};

// Runs the runtime and the selector. The selector uses CoverKind::kTree and allows uncovered ops. The results agree if
// each needed node has the same instructions, operands, loads, and moves, if the same nodes have no rule, and if the
// costs are identical.
CoverComparison CompareCover(const PackSelection& selection, const rw_tables& tables,
                             const machine::select::ScalarShader& scalar, const ir::FactCallback& facts);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_C_TESTING_COMPARE_COVER_H_
