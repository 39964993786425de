#include "pipeline/report/html.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace rewrought::pipeline {

std::string Escaped(absl::string_view text) {
  std::string html;
  for (const char c : text) {
    const unsigned char byte = static_cast<unsigned char>(c);
    switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      case '\'':
        html += "&#39;";
        break;
      default:
        if (byte < 0x20 && c != '\n' && c != '\t') {
          html += "&#xfffd;";
        } else if (byte >= 0x7f) {
          absl::StrAppendFormat(&html, "\\x%02x", byte);  // show the byte, because a name may have any encoding
        } else {
          html.push_back(c);
        }
    }
  }
  return html;
}

std::string Code(absl::string_view text) { return absl::StrCat("<code>", Escaped(text), "</code>"); }

std::string Number(double value) {
  return absl::StrFormat("<td class=\"n%s\">%.10g</td>", value < 0 ? " hurt" : "", value);
}

std::string Heads(const std::vector<std::string>& names) {
  std::string html = "<tr>";
  for (const std::string& name : names) absl::StrAppend(&html, "<th>", Escaped(name), "</th>");
  return html + "</tr>\n";
}

}  // namespace rewrought::pipeline
