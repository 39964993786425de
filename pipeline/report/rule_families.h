// Groups the rules of a machine into families for reports, so that a general rule and its special cases are one row.
#ifndef REWROUGHT_PIPELINE_REPORT_RULE_FAMILIES_H_
#define REWROUGHT_PIPELINE_REPORT_RULE_FAMILIES_H_

#include <string>
#include <vector>

#include "pipeline/sites/measure.h"
#include "store/records.h"

namespace rewrought::pipeline {

// A rule and the other rules of its family.
struct ReportedFamily {
  RankedRule first;
  std::vector<RankedRule> others;    // its other sizes, and special cases that are not redundant; in the given order
  std::vector<std::string> special;  // the redundant rules that it covers, in display form, sorted
};

// Groups `ranked`, in order. A rule joins the first family whose rule covers it (generalize/coverage.h) or differs from
// it only in sizes. Each of the rules `redundant` is assigned to the first family whose rule covers it, if there is
// one. A program covers no other rule.
std::vector<ReportedFamily> GroupIntoFamilies(std::vector<RankedRule> ranked,
                                              const std::vector<store::RuleRecord>& redundant);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_REPORT_RULE_FAMILIES_H_
