#include "store/maintenance/check.h"

#include <map>
#include <memory>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/time.h"
#include "ir/digest.h"
#include "store/records.h"
#include "store/schema.h"
#include "store/search_sql.h"
#include "store/sites/site_sql.h"

namespace rewrought::store {
namespace {

using sqlite::Database;
using sqlite::Row;

static_assert(v1::RULE_CLASS_STRICT == 1 && v1::RULE_STATE_NEW == 1 && v1::RULE_STATE_KEPT == 2 &&
              v1::RULE_STATE_DERIVED == 6 && DiskNumber(v1::VERDICT_PROVED) == 4);

constexpr char kRestore[] =
    "restore a backup (rewrought db restore BACKUP --db FILE); without one, recover the readable rows (sqlite3 "
    "FILE .recover | sqlite3 NEW) and check the result";

// A query that returns one row for each fault. The first column describes the fault.
struct RowCheck {
  const char *kind, *sql, *remedy;
};

constexpr char kHarvestAgain[] =
    "restore a backup (rewrought db restore BACKUP --db FILE), or harvest and discover into a new database";
constexpr char kProveAgain[] =
    "verify the rules again with `rewrought nightly` or `rewrought export`; if the fault remains, report a verifier "
    "bug";

constexpr RowCheck kRowChecks[] = {
    {"row",
     "SELECT 'source ' || quote(name) || ' has held_out = ' || held_out FROM sources WHERE held_out NOT IN (0, 1)",
     kHarvestAgain},
    {"row",
     "SELECT 'shader ' || lower(hex(digest)) || ' occurs in no source' FROM shaders WHERE id NOT IN (SELECT shader_id "
     "FROM occurrences)",
     kHarvestAgain},
    {"row",
     "SELECT 'sites of fragment ' || fragment_id || ' in shader ' || shader_id || ': count ' || count || ', loop "
     "weight "
     "' || loop_weight FROM sites WHERE count < 1 OR loop_weight < 1",
     kHarvestAgain},
    {"reference",
     "SELECT 'sites of fragment ' || fragment_id || ' refer to shader key ' || sites_key || ' and text ' || facts_id "
     "|| "
     "', one of which is not stored' FROM site_blocks b CROSS JOIN unpack_sites(b.first_key, b.rows) WHERE facts_id "
     "NOT IN (SELECT id FROM strings) OR (sites_key NOT IN (SELECT sites_key FROM shaders) AND sites_key NOT IN "
     "(SELECT sites_key FROM stale_sites))",
     kHarvestAgain},
    {"row",
     "SELECT 'run ' || quote(id) || ': its statistics are not valid JSON' FROM runs WHERE NOT "
     "json_valid(run_statistics)",
     kHarvestAgain},
    {"row",
     "SELECT 'run ' || quote(id) || ' ended before it started' FROM runs WHERE ended IS NOT NULL AND ended < started",
     kHarvestAgain},
    // A part (store/shards/part.h) has the rules of all fragments, but only some fragments. Its shaders have no
    // extraction digest.
    {"row",
     "SELECT 'rule ' || lower(hex(id)) || ' refers to fragment ' || lower(hex(fragment)) || ', which is not stored' "
     "FROM "
     "rules WHERE fragment IS NOT NULL AND fragment NOT IN (SELECT digest FROM fragments) AND EXISTS (SELECT 1 FROM "
     "shaders WHERE extraction != zeroblob(32))",
     kHarvestAgain},
    // These queries find numbers that the program never stores. It reads such counts as 0 or as the maximum (CountOf,
    // columns.h).
    {"row",
     "SELECT 'shader ' || lower(hex(digest)) || ': key ' || sites_key || ', ' || alu_instructions || ' instructions' "
     "FROM shaders WHERE sites_key < 0 OR alu_instructions NOT BETWEEN 0 AND 1 << 40 "
     "UNION ALL SELECT 'note ' || note_id || ' of shader ' || shader_id || ': count ' || count FROM notes WHERE count "
     "NOT BETWEEN 0 AND 1 << 40 "
     "UNION ALL SELECT 'fragment ' || lower(hex(digest)) || ': ' || nodes || ' nodes, ' || variables || ' variables' "
     "FROM fragments WHERE nodes NOT BETWEEN 0 AND 1 << 40 OR variables NOT BETWEEN 0 AND 1 << 40 "
     "UNION ALL SELECT 'attempt on fragment ' || fragment_id || ': outcome ' || outcome || ', ' || enumerated || "
     "' programs, ' || candidates || ' candidates' FROM attempts WHERE outcome NOT BETWEEN 1 AND 3 OR enumerated NOT "
     "BETWEEN 0 AND 1 << 40 OR candidates NOT BETWEEN 0 AND 1 << 40",
     kHarvestAgain},
    {"row",
     "SELECT 'rule ' || lower(hex(id)) || ': class ' || class || ', state ' || state FROM rules WHERE class NOT IN (1, "
     "2) OR state NOT BETWEEN 1 AND 6",
     kProveAgain},
    {"row",
     "SELECT 'savings of rule ' || lower(hex(rule)) || ': split ' || split || ', ' || hits || ' hits, ' || shaders || "
     "' shaders, ' || sources || ' sources' FROM measurements WHERE split NOT IN (1, 2) OR hits NOT BETWEEN 0 AND 1 << "
     "40 OR shaders NOT BETWEEN 0 AND 1 << 40 OR sources NOT BETWEEN 0 AND 1 << 40 "
     "UNION ALL SELECT 'hits of rule ' || lower(hex(rule)) || ' in shader ' || shader_id || ': ' || hits FROM hits "
     "WHERE hits NOT BETWEEN 0 AND 1 << 40",
     kProveAgain},
    {"contradiction",
     "SELECT 'rule ' || lower(hex(rule)) || ', case ' || text || ': once proved and once refuted' FROM contradictions "
     "JOIN strings ON strings.id = case_id",
     kProveAgain},
    // Strict rules (class 1) that are new, kept, or derived (states 1, 2, and 6) must have a proved case (verdict 4).
    {"row",
     "SELECT 'rule ' || lower(hex(id)) || ' counts as proved, but none of its cases is proved' FROM rules WHERE class "
     "= 1 AND "
     "state IN (1, 2, 6) AND NOT EXISTS (SELECT 1 FROM verdicts v WHERE v.rule = rules.id AND v.semantics = "
     "rules.semantics AND v.verdict = 4)",
     kProveAgain},
};

class Check {
 public:
  Check(Database& database, const CheckOptions& options) : database_(database), options_(options) {}
  absl::StatusOr<CheckReport> Run();

