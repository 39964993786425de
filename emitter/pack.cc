#include "emitter/pack.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "emitter/entry_cost.h"
#include "emitter/entry_rule.h"
#include "emitter/evidence.h"
#include "emitter/nir/nir_rule.h"
#include "emitter/nir/nir_text.h"
#include "emitter/proved_cases.h"
#include "ir/digest.h"
#include "ir/match/relation.h"
#include "ir/semantics.h"
#include "ir/text/canonical.h"
#include "ir/text/predicates.h"
#include "ir/text/rule_text.h"
#include "machine/cost.h"
#include "rules/positions.h"

namespace rewrought::emitter {
namespace {

// An admitted candidate and the data by which candidates are ordered.
struct Kept {
  v1::PackEntry entry;
  EntryRule rule;
  std::string text;
  std::string meaning;  // Equal for equivalent entries.
  double saved_cycles = 0;
  size_t search_ops = 0;
  // The numbers of NIR tuples in the two passes of a place.
  uint64_t first_tuples = 0, second_tuples = 0;
  uint64_t position_tuples = 0;  // Tuples of the form for positions, in the second pass.
  uint64_t tuple_bytes = 0;
};

size_t OpsOf(const ir::Term& term) {
  return std::count_if(term.nodes.begin(), term.nodes.end(),
                       [](const ir::Node& node) { return node.kind == ir::NodeKind::kOp; });
}

// Checks that the rule decreases the tuple (cycles, size, text).
absl::Status CheckLowers(const Kept& kept, const v1::RewriteRule& rule) {
  const bool is_program = kept.rule.program.has_value();
  const size_t after_size = is_program ? rule.cost().instructions() : OpsOf(ReplaceWithFoldedConstants(kept.rule.rule));
  const size_t before_size = is_program ? rule.base_cost().instructions() : kept.search_ops;
  const auto before = std::make_tuple(rule.base_cost().cycles(), before_size, ir::PrintTerm(kept.rule.rule.search));
  const auto after = std::make_tuple(rule.cost().cycles(), after_size,
                                     is_program ? std::string() : ir::PrintTerm(kept.rule.rule.replace));
  // A program of equal cost saves nothing.
  const bool lowers = is_program ? std::make_pair(std::get<0>(after), std::get<1>(after)) <
                                       std::make_pair(std::get<0>(before), std::get<1>(before))
                                 : after < before;
  if (lowers) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("does not lower the cost: ", rule.base_cost().cycles(),
                                                    " cycles and ", before_size, " ops before, ", rule.cost().cycles(),
                                                    " and ", after_size, " after"));
}

class Builder {
 public:
  Builder(const machine::Machine& machine, const PackOptions& options) : machine_(machine), options_(options) {}

  Pack Build(std::vector<ProvedRule> candidates) {
    for (ProvedRule& candidate : candidates) Offer(std::move(candidate));
    std::sort(kept_.begin(), kept_.end(), &Before);
    RemoveDuplicates();
    KeepWithinLimits();
    DescribePass();
    Assemble();
    return std::move(pack_);
  }

 private:
  static bool Before(const Kept& x, const Kept& y) {
    return std::make_tuple(-x.saved_cycles, -static_cast<double>(x.search_ops), absl::string_view(x.text),
                           absl::string_view(x.entry.rule().id())) <
           std::make_tuple(-y.saved_cycles, -static_cast<double>(y.search_ops), absl::string_view(y.text),
                           absl::string_view(y.entry.rule().id()));
  }

  void Block(const v1::RewriteRule& rule, absl::string_view reason) {
    std::string text =
        absl::StrCat("(", rule.search(), ", ", rule.program().empty() ? rule.replace() : rule.program(), ")");
    pack_.blocked.push_back({rule.id(), std::move(text), std::string(reason)});
  }

