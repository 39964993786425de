// rewrought ops: prints the op table, one row per line.
#include <iostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cli/command.h"
#include "cli/commands/registry.h"
#include "cli/json_output.h"
#include "ir/meaning.h"
#include "ir/op_table.h"
#include "ir/semantics.h"

namespace rewrought::cli {
namespace {

std::string TypeText(const ir::OperandType& type) {
  static constexpr const char* kNames[] = {"uint", "int", "float", "bool"};
  std::string text = kNames[static_cast<int>(type.base)];
  if (type.bits != 0) absl::StrAppend(&text, type.bits);
  if (type.components != 0) absl::StrAppend(&text, "x", type.components);
  return text;
}

std::vector<std::string> Properties(const ir::OpRow& row) {
  std::vector<std::string> properties;
  const std::pair<uint32_t, const char*> names[] = {{ir::kCommutative, "commutative"},
                                                    {ir::kAssociative, "associative"},
                                                    {ir::kApproximate, "approximate"},
                                                    {ir::kIsConversion, "conversion"},
                                                    {ir::kIsSelection, "selection"}};
  for (const auto& [bit, name] : names) {
    if (row.properties & bit) properties.push_back(name);
  }
  static constexpr const char* kContracts[] = {"bits", "arithmetic", "may_flush"};
  properties.push_back(kContracts[static_cast<int>(row.contract)]);
  return properties;
}

Json ToJson(const ir::OpRow& row) {
  std::vector<std::string> sources;
  for (const ir::OperandType& source : row.sources) sources.push_back(TypeText(source));
  Json object{{"name", row.name},
              {"result", TypeText(row.result)},
              {"types", sources},
              {"widths", ir::FreeSizesOf(row)},
              {"properties", Properties(row)},
              {"meaning", row.meaning}};
  if (!row.poison.empty()) object["poison"] = row.poison;
  if (!row.free_zero.empty()) object["free_zero"] = row.free_zero;
  if (!row.tiny.empty()) object["tiny"] = row.tiny;
  object["source"] = row.reference;
  return object;
}

void Run(bool json) {
  for (const ir::OpRow* row : ir::AllOps()) {
    if (json) {
      PrintJson(ToJson(*row));
      continue;
    }
    std::vector<std::string> sources;
    for (const ir::OperandType& source : row->sources) sources.push_back(TypeText(source));
    std::cout << absl::StrFormat("%-24s (%s) -> %s  %s\n", row->name, absl::StrJoin(sources, ", "),
                                 TypeText(row->result), row->meaning);
  }
  std::cerr << "rewrought ops: " << ir::AllOps().size() << " ops, semantics " << ir::SemanticsDigest().substr(0, 16)
            << std::endl;
}

}  // namespace

void AddOpsCommand(CLI::App* command, Context* context) {
  static bool json = false;
  AddJsonOption(command, &json, "one JSON object per op");
  command->footer(
      "Examples:\n"
      "  rewrought ops | grep '^fmin '\n"
      "  rewrought ops --json | grep '\"fmin\"'");
  command->callback([context] {
    context->exit_code = kYes;
    Run(json);
  });
}

}  // namespace rewrought::cli
