#include "store/search_store.h"

#include "absl/strings/str_cat.h"
#include "ir/digest.h"
#include "store/columns.h"
#include "store/search_sql.h"

namespace rewrought::store {
namespace {

using sqlite::Blob;
using sqlite::Database;
using sqlite::Row;

absl::StatusOr<int64_t> FragmentId(Database& database, const ir::Digest& fragment) {
  absl::StatusOr<int64_t> id = database.QueryInt("SELECT id FROM fragments WHERE digest = ?1", {ToBlob(fragment)});
  if (absl::IsNotFound(id.status())) return absl::NotFoundError(absl::StrCat("no fragment ", fragment.hex()));
  return id;
}

}  // namespace

VerdictRecord ReadVerdict(const Row& row, int first) {
  const auto bytes = [&](int column) { return std::string(row.Bytes(first + column)); };
  return {ToDigest(row.Bytes(first)),
          row.String(first + 1),
          ToDigest(row.Bytes(first + 2)),
          VerdictOfDisk(row.Int(first + 3)),
          row.String(first + 4),
          row.String(first + 5),
          row.String(first + 6),
          bytes(7),
          bytes(8),
          row.Real(first + 9)};
}

absl::Status SearchStore::PutAttempt(const AttemptRecord& attempt) {
  return store_->Write([&](Database& writer) {
    const absl::StatusOr<int64_t> fragment = FragmentId(writer, attempt.key.fragment);
    if (!fragment.ok()) return fragment.status();
    const absl::StatusOr<int64_t> machine = store_->Intern(writer, attempt.key.machine);
    if (!machine.ok()) return machine.status();
    return writer.Run(
        "INSERT INTO attempts (fragment_id, machine_id, semantics, search, outcome, enumerated, candidates, "
        "milliseconds) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)" REWROUGHT_ATTEMPT_CONFLICT,
        {*fragment, *machine, ToBlob(attempt.key.semantics), ToBlob(attempt.key.search),
         static_cast<int>(attempt.outcome), attempt.enumerated, attempt.candidates, attempt.milliseconds});
  });
}

absl::StatusOr<std::optional<AttemptRecord>> SearchStore::FindAttempt(const AttemptKey& key) {
  std::optional<AttemptRecord> attempt;
  absl::Status status = store_->Read([&](Database& reader) {
    return reader.Query(
        "SELECT outcome, enumerated, candidates, milliseconds FROM attempts "
        "WHERE fragment_id = (SELECT id FROM fragments WHERE digest = ?1) "
        "AND machine_id = (SELECT id FROM strings WHERE text = ?2) AND semantics = ?3 AND search = ?4",
        {ToBlob(key.fragment), key.machine, ToBlob(key.semantics), ToBlob(key.search)}, [&](const Row& row) {
          attempt = {key, static_cast<AttemptOutcome>(row.Int(0)), CountOf(row, 1), CountOf(row, 2), row.Real(3)};
          return absl::OkStatus();
        });
  });
  if (!status.ok()) return status;
  return attempt;
}

absl::Status SearchStore::PutCandidate(const CandidateRecord& candidate) {
  return store_->Write([&](Database& writer) {
    sqlite::Value fragment = nullptr;
    if (candidate.fragment.has_value()) {
      const absl::StatusOr<int64_t> id = FragmentId(writer, *candidate.fragment);
      if (!id.ok()) return id.status();
      fragment = *id;
    }
    const absl::StatusOr<int64_t> machine = store_->Intern(writer, candidate.machine);
    if (!machine.ok()) return machine.status();
    // The fragment with the greatest digest is kept. Ids are local to a database and must not influence the result.
    return writer.Run(
        "INSERT INTO candidates (id, machine_id, fragment_id, text) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (id) DO UPDATE "
        "SET fragment_id = excluded.fragment_id WHERE excluded.fragment_id IS NOT NULL AND (candidates.fragment_id IS "
        "NULL OR (SELECT digest FROM fragments WHERE id = excluded.fragment_id) > "
        "(SELECT digest FROM fragments WHERE id = candidates.fragment_id))",
        {ToBlob(candidate.id), *machine, fragment, candidate.text});
  });
}

absl::Status SearchStore::PutVerdict(const VerdictRecord& verdict) {
  return store_->Write([&](Database& writer) {
    const absl::StatusOr<int64_t> case_id = store_->Intern(writer, verdict.case_key);
    if (!case_id.ok()) return case_id.status();
    const int code = DiskNumber(verdict.verdict);
    absl::Status status = writer.Run(
        "INSERT INTO contradictions (rule, case_id, semantics) SELECT rule, case_id, semantics FROM verdicts "
        "WHERE rule = ?1 AND case_id = ?2 AND semantics = ?3 AND min(verdict, ?4) = ?5 AND max(verdict, ?4) = ?6 "
        "ON CONFLICT DO NOTHING",
        {ToBlob(verdict.rule), *case_id, ToBlob(verdict.semantics), code, DiskNumber(v1::VERDICT_PROVED),
         DiskNumber(v1::VERDICT_REFUTED)});
    if (!status.ok()) return status;
    return writer.Run(
        "INSERT INTO verdicts (rule, case_id, semantics, verdict, tier, reason, confirmed_by, witness, certificate, "
        "milliseconds) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)" REWROUGHT_VERDICT_CONFLICT,
        {ToBlob(verdict.rule), *case_id, ToBlob(verdict.semantics), code, verdict.tier, verdict.reason,
         verdict.confirmed_by, Blob{verdict.witness}, Blob{verdict.certificate}, verdict.milliseconds});
  });
}

absl::Status SearchStore::DropVerdict(const ir::Digest& rule, absl::string_view case_key, const ir::Digest& semantics) {
  return store_->Write([&](Database& writer) {
    return writer.Run(
        "DELETE FROM verdicts WHERE rule = ?1 AND semantics = ?3 AND case_id = (SELECT id FROM strings WHERE text = "
        "?2)",
        {ToBlob(rule), case_key, ToBlob(semantics)});
  });
}

absl::StatusOr<std::optional<VerdictRecord>> SearchStore::FindVerdict(const ir::Digest& rule,
                                                                      absl::string_view case_key,
                                                                      const ir::Digest& semantics) {
  std::optional<VerdictRecord> verdict;
  absl::Status status = store_->Read([&](Database& reader) {
    return reader.Query(
        "SELECT rule, strings.text, semantics, verdict, tier, reason, confirmed_by, witness, certificate, milliseconds "
        "FROM verdicts JOIN strings ON strings.id = case_id WHERE rule = ?1 AND strings.text = ?2 AND semantics = ?3",
        {ToBlob(rule), case_key, ToBlob(semantics)}, [&](const Row& row) {
          verdict = ReadVerdict(row, 0);
          return absl::OkStatus();
        });
  });
  if (!status.ok()) return status;
  return verdict;
}

absl::Status SearchStore::ForEachVerdict(const ir::Digest& rule, const ir::Digest& semantics,
                                         absl::FunctionRef<absl::Status(const VerdictRecord&)> visit) {
  return store_->Read([&](Database& reader) {
    return reader.Query(
        "SELECT rule, strings.text, semantics, verdict, tier, reason, confirmed_by, witness, certificate, milliseconds "
        "FROM verdicts JOIN strings ON strings.id = case_id WHERE rule = ?1 AND semantics = ?2 ORDER BY strings.text",
        {ToBlob(rule), ToBlob(semantics)}, [&](const Row& row) { return visit(ReadVerdict(row, 0)); });
  });
}

absl::StatusOr<int64_t> SearchStore::DropContradictions(const ir::Digest& rule, const ir::Digest& semantics) {
  int64_t deleted = 0;
  const absl::Status status = store_->Write([&](Database& writer) {
    const absl::Status run =
        writer.Run("DELETE FROM contradictions WHERE rule = ?1 AND semantics = ?2", {ToBlob(rule), ToBlob(semantics)});
    deleted = writer.changes();
    return run;
  });
  if (!status.ok()) return status;
  return deleted;
}

absl::Status SearchStore::ForEachContradiction(
    absl::FunctionRef<absl::Status(const ir::Digest&, absl::string_view, const ir::Digest&)> visit) {
  return store_->Read([&](Database& reader) {
    return reader.Query(
        "SELECT rule, strings.text, semantics FROM contradictions JOIN strings ON strings.id = case_id ORDER BY 1, 2, "
        "3",
        {}, [&](const Row& row) { return visit(ToDigest(row.Bytes(0)), row.Text(1), ToDigest(row.Bytes(2))); });
  });
}

}  // namespace rewrought::store
