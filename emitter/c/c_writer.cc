#include "emitter/c/c_writer.h"

#include <algorithm>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "emitter/c/covered_ops.h"
#include "emitter/c/rule_tables.h"
#include "emitter/c/runtime/runtime_files.h"
#include "emitter/c/table_text.h"
#include "machine/machine.h"

namespace rewrought::emitter {
namespace {

constexpr size_t kRuntimeFrom = 3;  // Index of the first element of kCFiles that is the same for all packs.

absl::StatusOr<CTables> TablesOf(const v1::Pack& pack) {
  const auto selection = SelectionOf(pack);
  if (!selection.ok()) return selection.status();
  absl::StatusOr<CTables> tables = BuildCTables(**selection);
  if (tables.ok()) tables->pack = pack.manifest().digest();
  return tables;
}

absl::StatusOr<std::string> CoveredOf(const CTables& tables) {
  const absl::StatusOr<const machine::Machine*> machine = machine::FindMachine(tables.machine);
  if (!machine.ok()) return machine.status();
  return PrintCoveredOps(tables, **machine);
}

absl::string_view RuntimeFile(absl::string_view name) {
  for (const ir::EmbeddedFile& file : RuntimeFiles()) {
    const absl::string_view path = file.path;
    if (path.substr(path.rfind('/') + 1) == name) return file.text;
  }
  return "";
}

// Returns the entry or base rule to which row `index` of the table called `table` belongs, preferring an entry if
// several rules share the row. Returns nullopt if the row belongs to the machine as a whole.
std::optional<std::string> OwnerOf(const CTables& t, absl::string_view table, size_t index) {
  std::optional<std::string> owner;
  for (const rw_rule& rule : t.rules) {
    const size_t next = static_cast<size_t>(&rule - t.rules.data()) + 1;
    const bool last = next == t.rules.size();
    const size_t patterns_end = last ? t.patterns.size() : t.rules[next].first_pattern;
    const bool is_pattern = table == "patterns" && rule.first_pattern <= index && index < patterns_end;
    const size_t code_end = static_cast<size_t>(rule.first_code) + rule.code_count;
    bool is_code = table == "code" && rule.first_code <= index && index < code_end;
    if (table == "operands") {
      for (size_t c = rule.first_code; c < code_end; ++c) {
        const size_t first = t.code[c].first_operand, count = 1u + t.forms[t.words[t.code[c].word].form].source_count;
        is_code |= first <= index && index < first + count;
      }
    }
    bool is_condition = false;
    for (size_t p = rule.first_pattern; p < patterns_end; ++p) {
      const rw_pattern& pattern = t.patterns[p];
      for (size_t c = pattern.first_condition; c < size_t{pattern.first_condition} + pattern.condition_count; ++c) {
        const rw_condition& condition = t.conditions[c];
        is_condition |= table == "conditions" && c == index;
        is_condition |= table == "steps" && condition.first_step <= index &&
                        index < size_t{condition.first_step} + condition.step_count;
      }
    }
    if (!is_pattern && !is_code && !is_condition && !(table == "rules" && next == index + 1)) continue;
    if (rule.most == 1) return absl::StrCat("entry ", t.names[rule.name]);
    if (!owner.has_value()) owner = absl::StrCat("base rule ", t.names[rule.name]);
  }
  return owner;
}

absl::Status Differs(const CTables& wanted, absl::string_view table, size_t row) {
  const std::optional<std::string> owner = OwnerOf(wanted, table, row);
  return absl::DataLossError(absl::StrCat("tables.c: ", owner.has_value() ? absl::StrCat(*owner, ": ") : "", "row ",
                                          row, " of table '", table, "' does not match the pack"));
}

// Differences in these tables are reported first, so that a wrong rule is named before the rows to which it refers.
constexpr absl::string_view kRuleTables[] = {"rules", "patterns", "conditions", "steps", "code", "operands"};

absl::Status CompareTables(const CTables& read, const CTables& wanted) {
  absl::Status of_rules, of_machine;
  VisitTables(wanted, [&](const char* name, const char*, const auto& wanted_rows) {
    VisitTables(read, [&](const char* other, const char*, const auto& rows) {
      if constexpr (std::is_same_v<decltype(rows), decltype(wanted_rows)>) {
        if (absl::string_view(name) != other) return;
        const bool of_rule = std::find(std::begin(kRuleTables), std::end(kRuleTables), name) != std::end(kRuleTables);
        absl::Status& status = of_rule ? of_rules : of_machine;
        if (!status.ok()) return;
        for (size_t i = 0; i < std::max(rows.size(), wanted_rows.size()); ++i) {
          if (i < rows.size() && i < wanted_rows.size() && IsSameRow(rows[i], wanted_rows[i])) continue;
          status = Differs(wanted, name, i);
          return;
        }
      }
    });
  });
  if (!of_rules.ok()) return of_rules;
  if (!of_machine.ok()) return of_machine;
  if (read.machine == wanted.machine && read.pack == wanted.pack && read.has_uniforms == wanted.has_uniforms) {
    return absl::OkStatus();
  }
  return absl::DataLossError("tables.c: belongs to another machine or pack");
}

}  // namespace

absl::StatusOr<std::vector<std::string>> WriteC(const v1::Pack& pack) {
  const absl::StatusOr<CTables> tables = TablesOf(pack);
  if (!tables.ok()) return tables.status();
  const absl::StatusOr<std::string> covered = CoveredOf(*tables);
  if (!covered.ok()) return covered.status();
  std::vector<std::string> texts = {PrintTableSource(*tables), PrintTableHeader(*tables), *covered};
  for (size_t i = kRuntimeFrom; i < std::size(kCFiles); ++i) texts.emplace_back(RuntimeFile(kCFiles[i]));
  const absl::Status read_back = CheckCFiles(texts, pack);
  if (!read_back.ok()) return read_back;
  return texts;
}

absl::Status CheckCFiles(absl::Span<const std::string> texts, const v1::Pack& pack) {
  if (texts.size() != std::size(kCFiles)) return absl::DataLossError("tables.c: files of the format are missing");
  const absl::StatusOr<CTables> wanted = TablesOf(pack);
  if (!wanted.ok()) return wanted.status();
  const absl::StatusOr<CTables> read = ReadTableSource(texts[0]);
  if (!read.ok()) return absl::DataLossError(absl::StrCat("tables.c: ", read.status().message()));
  if (absl::Status status = CompareTables(*read, *wanted); !status.ok()) return status;
  if (texts[1] != PrintTableHeader(*wanted)) return absl::DataLossError("tables.h: does not match the pack");
  const absl::StatusOr<std::string> covered = CoveredOf(*wanted);
  if (!covered.ok()) return covered.status();
  if (texts[2] != *covered) return absl::DataLossError("covered.h: does not match the machine's description");
  for (size_t i = kRuntimeFrom; i < std::size(kCFiles); ++i) {
    if (texts[i] != RuntimeFile(kCFiles[i])) {
      return absl::DataLossError(absl::StrCat(kCFiles[i], ": is not the runtime for these tables"));
    }
  }
  return absl::OkStatus();
}

}  // namespace rewrought::emitter
