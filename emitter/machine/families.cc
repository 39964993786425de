#include "emitter/machine/families.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "emitter/machine/pieces.h"

namespace rewrought::emitter {
namespace {

constexpr absl::string_view kAdd = "entries += [";
constexpr absl::string_view kIndent = "    ";
// The number of most recent families with which a pattern is compared, and the maximum size of a family.
constexpr size_t kFamiliesTried = 4, kMaxMembers = 32;

bool Varies(Piece::Kind kind) { return kind != Piece::Kind::kFixed && kind != Piece::Kind::kQuote; }

// Returns a key that is equal for patterns that may belong to the same family.
std::string SkeletonOf(const std::vector<Piece>& pieces) {
  std::string skeleton;
  for (const Piece& piece : pieces) {
    absl::StrAppend(&skeleton, static_cast<int>(piece.kind), ":", Varies(piece.kind) ? "" : piece.text, "\n");
  }
  return skeleton;
}

// The differences between the members of a family: positions whose values always agree share a loop variable.
class Loop {
 public:
  Loop(std::vector<const std::vector<Piece>*> members, const Words& words)
      : members_(std::move(members)), first_(*members_[0]), variables_(first_.size(), -1) {
    std::map<std::vector<std::string>, int> known;
    for (size_t place = 0; place < first_.size(); ++place) {
      if (!Varies(first_[place].kind)) continue;
      std::vector<std::string> cells;
      for (const auto* member : members_) cells.push_back(CellOf((*member)[place]));
      if (std::set<std::string>(cells.begin(), cells.end()).size() == 1) continue;
      const auto [found, is_new] = known.try_emplace(cells, static_cast<int>(columns_.size()));
      variables_[place] = found->second;
      if (!is_new) continue;
      names_.push_back(NewName(first_[place].kind, cells, words));
      columns_.push_back(std::move(cells));
    }
  }

  size_t variables() const { return columns_.size(); }

  // Returns the loop header, such as "for op, bits in [", a row per member, and the loop body.
  std::string Text() const {
    std::string text = absl::StrCat("for ", absl::StrJoin(names_, ", "), " in [\n");
    for (size_t row = 0; row < members_.size(); ++row) {
      std::vector<std::string> cells;
      for (const auto& column : columns_) cells.push_back(column[row]);
      const std::string joined = absl::StrJoin(cells, ", ");
      absl::StrAppend(&text, kIndent, cells.size() == 1 ? joined : absl::StrCat("(", joined, ")"), ",\n");
    }
    const std::string body = absl::StrReplaceAll(Body(), {{"\n", absl::StrCat("\n", kIndent)}});
    return absl::StrCat(text, "]:\n", kIndent, kAdd, body, "]\n\n");
  }

 private:
  std::string NewName(Piece::Kind kind, const std::vector<std::string>& cells, const Words& words) const {
    const bool types =
        std::all_of(cells.begin(), cells.end(), [&](const std::string& cell) { return words.IsType(cell); });
    const std::string base = kind == Piece::Kind::kOp       ? "op"
                             : kind == Piece::Kind::kBits   ? "bits"
                             : kind == Piece::Kind::kOpcode ? "opcode"
                             : kind == Piece::Kind::kNumber ? "value"
                             : types                        ? "type"
                                                            : "choice";
    std::string name = base;
    for (int number = 2; !words.IsFree(name) || std::find(names_.begin(), names_.end(), name) != names_.end();
         ++number) {
      name = absl::StrCat(base, number);
    }
    return name;
  }

  // Returns the first member's text with variables in place of the varying parts.
  std::string Body() const {
    std::string body;
    for (size_t i = 0; i < first_.size(); ++i) {
      if (first_[i].kind != Piece::Kind::kQuote) {
        absl::StrAppend(&body, variables_[i] < 0 ? first_[i].text : names_[variables_[i]]);
        continue;
      }
      size_t end = i + 1;
      while (first_[end].kind != Piece::Kind::kQuote) ++end;
      absl::StrAppend(&body, StringBetween(i, end));
      i = end;
    }
    return body;
  }

