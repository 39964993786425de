#include "store/rule_store.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "ir/digest.h"
#include "proto/finite.h"
#include "store/columns.h"

namespace rewrought::store {
namespace {

using sqlite::Blob;
using sqlite::Database;
using sqlite::Row;

#define RULE_COLUMNS                                                                                    \
  "rules.id, rules.machine, rules.search, rules.replace, rules.program, rules.condition, rules.flags, " \
  "rules.class, rules.state, rules.reason, rules.generalised_from, rules.fragment, rules.semantics, "   \
  "rules.created_run, rules.created, rules.detail"

RuleRecord ReadRule(const Row& row) {
  RuleRecord rule;
  rule.id = ToDigest(row.Bytes(0));
  rule.machine = row.String(1);
  rule.search = row.String(2);
  rule.replace = row.String(3);
  rule.program = row.String(4);
  rule.condition = row.String(5);
  rule.flags = static_cast<uint32_t>(row.Int(6));
  rule.rule_class = static_cast<v1::RuleClass>(row.Int(7));
  rule.state = static_cast<v1::RuleState>(row.Int(8));
  rule.reason = row.String(9);
  rule.generalised_from = OptionalDigest(row, 10);
  rule.fragment = OptionalDigest(row, 11);
  rule.semantics = ToDigest(row.Bytes(12));
  rule.created_run = row.String(13);
  rule.created = FromMicros(row.Int(14));
  rule.detail = std::string(row.Bytes(15));
  return rule;
}

// The parameters are: ?1 the machine, ?2 the op, ?3 the text, ?4 the class or 0, ?5 a bit set of states or 0, ?6
// whether there is a start position, ?7 and ?8 the start position, and ?9 the number of rows.
constexpr char kListByWorth[] = "SELECT " RULE_COLUMNS R"sql(, coalesce(m.tuned_cycles, 0.0) AS worth
  FROM rules LEFT JOIN measurements m ON m.rule = rules.id AND m.split = 2
  WHERE (?1 = '' OR rules.machine = ?1)
    AND (?2 = '' OR EXISTS (SELECT 1 FROM rule_ops o WHERE o.op = ?2 AND o.rule = rules.id))
    AND (?3 = '' OR instr(rules.search, ?3) OR instr(rules.replace, ?3) OR instr(rules.program, ?3))
    AND (?4 = 0 OR rules.class = ?4) AND (?5 = 0 OR (?5 >> rules.state) & 1)
    AND (NOT ?6 OR (-worth, rules.id) > (-?7, ?8))
  ORDER BY -worth, rules.id LIMIT ?9)sql";
// Like kListByWorth, but ordered by id only; the worth is always 0.
constexpr char kListById[] = "SELECT " RULE_COLUMNS R"sql(, 0.0 AS worth
  FROM rules
  WHERE (?1 = '' OR rules.machine = ?1)
    AND (?2 = '' OR EXISTS (SELECT 1 FROM rule_ops o WHERE o.op = ?2 AND o.rule = rules.id))
    AND (?3 = '' OR instr(rules.search, ?3) OR instr(rules.replace, ?3) OR instr(rules.program, ?3))
    AND (?4 = 0 OR rules.class = ?4) AND (?5 = 0 OR (?5 >> rules.state) & 1)
    AND (NOT ?6 OR (?7 = ?7 AND rules.id > ?8))
  ORDER BY rules.id LIMIT ?9)sql";

struct Place {
  double worth = 0;
  ir::Digest id;
};

std::string ToToken(RuleStore::Order order, const Place& place) {
  return absl::StrFormat("%s:%.17g:%s", order == RuleStore::Order::kWorth ? "worth" : "id", place.worth,
                         place.id.hex());
}