  void Offer(ProvedRule candidate) {
    v1::RewriteRule* const rule = candidate.entry.mutable_rule();
    for (std::string& wish : Wishes(*rule)) wishes_.insert(std::move(wish));
    if (rule->rule_class() != options_.rule_class &&
        (rule->rule_class() == v1::RULE_CLASS_STRICT || rule->rule_class() == v1::RULE_CLASS_INEXACT)) {
      ++pack_.set_aside;
      return;
    }
    Kept kept;
    const absl::Status status = Admit(candidate, &kept);
    if (!status.ok()) return Block(candidate.entry.rule(), status.message());
    kept.entry = std::move(candidate.entry);
    kept_.push_back(std::move(kept));
  }

  absl::Status Admit(ProvedRule& candidate, Kept* kept) {
    v1::RewriteRule* const rule = candidate.entry.mutable_rule();
    if (!rule->machine().empty() && rule->machine() != options_.machine) {
      return absl::FailedPreconditionError(absl::StrCat("is for ", rule->machine(), ", not for ", options_.machine));
    }
    absl::StatusOr<std::string> text = CanonicalText(*rule);
    if (!text.ok()) return text.status();
    const std::string id = ir::RuleId(*text, rule->machine()).hex();
    if (rule->id().empty()) rule->set_id(id);
    if (rule->id() != id)
      return absl::FailedPreconditionError(absl::StrCat("its id does not match the digest of its text: ", id));
    for (const v1::PackWaiver& waiver : options_.manifest.waivers()) {
      if (waiver.subject() == rule->id())
        return absl::FailedPreconditionError(absl::StrCat("waived: ", waiver.reason()));
    }
    if (!candidate.objection.empty()) return absl::FailedPreconditionError(candidate.objection);
    AddSingleUse(candidate.multi_use, rule);
    absl::StatusOr<EntryRule> parsed = ParseEntry(*rule);
    if (!parsed.ok()) return parsed.status();
    if (IsProductAsSum(*parsed)) {
      AddPrecondition(0, ir::kNotOnlyUsedByFadd, rule);
      parsed = ParseEntry(*rule);
      if (!parsed.ok()) return parsed.status();
    }
    if (HasZeroLiteral(parsed->rule.search) && candidate.literals_exact) {
      return absl::FailedPreconditionError(
          "the search side's zero literal matches both zeros, but the proofs cover only one");
    }
    absl::Status status = CheckEvidence(candidate.entry, options_.require_confirmations);
    if (!status.ok()) return status;
    const absl::StatusOr<ProvedCases> proved = FindProvedCases(parsed->rule, candidate.entry);
    if (!proved.ok()) return proved.status();
    if (!parsed->program.has_value()) {
      const auto expanded = ExpandForNir(candidate.entry, *options_.target, options_.machine);
      if (!expanded.ok()) return expanded.status();
    } else if (status = CheckMachineEntry(*parsed, *rule); !status.ok()) {
      return status;
    }
    kept->rule = *std::move(parsed);
    kept->text = *std::move(text);
    kept->search_ops = OpsOf(ir::Matched(kept->rule.rule.search));
    const ir::Term& replace = kept->rule.rule.replace;
    kept->meaning = kept->rule.program.has_value()
                        ? absl::StrCat(ir::PrintTerm(kept->rule.rule.search), kept->text, rule->condition())
                        : absl::StrCat(ir::CanonicalDigest(kept->rule.rule), replace.nodes.size());
    status = FillCosts(machine_, kept->rule, *proved, rule);
    if (!status.ok()) return status;
    kept->saved_cycles = rule->base_cost().cycles() - rule->cost().cycles();
    status = CheckLowers(*kept, *rule);
    if (!status.ok() || kept->rule.program.has_value()) return status;
    status = LowerOrder(&candidate.entry, &kept->rule);
    if (!status.ok()) return status;
    const auto tuples = ExpandForNir(candidate.entry, *options_.target, options_.machine);
    if (!tuples.ok()) return tuples.status();
    for (const NirRule& tuple : tuples->rules) {
      ++(tuple.positions ? kept->position_tuples : tuple.second ? kept->second_tuples : kept->first_tuples);
      kept->tuple_bytes += PythonTuple(tuple).size() + 1;
    }
    return absl::OkStatus();
  }

