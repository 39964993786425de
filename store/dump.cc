#include "store/dump.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace rewrought::store {
namespace {

struct TableQuery {
  const char* table;
  const char* sql;  // selects rows sorted by the table's key
};

// One query for each table that migrations/ creates; dump_test.cc fails if a table is missing.
constexpr TableQuery kTables[] = {
    {"sources", "SELECT name, held_out FROM sources ORDER BY 1"},
    {"shaders", "SELECT digest, stage, alu_instructions, extraction FROM shaders ORDER BY 1"},
    {"occurrences",
     "SELECT digest, sources.name, occurrences.name FROM occurrences JOIN shaders ON shaders.id = shader_id "
     "JOIN sources ON sources.id = source_id ORDER BY 1, 2, 3"},
    {"notes",
     "SELECT digest, text, count FROM notes JOIN shaders ON shaders.id = shader_id "
     "JOIN strings ON strings.id = note_id ORDER BY 1, 2"},
    {"fragments", "SELECT digest, text, nodes, variables, widths FROM fragments ORDER BY 1"},
    {"sites",
     "SELECT f.digest, s.digest, node_flags, multi_use, t.text, count, loop_weight, lines FROM sites "
     "JOIN fragments f ON f.id = fragment_id JOIN shaders s ON s.id = shader_id JOIN strings t ON t.id = facts_id "
     "ORDER BY 1, 2, 3, 4, 5"},
    {"runs",
     "SELECT id, kind, config, state, message, run_statistics, cursor, started, updated, ended FROM runs ORDER BY 1"},
    {"attempts",
     "SELECT digest, strings.text, semantics, search, outcome, enumerated, candidates, milliseconds FROM attempts "
     "JOIN fragments ON fragments.id = fragment_id JOIN strings ON strings.id = machine_id ORDER BY 1, 2, 3, 4"},
    {"candidates",
     "SELECT candidates.id, strings.text, fragments.digest, candidates.text FROM candidates "
     "JOIN strings ON strings.id = machine_id LEFT JOIN fragments ON fragments.id = fragment_id ORDER BY 1"},
    {"verdicts",
     "SELECT rule, text, semantics, verdict, tier, reason, confirmed_by, witness, certificate, milliseconds "
     "FROM verdicts JOIN strings ON strings.id = case_id ORDER BY 1, 2, 3"},
    {"contradictions",
     "SELECT rule, text, semantics FROM contradictions JOIN strings ON strings.id = case_id ORDER BY 1, 2, 3"},
    {"rules",
     "SELECT id, machine, search, replace, program, condition, flags, class, state, reason, generalised_from, "
     "fragment, "
     "semantics, created_run, created, detail FROM rules ORDER BY 1"},
    {"rule_ops", "SELECT op, rule FROM rule_ops ORDER BY 1, 2"},
    {"measurements",
     "SELECT rule, split, hits, shaders, sources, naive_instructions, naive_cycles, tuned_instructions, tuned_cycles "
     "FROM measurements ORDER BY 1, 2"},
    {"hits",
     "SELECT rule, digest, hits, saved_instructions, saved_cycles, lines FROM hits "
     "JOIN shaders ON shaders.id = shader_id ORDER BY 1, 2"},
    {"trials", "SELECT rule, driver, detail FROM trials ORDER BY 1, 2"},
    {"driver_trials", "SELECT driver, machine, detail FROM driver_trials ORDER BY 1, 2"},
    {"run_changes", "SELECT run, rule, state FROM run_changes ORDER BY 1, 2"},
};

}  // namespace

absl::Status Dump(Store* store, absl::FunctionRef<absl::Status(absl::string_view)> line) {
  return store->Read([&](sqlite::Database& reader) {
    for (const TableQuery& table : kTables) {
      absl::Status status = reader.Query(table.sql, {}, [&](const sqlite::Row& row) {
        std::string text = table.table;
        for (int column = 0; column < row.columns(); ++column) absl::StrAppend(&text, " ", row.Printed(column));
        return line(text);
      });
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  });
}

}  // namespace rewrought::store