absl::StatusOr<std::optional<Place>> FromToken(RuleStore::Order order, absl::string_view token) {
  if (token.empty()) return std::optional<Place>();
  const std::vector<absl::string_view> parts = absl::StrSplit(token, ':');
  Place place;
  if (parts.size() == 3 && parts[0] == (order == RuleStore::Order::kWorth ? "worth" : "id") &&
      absl::SimpleAtod(parts[1], &place.worth)) {
    const absl::StatusOr<ir::Digest> id = ir::Digest::FromHex(parts[2]);
    if (id.ok()) {
      place.id = *id;
      return std::optional<Place>(place);
    }
  }
  return absl::InvalidArgumentError("the page token belongs to a different list; omit it to start at the first page");
}

}  // namespace

absl::Status RuleStore::CheckRule(Database& database, const ir::Digest& id) {
  const auto count = database.QueryInt("SELECT count(*) FROM rules WHERE id = ?1", {ToBlob(id)});
  if (!count.ok()) return count.status();
  return *count > 0 ? absl::OkStatus() : absl::NotFoundError(absl::StrCat("no rule ", id.hex()));
}

absl::Status RuleStore::PutOps(Database& writer, const RuleRecord& rule) {
  absl::Status status = writer.Run("DELETE FROM rule_ops WHERE rule = ?1", {ToBlob(rule.id)});
  for (const std::string& op : rule.ops) {
    if (!status.ok()) return status;
    status =
        writer.Run("INSERT INTO rule_ops (op, rule) VALUES (?1, ?2) ON CONFLICT DO NOTHING", {op, ToBlob(rule.id)});
  }
  return status;
}

absl::Status RuleStore::PutRule(const RuleRecord& rule) {
  return store_->Write([&](Database& writer) {
    sqlite::Value run = nullptr;
    if (!rule.created_run.empty()) {
      const auto runs = writer.QueryInt("SELECT count(*) FROM runs WHERE id = ?1", {rule.created_run});
      if (!runs.ok()) return runs.status();
      if (*runs == 0) return absl::NotFoundError(absl::StrCat("no run \"", absl::CHexEscape(rule.created_run), "\""));
      run = rule.created_run;
    }
    absl::Status status = writer.Run(
        "INSERT INTO rules (id, machine, search, replace, program, condition, flags, class, state, reason, "
        "generalised_from, fragment, semantics, created_run, created, detail) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16) ON CONFLICT (id) DO UPDATE SET "
        "machine = excluded.machine, search = excluded.search, replace = excluded.replace, program = excluded.program, "
        "condition = excluded.condition, flags = excluded.flags, class = excluded.class, "
        "generalised_from = excluded.generalised_from, fragment = excluded.fragment, semantics = excluded.semantics, "
        "detail = excluded.detail",
        {ToBlob(rule.id), rule.machine, rule.search, rule.replace, rule.program, rule.condition, rule.flags,
         static_cast<int>(rule.rule_class), static_cast<int>(rule.state), rule.reason, ToBlob(rule.generalised_from),
         ToBlob(rule.fragment), ToBlob(rule.semantics), run, ToMicros(rule.created), Blob{rule.detail}});
    return status.ok() ? PutOps(writer, rule) : status;
  });
}

absl::Status RuleStore::SetState(const ir::Digest& id, v1::RuleState state, absl::string_view reason) {
  return store_->Write([&](Database& writer) {
    absl::Status status = writer.Run("UPDATE rules SET state = ?2, reason = ?3 WHERE id = ?1",
                                     {ToBlob(id), static_cast<int>(state), reason});
    if (status.ok() && writer.changes() == 0) return absl::NotFoundError(absl::StrCat("no rule ", id.hex()));
    return status;
  });
}

absl::Status RuleStore::SetStateInRun(const ir::Digest& id, v1::RuleState state, absl::string_view reason,
                                      absl::string_view run) {
  return store_->Write([&](Database& writer) {
    const auto runs = writer.QueryInt("SELECT count(*) FROM runs WHERE id = ?1", {run});
    if (!runs.ok()) return runs.status();
    if (*runs == 0) return absl::NotFoundError(absl::StrCat("no run \"", absl::CHexEscape(run), "\""));
    absl::Status status = writer.Run("UPDATE rules SET state = ?2, reason = ?3 WHERE id = ?1",
                                     {ToBlob(id), static_cast<int>(state), reason});
    if (status.ok() && writer.changes() == 0) return absl::NotFoundError(absl::StrCat("no rule ", id.hex()));
    if (!status.ok()) return status;
    return writer.Run(
        "INSERT INTO run_changes (run, rule, state) VALUES (?1, ?2, ?3) "
        "ON CONFLICT (run, rule) DO UPDATE SET state = excluded.state",
        {run, ToBlob(id), static_cast<int>(state)});
  });
}

