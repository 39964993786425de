#include "tools/silicon/ptx_rows.h"

#include <cmath>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "ir/digest.h"
#include "tools/silicon/ptx_row_files.h"

namespace rewrought::silicon {
namespace {

// Parses "2^-22.9" or "6.28". Returns 0 if the text is neither.
double Magnitude(absl::string_view text) {
  double number = 0;
  if (absl::ConsumePrefix(&text, "2^")) return absl::SimpleAtod(text, &number) ? std::exp2(number) : 0;
  return absl::SimpleAtod(text, &number) && number > 0 ? number : 0;
}

absl::Status ReadBound(absl::string_view text, PtxRow* row) {
  const std::vector<std::string> words = absl::StrSplit(text, ' ', absl::SkipEmpty());
  if (words.size() % 2 != 0) return absl::InvalidArgumentError("a bound must consist of pairs of a word and a number");
  for (size_t i = 0; i < words.size(); i += 2) {
    if (words[i] == "version") {
      row->version = words[i + 1];
      continue;
    }
    double* const place = words[i] == "ulp"      ? &row->bound.ulp
                          : words[i] == "rel"    ? &row->bound.relative
                          : words[i] == "abs"    ? &row->bound.absolute
                          : words[i] == "within" ? &row->bound.within
                                                 : nullptr;
    if (place == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat("'", words[i], "' is not one of ulp, rel, abs, within, version"));
    }
    *place = Magnitude(words[i + 1]);
    if (*place == 0) return absl::InvalidArgumentError(absl::StrCat("'", words[i + 1], "' is not a positive number"));
  }
  return absl::OkStatus();
}

absl::Status ReadLine(absl::string_view line, int number, PtxRows* rows) {
  const std::vector<absl::string_view> fields = absl::StrSplit(line, '|');
  if (fields.size() < 2 || fields.size() > 4)
    return absl::InvalidArgumentError("expected 2 to 4 columns, separated by '|'");
  PtxRow row;
  row.line = number;
  row.ptx = std::string(absl::StripAsciiWhitespace(fields[1]));
  if (fields.size() > 2) {
    if (absl::Status read = ReadBound(fields[2], &row); !read.ok()) return read;
  }
  if (fields.size() > 3) row.remark = std::string(absl::StripAsciiWhitespace(fields[3]));
  if (row.ptx.empty()) return absl::InvalidArgumentError("the PTX column is empty; write 'none' and the reason");
  if (row.ptx == "none") {
    if (row.remark.empty()) return absl::InvalidArgumentError("'none' requires a reason in the last column");
    row.ptx.clear();
  }
  absl::string_view name = absl::StripAsciiWhitespace(fields[0]);
  if (absl::ConsumePrefix(&name, "program ")) {
    rows->programs.emplace_back(name, std::move(row));
    return absl::OkStatus();
  }
  const bool is_modifier = absl::ConsumePrefix(&name, "modifier ");
  auto& table = is_modifier ? rows->modifiers : rows->instructions;
  const auto [place, is_new] = table.emplace(std::string(name), std::move(row));
  if (!is_new) {
    return absl::InvalidArgumentError(absl::StrCat("'", name, "' already has a row, on line ", place->second.line));
  }
  return absl::OkStatus();
}

}  // namespace

const PtxRow* PtxRows::Find(const std::string& instruction, const std::string& choice) const {
  auto row = instructions.find(choice.empty() ? instruction : absl::StrCat(instruction, " ", choice));
  if (row == instructions.end() && !choice.empty()) row = instructions.find(instruction + " *");
  return row == instructions.end() ? nullptr : &row->second;
}

absl::StatusOr<PtxRows> ParsePtxRows(absl::string_view text, absl::string_view file) {
  PtxRows rows;
  int number = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    if (absl::StripAsciiWhitespace(line).empty() || absl::StartsWith(line, "#")) continue;
    if (absl::Status read = ReadLine(line, number, &rows); !read.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(file, ":", number, ": ", read.message()));
    }
  }
  return rows;
}

absl::StatusOr<PtxRows> BuiltInPtxRows() {
  const ir::EmbeddedFile& file = PtxRowFiles()[0];
  return ParsePtxRows(file.text, file.path);
}

std::string BuiltInPtxRowsDigest() { return ir::Sha256Hex(PtxRowFiles()[0].text); }

}  // namespace rewrought::silicon
