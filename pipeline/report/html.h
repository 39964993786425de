// Pieces of a report's page: texts escaped, cells, heads. Nothing that comes from outside can end an element.
#ifndef REWROUGHT_PIPELINE_REPORT_HTML_H_
#define REWROUGHT_PIPELINE_REPORT_HTML_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace rewrought::pipeline {

// For text and for attributes in double quotes. Bytes that are no printable character become a replacement, so that a
// shader's name can neither end an element nor the page.
std::string Escaped(absl::string_view text);

// The text escaped as code.
std::string Code(absl::string_view text);

// A cell; below 0 as something bad.
std::string Number(double value);

// A row of heads, escaped.
std::string Heads(const std::vector<std::string>& names);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_REPORT_HTML_H_