absl::Status RuleStore::ForEachChange(absl::string_view run,
                                      absl::FunctionRef<absl::Status(const ir::Digest&, v1::RuleState)> visit) {
  return store_->Read([&](Database& reader) {
    return reader.Query(
        "SELECT rule, state FROM run_changes WHERE run = ?1 ORDER BY state, rule", {run},
        [&](const Row& row) { return visit(ToDigest(row.Bytes(0)), static_cast<v1::RuleState>(row.Int(1))); });
  });
}

absl::Status RuleStore::ReadOps(Database& reader, RuleRecord* rule) {
  return reader.Query("SELECT op FROM rule_ops WHERE rule = ?1 ORDER BY op", {ToBlob(rule->id)}, [&](const Row& row) {
    rule->ops.push_back(row.String(0));
    return absl::OkStatus();
  });
}

absl::StatusOr<RuleRecord> RuleStore::GetRule(absl::string_view id_prefix) {
  const std::string prefix = absl::AsciiStrToLower(id_prefix.substr(0, 64));
  const absl::StatusOr<ir::Digest> low = ir::Digest::FromHex(prefix + std::string(64 - prefix.size(), '0'));
  const absl::StatusOr<ir::Digest> high = ir::Digest::FromHex(prefix + std::string(64 - prefix.size(), 'f'));
  if (!low.ok() || !high.ok() || id_prefix.empty() || id_prefix.size() > 64) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", absl::CHexEscape(id_prefix.substr(0, 80)), "\" is not a rule id; use 1 to 64 hex digits"));
  }
  std::vector<RuleRecord> rules;
  absl::Status status = store_->Read([&](Database& reader) {
    absl::Status read = reader.Query("SELECT " RULE_COLUMNS " FROM rules WHERE id BETWEEN ?1 AND ?2 LIMIT 2",
                                     {ToBlob(*low), ToBlob(*high)}, [&](const Row& row) {
                                       rules.push_back(ReadRule(row));
                                       return absl::OkStatus();
                                     });
    return read.ok() && rules.size() == 1 ? ReadOps(reader, &rules[0]) : read;
  });
  if (!status.ok()) return status;
  if (rules.empty()) return absl::NotFoundError(absl::StrCat("no rule ", prefix));
  if (rules.size() > 1) {
    return absl::InvalidArgumentError(absl::StrCat("several rules start with ", prefix, "; use more digits"));
  }
  return std::move(rules[0]);
}

absl::StatusOr<RuleStore::Page> RuleStore::List(const Query& query) {
  const auto place = FromToken(query.order, query.page_token);
  if (!place.ok()) return place.status();
  if (query.page_size < 1) return absl::InvalidArgumentError("the page size must be at least 1");
  const Place start = place->value_or(Place());
  uint32_t states = 0;
  for (const v1::RuleState state : query.states) states |= 1u << static_cast<int>(state);
  const int rule_class = query.rule_class.has_value() ? static_cast<int>(*query.rule_class) : 0;
  Page page;
  std::vector<double> worths;
  absl::Status status = store_->Read([&](Database& reader) {
    absl::Status read = reader.Query(query.order == Order::kWorth ? kListByWorth : kListById,
                                     {query.machine, query.op, query.text, rule_class, states, place->has_value(),
                                      start.worth, ToBlob(start.id), query.page_size + 1},
                                     [&](const Row& row) {
                                       page.rules.push_back(ReadRule(row));
                                       worths.push_back(row.Real(16));
                                       return absl::OkStatus();
                                     });
    for (RuleRecord& rule : page.rules) {
      if (read.ok()) read = ReadOps(reader, &rule);
    }
    return read;
  });
  if (!status.ok()) return status;
  if (static_cast<int64_t>(page.rules.size()) > query.page_size) {  // the last row only shows that there are more rows
    page.rules.pop_back();
    page.next_page_token = ToToken(query.order, {worths[page.rules.size() - 1], page.rules.back().id});
  }
  return page;
}

