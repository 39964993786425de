// Building blocks of the HTML report: escaped text, cells and header rows. Text from outside cannot end an element.
#ifndef REWROUGHT_PIPELINE_REPORT_HTML_H_
#define REWROUGHT_PIPELINE_REPORT_HTML_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace rewrought::pipeline {

// Escapes text for elements and for attributes in double quotes, and replaces bytes that are not printable
// characters. A shader's name can therefore not end an element or the page.
std::string Escaped(absl::string_view text);

// Returns the escaped text in a code element.
std::string Code(absl::string_view text);

// Returns a table cell; a negative value is highlighted as a loss.
std::string Number(double value);

// Returns a table row of escaped headers.
std::string Heads(const std::vector<std::string>& names);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_REPORT_HTML_H_
