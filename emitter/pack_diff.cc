#include "emitter/pack_diff.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "emitter/entry_rule.h"
#include "emitter/json_writer.h"
#include "emitter/line_diff.h"
#include "emitter/pack_folder.h"
#include "ir/digest.h"
#include "ir/text/canonical.h"
#include "machine/program.h"

namespace rewrought::emitter {
namespace {

std::string TextOf(const v1::PackEntry& entry) {
  const absl::StatusOr<std::string> text = CanonicalText(entry.rule());
  return text.ok() ? *text : entry.rule().search();
}

// Returns a key that is equal for rules with the same search side.
std::string SearchOf(const v1::PackEntry& entry) {
  const absl::StatusOr<EntryRule> parsed = ParseEntry(entry.rule());
  // A rule with a program differs from a rule with a replacement.
  return absl::StrCat(entry.rule().program().empty(), "\n",
                      parsed.ok() ? ir::CanonicalDigest(parsed->rule.search) : entry.rule().search());
}

// Returns the entry as JSON with sorted maps.
std::string Printed(const v1::PackEntry& entry) {
  v1::Pack pack;
  *pack.add_entries() = entry;
  return WritePackJson(pack);
}

// Returns whether the parts that `keep` copies differ.
template <typename Keep>
bool Differs(const v1::PackEntry& a, const v1::PackEntry& b, Keep keep) {
  v1::PackEntry x, y;
  keep(a, &x);
  keep(b, &y);
  return Printed(x) != Printed(y);
}

std::set<std::string> ProvedCasesOf(const v1::PackEntry& entry) {
  std::set<std::string> cases;
  for (const v1::CaseVerdict& proof : entry.proofs()) {
    if (proof.verdict() != v1::VERDICT_PROVED) continue;
    const std::map<std::string, uint32_t> sizes(proof.sizes().begin(), proof.sizes().end());
    cases.insert(absl::StrCat(proof.mode(), " ", absl::StrJoin(sizes, " ", absl::PairFormatter(":"))));
  }
  return cases;
}

bool CostsDiffer(const v1::PackEntry& a, const v1::PackEntry& b) {
  return Differs(a, b, [](const v1::PackEntry& from, v1::PackEntry* to) {
    *to->mutable_rule()->mutable_cost() = from.rule().cost();
    *to->mutable_rule()->mutable_base_cost() = from.rule().base_cost();
  });
}

// Returns the names of the parts that differ. `machines` states whether the packs are for two machines.
std::vector<std::string> PartsThatDiffer(const v1::PackEntry& a, const v1::PackEntry& b, bool machines) {
  std::vector<std::string> parts;
  const auto add = [&](absl::string_view name, bool differs) {
    if (differs) parts.emplace_back(name);
  };
  add("replacement", a.rule().replace() != b.rule().replace() || a.rule().program() != b.rule().program());
  add("condition", a.rule().condition() != b.rule().condition());
  add("preconditions", Differs(a, b, [](const v1::PackEntry& from, v1::PackEntry* to) {
        *to->mutable_rule()->mutable_generalisation() = from.rule().generalisation();
      }));
  add("cost", CostsDiffer(a, b));
  if (machines) {
    add("proofs", ProvedCasesOf(a) != ProvedCasesOf(b));
    return parts;
  }
  add("proofs", Differs(a, b, [](const v1::PackEntry& from, v1::PackEntry* to) {
        *to->mutable_proofs() = from.proofs();
        *to->mutable_rule()->mutable_inexact() = from.rule().inexact();
      }));
  add("confirmations", Differs(a, b, [](const v1::PackEntry& from, v1::PackEntry* to) {
        *to->mutable_confirmations() = from.confirmations();
      }));
  add("mutants",
      Differs(a, b, [](const v1::PackEntry& from, v1::PackEntry* to) { *to->mutable_mutants() = from.mutants(); }));
  add("measurements", Differs(a, b, [](const v1::PackEntry& from, v1::PackEntry* to) {
        *to->mutable_rule()->mutable_measurements() = from.rule().measurements();
      }));
  if (parts.empty() && Printed(a) != Printed(b)) parts.emplace_back("provenance");
  return parts;
}

std::string CostText(const v1::PackEntry& entry) {
  const v1::ProgramCost &cost = entry.rule().cost(), &base = entry.rule().base_cost();
  return absl::StrCat(cost.instructions(), " instructions, ", cost.cycles(), " cycles, latency ", cost.latency(),
                      " (without the rule ", base.instructions(), ", ", base.cycles(), ", ", base.latency(), ")");
}

// Returns the program's instructions, or an empty list if there is no program or it does not parse.
std::vector<std::string> InstructionsOf(const v1::PackEntry& entry) {
  std::vector<std::string> lines;
  const absl::StatusOr<EntryRule> parsed = ParseEntry(entry.rule());
  if (!parsed.ok() || !parsed->program.has_value()) return lines;
  for (const machine::Instruction& instruction : parsed->program->instructions) {
    lines.push_back(machine::PrintInstruction(*parsed->machine, instruction));
  }
  return lines;
}

std::vector<std::string> DetailOf(const v1::PackEntry& before, const v1::PackEntry& after) {
  std::vector<std::string> detail;
  const std::vector<std::string> x = InstructionsOf(before), y = InstructionsOf(after);
  if (x != y && !x.empty() && !y.empty()) detail = LineDiff(x, y);
  if (CostsDiffer(before, after)) {
    detail.push_back(absl::StrCat("cost: ", CostText(before), " -> ", CostText(after)));
  }
  return detail;
}

class Comparison {
 public:
  Comparison(const PackFolder& old_pack, const PackFolder& new_pack)
      : old_(old_pack),
        new_(new_pack),
        machines_(old_pack.pack.manifest().machine() != new_pack.pack.manifest().machine()) {}

