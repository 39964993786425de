#include "emitter/machine/machine_writer.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "emitter/evidence.h"
#include "emitter/files/provenance.h"
#include "emitter/machine/families.h"
#include "emitter/machine/pattern.h"
#include "emitter/machine/preamble_file.h"
#include "emitter/machine/words.h"

namespace rewrought::emitter {
namespace {

constexpr absl::string_view kRulesHead =
    "# The rules in the order in which they are tried, each with its entries, its id in pack.json, its issue cycles, "
    "the\n"
    "# issue cycles of the code that it replaces, and"
    " its proof.\n"
    "rules = [\n";
constexpr absl::string_view kTail =
    "]\n"
    "patterns = [entries[number] for numbers, *_ in rules for number in numbers]\n"
    "\n"
    "if __name__ == \"__main__\":\n"
    "    for pattern in patterns:\n"
    "        print(*pattern, sep=\"\\t\")\n";

absl::StatusOr<Words> WordsOf(const std::vector<Pattern>& patterns) {
  Words words;
  for (const Pattern& pattern : patterns) {
    const absl::Status status = words.AddProgram(*pattern.machine, pattern.program);
    if (!status.ok()) {
      return absl::Status(status.code(), absl::StrCat("entry ", pattern.entry->rule().id(), ": ", status.message()));
    }
  }
  return words;
}

// Returns the text before the first entry.
std::string Head(const v1::Pack& pack, const Words& words) {
  return absl::StrCat("#!/usr/bin/env python3\n", ProvenanceLines(pack.manifest(), "# "),
                      "# Instruction patterns.\n\n\n", PreambleFile()[0].text, "\n\n", words.Definitions(),
                      "\nentries = []\n\n");
}

// Returns a row of `rules` without the indices of its entries.
std::string RuleText(const v1::PackEntry& entry) {
  std::string proof = ProofLine(entry);
  std::replace(proof.begin(), proof.end(), '"', '\'');
  std::replace(proof.begin(), proof.end(), '\\', '/');
  const v1::RewriteRule& rule = entry.rule();
  return absl::StrCat("\"", rule.id(), "\", ", rule.cost().cycles(), ", ", rule.base_cost().cycles(), ", \"", proof,
                      "\"),\n");
}

// Calls `take` with the range [begin, end) of each entry's patterns, in the pack's order, until `take` returns an
// error.
template <typename Take>
absl::Status ForEachEntry(const std::vector<Pattern>& patterns, Take take) {
  for (size_t begin = 0, end = 0; begin < patterns.size(); begin = end) {
    while (end < patterns.size() && patterns[end].entry == patterns[begin].entry) ++end;
    if (absl::Status status = take(begin, end); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status InEntry(const Pattern& pattern, absl::string_view what) {
  return absl::DataLossError(absl::StrCat("machine.py: entry ", pattern.entry->rule().id(), ": ", what));
}

// Compares the table of rules and the entries to which it refers with `patterns`, and removes the table from `text`.
absl::Status CheckRules(const std::vector<Pattern>& patterns, const std::vector<std::string>& entries,
                        absl::string_view* text) {
  std::vector<bool> used(entries.size(), false);
  return ForEachEntry(patterns, [&](size_t begin, size_t end) -> absl::Status {
    const Pattern& first = patterns[begin];
    const absl::string_view line = text->substr(0, text->find('\n') + 1);
    const size_t close = line.find("], ");
    if (!absl::StartsWith(line, "    ([") || close == absl::string_view::npos) {
      return absl::DataLossError(absl::StrCat("machine.py: entry ", first.entry->rule().id(), " is missing"));
    }
    text->remove_prefix(line.size());
    const std::vector<std::string> numbers = absl::StrSplit(line.substr(6, close - 6), ", ");
    if (numbers.size() != end - begin) return InEntry(first, absl::StrCat("it has ", numbers.size(), " patterns"));
    for (size_t i = 0; i < numbers.size(); ++i) {
      size_t number;
      if (!absl::SimpleAtoi(numbers[i], &number) || number >= entries.size() || used[number]) {
        return InEntry(first, absl::StrCat("'", numbers[i], "' is not an entry, or belongs to another rule"));
      }
      used[number] = true;
      const absl::Status status = ComparePattern(entries[number], patterns[begin + i]);
      if (!status.ok()) return InEntry(first, status.message());
    }
    if (line.substr(close + 3) != RuleText(*first.entry)) {
      return InEntry(first,
                     absl::StrCat("its id, cycles or proof is ", line.substr(close + 3, line.size() - close - 4)));
    }
    return absl::OkStatus();
  });
}

}  // namespace

absl::StatusOr<std::string> WriteMachine(const v1::Pack& pack) {
  const absl::StatusOr<std::vector<Pattern>> patterns = PatternsOf(pack);
  if (!patterns.ok()) return patterns.status();
  const absl::StatusOr<Words> words = WordsOf(*patterns);
  if (!words.ok()) return words.status();
  std::vector<std::string> texts;
  for (const Pattern& pattern : *patterns) texts.push_back(PatternText(pattern));
  std::vector<size_t> order(texts.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t x, size_t y) { return texts[x] < texts[y]; });
  std::vector<std::string> sorted;
  for (const size_t index : order) sorted.push_back(texts[index]);

  std::string text = Head(pack, *words);
  std::vector<size_t> numbers(texts.size());  // Maps a pattern to its index in the entries.
  size_t next = 0;
  for (const Family& family : GroupPatterns(sorted, *words)) {
    text += family.text;
    for (const int member : family.members) numbers[order[static_cast<size_t>(member)]] = next++;
  }
  absl::StrAppend(&text, kRulesHead);
  const absl::Status written = ForEachEntry(*patterns, [&](size_t begin, size_t end) {
    const auto its_numbers = absl::MakeSpan(numbers).subspan(begin, end - begin);
    absl::StrAppend(&text, "    ([", absl::StrJoin(its_numbers, ", "), "], ", RuleText(*(*patterns)[begin].entry));
    return absl::OkStatus();
  });
  if (!written.ok()) return written;
  absl::StrAppend(&text, kTail);
  const absl::Status read_back = CheckMachineText(text, pack);
  if (!read_back.ok()) return read_back;
  return text;
}

absl::Status CheckMachineText(absl::string_view text, const v1::Pack& pack) {
  const absl::StatusOr<std::vector<Pattern>> patterns = PatternsOf(pack);
  if (!patterns.ok()) return patterns.status();
  const absl::StatusOr<Words> words = WordsOf(*patterns);
  if (!words.ok()) return words.status();
  size_t bytes = size_t{1} << 16;  // Generous, so that the comparison below can name the rule.
  for (const Pattern& pattern : *patterns) bytes += 2 * PatternText(pattern).size();
  if (!absl::ConsumePrefix(&text, Head(pack, *words))) {
    return absl::DataLossError("machine.py: the text before the entries does not match the pack");
  }
  const absl::StatusOr<std::vector<std::string>> entries = ReadPatterns(&text, bytes);
  if (!entries.ok()) return absl::DataLossError(absl::StrCat("machine.py: ", entries.status().message()));
  if (!absl::ConsumePrefix(&text, kRulesHead)) return absl::DataLossError("machine.py: has no list of rules");
  if (absl::Status status = CheckRules(*patterns, *entries, &text); !status.ok()) return status;
  if (entries->size() > patterns->size()) return absl::DataLossError("machine.py: a pattern belongs to no entry");
  if (text != kTail) return absl::DataLossError("machine.py: does not have the expected end");
  return absl::OkStatus();
}

}  // namespace rewrought::emitter
