// Defines building blocks of the HTML report.
#ifndef REWROUGHT_PIPELINE_REPORT_HTML_H_
#define REWROUGHT_PIPELINE_REPORT_HTML_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace rewrought::pipeline {

// Returns the text escaped for use in elements and in attributes with double quotes, so that a shader's name cannot end
// the element or the attribute. Replaces unprintable bytes.
std::string Escaped(absl::string_view text);

std::string Code(absl::string_view text);

// Returns a table cell with the number. Negative values are highlighted as losses.
std::string Number(double value);

// Returns a header row with the escaped names.
std::string Heads(const std::vector<std::string>& names);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_REPORT_HTML_H_
