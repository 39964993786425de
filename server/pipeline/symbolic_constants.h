// The first generalisation of a proved rule: its constants as symbols, under the weakest of Mesa's predicates that is
// enough.
#ifndef REWROUGHT_SERVER_PIPELINE_SYMBOLIC_CONSTANTS_H_
#define REWROUGHT_SERVER_PIPELINE_SYMBOLIC_CONSTANTS_H_

#include <stop_token>
#include <vector>

#include "ir/float_contract.h"
#include "server/pipeline/judge.h"
#include "server/pipeline/rule_draft.h"

namespace rewrought::pipeline {

// `draft`, which is proved in `modes`, with as many constants as symbols ('#b', '#b(is_…)') as the judge proves, one by
// one; the draft itself where none can be one. What comes back has been judged without confirmation.
RuleDraft WithSymbolicConstants(const RuleDraft& draft, const std::vector<ir::DenormMode>& modes, Judge* judge,
                                std::stop_token stop);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_SERVER_PIPELINE_SYMBOLIC_CONSTANTS_H_
