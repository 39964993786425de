#include "store/corpus_store.h"

#include <algorithm>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "corpus/site_record.h"
#include "ir/digest.h"
#include "store/columns.h"
#include "store/sites/site_sql.h"

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
        absl::StrCat("no source \"", absl::CHexEscape(occurrence.source), "\"; create it with PutSource first"));
  }
  if (!source.ok()) return source.status();
  return writer.Run("INSERT INTO occurrences (shader_id, source_id, name) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
                    {shader, *source, occurrence.name});
}

absl::StatusOr<int64_t> ShaderId(Database& database, const ir::Digest& shader) {
  absl::StatusOr<int64_t> id = database.QueryInt("SELECT id FROM shaders WHERE digest = ?1", {ToBlob(shader)});
  return absl::IsNotFound(id.status()) ? NoShader(shader) : id;
}

bool IsHeldOut(Split split) { return split == Split::kHeldOut; }

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

absl::Status CorpusStore::PutSites(Database& writer, int64_t key, absl::Span<const corpus::SiteRecord> sites) {
  std::vector<std::pair<int64_t, SiteRow>> rows;  // pairs of a fragment's id and a row
  for (const corpus::SiteRecord& site : sites) {
    const absl::StatusOr<int64_t> fragment = FragmentId(writer, site.fragment);
    if (!fragment.ok()) return fragment.status();
    const absl::StatusOr<int64_t> facts = store_->Intern(writer, site.facts);
    if (!facts.ok()) return facts.status();
    rows.push_back(
        {*fragment, {key, site.node_flags, site.multi_use, *facts, site.count, site.loop_weight, site.lines}});
  }
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : Precedes(a.second, b.second);
  });
  SiteAppender appender(writer);
  for (const auto& [fragment, row] : rows) {
    if (absl::Status status = appender.Add(fragment, row); !status.ok()) return status;
  }
  return appender.Flush();
}

absl::Status CorpusStore::PutContent(Database& writer, const ShaderRecord& shader,
                                     absl::Span<const corpus::SiteRecord> sites) {
  absl::Status status =
      writer.Run("INSERT INTO stale_sites SELECT sites_key FROM shaders WHERE digest = ?1", {ToBlob(shader.digest)});
  int64_t id = 0, key = 0;
  if (status.ok()) {
    status = writer.Query(
        "INSERT INTO shaders (digest, stage, alu_instructions, extraction, sites_key) VALUES (?1, ?2, ?3, ?4, (SELECT "
        "coalesce(max(sites_key), 0) + 1 FROM shaders)) ON CONFLICT (digest) DO UPDATE SET stage = excluded.stage, "
        "alu_instructions = excluded.alu_instructions, extraction = excluded.extraction, sites_key = "
        "excluded.sites_key RETURNING id, sites_key",
        {ToBlob(shader.digest), shader.stage, shader.alu_instructions, ToBlob(shader.extraction)}, [&](const Row& row) {
          id = row.Int(0), key = row.Int(1);
          return absl::OkStatus();
        });
  }
  if (status.ok()) status = writer.Run("DELETE FROM notes WHERE shader_id = ?1", {id});
  for (const auto& [text, count] : shader.notes) {
    if (!status.ok()) return status;
    const absl::StatusOr<int64_t> note = store_->Intern(writer, text);
    if (!note.ok()) return note.status();
    status = writer.Run("INSERT INTO notes (shader_id, note_id, count) VALUES (?1, ?2, ?3)", {id, *note, count});
  }
  return status.ok() ? PutSites(writer, key, sites) : status;
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
          record = {ToDigest(row.Bytes(0)), row.String(1), CountOf(row, 2), ToDigest(row.Bytes(3)), {}};
          return absl::OkStatus();
        });
    if (!read.ok()) return read;
    return reader.Query(
        "SELECT text, count FROM notes JOIN strings ON strings.id = note_id WHERE shader_id = ?1 ORDER BY text", {*id},
        [&](const Row& row) {
          record.notes.emplace_back(row.String(0), CountOf(row, 1));
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
          return visit({ToDigest(row.Bytes(0)), row.String(1), CountOf(row, 2), ToDigest(row.Bytes(3)), {}});
        });
  });
}

absl::Status CorpusStore::ForEachFragment(const FragmentQuery& query,
                                          absl::FunctionRef<absl::Status(const FragmentSummary&)> visit) {
  return store_->Read([&](Database& reader) { return RankFragments(reader, query, visit); });
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
          return visit({ToDigest(row.Bytes(0)), CountOf(row, 1), CountOf(row, 2), ParseLines(row.Text(3)),
                        static_cast<uint64_t>(row.Int(4)), static_cast<uint64_t>(row.Int(5)), row.String(6)});
        });
  });
}

absl::StatusOr<CorpusStore::Counts> CorpusStore::Count() {
  Counts counts;
  absl::Status status = store_->Read([&](Database& reader) {
    absl::Status read = reader.Query(
        "SELECT (SELECT count(*) FROM sources), (SELECT count(*) FROM shaders), (SELECT count(*) FROM fragments)", {},
        [&](const Row& row) {
          counts = {row.Int(0), row.Int(1), row.Int(2), 0};
          return absl::OkStatus();
        });
    if (!read.ok()) return read;
    const auto stale = StaleKeys(reader);
    if (!stale.ok()) return stale.status();
    return ForEachSiteRow(reader, "SELECT fragment_id, first_key, rows FROM site_blocks", {},
                          [&](const Row&, const SiteRow& row) {
                            if (!stale->contains(row.key)) counts.sites += row.count;
                            return absl::OkStatus();
                          });
  });
  if (!status.ok()) return status;
  return counts;
}

absl::Status CorpusStore::DropStaleSites() {
  return store_->Write([](Database& writer) { return store::DropStaleSites(writer); });
}

}  // namespace rewrought::store
