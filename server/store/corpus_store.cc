#include "server/store/corpus_store.h"

#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "corpus/site_record.h"
#include "ir/digest.h"
#include "server/store/columns.h"

namespace rewrought::store {
namespace {

using sqlite::Blob;
using sqlite::Database;
using sqlite::Row;

absl::Status NoShader(const ir::Digest& shader) {
  return absl::NotFoundError(absl::StrCat("no shader ", shader.hex()));
}

absl::Status PutOccurrence(Database& writer, int64_t shader, const Occurrence& occurrence) {
  const absl::StatusOr<int64_t> source = writer.QueryInt("SELECT id FROM sources WHERE name = ?1", {occurrence.source});
  if (absl::IsNotFound(source.status())) {
    return absl::NotFoundError(
        absl::StrCat("no source \"", absl::CHexEscape(occurrence.source), "\"; PutSource makes it"));
  }
  if (!source.ok()) return source.status();
  return writer.Run("INSERT INTO occurrences (shader_id, source_id, name) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
                    {shader, *source, occurrence.name});
}

absl::StatusOr<int64_t> ShaderId(Database& database, const ir::Digest& shader) {
  absl::StatusOr<int64_t> id = database.QueryInt("SELECT id FROM shaders WHERE digest = ?1", {ToBlob(shader)});
  return absl::IsNotFound(id.status()) ? NoShader(shader) : id;
}

corpus::FragmentRecord ReadFragment(const Row& row, int first) {
  return {row.String(first), row.Int(first + 1), row.Int(first + 2), row.String(first + 3)};
}

bool IsHeldOut(Split split) { return split == Split::kHeldOut; }

// Fragments with what they count for in one split. ?1: whether it is the held-out one, ?2: least number of shaders, ?3:
// limit, ?4 to ?7: the attempts that leave a fragment out (machine id, semantics, search, least outcome), ?8: the most
// nodes.
constexpr char kFragments[] = R"sql(
  WITH used AS MATERIALIZED (
      SELECT fragment_id, shader_id, sum(count) AS n, sum(loop_weight) AS w FROM sites
      WHERE fragment_id IN (SELECT id FROM fragments WHERE nodes <= ?8) GROUP BY fragment_id, shader_id),
    counted AS (
      SELECT fragment_id, count(*) AS shaders, sum(n) AS n, sum(w) AS w
      FROM used JOIN shader_splits USING (shader_id) WHERE held_out = ?1 GROUP BY fragment_id HAVING count(*) >= ?2),
    sourced AS (
      SELECT fragment_id, count(DISTINCT source_id) AS sources
      FROM used JOIN occurrences USING (shader_id) JOIN sources ON sources.id = source_id
      WHERE sources.held_out = ?1 GROUP BY fragment_id)
  SELECT digest, text, nodes, variables, widths, sources, shaders, n, w
  FROM counted JOIN sourced USING (fragment_id) JOIN fragments ON fragments.id = fragment_id
  WHERE NOT EXISTS (SELECT 1 FROM attempts a WHERE a.fragment_id = counted.fragment_id AND a.machine_id = ?4
                    AND a.semantics = ?5 AND a.search = ?6 AND a.outcome >= ?7)
  ORDER BY sources DESC, shaders DESC, n DESC, digest LIMIT ?3)sql";

}  // namespace

absl::Status CorpusStore::PutSource(absl::string_view name, bool held_out) {
  return store_->Write([&](Database& writer) {
    return writer.Run(
        "INSERT INTO sources (name, held_out) VALUES (?1, ?2) "
        "ON CONFLICT (name) DO UPDATE SET held_out = excluded.held_out",
        {name, held_out});
  });
}

absl::StatusOr<bool> CorpusStore::HasShader(const ir::Digest& shader, const ir::Digest& extraction) {
  int64_t count = 0;
  absl::Status status = store_->Read([&](Database& reader) {
    const auto found = reader.QueryInt("SELECT count(*) FROM shaders WHERE digest = ?1 AND extraction = ?2",
                                       {ToBlob(shader), ToBlob(extraction)});
    if (found.ok()) count = *found;
    return found.status();
  });
  if (!status.ok()) return status;
  return count > 0;
}

absl::Status CorpusStore::AddOccurrence(const ir::Digest& shader, const Occurrence& occurrence) {
  return store_->Write([&](Database& writer) {
    const absl::StatusOr<int64_t> id = ShaderId(writer, shader);
    return id.ok() ? PutOccurrence(writer, *id, occurrence) : id.status();
  });
}