  std::vector<Difference> Run() {
    CompareFields();
    PairUp();
    int furthest = -1;  // The largest paired index in the old pack so far.
    for (int i = 0; i < new_.pack.entries_size(); ++i) {
      const v1::PackEntry& entry = new_.pack.entries(i);
      const auto pair = partner_.find(i);
      if (pair == partner_.end()) {
        Add({Difference::Kind::kAdded, entry.rule().id(), "", {}, "", TextOf(entry), {}});
        continue;
      }
      CompareEntries(old_.pack.entries(pair->second), entry);
      // The order depends on savings, which differ between machines.
      if (pair->second < furthest && !machines_) {
        Add({Difference::Kind::kMoved, entry.rule().id(), "", {"place"}, TextOf(entry), TextOf(entry), {}});
      }
      furthest = std::max(furthest, pair->second);
    }
    for (int i = 0; i < old_.pack.entries_size(); ++i) {
      const v1::PackEntry& entry = old_.pack.entries(i);
      if (!taken_.contains(i)) Add({Difference::Kind::kLost, entry.rule().id(), "", {}, TextOf(entry), "", {}});
    }
    return std::move(differences_);
  }

 private:
  void Add(Difference difference) { differences_.push_back(std::move(difference)); }

  void Field(const std::string& name, const std::string& before, const std::string& after) {
    if (before != after) Add({Difference::Kind::kPack, "", "", {name}, before, after, {}});
  }

  void CompareFields() {
    const v1::PackManifest &x = old_.pack.manifest(), &y = new_.pack.manifest();
    Field("machine", x.machine(), y.machine());
    Field("target", old_.manifest.target, new_.manifest.target);
    Field("rule_class", v1::RuleClass_Name(old_.manifest.rule_class), v1::RuleClass_Name(new_.manifest.rule_class));
    Field("semantics_version", x.semantics_version(), y.semantics_version());
    Field("corpus", absl::StrCat(x.corpus().shaders(), " shaders, ", x.corpus().digest()),
          absl::StrCat(y.corpus().shaders(), " shaders, ", y.corpus().digest()));
    // Compares the rest of the manifest except for derived fields.
    v1::Pack rest_x, rest_y;
    *rest_x.mutable_manifest() = x;
    *rest_y.mutable_manifest() = y;
    for (v1::Pack* rest : {&rest_x, &rest_y}) {
      v1::PackManifest* manifest = rest->mutable_manifest();
      manifest->clear_machine();
      manifest->clear_semantics_version();
      manifest->clear_corpus();
      manifest->clear_digest();
      if (!machines_) continue;
      // These fields are specific to a machine.
      manifest->clear_effects();
      manifest->clear_uncovered_ops();
      manifest->clear_driver();
    }
    if (WritePackJson(rest_x) != WritePackJson(rest_y)) {
      Add({Difference::Kind::kPack,
           "",
           "",
           {"solver versions, waivers, effects, uncovered ops or wishes"},
           "",
           "",
           {}});
    }
  }

  // Pairs entries by id, then by text, then by search side, each in order.
  void PairUp() {
    // Ids depend on the machine.
    if (!machines_) PairBy([](const v1::PackEntry& entry) { return entry.rule().id(); });
    PairBy(TextOf);
    PairBy(SearchOf);
  }

  template <typename Key>
  void PairBy(Key key) {
    std::map<std::string, std::vector<int>> places;  // Indices in the old pack, descending.
    for (int i = old_.pack.entries_size() - 1; i >= 0; --i) {
      if (!taken_.contains(i)) places[key(old_.pack.entries(i))].push_back(i);
    }
    for (int i = 0; i < new_.pack.entries_size(); ++i) {
      if (partner_.contains(i)) continue;
      std::vector<int>& left = places[key(new_.pack.entries(i))];
      if (left.empty()) continue;
      partner_[i] = left.back();
      taken_.insert(left.back());
      left.pop_back();
    }
  }

  void CompareEntries(const v1::PackEntry& before, const v1::PackEntry& after) {
    std::vector<std::string> parts = PartsThatDiffer(before, after, machines_);
    if (parts.empty()) return;
    const std::string old_id = before.rule().id() == after.rule().id() ? "" : before.rule().id();
    Add({Difference::Kind::kChanged, after.rule().id(), old_id, std::move(parts), TextOf(before), TextOf(after),
         DetailOf(before, after)});
  }

  const PackFolder& old_;
  const PackFolder& new_;
  const bool machines_;
  std::map<int, int> partner_;  // Maps an index in the new pack to one in the old pack.
  std::set<int> taken_;         // Paired indices in the old pack.
  std::vector<Difference> differences_;
};

}  // namespace

absl::string_view NameOf(Difference::Kind kind) {
  switch (kind) {
    case Difference::Kind::kPack:
      return "pack";
    case Difference::Kind::kAdded:
      return "added";
    case Difference::Kind::kChanged:
      return "changed";
    case Difference::Kind::kMoved:
      return "moved";
    case Difference::Kind::kLost:
      return "lost";
  }
  return "";
}

absl::StatusOr<std::vector<Difference>> DiffPacks(const std::string& old_pack, const std::string& new_pack) {
  const absl::StatusOr<PackFolder> x = ReadPackFolder(old_pack);
  if (!x.ok()) return x.status();
  const absl::StatusOr<PackFolder> y = ReadPackFolder(new_pack);
  if (!y.ok()) return y.status();
  return Comparison(*x, *y).Run();
}

}  // namespace rewrought::emitter
