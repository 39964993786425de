// Defines the SQL statements of a merge as templates for absl::Substitute, where $0 is the number of a shard. Shards
// that are merged together are attached as shard0, shard1, ….
#ifndef REWROUGHT_STORE_SHARDS_MERGE_STEPS_H_
#define REWROUGHT_STORE_SHARDS_MERGE_STEPS_H_

#include <cstdint>

#include "store/search_sql.h"
#include "store/shards/merge.h"

namespace rewrought::store {

struct MergeStep {
  const char* sql;              // one statement
  int64_t MergeReport::*count;  // counter to which the changed rows are added, or null
};

// Ranks a run by its progress. The rank is the number of its state, except that a paused run (6) ranks like a running
// run (2), because it may continue.
#define REWROUGHT_HOW_FAR(run) "CASE " run ".state WHEN 6 THEN 2 ELSE " run ".state END"

// Ids are local to a database; temp.*_map maps the shard's ids to those of this database. `WHERE true` separates SELECT
// from ON CONFLICT for the parser. Rows are inserted into large tables in key order, so that each page is visited once
// even in a large database.
inline constexpr MergeStep kCorpusSteps[] = {
    // Strings and sources.
    {"INSERT INTO main.strings (text) SELECT text FROM shard$0.strings WHERE true ON CONFLICT DO NOTHING", nullptr},
    {"CREATE TEMP TABLE string_map$0 (shard INTEGER PRIMARY KEY, ours INTEGER NOT NULL)", nullptr},
    {"INSERT INTO temp.string_map$0 SELECT s.id, m.id FROM shard$0.strings s JOIN main.strings m USING (text)",
     nullptr},
    {"INSERT INTO main.sources (name, held_out) SELECT name, held_out FROM shard$0.sources WHERE true "
     "ON CONFLICT (name) DO UPDATE SET held_out = 1 WHERE excluded.held_out > held_out",
     nullptr},

    // Shaders. temp.taken$0 lists the shaders whose notes and sites come from the shard.
    {"CREATE TEMP TABLE taken$0 (shard INTEGER PRIMARY KEY)", nullptr},
    {"INSERT INTO temp.taken$0 SELECT s.id FROM shard$0.shaders s LEFT JOIN main.shaders m USING (digest) "
     "WHERE m.id IS NULL OR s.extraction > m.extraction",
     nullptr},
    {"INSERT INTO main.stale_sites SELECT m.sites_key FROM main.shaders m JOIN shard$0.shaders s USING (digest) "
     "WHERE s.id IN (SELECT shard FROM temp.taken$0)",
     nullptr},
    // New keys are assigned in the order of the shard's keys, so that rows keep their order.
    {"INSERT INTO main.shaders (digest, stage, alu_instructions, extraction, sites_key) "
     "SELECT digest, stage, alu_instructions, extraction, row_number() OVER (ORDER BY sites_key) + "
     "(SELECT coalesce(max(sites_key), 0) FROM main.shaders) FROM shard$0.shaders "
     "WHERE id IN (SELECT shard FROM temp.taken$0) ON CONFLICT (digest) DO UPDATE SET stage = excluded.stage, "
     "alu_instructions = excluded.alu_instructions, extraction = excluded.extraction, sites_key = excluded.sites_key",
     &MergeReport::shaders},
    {"CREATE TEMP TABLE shader_map$0 (shard INTEGER PRIMARY KEY, ours INTEGER NOT NULL)", nullptr},
    {"INSERT INTO temp.shader_map$0 SELECT s.id, m.id FROM shard$0.shaders s JOIN main.shaders m USING (digest)",
     nullptr},
    {"INSERT INTO main.occurrences (shader_id, source_id, name) SELECT map.ours, m.id, o.name "
     "FROM shard$0.occurrences o JOIN temp.shader_map$0 map ON map.shard = o.shader_id JOIN shard$0.sources s ON s.id "
     "= o.source_id "
     "JOIN main.sources m ON m.name = s.name WHERE true ON CONFLICT DO NOTHING",
     nullptr},
    {"DELETE FROM main.notes WHERE shader_id IN (SELECT ours FROM temp.shader_map$0 JOIN temp.taken$0 USING (shard))",
     nullptr},
    {"INSERT INTO main.notes (shader_id, note_id, count) SELECT s.ours, t.ours, count FROM shard$0.notes "
     "JOIN temp.taken$0 k ON k.shard = shader_id JOIN temp.shader_map$0 s ON s.shard = shader_id "
     "JOIN temp.string_map$0 t ON t.shard = note_id",
     nullptr},

    // Fragments and sites.
    {"INSERT INTO main.fragments (digest, text, nodes, variables, widths) "
     "SELECT digest, text, nodes, variables, widths FROM shard$0.fragments WHERE true ORDER BY digest "
     "ON CONFLICT DO NOTHING",
     &MergeReport::fragments},
    {"CREATE TEMP TABLE fragment_map$0 (shard INTEGER PRIMARY KEY, ours INTEGER NOT NULL)", nullptr},
    {"INSERT INTO temp.fragment_map$0 SELECT s.id, m.id FROM shard$0.fragments s JOIN main.fragments m USING (digest)",
     nullptr},
    {"CREATE TEMP TABLE fragment_order$0 (ours INTEGER PRIMARY KEY, shard INTEGER NOT NULL)", nullptr},
    {"INSERT INTO temp.fragment_order$0 SELECT ours, shard FROM temp.fragment_map$0", nullptr},
};

#define REWROUGHT_NOT_REFUSED " NOT IN (SELECT rule FROM temp.refused)"
#define REWROUGHT_TAKEN " IN (SELECT id FROM temp.rules$0)"

// The rules of the shard that are merged. temp.refused lists the rules to ignore.
inline constexpr MergeStep kSelectRules[] = {
    {"CREATE TEMP TABLE rules$0 AS SELECT * FROM shard$0.rules WHERE id" REWROUGHT_NOT_REFUSED, nullptr},
    {"CREATE INDEX temp.rules_by_id$0 ON rules$0 (id)", nullptr},
};

// Drops the claims of a shard that is not trusted. temp.verified lists the rules that were verified. A state such as
// refuted is a claim against a rule, so it is not taken.
static_assert(v1::RULE_STATE_NEW == 1 && v1::RULE_STATE_KEPT == 2 && v1::RULE_STATE_DERIVED == 6);
inline constexpr MergeStep kDropClaims[] = {
    {"DELETE FROM temp.rules$0 WHERE id NOT IN (SELECT rule FROM temp.verified) AND id IN (SELECT id FROM main.rules)",
     nullptr},
    {"UPDATE temp.rules$0 SET state = 1, reason = '' WHERE state NOT IN (1, 2, 6)", nullptr},
};

// Contradictions are claims, so they are taken only from a trusted shard.
inline constexpr MergeStep kTakeContradictions[] = {
    {"INSERT INTO main.contradictions (rule, case_id, semantics) SELECT rule, t.ours, semantics "
     "FROM shard$0.contradictions JOIN temp.string_map$0 t ON t.shard = case_id WHERE rule" REWROUGHT_NOT_REFUSED
     " ON CONFLICT DO NOTHING",
     &MergeReport::contradictions},
};

// Selects the verdicts of a shard, for MergeOptions::trusts.
inline constexpr char kVerdictsOfShard[] =
    "SELECT v.rowid, rule, s.text, semantics, verdict, tier, reason, confirmed_by, witness, certificate, milliseconds "
    "FROM shard$0.verdicts v JOIN shard$0.strings s ON s.id = case_id";

// temp.untrusted$0 lists the verdicts to ignore.
inline constexpr MergeStep kSearchSteps[] = {
    // Runs: the run with more progress is kept.
    {"INSERT INTO main.runs (id, kind, config, state, message, run_statistics, cursor, started, updated, ended) "
     "SELECT id, kind, config, state, message, run_statistics, cursor, started, updated, ended FROM shard$0.runs WHERE "
     "true "
     "ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, config = excluded.config, state = excluded.state, "
     "message = excluded.message, run_statistics = excluded.run_statistics, cursor = excluded.cursor, started = "
     "excluded.started, "
     "updated = excluded.updated, ended = excluded.ended "
     "WHERE (" REWROUGHT_HOW_FAR(
         "excluded") ", excluded.updated, coalesce(excluded.ended, -1), excluded.run_statistics, "
                     "excluded.cursor, excluded.message, excluded.started, excluded.kind, "
                     "excluded.config, excluded.state) > "
                     "(" REWROUGHT_HOW_FAR("runs") ", runs.updated, "
                                                   "coalesce(runs.ended, -1), runs.run_statistics, runs.cursor, "
                                                   "runs.message, runs.started, runs.kind, runs.config, "
                                                   "runs.state)",
     &MergeReport::runs},

    // Search results.
    {"INSERT INTO main.attempts (fragment_id, machine_id, semantics, search, outcome, enumerated, candidates, "
     "milliseconds) SELECT f.ours, t.ours, semantics, search, outcome, enumerated, candidates, milliseconds "
     "FROM shard$0.attempts JOIN temp.fragment_map$0 f ON f.shard = fragment_id "
     "JOIN temp.string_map$0 t ON t.shard = machine_id WHERE true" REWROUGHT_ATTEMPT_CONFLICT,
     &MergeReport::attempts},
    {"INSERT INTO main.candidates (id, machine_id, fragment_id, text) SELECT c.id, t.ours, f.ours, c.text "
     "FROM shard$0.candidates c JOIN temp.string_map$0 t ON t.shard = machine_id "
     "LEFT JOIN temp.fragment_map$0 f ON f.shard = fragment_id WHERE true ON CONFLICT (id) DO UPDATE "
     "SET fragment_id = excluded.fragment_id WHERE excluded.fragment_id IS NOT NULL AND (candidates.fragment_id IS "
     "NULL "
     "OR (SELECT digest FROM main.fragments WHERE id = excluded.fragment_id) > "
     "(SELECT digest FROM main.fragments WHERE id = candidates.fragment_id))",
     &MergeReport::candidates},
    // 4 means proved and 5 means refuted (DiskNumber).
    {"INSERT INTO main.contradictions (rule, case_id, semantics) SELECT v.rule, t.ours, v.semantics "
     "FROM shard$0.verdicts v JOIN temp.string_map$0 t ON t.shard = v.case_id JOIN main.verdicts m "
     "ON m.rule = v.rule AND m.case_id = t.ours AND m.semantics = v.semantics "
     "WHERE min(v.verdict, m.verdict) = 4 AND max(v.verdict, m.verdict) = 5 AND v.rowid NOT IN "
     "(SELECT id FROM temp.untrusted$0) AND v.rule" REWROUGHT_NOT_REFUSED " ON CONFLICT DO NOTHING",
     &MergeReport::contradictions},
    {"INSERT INTO main.verdicts (rule, case_id, semantics, verdict, tier, reason, confirmed_by, witness, certificate, "
     "milliseconds) SELECT rule, t.ours, semantics, verdict, tier, reason, confirmed_by, witness, certificate, "
     "milliseconds FROM shard$0.verdicts v JOIN temp.string_map$0 t ON t.shard = case_id WHERE v.rowid NOT IN "
     "(SELECT id FROM temp.untrusted$0) AND rule" REWROUGHT_NOT_REFUSED REWROUGHT_VERDICT_CONFLICT,
     &MergeReport::verdicts},

    // Rules. Three upserts update the creation, the state, and the remaining fields. The earliest creation and the
    // highest state are kept. The remaining fields come from the record with the later semantics. If the semantics are
    // equal, they come from the record whose fragment has the smaller digest, as in discovery. If the digests are also
    // equal, they come from the greater record.
    {"INSERT INTO main.rules SELECT * FROM temp.rules$0 WHERE true ON CONFLICT (id) DO UPDATE "
     "SET created = excluded.created, created_run = excluded.created_run "
     "WHERE (excluded.created, coalesce(excluded.created_run, '')) < (rules.created, coalesce(rules.created_run, ''))",
     &MergeReport::rules},
    {"INSERT INTO main.rules SELECT * FROM temp.rules$0 WHERE true ON CONFLICT (id) DO UPDATE "
     "SET state = excluded.state, reason = excluded.reason "
     "WHERE (excluded.state, excluded.reason) > (rules.state, rules.reason)",
     &MergeReport::rules},
    {"INSERT INTO main.rules SELECT * FROM temp.rules$0 WHERE true ON CONFLICT (id) DO UPDATE "
     "SET machine = excluded.machine, search = excluded.search, replace = excluded.replace, "
     "program = excluded.program, condition = excluded.condition, flags = excluded.flags, class = excluded.class, "
     "generalised_from = excluded.generalised_from, fragment = excluded.fragment, semantics = excluded.semantics, "
     "detail = excluded.detail "
     "WHERE (excluded.semantics, coalesce(rules.fragment, zeroblob(0)), excluded.detail, "
     "coalesce(excluded.generalised_from, x''), excluded.class, excluded.flags, excluded.condition, excluded.program, "
     "excluded.replace, excluded.search, excluded.machine) > (rules.semantics, coalesce(excluded.fragment, "
     "zeroblob(0)), "
     "rules.detail, coalesce(rules.generalised_from, x''), rules.class, rules.flags, "
     "rules.condition, rules.program, rules.replace, rules.search, rules.machine)",
     &MergeReport::rules},
    {"INSERT INTO main.rule_ops (op, rule) SELECT op, rule FROM shard$0.rule_ops WHERE rule" REWROUGHT_TAKEN
     " ON CONFLICT DO NOTHING",
     nullptr},
    {"INSERT INTO main.measurements SELECT * FROM shard$0.measurements WHERE rule" REWROUGHT_TAKEN
     " ON CONFLICT (rule, split) DO UPDATE "
     "SET "
     "hits = excluded.hits, shaders = excluded.shaders, sources = excluded.sources, "
     "naive_instructions = excluded.naive_instructions, naive_cycles = excluded.naive_cycles, "
     "tuned_instructions = excluded.tuned_instructions, tuned_cycles = excluded.tuned_cycles "
     "WHERE (excluded.shaders, excluded.hits, excluded.sources, excluded.tuned_cycles, excluded.tuned_instructions, "
     "excluded.naive_cycles, excluded.naive_instructions) > (measurements.shaders, measurements.hits, "
     "measurements.sources, measurements.tuned_cycles, measurements.tuned_instructions, measurements.naive_cycles, "
     "measurements.naive_instructions)",
     nullptr},
    {"INSERT INTO main.hits (rule, shader_id, hits, saved_instructions, saved_cycles, lines) "
     "SELECT rule, s.ours, hits, saved_instructions, saved_cycles, lines FROM shard$0.hits "
     "JOIN temp.shader_map$0 s ON s.shard = shader_id WHERE rule" REWROUGHT_TAKEN
     " ON CONFLICT (rule, shader_id) DO UPDATE SET "
     "hits = excluded.hits, saved_instructions = excluded.saved_instructions, saved_cycles = excluded.saved_cycles, "
     "lines = excluded.lines WHERE (excluded.hits, excluded.saved_cycles, excluded.saved_instructions, excluded.lines) "
     "> (hits.hits, hits.saved_cycles, hits.saved_instructions, hits.lines)",
     nullptr},
    {"INSERT INTO main.trials SELECT * FROM shard$0.trials WHERE rule" REWROUGHT_TAKEN
     " ON CONFLICT (rule, driver) DO UPDATE SET detail = excluded.detail WHERE excluded.detail > trials.detail",
     nullptr},
    {"INSERT INTO main.driver_trials SELECT * FROM shard$0.driver_trials WHERE true "
     "ON CONFLICT (driver, machine) DO UPDATE SET detail = excluded.detail "
     "WHERE excluded.detail > driver_trials.detail",
     nullptr},
    {"INSERT INTO main.run_changes (run, rule, state) SELECT run, rule, state FROM shard$0.run_changes WHERE "
     "rule" REWROUGHT_TAKEN " "
     "ON CONFLICT (run, rule) DO UPDATE SET state = excluded.state WHERE excluded.state > run_changes.state",
     nullptr},

    // Records made under this installation's secret are valid in any database; readers ignore all other records.
    {"INSERT INTO main.verified (mac) SELECT mac FROM shard$0.verified WHERE true ON CONFLICT DO NOTHING", nullptr},
};

// Removes the shaders of shard $1 for which the later shard $0 has sites with a greater extraction digest.
inline constexpr char kRemoveSuperseded[] =
    "DELETE FROM temp.taken$1 WHERE shard IN (SELECT earlier.shard FROM temp.shader_map$1 earlier "
    "JOIN temp.shader_map$0 later USING (ours) JOIN temp.taken$0 t ON t.shard = later.shard)";

// Map the shard's shader keys (only for shaders in temp.taken$0) and string ids to those of this database.
inline constexpr char kKeysOfShard[] =
    "SELECT s.sites_key, m.sites_key FROM temp.taken$0 k JOIN shard$0.shaders s ON s.id = k.shard "
    "JOIN main.shaders m USING (digest)";
inline constexpr char kTextsOfShard[] = "SELECT shard, ours FROM temp.string_map$0";

// Selects the blocks of one shard. SQLite merges the results for all shards, each of which is ordered by the fragment's
// id in this database. The shard's number is included so that a fragment's blocks are ordered by the keys that they get
// in this database.
inline constexpr char kBlocksOfShard[] =
    "SELECT f.ours, b.first_key, b.rows, $0 AS shard FROM temp.fragment_order$0 f "
    "CROSS JOIN shard$0.site_blocks b ON b.fragment_id = f.shard";
inline constexpr char kBlockOrder[] = " ORDER BY 1, 4, 2";

inline constexpr const char* kTemporaryTables[] = {"string_map", "shader_map", "fragment_map", "fragment_order",
                                                   "taken"};
inline constexpr const char* kTemporarySearchTables[] = {"rules", "untrusted"};

static_assert(DiskNumber(v1::VERDICT_PROVED) == 4 && DiskNumber(v1::VERDICT_REFUTED) == 5);

#undef REWROUGHT_TAKEN
#undef REWROUGHT_NOT_REFUSED
#undef REWROUGHT_HOW_FAR

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_SHARDS_MERGE_STEPS_H_