  absl::Status CheckMachineEntry(const EntryRule& entry, const v1::RewriteRule& rule) const {
    const bool inexact = rule.rule_class() == v1::RULE_CLASS_INEXACT;
    absl::Status status = CheckNirSearch(entry.rule.search, inexact);
    if (status.ok()) status = CheckCondition(entry.rule.condition, *options_.target);
    if (!status.ok()) return status;
    return NirSearchText(entry.rule.search, DefaultNirTarget(), nullptr).status();
  }

  // Adds a precondition on value `node`, numbered in prefix order, if it is missing.
  static void AddPrecondition(uint32_t node, absl::string_view predicate, v1::RewriteRule* rule) {
    auto* const preconditions = rule->mutable_generalisation()->mutable_preconditions();
    const std::string name = absl::StrCat("n", node);
    const bool there = std::any_of(preconditions->begin(), preconditions->end(), [&](const auto& precondition) {
      return precondition.node() == name && precondition.predicate() == predicate;
    });
    if (there) return;
    auto* const added = preconditions->Add();
    added->set_node(name);
    added->set_predicate(std::string(predicate));
  }

  // Forbids other users of `nodes`.
  static void AddSingleUse(std::vector<uint32_t> nodes, v1::RewriteRule* rule) {
    std::sort(nodes.begin(), nodes.end());
    for (const uint32_t node : nodes) AddPrecondition(node, "is_used_once", rule);
  }

  // Returns whether the rule turns a product into a sum, such as (1 + a) b into a b + b. If the driver fuses products
  // into sums, the original product costs nothing when a sum uses it, whereas the new sum is an additional instruction.
  static bool IsProductAsSum(const EntryRule& entry) {
    if (entry.program.has_value()) return false;
    const ir::Node &root = entry.rule.search.root_node(), &made = entry.rule.replace.root_node();
    return root.kind == ir::NodeKind::kOp && root.op->name == "fmul" && (root.flags & ir::kInexact) != 0 &&
           made.kind == ir::NodeKind::kOp && (made.op->name == "fadd" || made.op->name == "ffma");
  }

  void RemoveDuplicates() {
    std::map<std::string, std::string> first;  // Maps a meaning to an id.
    std::vector<Kept> unique;
    for (Kept& kept : kept_) {
      const auto [place, is_new] = first.try_emplace(kept.meaning, kept.entry.rule().id());
      if (is_new) {
        unique.push_back(std::move(kept));
      } else {
        Block(kept.entry.rule(), absl::StrCat("is equivalent to ", place->second));
      }
    }
    kept_ = std::move(unique);
  }

  // Assigns a NIR rule to one of the two passes at its place: to the first pass if the rule decreases the measure with
  // cycles, and otherwise to the second pass, which compares only sizes. If necessary, forbids other users of inner
  // values.
  absl::Status LowerOrder(v1::PackEntry* entry, EntryRule* parsed) {
    OpWeights weights;
    AddWeights(machine_, parsed->rule, &weights);
    const std::optional<PassFit> fit = FindPass(parsed->rule, weights);
    if (!fit.has_value()) return CheckLowersOrder(parsed->rule, weights);
    entry->set_second_pass(fit->second);
    AddSingleUse(fit->marks, entry->mutable_rule());
    absl::StatusOr<EntryRule> marked = ParseEntry(entry->rule());
    if (!marked.ok()) return marked.status();
    *parsed = *std::move(marked);
    if (!AvoidsPositions(*entry, parsed->rule)) return absl::OkStatus();
    const bool lowers = CheckLowersOrder(rules::FormForPositions(parsed->rule), WithoutCycles(weights)).ok();
    const bool wanted = entry->places().empty() || !entry->position_places().empty();
    entry->set_for_positions(lowers && wanted);
    if (lowers || !entry->places().empty() || entry->position_places().empty()) return absl::OkStatus();
    return absl::FailedPreconditionError(
        "the trial chose only its form for positions, which does not decrease the measure");
  }

