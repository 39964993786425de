// Writes the sample pack, of each class and for each target, below the folder given. Prints what each blocks, and what
// each target is said to have, one line each, fields parted by tabs.
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "emitter/pack_files.h"
#include "emitter/testing/sample_rules.h"
#include "ir/op_table.h"
#include "ir/text/predicates.h"

namespace rewrought::emitter {
namespace {

int Write(const std::string& directory, const std::string& target, v1::RuleClass rule_class) {
  PackOptions options = SampleOptions();
  options.target = *FindNirTarget(target);
  options.rule_class = rule_class;
  auto pack = BuildPack(SampleRules(), options);
  if (!pack.ok()) return std::fprintf(stderr, "%s\n", pack.status().ToString().c_str()), 1;
  const auto files = RenderPack({}, &*pack);
  if (!files.ok()) return std::fprintf(stderr, "%s\n", files.status().ToString().c_str()), 1;
  const absl::Status status = WriteFiles(directory, *files);
  if (!status.ok()) return std::fprintf(stderr, "%s\n", status.ToString().c_str()), 1;
  for (const BlockedRule& rule : pack->blocked) {
    std::printf("blocked\t%s\t%s\t%s\n", target.c_str(), rule.rule.c_str(), rule.reason.c_str());
  }
  return 0;
}

void PrintTarget(const NirTarget& target) {
  const std::string name(target.name());
  for (const ir::OpRow* op : ir::AllOps()) {
    std::printf("op\t%s\t%s\t%d\n", name.c_str(), op->name.c_str(), target.HasOp(op->name));
  }
  for (const ir::PredicateInfo& predicate : ir::AllPredicates()) {
    const std::string text(predicate.name);
    std::printf("predicate\t%s\t%s\t%d\n", name.c_str(), text.c_str(), target.HasPredicate(predicate.name));
  }
  for (const std::string& field : target.GuardFields()) {
    std::printf("option\t%s\t%s\t%d\n", name.c_str(), field.c_str(), target.HasOption(field));
  }
}

}  // namespace
}  // namespace rewrought::emitter

int main(int argc, char** argv) {
  using rewrought::emitter::FindNirTarget, rewrought::emitter::PrintTarget, rewrought::emitter::Write;
  if (argc != 2) return std::fprintf(stderr, "usage: print_sample_main FOLDER\n"), 2;
  int status = 0;
  for (const char* target : {"mesa-22.3", "mesa-25.0"}) {
    PrintTarget(*FindNirTarget(target));
    status |= Write(absl::StrCat(argv[1], "/", target, "/strict"), target, rewrought::v1::RULE_CLASS_STRICT);
    status |= Write(absl::StrCat(argv[1], "/", target, "/inexact"), target, rewrought::v1::RULE_CLASS_INEXACT);
  }
  return status;
}