 private:
  bool Stopped(const std::string& stage) const { return options_.progress != nullptr && !options_.progress(stage); }
  void Add(const std::string& kind, const std::string& what, absl::string_view remedy) {
    const std::string text = absl::StrReplaceAll(remedy, {{"FILE", database_.path()}});
    if (++counts_[kind] <= options_.most) report_.faults.push_back({kind, what, text});
  }
  // Runs a query that returns one row for each fault. Also reports a fault if rows cannot be read.
  void AddRows(const std::string& kind, const std::string& sql, absl::string_view remedy);
  void AddDamagedPages();
  void CheckDigests();

  Database& database_;
  const CheckOptions& options_;
  CheckReport report_;
  std::map<std::string, size_t> counts_;
};

void Check::AddRows(const std::string& kind, const std::string& sql, absl::string_view remedy) {
  const absl::Status read = database_.Query(sql, {}, [&](const Row& row) {
    const std::string text = row.String(0);
    if (text != "ok") Add(kind, text, remedy);
    return absl::OkStatus();
  });
  if (!read.ok()) Add("structure", std::string(read.message()), kRestore);
}

// Reports damaged pages, and the table or index that each belongs to.
void Check::AddDamagedPages() {
  AddRows(
      "page",
      "SELECT 'page ' || d.pageno || ', of ' || coalesce(s.type, 'table') || ' ' || d.name || ', from byte ' || "
      "((d.pageno - 1) * (SELECT * FROM pragma_page_size)) || ' on: damaged' FROM dbstat d LEFT JOIN sqlite_schema s "
      "USING (name) WHERE d.pagetype = 'corrupted'",
      kRestore);
}

void Check::CheckDigests() {
  const absl::Status read = database_.Query("SELECT digest, text FROM fragments", {}, [&](const Row& row) {
    const std::string text = row.String(1);
    if (ir::Digest::Of(text).view() != row.Bytes(0)) {
      Add("row", absl::StrCat("the digest of fragment ", text, " does not match its text"), kHarvestAgain);
    }
    return absl::OkStatus();
  });
  if (!read.ok()) Add("structure", std::string(read.message()), kRestore);
}

absl::StatusOr<CheckReport> Check::Run() {
  const absl::StatusOr<int> version = SchemaVersion(database_);
  if (absl::IsDataLoss(version.status())) {
    Add("structure", std::string(version.status().message()), kRestore);
    return std::move(report_);
  }
  if (!version.ok()) return version.status();
  report_.version = *version;
  if (absl::Status begun = database_.Run("BEGIN"); !begun.ok()) return begun;
  const absl::Cleanup end = [this] { database_.Run("COMMIT").IgnoreError(); };
  report_.pages = static_cast<uint64_t>(database_.QueryInt("PRAGMA page_count").value_or(0));
  report_.free_pages = static_cast<uint64_t>(database_.QueryInt("PRAGMA freelist_count").value_or(0));
  report_.bytes = report_.pages * static_cast<uint64_t>(database_.QueryInt("PRAGMA page_size").value_or(0));
  if (Stopped("pages")) return absl::CancelledError("stopped");
  AddDamagedPages();
  if (Stopped(options_.quick ? "structure" : "structure and indexes")) return absl::CancelledError("stopped");
  AddRows("structure",
          absl::StrCat("PRAGMA ", options_.quick ? "quick_check" : "integrity_check", "(", options_.most, ")"),
          kRestore);
  // If pages are damaged, checks of rows are meaningless.
  if (options_.quick || !report_.faults.empty() || *version != NewestVersion()) return std::move(report_);
  if (Stopped("references")) return absl::CancelledError("stopped");
  AddRows("reference",
          "SELECT 'row ' || coalesce(rowid, '(without a number)') || ' of ' || \"table\" || ' refers to a row of ' || "
          "parent || ' that does not exist' FROM pragma_foreign_key_check",
          kHarvestAgain);
  if (Stopped("rows")) return absl::CancelledError("stopped");
  for (const RowCheck& check : kRowChecks) AddRows(check.kind, check.sql, check.remedy);
  if (Stopped("digests")) return absl::CancelledError("stopped");
  CheckDigests();
  return std::move(report_);
}

}  // namespace

absl::StatusOr<CheckReport> CheckDatabase(Database& database, const CheckOptions& options) {
  return Check(database, options).Run();
}

absl::StatusOr<CheckReport> CheckDatabase(const std::string& path, const CheckOptions& options) {
  absl::StatusOr<std::unique_ptr<Database>> database =
      Database::Open(path, sqlite::OpenMode::kReadOnly, absl::Seconds(30));
  if (absl::IsDataLoss(database.status())) {
    CheckReport report;
    report.faults.push_back(
        {"structure", std::string(database.status().message()), absl::StrReplaceAll(kRestore, {{"FILE", path}})});
    return report;
  }
  if (!database.ok()) return database.status();
  if (absl::Status added = AddSiteFunctions(**database); !added.ok()) return added;
  return CheckDatabase(**database, options);
}

}  // namespace rewrought::store