  // Returns the string between the quotes at `begin` and `end`, as an f-string if a part of it varies.
  std::string StringBetween(size_t begin, size_t end) const {
    if (end == begin + 2 && first_[begin + 1].kind == Piece::Kind::kOp && variables_[begin + 1] >= 0) {
      return names_[variables_[begin + 1]];
    }
    std::string text;
    bool varies = false;
    for (size_t i = begin + 1; i < end; ++i) {
      varies |= variables_[i] >= 0;
      absl::StrAppend(&text, variables_[i] < 0 ? first_[i].text : absl::StrCat("{", names_[variables_[i]], "}"));
    }
    return absl::StrCat(varies ? "f" : "", first_[begin].text, text, first_[end].text);
  }

  std::vector<const std::vector<Piece>*> members_;
  const std::vector<Piece>& first_;
  std::vector<int> variables_;  // By position: an index into names_, or -1.
  std::vector<std::string> names_;
  std::vector<std::vector<std::string>> columns_;  // Indexed by variable, then by member.
};

using Row = std::map<std::string, std::string>;  // Maps a loop's variables to their cells.

bool IsNameSign(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Replaces each "{name}" in `string`, the text of an f-string without the f, with the row's cell.
std::string Formatted(std::string string, const Row& row) {
  for (const auto& [name, cell] : row) {
    const std::string plain = absl::StrReplaceAll(cell, {{"'", ""}});
    string = absl::StrReplaceAll(string, {{absl::StrCat("{", name, "}"), plain}});
  }
  return string;
}

// Replaces the variables of a loop's body with the cells of one row.
std::string Expand(absl::string_view body, const Row& row) {
  std::string text;
  for (size_t at = 0; at < body.size();) {
    const bool formatted = body.substr(at, 2) == "f'" || body.substr(at, 2) == "f\"";
    const char c = body[at + (formatted ? 1 : 0)];
    if (c == '"' || c == '\'') {
      at += formatted ? 1 : 0;
      const std::string string(body.substr(at, std::min(body.find(c, at + 1), body.size() - 1) - at + 1));
      text += formatted ? Formatted(string, row) : string;
      at += string.size();
      continue;
    }
    size_t end = at;
    while (end < body.size() && IsNameSign(body[end])) ++end;
    const std::string word(body.substr(at, std::max(end - at, size_t{1})));
    const auto cell = row.find(word);
    text += cell == row.end() ? word : cell->second;
    at += word.size();
  }
  return text;
}

class Reader {
 public:
  Reader(absl::string_view* text, size_t max_bytes) : text_(*text), left_(max_bytes) {}

  absl::StatusOr<std::vector<std::string>> Run() {
    while (true) {
      absl::Status status = absl::OkStatus();
      if (absl::StartsWith(text_, "\n")) {
        NextLine();
      } else if (absl::StartsWith(text_, kAdd)) {
        const absl::StatusOr<std::string> pattern = Added("");
        status = pattern.ok() ? Take(*pattern) : pattern.status();
      } else if (absl::StartsWith(text_, "for ")) {
        status = ReadLoop();
      } else {
        return std::move(patterns_);
      }
      if (!status.ok()) return status;
    }
  }

 private:
  absl::Status Wrong(absl::string_view what) const {
    return absl::DataLossError(absl::StrCat("line ", line_, " of the entries: ", what));
  }

  absl::string_view NextLine() {
    ++line_;
    const absl::string_view line = text_.substr(0, text_.find('\n'));
    text_.remove_prefix(std::min(line.size() + 1, text_.size()));
    return line;
  }

  absl::Status Take(std::string pattern) {
    if (pattern.size() > left_) return Wrong("more patterns than the pack has");
    left_ -= pattern.size();
    patterns_.push_back(std::move(pattern));
    return absl::OkStatus();
  }

  // Returns the pattern that "entries += [...]" adds, after removing `indent` from the start of each line.
  absl::StatusOr<std::string> Added(absl::string_view indent) {
    std::string added;
    while (!text_.empty()) {
      absl::string_view line = NextLine();
      if (!absl::ConsumePrefix(&line, indent)) return Wrong("is not indented as part of the loop");
      if (added.empty() && !absl::ConsumePrefix(&line, kAdd)) return Wrong("adds nothing to the entries");
      const bool is_last = absl::StartsWith(line, "])");
      if (is_last && !absl::ConsumeSuffix(&line, "]")) return Wrong("does not end an entry");
      absl::StrAppend(&added, added.empty() ? "" : "\n", line);
      if (is_last) return added;
    }
    return Wrong("is truncated within an entry");
  }

  absl::Status ReadLoop() {
    absl::string_view head = NextLine();
    if (!absl::ConsumePrefix(&head, "for ") || !absl::ConsumeSuffix(&head, " in [")) return Wrong("is not a loop");
    const std::vector<std::string> names = absl::StrSplit(head, ", ");
    if (names.size() > kMaxLoopVariables) return Wrong("has more variables than a loop may have");
    std::vector<Row> rows;
    for (absl::string_view line = NextLine(); line != "]:"; line = NextLine()) {
      line = absl::StripAsciiWhitespace(line);
      if (!absl::ConsumeSuffix(&line, ",")) return Wrong("is not a row of a loop");
      if (names.size() > 1 && (!absl::ConsumePrefix(&line, "(") || !absl::ConsumeSuffix(&line, ")"))) {
        return Wrong("is not a row of a loop");
      }
      const std::vector<std::string> cells = absl::StrSplit(line, ", ");
      if (cells.size() != names.size()) return Wrong("does not have one value for each loop variable");
      rows.emplace_back();
      for (size_t i = 0; i < cells.size(); ++i) rows.back()[names[i]] = cells[i];
    }
    const absl::StatusOr<std::string> body = Added(kIndent);
    if (!body.ok()) return body.status();
    for (const Row& row : rows) {
      if (absl::Status status = Take(Expand(*body, row)); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::string_view& text_;
  size_t left_;
  int line_ = 0;
  std::vector<std::string> patterns_;
};

}  // namespace

std::vector<Family> GroupPatterns(const std::vector<std::string>& patterns, const Words& words) {
  std::vector<std::vector<Piece>> pieces;
  std::vector<Family> families;
  std::map<std::string, std::vector<size_t>> by_skeleton;
  for (const std::string& pattern : patterns) pieces.push_back(PiecesOf(pattern, words));
  const auto loop_of = [&](const std::vector<int>& members) {
    std::vector<const std::vector<Piece>*> all;
    for (const int member : members) all.push_back(&pieces[static_cast<size_t>(member)]);
    return Loop(std::move(all), words);
  };
  for (size_t i = 0; i < patterns.size(); ++i) {
    std::vector<size_t>& alike = by_skeleton[SkeletonOf(pieces[i])];
    const auto takes = [&](size_t family) {
      std::vector<int> members = families[family].members;
      if (members.size() == kMaxMembers) return false;
      members.push_back(static_cast<int>(i));
      return loop_of(members).variables() <= kMaxLoopVariables;
    };
    const auto first = alike.end() - static_cast<ptrdiff_t>(std::min(alike.size(), kFamiliesTried));
    const auto found = std::find_if(first, alike.end(), takes);
    if (found == alike.end()) {
      alike.push_back(families.size());
      families.push_back({{static_cast<int>(i)}, ""});
    } else {
      families[*found].members.push_back(static_cast<int>(i));
    }
  }
  for (Family& family : families) {
    family.text = family.members.size() > 1
                      ? loop_of(family.members).Text()
                      : absl::StrCat(kAdd, patterns[static_cast<size_t>(family.members[0])], "]\n\n");
  }
  return families;
}

absl::StatusOr<std::vector<std::string>> ReadPatterns(absl::string_view* text, size_t max_bytes) {
  return Reader(text, max_bytes).Run();
}

}  // namespace rewrought::emitter
