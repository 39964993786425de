#include "emitter/tablegen/op_records.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "emitter/tablegen/machine_records.h"
#include "ir/text/predicates.h"

namespace rewrought::emitter {
namespace {

// NIR's ops for which LLVM has a selection node that allows no additional results, so that proofs about the op hold for
// the node. The list omits LLVM's fneg and fabs, which keep a NaN's payload, and its fmin and fmax, which may return
// either zero. Sources: the language reference of LLVM 15; llvm/Target/TargetSelectionDAG.td.
constexpr std::pair<absl::string_view, absl::string_view> kNodesOfLlvm[] = {
    {"fadd", "fadd"},  {"fsub", "fsub"},  {"fmul", "fmul"},       {"ffma", "fma"},        {"flt", "setolt"},
    {"fge", "setoge"}, {"feq", "setoeq"}, {"fneu", "setune"},     {"iadd", "add"},        {"isub", "sub"},
    {"imul", "mul"},   {"iand", "and"},   {"ior", "or"},          {"ixor", "xor"},        {"ishl", "shl"},
    {"ishr", "sra"},   {"ushr", "srl"},   {"imin", "smin"},       {"imax", "smax"},       {"umin", "umin"},
    {"umax", "umax"},  {"ilt", "setlt"},  {"ige", "setge"},       {"ieq", "seteq"},       {"ine", "setne"},
    {"ult", "setult"}, {"uge", "setuge"}, {"umul_high", "mulhu"}, {"imul_high", "mulhs"}, {"bcsel", "select"},
    {"ineg", "ineg"},  {"inot", "not"},
};

// Returns, for example, "node:$a, node:$b".
std::string Operands(size_t count, absl::string_view kind) {
  std::vector<std::string> operands;
  for (size_t i = 0; i < count; ++i)
    operands.push_back(absl::StrCat(kind, "$", std::string(1, static_cast<char>('a' + i))));
  return absl::StrJoin(operands, ", ");
}

// Returns the type constraints of an op's own node: which values are floats or integers, and which have equal types.
std::string TypeConstraints(const ir::OpRow& op) {
  std::vector<std::string> constraints;
  std::vector<ir::OperandType> types = {op.result};
  types.insert(types.end(), op.sources.begin(), op.sources.end());
  const bool moves = op.name == "mov" || op.name == "bcsel" || op.name.substr(0, 3) == "vec";
  for (size_t i = 0; i < types.size() && !moves; ++i) {
    // Types with the same base, number of components, and free size are equal.
    const size_t first = static_cast<size_t>(std::find(types.begin(), types.end(), types[i]) - types.begin());
    const bool is_float = types[i].base == ir::BaseType::kFloat;
    constraints.push_back(first < i && types[i].bits == 0
                              ? absl::StrCat("SDTCisSameAs<", first, ", ", i, ">")
                              : absl::StrCat(is_float ? "SDTCisFP<" : "SDTCisInt<", i, ">"));
  }
  return absl::StrJoin(constraints, ", ");
}

absl::Status DefinePlainOp(const ir::OpRow& op, bool vector, Definitions* definitions) {
  const std::string name = absl::StrCat("nir_", op.name);
  const size_t count = op.sources.size();
  const auto llvm = std::find_if(std::begin(kNodesOfLlvm), std::end(kNodesOfLlvm),
                                 [&](const auto& row) { return row.first == op.name; });
  // For selections and shifts of vectors, LLVM's nodes have different operands.
  if (llvm != std::end(kNodesOfLlvm) && !vector) {
    return definitions->Add(Section::kOps, name,
                            absl::StrCat("def ", name, " : PatFrag<(ops ", Operands(count, "node:"), "), (",
                                         llvm->second, " ", Operands(count, "node:"), ")>;\n"));
  }
  const bool commutes = (op.properties & ir::kCommutative) != 0 && count >= 2;
  return definitions->Add(Section::kOps, name + (vector ? "_vector" : ""),
                          absl::StrCat("def ", name, vector ? "_vector" : "", " : SDNode<\"NIRISD::",
                                       absl::AsciiStrToUpper(op.name), "\", SDTypeProfile<1, ", count, ", [",
                                       TypeConstraints(op), "]>", commutes ? ", [SDNPCommutative]" : "", ">;\n"));
}

// Returns a Mesa predicate on an op as a C++ condition on SDNode *N.
std::string OpCondition(const std::string& predicate) {
  if (predicate == "is_used_once") return "N->hasOneUse()";
  return absl::StrCat(predicate, "(N)");
}

absl::Status CheckPredicate(const std::string& predicate) {
  const ir::PredicateInfo* const info = ir::FindPredicate(predicate);
  if (info != nullptr && info->kind == ir::PredicateKind::kSharing) {
    return absl::FailedPreconditionError(absl::StrCat("a pattern cannot test ", predicate));
  }
  if (info != nullptr) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("'", predicate, "' is not a predicate"));
}

}  // namespace