absl::StatusOr<int64_t> CorpusStore::FragmentId(Database& writer, const corpus::FragmentRecord& fragment) {
  const ir::Digest digest = ir::Digest::Of(fragment.text);
  absl::StatusOr<int64_t> id = writer.QueryInt("SELECT id FROM fragments WHERE digest = ?1", {ToBlob(digest)});
  if (!absl::IsNotFound(id.status())) return id;
  absl::Status status =
      writer.Run("INSERT INTO fragments (digest, text, nodes, variables, widths) VALUES (?1, ?2, ?3, ?4, ?5)",
                 {ToBlob(digest), fragment.text, fragment.nodes, fragment.variables, fragment.widths});
  if (!status.ok()) return status;
  return writer.last_row_id();
}

absl::Status CorpusStore::PutSite(Database& writer, int64_t shader, const corpus::SiteRecord& site) {
  const absl::StatusOr<int64_t> fragment = FragmentId(writer, site.fragment);
  if (!fragment.ok()) return fragment.status();
  const absl::StatusOr<int64_t> facts = store_->Intern(writer, site.facts);
  if (!facts.ok()) return facts.status();
  const std::string lines = LinesText(site.lines);
  return writer.Run(
      "INSERT INTO sites (fragment_id, shader_id, node_flags, multi_use, facts_id, count, loop_weight, lines) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
      {*fragment, shader, site.node_flags, site.multi_use, *facts, site.count, site.loop_weight, lines});
}

absl::Status CorpusStore::PutContent(Database& writer, const ShaderRecord& shader,
                                     absl::Span<const corpus::SiteRecord> sites) {
  absl::Status status = writer.Run(
      "INSERT INTO shaders (digest, stage, alu_instructions, extraction) VALUES (?1, ?2, ?3, ?4) "
      "ON CONFLICT (digest) DO UPDATE SET stage = excluded.stage, alu_instructions = excluded.alu_instructions, "
      "extraction = excluded.extraction",
      {ToBlob(shader.digest), shader.stage, shader.alu_instructions, ToBlob(shader.extraction)});
  if (!status.ok()) return status;
  const absl::StatusOr<int64_t> id = ShaderId(writer, shader.digest);
  if (!id.ok()) return id.status();
  status.Update(writer.Run("DELETE FROM sites WHERE shader_id = ?1", {*id}));
  status.Update(writer.Run("DELETE FROM notes WHERE shader_id = ?1", {*id}));
  for (const auto& [text, count] : shader.notes) {
    if (!status.ok()) return status;
    const absl::StatusOr<int64_t> note = store_->Intern(writer, text);
    if (!note.ok()) return note.status();
    status = writer.Run("INSERT INTO notes (shader_id, note_id, count) VALUES (?1, ?2, ?3)", {*id, *note, count});
  }
  for (const corpus::SiteRecord& site : sites) {
    if (!status.ok()) return status;
    status = PutSite(writer, *id, site);
  }
  return status;
}

absl::Status CorpusStore::PutShader(const ShaderRecord& shader, const Occurrence& occurrence,
                                    absl::Span<const corpus::SiteRecord> sites) {
  return store_->Write([&](Database& writer) {
    const auto stored = writer.QueryInt("SELECT count(*) FROM shaders WHERE digest = ?1 AND extraction = ?2",
                                        {ToBlob(shader.digest), ToBlob(shader.extraction)});
    if (!stored.ok()) return stored.status();
    if (*stored == 0) {
      if (absl::Status status = PutContent(writer, shader, sites); !status.ok()) return status;
    }
    const absl::StatusOr<int64_t> id = ShaderId(writer, shader.digest);
    return id.ok() ? PutOccurrence(writer, *id, occurrence) : id.status();
  });
}

absl::StatusOr<ShaderRecord> CorpusStore::GetShader(const ir::Digest& shader) {
  ShaderRecord record;
  absl::Status status = store_->Read([&](Database& reader) {
    const absl::StatusOr<int64_t> id = ShaderId(reader, shader);
    if (!id.ok()) return id.status();
    absl::Status read = reader.Query(
        "SELECT digest, stage, alu_instructions, extraction FROM shaders WHERE id = ?1", {*id}, [&](const Row& row) {
          record = {ToDigest(row.Bytes(0)), row.String(1), row.Int(2), ToDigest(row.Bytes(3)), {}};
          return absl::OkStatus();
        });
    if (!read.ok()) return read;
    return reader.Query(
        "SELECT text, count FROM notes JOIN strings ON strings.id = note_id WHERE shader_id = ?1 ORDER BY text", {*id},
        [&](const Row& row) {
          record.notes.emplace_back(row.String(0), row.Int(1));
          return absl::OkStatus();
        });
  });
  if (!status.ok()) return status;
  return record;
}