absl::Status RuleStore::PutMeasurement(const MeasurementRecord& m) {
  return store_->Write([&](Database& writer) {
    if (absl::Status status = CheckRule(writer, m.rule); !status.ok()) return status;
    return writer.Run(
        "INSERT INTO measurements (rule, split, hits, shaders, sources, naive_instructions, naive_cycles, "
        "tuned_instructions, tuned_cycles) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (rule, split) DO "
        "UPDATE SET hits = excluded.hits, shaders = excluded.shaders, sources = excluded.sources, "
        "naive_instructions = excluded.naive_instructions, naive_cycles = excluded.naive_cycles, "
        "tuned_instructions = excluded.tuned_instructions, tuned_cycles = excluded.tuned_cycles",
        {ToBlob(m.rule), static_cast<int>(m.split), m.hits, m.shaders, m.sources, m.naive_instructions, m.naive_cycles,
         m.tuned_instructions, m.tuned_cycles});
  });
}

absl::StatusOr<std::vector<MeasurementRecord>> RuleStore::Measurements(const ir::Digest& rule) {
  std::vector<MeasurementRecord> measurements;
  absl::Status status = store_->Read([&](Database& reader) {
    return reader.Query(
        "SELECT split, hits, shaders, sources, naive_instructions, naive_cycles, tuned_instructions, tuned_cycles "
        "FROM measurements WHERE rule = ?1 ORDER BY split",
        {ToBlob(rule)}, [&](const Row& row) {
          measurements.push_back({rule, static_cast<Split>(row.Int(0)), CountOf(row, 1), CountOf(row, 2),
                                  CountOf(row, 3), row.Real(4), row.Real(5), row.Real(6), row.Real(7)});
          return absl::OkStatus();
        });
  });
  if (!status.ok()) return status;
  return measurements;
}

absl::Status RuleStore::WriteTrial(Database& writer, const ir::Digest& rule, const v1::RuleTrial& trial) {
  if (absl::Status status = CheckRule(writer, rule); !status.ok()) return status;
  const std::string detail = trial.SerializeAsString();
  return writer.Run(
      "INSERT INTO trials (rule, driver, detail) VALUES (?1, ?2, ?3) ON CONFLICT (rule, driver) DO UPDATE SET "
      "detail = excluded.detail",
      {ToBlob(rule), trial.driver(), Blob{detail}});
}

absl::Status RuleStore::PutTrial(const ir::Digest& rule, const v1::RuleTrial& trial) {
  return store_->Write([&](Database& writer) { return WriteTrial(writer, rule, trial); });
}

absl::StatusOr<uint64_t> RuleStore::ReplaceTrials(absl::Span<const v1::DriverTrial> drivers,
                                                  absl::Span<const std::pair<ir::Digest, v1::RuleTrial>> trials) {
  uint64_t kept = 0;
  const absl::Status written = store_->Write([&](Database& writer) -> absl::Status {
    kept = 0;
    for (const v1::DriverTrial& driver : drivers) {
      absl::Status status =
          writer.Run("DELETE FROM trials WHERE driver = ?1 AND rule IN (SELECT id FROM rules WHERE machine = ?2)",
                     {driver.driver(), driver.machine()});
      const std::string detail = driver.SerializeAsString();
      if (status.ok()) {
        status = writer.Run(
            "INSERT INTO driver_trials (driver, machine, detail) VALUES (?1, ?2, ?3) ON CONFLICT (driver, machine) "
            "DO UPDATE SET detail = excluded.detail",
            {driver.driver(), driver.machine(), Blob{detail}});
      }
      if (!status.ok()) return status;
    }
    for (const auto& [rule, trial] : trials) {
      const absl::Status status = WriteTrial(writer, rule, trial);
      if (!status.ok() && !absl::IsNotFound(status)) return status;
      kept += status.ok();
    }
    return absl::OkStatus();
  });
  if (!written.ok()) return written;
  return kept;
}

