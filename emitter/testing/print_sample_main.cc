// Writes the sample pack of each class for each target below the given folder. Prints the blocked rules and the facts
// about each target, one per line with fields separated by tabs. With a target and a Mesa tree as further arguments,
// instead writes FOLDER/<machine>.patch for each machine for which the target has a place, and prints the names of the
// machine and of its pass.
#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "emitter/nir/nir_rule.h"
#include "emitter/nir/nir_writer.h"
#include "emitter/pack_files.h"
#include "emitter/pass/tree_patch.h"
#include "emitter/testing/sample_rules.h"
#include "ir/op_table.h"
#include "ir/text/predicates.h"
#include "machine/machine.h"

namespace rewrought::emitter {
namespace {

int Write(const std::string& directory, const NirTarget& target, v1::RuleClass rule_class) {
  PackOptions options = SampleOptions();
  options.target = &target;
  options.rule_class = rule_class;
  auto pack = BuildPack(SampleRules(), options);
  if (!pack.ok()) return std::fprintf(stderr, "%s\n", pack.status().ToString().c_str()), 1;
  const auto files = RenderPack({"nir", "machine", "c"}, &*pack);
  if (!files.ok()) return std::fprintf(stderr, "%s\n", files.status().ToString().c_str()), 1;
  const absl::Status status = WriteFiles(directory, *files);
  if (!status.ok()) return std::fprintf(stderr, "%s\n", status.ToString().c_str()), 1;
  for (const BlockedRule& rule : pack->blocked) {
    std::printf("blocked\t%s\t%s\t%s\n", target.name().c_str(), rule.rule.c_str(), rule.reason.c_str());
  }
  return 0;
}

void PrintFact(const NirTarget& target, absl::string_view kind, absl::string_view name, bool has) {
  std::printf("%s\n", absl::StrCat(kind, "\t", target.name(), "\t", name, "\t", has).c_str());
}

void PrintTarget(const NirTarget& target) {
  std::printf("target\t%s\t%s\n", target.name().c_str(), target.debian_suite().c_str());
  for (const ir::OpRow* op : ir::AllOps()) PrintFact(target, "op", op->name, target.HasOp(op->name));
  for (const ir::PredicateInfo& predicate : ir::AllPredicates()) {
    PrintFact(target, "predicate", predicate.name, target.Defines(predicate.name));
  }
  std::set<std::string> fields;  // The fields that at least one version has.
  for (const NirTarget& any : AllNirTargets()) fields.insert(any.options().begin(), any.options().end());
  for (const std::string& field : fields) PrintFact(target, "option", field, target.HasOption(field));
}

// Writes a patch for a pack of `machine` with rules for its driver's own place and for after_late, and a rule with C
// conditions (sharing.c, positions.c).
int WritePatch(const std::string& folder, const NirTarget& target, const std::string& tree,
               const std::string& machine) {
  v1::Pack pack;
  pack.mutable_manifest()->set_machine(machine);
  std::vector<ProvedRule> samples = SampleRules();
  samples.push_back(SampleInexact("('~fmul', ('fmul', 'a@32', 'b(is_shared_with_outer)'), 'c')",
                                  "('fmul', 'a', ('fmul', 'b', 'c'))"));
  for (ProvedRule& sample : samples) {
    if (sample.entry.rule().program().empty() && ExpandForNir(sample.entry, target, machine).ok()) {
      sample.entry.mutable_rule()->set_id(absl::StrCat("sample", pack.entries_size()));
      *pack.add_entries() = std::move(sample.entry);
    }
  }
  const auto python = WriteNir(pack, target);
  const auto places = NirPlaces(pack, target);
  if (!python.ok() || !places.ok()) return std::fprintf(stderr, "%s\n", python.status().ToString().c_str()), 1;
  const auto patch = TreePatch(tree, target, {NirPassName(pack), machine, *python, *places, "A sample."});
  // Drivers without a late pass have no place after it.
  if (absl::IsFailedPrecondition(patch.status())) return 0;
  if (!patch.ok()) return std::fprintf(stderr, "%s\n", patch.status().ToString().c_str()), 1;
  const absl::Status status = WriteFiles(folder, {{machine + ".patch", *patch}});
  if (!status.ok()) return std::fprintf(stderr, "%s\n", status.ToString().c_str()), 1;
  std::printf("%s\t%s\n", machine.c_str(), NirPassName(pack).c_str());
  return 0;
}

int WritePatches(const std::string& folder, const std::string& name, const std::string& tree) {
  const auto target = FindNirTarget(name);
  if (!target.ok()) return std::fprintf(stderr, "%s\n", target.status().ToString().c_str()), 1;
  int status = 0;
  for (const machine::Machine* machine : machine::AllMachines()) {
    status |= WritePatch(folder, **target, tree, machine->id());
  }
  return status;
}

}  // namespace
}  // namespace rewrought::emitter

int main(int argc, char** argv) {
  using rewrought::emitter::PrintTarget, rewrought::emitter::Write;
  if (argc == 4) return rewrought::emitter::WritePatches(argv[1], argv[2], argv[3]);
  if (argc != 2) return std::fprintf(stderr, "usage: print_sample_main FOLDER [TARGET TREE]\n"), 2;
  int status = 0;
  for (const auto& target : rewrought::emitter::AllNirTargets()) {
    PrintTarget(target);
    const std::string folder = absl::StrCat(argv[1], "/", target.name());
    status |= Write(absl::StrCat(folder, "/strict"), target, rewrought::v1::RULE_CLASS_STRICT);
    status |= Write(absl::StrCat(folder, "/inexact"), target, rewrought::v1::RULE_CLASS_INEXACT);
  }
  return status;
}