  // Returns the time and the instructions that the rule saves beyond those saved by the other chosen rules, as measured
  // by trials. If there was no trial, returns the number of cycles saved on the corpus relative to the tuned baseline.
  static std::pair<double, double> WorthOf(const v1::RewriteRule& rule) {
    std::pair<double, double> worth;
    for (const v1::RuleTrial& trial : rule.trials()) {
      for (const v1::RuleTrial::Place& place : trial.places()) {
        if (!place.chosen()) continue;
        worth.first -= place.in_set().time();
        worth.second -= place.in_set().instructions();
      }
    }
    if (!rule.trials().empty()) return worth;
    for (const v1::RuleMeasurement& measured : rule.measurements()) worth.first += measured.tuned_saved_cycles();
    return worth;
  }

  // Blocks the NIR rules with the smallest savings until the tables are within the limits.
  void KeepWithinLimits() {
    std::vector<EntryRule> beside;
    std::vector<const v1::PackEntry*> beside_entries;
    for (const v1::PackEntry& entry : options_.beside) {
      absl::StatusOr<EntryRule> parsed = ParseEntry(entry.rule());
      if (!parsed.ok() || parsed->program.has_value()) continue;
      beside.push_back(*std::move(parsed));
      beside_entries.push_back(&entry);
    }
    std::vector<size_t> places;
    for (size_t i = 0; i < kept_.size(); ++i) {
      if (!kept_[i].rule.program.has_value()) places.push_back(i);
    }
    std::stable_sort(places.begin(), places.end(), [&](size_t x, size_t y) {
      return WorthOf(kept_[x].entry.rule()) > WorthOf(kept_[y].entry.rule());
    });
    // The rules of each place form two passes. Rules without places count as rules of one place, although a few of them
    // run late.
    const auto figures = [&](size_t count) {
      std::map<std::pair<std::string, bool>, std::vector<SearchPattern>> passes;  // Keyed by (place, second).
      const auto add = [&](const google::protobuf::RepeatedPtrField<std::string>& measured, bool second,
                           const ir::Rule& rule, uint64_t tuples) {
        std::vector<std::string> at(measured.begin(), measured.end());
        if (at.empty()) at.emplace_back();
        for (const std::string& place : at) {
          if (tuples > 0) passes[{place, second}].push_back({&rule, tuples});
        }
      };
      for (size_t i = 0; i < beside.size(); ++i) {
        const v1::PackEntry& entry = *beside_entries[i];
        add(entry.places(), entry.second_pass(), beside[i].rule, 1);
        add(entry.position_places(), true, beside[i].rule, entry.for_positions() ? 1 : 0);
      }
      for (size_t i = 0; i < count; ++i) {
        const Kept& kept = kept_[places[i]];
        add(kept.entry.places(), false, kept.rule.rule, kept.first_tuples);
        add(kept.entry.places(), true, kept.rule.rule, kept.second_tuples);
        add(kept.entry.position_places(), true, kept.rule.rule, kept.position_tuples);
      }
      TableFigures sum;
      for (const auto& [pass, patterns] : passes) {
        const TableFigures one = CountTables(patterns, options_.limits);
        sum.complete = sum.complete && one.complete;
        sum.tuples += one.tuples;
        sum.states += one.states;
        sum.entries += one.entries;
        sum.bytes += one.bytes;
        sum.seconds += one.seconds;
      }
      return sum;
    };
    // Adding rules never reduces the number of states, so a binary search finds the number of rules that fit.
    size_t fit = 0, too_many = places.size() + 1;
    while (too_many - fit > 1) {
      const size_t middle = too_many == places.size() + 1 ? places.size() : (fit + too_many) / 2;
      (Within(figures(middle), options_.limits) ? fit : too_many) = middle;
    }
    pack_.pass.tables = figures(fit);
    std::vector<size_t> over(places.begin() + static_cast<ptrdiff_t>(fit), places.end());
    std::sort(over.rbegin(), over.rend());
    for (const size_t place : over) {
      Block(kept_[place].entry.rule(),
            absl::StrCat("the pass's tables would exceed ", options_.limits.bytes, " bytes of C or ",
                         options_.limits.seconds, " s of generation; ", fit,
                         " rules with larger savings fit; waive other rules, or raise --max-table-bytes"));
      kept_.erase(kept_.begin() + static_cast<ptrdiff_t>(place));
    }
  }

