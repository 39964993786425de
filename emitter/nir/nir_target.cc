#include "emitter/nir/nir_target.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "emitter/target_files.h"
#include "ir/embedded_file.h"
#include "ir/op_table.h"
#include "ir/text/predicates.h"
#include "proto/read_file.h"
#include "proto/text_proto.h"

namespace rewrought::emitter {
namespace {

absl::Status Wrong(absl::string_view field, absl::string_view name, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(field, ": '", name, "' ", what));
}

bool IsOp(absl::string_view name) { return ir::FindOp(name) != nullptr; }
bool IsPredicate(absl::string_view name) { return ir::FindPredicate(name) != nullptr; }
bool IsField(absl::string_view name) {
  return !name.empty() &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) { return absl::ascii_isalnum(c) || c == '_'; });
}

// Returns the first two numbers of a version such as "26.2.0-rc1", or nullopt if `text` does not begin with them.
std::optional<std::pair<int, int>> ParseVersion(absl::string_view text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(absl::StripAsciiWhitespace(text), '.');
  std::pair<int, int> version;
  if (parts.size() < 2 || !absl::SimpleAtoi(parts[0], &version.first) || !absl::SimpleAtoi(parts[1], &version.second)) {
    return std::nullopt;
  }
  return version;
}

// Adds `names` to `all`. Each name must pass `exists` and must not be in `all` yet.
template <typename Names, typename Set>
absl::Status AddNames(absl::string_view field, const Names& names, bool (*exists)(absl::string_view), Set* all) {
  for (const std::string& name : names) {
    if (!exists(name)) return Wrong(field, name, "is unknown");
    if (!all->insert(name).second) return Wrong(field, name, "is already known");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<NirTarget> NirTarget::Parse(absl::string_view text, absl::string_view file,
                                           absl::Span<const NirTarget> known) {
  v1::NirTarget message;
  if (absl::Status status = proto::ParseTextProto(text, file, &message); !status.ok()) return status;
  const auto wrong = [&](absl::string_view what) { return absl::InvalidArgumentError(absl::StrCat(file, ": ", what)); };
  const std::string stem = absl::StrReplaceAll(message.name(), {{"-", "_"}, {".", "_"}});
  if (stem.empty() || !absl::EndsWith(absl::StrCat("/", file), absl::StrCat("/", stem, ".textproto"))) {
    return wrong(absl::StrCat("name: '", message.name(), "' does not match the file name"));
  }
  if (message.sources().empty())
    return wrong("sources: state the version and the files from which the facts were taken");
  NirTarget target;
  if (!message.extends().empty()) {
    const auto base =
        std::find_if(known.begin(), known.end(), [&](const NirTarget& one) { return one.name() == message.extends(); });
    if (base == known.end()) {
      return wrong(
          absl::StrCat("extends: '", message.extends(), "' is not a target from an alphabetically earlier file"));
    }
    target = *base;
  }
  if (const absl::Status status = target.Add(message); !status.ok()) return wrong(status.message());
  return target;
}

absl::Status NirTarget::Add(const v1::NirTarget& message) {
  name_ = message.name();
  debian_suite_ = message.debian_suite();
  node_flags_ = node_flags_ || message.node_flags();
  own_header_ = own_header_ || message.own_header();
  if (!message.c_names().empty()) c_names_ = message.c_names();
  if (!message.dialect().empty()) {
    const absl::StatusOr<ir::Dialect> dialect = ir::ParseDialect(message.dialect());
    if (!dialect.ok()) return absl::InvalidArgumentError(absl::StrCat("dialect: ", dialect.status().message()));
    dialect_ = *dialect;
  }
  for (const std::string& name : message.removed()) {
    if (ops_.erase(name) + predicates_.erase(name) + options_.erase(name) == 0) {
      return Wrong("removed", name, "is not inherited");
    }
    late_.erase(name);
    std::erase_if(guards_, [&](const auto& guard) { return guard.first.first == name; });
  }
  absl::Status status = AddNames("ops", message.ops(), &IsOp, &ops_);
  if (status.ok()) status = AddNames("predicates", message.predicates(), &IsPredicate, &predicates_);
  if (status.ok()) status = AddNames("options", message.options(), &IsField, &options_);
  if (status.ok()) status = AddNames("late_ops", message.late_ops(), &IsOp, &late_);
  if (!status.ok()) return status;
  for (const std::string& predicate : message.defined()) {
    if (!HasPredicate(predicate)) return Wrong("defined", predicate, "is not among the predicates");
    defined_.insert(predicate);
  }
  for (const std::string& op : message.late_ops()) {
    if (!HasOp(op)) return Wrong("late_ops", op, "is not among the ops");
  }
  drivers_.insert(drivers_.end(), message.driver_ops().begin(), message.driver_ops().end());
  const absl::Status status_of_edits = AddTreeEdits(message);
  return status_of_edits.ok() ? AddGuards(message) : status_of_edits;
}

std::string NirTarget::CallsOf(const std::string& driver) const {
  const auto found = std::find_if(driver_calls_.begin(), driver_calls_.end(),
                                  [&](const auto& calls) { return absl::StartsWith(driver, calls.driver()); });
  return found == driver_calls_.end() ? driver : found->machine();
}

absl::Status NirTarget::AddTreeEdits(const v1::NirTarget& message) {
  driver_calls_.insert(driver_calls_.end(), message.driver_calls().begin(), message.driver_calls().end());
  if (message.tree_edits_size() > 0) tree_edits_.assign(message.tree_edits().begin(), message.tree_edits().end());
  for (const v1::NirTarget::TreeEdit& edit : tree_edits_) {
    const bool known =
        edit.place().empty() || std::find(std::begin(kPlaces), std::end(kPlaces), edit.place()) != std::end(kPlaces);
    if (!known) return Wrong("tree_edits", edit.place(), "is not a place");
    if (edit.file().empty() || edit.file().front() == '/' || edit.file().find("..") != std::string::npos) {
      return Wrong("tree_edits", edit.file(), "is not a file below the tree's root");
    }
    if (edit.anchor().empty() || edit.lines().empty()) {
      return Wrong("tree_edits", edit.file(), "needs an anchor and lines");
    }
  }
  return absl::OkStatus();
}

absl::Status NirTarget::AddGuards(const v1::NirTarget& message) {
  std::set<std::pair<std::string, int>> own;
  for (const v1::NirTarget::Guard& guard : message.guards()) {
    if (guard.unstated() && !guard.condition().empty()) {
      return Wrong("guards", guard.condition(), "is the condition of an unstated guard");
    }
    for (const std::string& op : guard.ops()) {
      if (!HasOp(op)) return Wrong("guards", op, "is not among the ops");
      const std::pair<std::string, int> key(op, static_cast<int>(guard.bits()));
      if (!own.insert(key).second) return Wrong("guards", op, "has two guards at the same bits");
      guards_[key] = guard;
    }
  }
  // Checks inherited guards too, because `removed` may have removed their options.
  for (const auto& [key, guard] : guards_) {
    for (const std::string& field : OptionFields(guard.condition())) {
      if (!HasOption(field))
        return Wrong("guards", key.first, absl::StrCat("requires ", field, ", which is not an option"));
    }
  }
  return absl::OkStatus();
}

const v1::NirTarget::DriverOps* NirTarget::DriverOf(absl::string_view op) const {
  const auto driver =
      std::find_if(drivers_.begin(), drivers_.end(), [&](const auto& one) { return absl::EndsWith(op, one.ending()); });
  return driver == drivers_.end() ? nullptr : &*driver;
}

OpGuard NirTarget::GuardOf(absl::string_view op, int bits, absl::string_view machine) const {
  if (!HasOp(op)) return {false, absl::StrCat(name_, " has no op ", op)};
  if (const v1::NirTarget::DriverOps* const driver = DriverOf(op); driver != nullptr) {
    if (absl::StartsWith(machine, driver->machine())) return {true, ""};
    return {false, absl::StrCat(op, " is an op of one driver (", driver->machine(),
                                "); rules for other machines cannot create it")};
  }
  auto guard = guards_.find(std::make_pair(std::string(op), bits));
  if (guard == guards_.end()) guard = guards_.find(std::make_pair(std::string(op), 0));
  if (guard == guards_.end()) return {true, ""};
  if (!guard->second.unstated()) return {true, guard->second.condition()};
  return {false, absl::StrCat("no option of ", name_, " states whether a driver accepts ", op, "@", bits)};
}

std::string NirTarget::PlaceOf(absl::string_view machine, bool makes_late) const {
  std::string first;
  for (const v1::NirTarget::TreeEdit& edit : tree_edits_) {
    if (edit.place().empty() || edit.place() == kAfterLate) continue;
    const bool calls = std::any_of(edit.machines().begin(), edit.machines().end(),
                                   [&](const std::string& of) { return absl::StartsWith(machine, of); });
    if (!calls) continue;
    if (makes_late && edit.place() == kBeforeLate) return edit.place();
    if (first.empty()) first = edit.place();
  }
  return first.empty() ? std::string(kBeforeLate) : first;
}

bool NirTarget::Defines(absl::string_view predicate) const {
  const ir::PredicateInfo* const info = ir::FindPredicate(predicate);
  return info != nullptr && HasPredicate(predicate) && (info->brought_by.empty() || defined_.contains(predicate));
}

bool NirTarget::IsLate(absl::string_view op) const { return late_.contains(op) || DriverOf(op) != nullptr; }

absl::Span<const NirTarget> AllNirTargets() {
  static const std::vector<NirTarget>& targets = *[] {
    auto* const all = new std::vector<NirTarget>;
    for (const ir::EmbeddedFile& file : TargetFiles()) {
      absl::StatusOr<NirTarget> target = NirTarget::Parse(file.text, file.path, *all);
      // A malformed built-in target is a build error; nir_target_test detects it.
      if (!target.ok()) {
        std::fprintf(stderr, "%s\n", std::string(target.status().message()).c_str());
        std::abort();
      }
      all->push_back(*std::move(target));
    }
    return all;
  }();
  return targets;
}

const NirTarget& DefaultNirTarget() {
  const absl::Span<const NirTarget> targets = AllNirTargets();
  return *std::find_if(targets.rbegin(), targets.rend(),
                       [](const NirTarget& one) { return !one.debian_suite().empty(); });
}

absl::StatusOr<const NirTarget*> FindNirTarget(absl::string_view name) {
  for (const NirTarget& target : AllNirTargets()) {
    if (target.name() == name) return &target;
  }
  return absl::NotFoundError(absl::StrCat("'", name, "' is not a target; use ", NirTargetNames()));
}

std::string NirTargetNames() {
  return absl::StrJoin(AllNirTargets(), ", ",
                       [](std::string* text, const NirTarget& target) { text->append(target.name()); });
}

absl::StatusOr<const NirTarget*> TargetOfTree(const std::string& tree) {
  const absl::StatusOr<std::string> text = proto::ReadFile(tree + "/VERSION", proto::kTreeFileLimits);
  if (!text.ok()) {
    return absl::NotFoundError(absl::StrCat(tree, " is not the root of a Mesa tree: ", text.status().message()));
  }
  const std::optional<std::pair<int, int>> version = ParseVersion(*text);
  if (!version.has_value())
    return absl::InvalidArgumentError(absl::StrCat(tree, "/VERSION does not contain a version such as 26.2.0"));
  const NirTarget* found = nullptr;
  for (const NirTarget& target : AllNirTargets()) {
    const std::optional<std::pair<int, int>> known = ParseVersion(absl::StripPrefix(target.name(), "mesa-"));
    const bool same_year = known->first == version->first;
    const bool begins_dialect = found != nullptr && found->dialect() != target.dialect();
    if (known <= version || (same_year && begins_dialect)) found = &target;
  }
  if (found != nullptr) return found;
  return absl::InvalidArgumentError(
      absl::StrCat(tree, " is older than every known version of Mesa; the oldest is ", AllNirTargets().front().name()));
}

std::vector<std::string> OptionFields(absl::string_view condition) {
  constexpr absl::string_view kPrefix = "options->";
  std::vector<std::string> fields;
  for (size_t at = condition.find(kPrefix); at != absl::string_view::npos; at = condition.find(kPrefix, at)) {
    at += kPrefix.size();
    size_t end = at;
    while (end < condition.size() && (absl::ascii_isalnum(condition[end]) || condition[end] == '_')) ++end;
    fields.emplace_back(condition.substr(at, end - at));
  }
  return fields;
}

}  // namespace rewrought::emitter