absl::StatusOr<std::vector<Occurrence>> CorpusStore::Occurrences(const ir::Digest& shader) {
  std::vector<Occurrence> occurrences;
  absl::Status status = store_->Read([&](Database& reader) {
    const absl::StatusOr<int64_t> id = ShaderId(reader, shader);
    if (!id.ok()) return id.status();
    return reader.Query(
        "SELECT sources.name, occurrences.name FROM occurrences JOIN sources ON sources.id = source_id "
        "WHERE shader_id = ?1 ORDER BY 1, 2",
        {*id}, [&](const Row& row) {
          occurrences.push_back({row.String(0), row.String(1)});
          return absl::OkStatus();
        });
  });
  if (!status.ok()) return status;
  return occurrences;
}

absl::Status CorpusStore::ForEachShader(Split split, const std::optional<ir::Digest>& after, int64_t limit,
                                        absl::FunctionRef<absl::Status(const ShaderRecord&)> visit) {
  return store_->Read([&](Database& reader) {
    const absl::string_view start = after.has_value() ? after->view() : absl::string_view();
    return reader.Query(
        "SELECT digest, stage, alu_instructions, extraction FROM shaders "
        "WHERE digest > ?2 AND ?1 = (SELECT min(held_out) FROM occurrences JOIN sources ON sources.id = source_id "
        "WHERE shader_id = shaders.id) ORDER BY digest LIMIT ?3",
        {IsHeldOut(split), Blob{start}, limit}, [&](const Row& row) {
          return visit({ToDigest(row.Bytes(0)), row.String(1), row.Int(2), ToDigest(row.Bytes(3)), {}});
        });
  });
}

absl::Status CorpusStore::ForEachFragment(const FragmentQuery& query,
                                          absl::FunctionRef<absl::Status(const FragmentSummary&)> visit) {
  return store_->Read([&](Database& reader) {
    const AttemptKey key = query.untried.value_or(AttemptKey());
    int64_t machine = -1;  // no string's id: no attempt is found
    if (query.untried.has_value()) {
      const auto found = reader.QueryInt("SELECT id FROM strings WHERE text = ?1", {key.machine});
      if (!found.ok() && !absl::IsNotFound(found.status())) return found.status();
      if (found.ok()) machine = *found;
    }
    const auto least = static_cast<int>(query.retry_cut_short ? AttemptOutcome::kNothing : AttemptOutcome::kCutShort);
    return reader.Query(
        kFragments,
        {IsHeldOut(query.split), query.min_shaders, query.limit, machine, ToBlob(key.semantics), ToBlob(key.search),
         least, query.max_nodes},
        [&](const Row& row) {
          return visit({ToDigest(row.Bytes(0)), ReadFragment(row, 1), row.Int(5), row.Int(6), row.Int(7), row.Int(8)});
        });
  });
}

absl::Status CorpusStore::ForEachSite(const ir::Digest& fragment, Split split,
                                      absl::FunctionRef<absl::Status(const SiteView&)> visit) {
  return store_->Read([&](Database& reader) {
    return reader.Query(
        "SELECT shaders.digest, count, loop_weight, lines, node_flags, multi_use, strings.text FROM sites "
        "JOIN shaders ON shaders.id = sites.shader_id JOIN strings ON strings.id = facts_id "
        "WHERE fragment_id = (SELECT id FROM fragments WHERE digest = ?1) AND ?2 = (SELECT min(held_out) "
        "FROM occurrences o JOIN sources ON sources.id = source_id WHERE o.shader_id = sites.shader_id) "
        "ORDER BY shaders.digest, node_flags, multi_use, strings.text",
        {ToBlob(fragment), IsHeldOut(split)}, [&](const Row& row) {
          return visit({ToDigest(row.Bytes(0)), row.Int(1), row.Int(2), ParseLines(row.Text(3)),
                        static_cast<uint64_t>(row.Int(4)), static_cast<uint64_t>(row.Int(5)), row.String(6)});
        });
  });
}

absl::StatusOr<CorpusStore::Counts> CorpusStore::Count() {
  Counts counts;
  absl::Status status = store_->Read([&](Database& reader) {
    return reader.Query(
        "SELECT (SELECT count(*) FROM sources), (SELECT count(*) FROM shaders), (SELECT count(*) FROM fragments), "
        "(SELECT coalesce(sum(count), 0) FROM sites)",
        {}, [&](const Row& row) {
          counts = {row.Int(0), row.Int(1), row.Int(2), row.Int(3)};
          return absl::OkStatus();
        });
  });
  if (!status.ok()) return status;
  return counts;
}

}  // namespace rewrought::store