absl::StatusOr<std::string> DefineOp(const ir::Node& node, bool vector, Definitions* definitions) {
  if ((node.flags & (ir::kExact | ir::kInexact)) != 0) {
    return absl::FailedPreconditionError("a pattern cannot test whether a node is exact");
  }
  absl::Status status = DefinePlainOp(*node.op, vector, definitions);
  if (!status.ok()) return status;
  const std::string plain = absl::StrCat("nir_", node.op->name, vector ? "_vector" : "");
  std::string name = plain;
  std::vector<std::string> conditions;
  const std::pair<ir::NodeFlag, std::pair<const char*, const char*>> flags[] = {
      {ir::kNoSignedZero, {"nsz", "N->getFlags().hasNoSignedZeros()"}},
      {ir::kNoNan, {"nnan", "N->getFlags().hasNoNaNs()"}},
      {ir::kNoInf, {"ninf", "N->getFlags().hasNoInfs()"}}};
  for (const auto& [flag, texts] : flags) {
    if ((node.flags & flag) == 0) continue;
    absl::StrAppend(&name, "_", texts.first);
    conditions.emplace_back(texts.second);
  }
  for (const std::string& predicate : node.predicates) {
    if (predicate == ir::kManyCommutative) continue;  // A limit of Mesa's matcher, but not of LLVM's.
    if (status = CheckPredicate(predicate); !status.ok()) return status;
    absl::StrAppend(&name, "_", predicate);
    conditions.push_back(OpCondition(predicate));
  }
  if (conditions.empty()) return name;
  const size_t count = node.sources.size();
  status = definitions->Add(
      Section::kOps, name,
      absl::StrCat("def ", name, " : PatFrag<(ops ", Operands(count, "node:"), "), (", plain, " ",
                   Operands(count, "node:"), "), [{ return ", absl::StrJoin(conditions, " && "), "; }]>;\n"));
  if (!status.ok()) return status;
  return name;
}

absl::StatusOr<std::string> DefineVariable(const ir::Node& node, const std::string& type, bool is_float, bool uniform,
                                           Definitions* definitions) {
  std::string name = node.constant_only ? "constant_" : "";
  std::vector<std::string> conditions;
  for (const std::string& predicate : node.predicates) {
    if (absl::Status status = CheckPredicate(predicate); !status.ok()) return status;
    absl::StrAppend(&name, predicate, "_");
    conditions.push_back(absl::StrCat(predicate, "(N)"));
  }
  if (uniform) {
    name += "uniform_";
    conditions.emplace_back("!N->isDivergent()");
  }
  name += type;
  const std::string what =
      node.constant_only ? is_float ? "fpimm" : "imm" : absl::StrCat(ClassOf(node.bits), ":$value");
  const std::string code =
      conditions.empty() ? "" : absl::StrCat(", [{ return ", absl::StrJoin(conditions, " && "), "; }]");
  const absl::Status status = definitions->Add(
      Section::kValues, name, absl::StrCat("def ", name, " : PatLeaf<(", type, " ", what, ")", code, ">;\n"));
  if (!status.ok()) return status;
  return name;
}

absl::StatusOr<std::string> DefineFloat(const ir::Node& node, const std::string& type, bool either_zero,
                                        Definitions* definitions) {
  const std::string bits = absl::StrCat("0x", absl::Hex(node.values[0]));
  const std::string name = absl::StrCat(type, "_", either_zero ? "either_zero" : bits);
  const std::string condition =
      either_zero ? "isZero()" : absl::StrCat("bitcastToAPInt() == ", bits, node.bits == 64 ? "ULL" : "");
  const absl::Status status = definitions->Add(
      Section::kValues, name,
      absl::StrCat("def ", name, " : PatLeaf<(", type, " fpimm), [{ return cast<ConstantFPSDNode>(N)->getValueAPF().",
                   condition, "; }]>;\n"));
  if (!status.ok()) return status;
  return name;
}

}  // namespace rewrought::emitter