absl::StatusOr<std::vector<v1::DriverTrial>> RuleStore::DriverTrials(absl::string_view machine) {
  std::vector<v1::DriverTrial> drivers;
  absl::Status status = store_->Read([&](Database& reader) {
    return reader.Query(
        "SELECT driver, detail FROM driver_trials WHERE machine = ?1 ORDER BY driver", {machine},
        [&](const Row& row) -> absl::Status {
          v1::DriverTrial& driver = drivers.emplace_back();
          const std::string detail(row.Bytes(1));
          if (driver.ParseFromString(detail) && driver.driver() == row.Text(0) && proto::HasOrdinaryNumbers(driver)) {
            return absl::OkStatus();
          }
          return absl::DataLossError(
              absl::StrCat("the trial on ", row.Text(0), " cannot be parsed; run `rewrought db check`"));
        });
  });
  if (!status.ok()) return status;
  return drivers;
}

absl::StatusOr<std::vector<v1::RuleTrial>> RuleStore::Trials(const ir::Digest& rule) {
  std::vector<v1::RuleTrial> trials;
  absl::Status status = store_->Read([&](Database& reader) {
    return reader.Query(
        "SELECT driver, detail FROM trials WHERE rule = ?1 ORDER BY driver", {ToBlob(rule)},
        [&](const Row& row) -> absl::Status {
          v1::RuleTrial& trial = trials.emplace_back();
          const std::string detail(row.Bytes(1));
          if (trial.ParseFromString(detail) && trial.driver() == row.Text(0) && proto::HasOrdinaryNumbers(trial)) {
            return absl::OkStatus();
          }
          return absl::DataLossError(
              absl::StrCat("a trial of rule ", rule.hex(), " cannot be parsed; run `rewrought db check`"));
        });
  });
  if (!status.ok()) return status;
  return trials;
}

absl::Status RuleStore::PutHits(const ir::Digest& rule, absl::Span<const HitRecord> hits) {
  return store_->Write([&](Database& writer) {
    absl::Status status = CheckRule(writer, rule);
    if (status.ok()) status = writer.Run("DELETE FROM hits WHERE rule = ?1", {ToBlob(rule)});
    for (const HitRecord& hit : hits) {
      if (!status.ok()) return status;
      const std::string lines = LinesText(hit.lines);
      status = writer.Run(
          "INSERT INTO hits (rule, shader_id, hits, saved_instructions, saved_cycles, lines) "
          "SELECT ?1, id, ?3, ?4, ?5, ?6 FROM shaders WHERE digest = ?2",
          {ToBlob(rule), ToBlob(hit.shader), hit.hits, hit.saved_instructions, hit.saved_cycles, lines});
      if (status.ok() && writer.changes() == 0)
        status = absl::NotFoundError(absl::StrCat("no shader ", hit.shader.hex()));
    }
    return status;
  });
}

absl::Status RuleStore::ForEachHit(const ir::Digest& rule, int64_t offset, int64_t limit,
                                   absl::FunctionRef<absl::Status(const HitRecord&)> visit) {
  return store_->Read([&](Database& reader) {
    return reader.Query(
        "SELECT digest, hits, saved_instructions, saved_cycles, lines FROM hits JOIN shaders ON shaders.id = shader_id "
        "WHERE rule = ?1 ORDER BY saved_cycles DESC, digest LIMIT ?3 OFFSET ?2",
        {ToBlob(rule), offset, limit}, [&](const Row& row) {
          return visit({ToDigest(row.Bytes(0)), CountOf(row, 1), row.Real(2), row.Real(3), ParseLines(row.Text(4))});
        });
  });
}

}  // namespace rewrought::store