  // Records the op weights and, for each rule, the size of the tables for that rule alone.
  void DescribePass() {
    for (Kept& kept : kept_) {
      if (kept.rule.program.has_value()) continue;
      AddWeights(machine_, kept.rule.rule, &pack_.pass.weights);
      pack_.pass.text_bytes += kept.tuple_bytes;
      const uint64_t tuples = kept.first_tuples + kept.second_tuples + kept.position_tuples;
      const TableFigures alone = CountTables({{&kept.rule.rule, tuples}}, options_.limits);
      kept.entry.set_table_bytes(static_cast<uint32_t>(alone.bytes));
    }
  }

  void Assemble() {
    v1::PackManifest* const manifest = pack_.message.mutable_manifest();
    *manifest = options_.manifest;
    manifest->clear_files();
    manifest->set_machine(options_.machine);
    manifest->set_semantics_version(ir::SemanticsDigest());
    for (const std::string& wish : manifest->wishes()) wishes_.insert(wish);
    manifest->clear_wishes();
    for (const std::string& wish : wishes_) manifest->add_wishes(wish);
    for (Kept& kept : kept_) *pack_.message.add_entries() = std::move(kept.entry);
    manifest->set_digest(PackDigest(pack_.message));
    pack_.target = options_.target->name();
    pack_.rule_class = options_.rule_class;
    pack_.peers = options_.peers;
    std::sort(pack_.peers.begin(), pack_.peers.end());
    std::sort(pack_.blocked.begin(), pack_.blocked.end(), [](const BlockedRule& x, const BlockedRule& y) {
      return std::tie(x.rule, x.reason, x.id) < std::tie(y.rule, y.reason, y.id);
    });
  }

  const machine::Machine& machine_;
  const PackOptions& options_;
  std::vector<Kept> kept_;
  std::set<std::string> wishes_;
  Pack pack_;
};

}  // namespace

absl::StatusOr<Pack> BuildPack(std::vector<ProvedRule> candidates, const PackOptions& options) {
  const auto machine = machine::FindMachine(options.machine);
  if (!machine.ok()) return machine.status();
  return Builder(**machine, options).Build(std::move(candidates));
}

std::string PackDigest(const v1::Pack& pack) {
  std::string text = absl::StrCat(pack.manifest().machine(), "\n");
  for (const v1::PackEntry& entry : pack.entries()) {
    const v1::RewriteRule& rule = entry.rule();
    std::vector<std::string> preconditions;
    for (const auto& one : rule.generalisation().preconditions()) {
      preconditions.push_back(absl::StrCat(one.node(), ":", one.predicate()));
    }
    const auto canonical = CanonicalText(rule);
    absl::StrAppend(&text, rule.id(), " ", static_cast<int>(rule.rule_class()), " ", absl::StrJoin(preconditions, ","),
                    " ", canonical.ok() ? *canonical : std::string(canonical.status().message()),
                    entry.all_stages() ? " all stages" : "", entry.second_pass() ? " second pass" : "",
                    entry.for_positions() ? " for positions" : "", "\n");
  }
  return ir::Sha256Hex(text);
}

}  // namespace rewrought::emitter
