// Building blocks of the HTML report.
#ifndef REWROUGHT_PIPELINE_REPORT_HTML_H_
#define REWROUGHT_PIPELINE_REPORT_HTML_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace rewrought::pipeline {

// Escapes text for elements and attributes in double quotes, and replaces unprintable bytes, so that a shader's name
// can end neither an element nor the page.
std::string Escaped(absl::string_view text);

std::string Code(absl::string_view text);

// Returns a table cell; negative values are highlighted as losses.
std::string Number(double value);

// Returns a header row with escaped names.
std::string Heads(const std::vector<std::string>& names);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_REPORT_HTML_H_
