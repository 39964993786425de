// Writes the sample pack, of each class and for each target, below the folder given. Prints what each blocks, and what
// each target is said to have, one line each, fields parted by tabs.
#include <cstdio>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "emitter/pack_files.h"
#include "emitter/testing/sample_rules.h"
#include "ir/op_table.h"
#include "ir/text/predicates.h"

namespace rewrought::emitter {
namespace {

int Write(const std::string& directory, const NirTarget& target, v1::RuleClass rule_class) {
  PackOptions options = SampleOptions();
  options.target = &target;
  options.rule_class = rule_class;
  auto pack = BuildPack(SampleRules(), options);
  if (!pack.ok()) return std::fprintf(stderr, "%s\n", pack.status().ToString().c_str()), 1;
  const auto files = RenderPack({}, &*pack);
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
    PrintFact(target, "predicate", predicate.name, target.HasPredicate(predicate.name));
  }
  std::set<std::string> fields;  // that any version has
  for (const NirTarget& any : AllNirTargets()) fields.insert(any.options().begin(), any.options().end());
  for (const std::string& field : fields) PrintFact(target, "option", field, target.HasOption(field));
}

}  // namespace
}  // namespace rewrought::emitter

int main(int argc, char** argv) {
  using rewrought::emitter::PrintTarget, rewrought::emitter::Write;
  if (argc != 2) return std::fprintf(stderr, "usage: print_sample_main FOLDER\n"), 2;
  int status = 0;
  for (const auto& target : rewrought::emitter::AllNirTargets()) {
    PrintTarget(target);
    const std::string folder = absl::StrCat(argv[1], "/", target.name());
    status |= Write(absl::StrCat(folder, "/strict"), target, rewrought::v1::RULE_CLASS_STRICT);
    status |= Write(absl::StrCat(folder, "/inexact"), target, rewrought::v1::RULE_CLASS_INEXACT);
  }
  return status;
}
