#include "tests/benchmark/peers/workloads.h"

#include <bit>

namespace rewrought::peers {
namespace {

using enumerator::SweepConstant;

const std::vector<std::string> kBooleans = {"iand", "inot", "ior", "ixor"};
const std::vector<std::string> kBits = {"ineg", "inot", "iadd", "imul", "isub", "iand", "ushr", "ior", "ishl"};
const std::vector<std::string> kFloats = {"fabs", "fneg", "fadd", "fmul", "fsub"};
// The list omits division and square root, because NIR permits approximations of these.
const std::vector<std::string> kRoundedFloats = {"fabs", "fneg", "fround_even", "fadd", "fsub", "fmul"};

SweepConstant Real(double value) { return {true, std::bit_cast<int64_t>(value)}; }

pipeline::EnumerateOptions Options(std::vector<std::string> ops, int variables, int size, int width,
                                   std::vector<SweepConstant> constants = {}) {
  pipeline::EnumerateOptions options;
  options.ops = std::move(ops);
  options.variables = variables;
  options.size = size;
  options.width = width;
  options.constants = std::move(constants);
  options.shifts_zero = true;  // as in all of these workloads
  return options;
}

// Returns the options with IEEE 754 arithmetic as in SMT-LIB, where denormals are not flushed.
pipeline::EnumerateOptions Preserving(pipeline::EnumerateOptions options) {
  options.modes = {ir::DenormMode::kPreserve};
  return options;
}

const char kMemory[] = "from memory, Ruler's paper", kRepository[] = "Ruler's repository, median of 10",
           kMeasured[] = "measured, 2 cores of Debian 12";

}  // namespace

const std::vector<Workload>& AllWorkloads() {
  static const auto& workloads = *new std::vector<Workload>{
      {"bool-2",
       "bool",
       Options(kBooleans, 3, 2, 1),
       {{"Ruler", 20, 0.01, kMemory}, {"CVC4 1.8", 53, 0.13, kMemory}, {"cvc5 1.0.3", 55, 0.28, kMeasured}}},
      {"bool-3",
       "bool",
       Options(kBooleans, 3, 3, 1),
       {{"Ruler", 28, 0.06, kMemory}, {"CVC4 1.8", 293, 0.82, kMemory}, {"cvc5 1.0.3", 296, 2.51, kMeasured}}},
      {"bv4-2",
       "bv4",
       Options(kBits, 3, 2, 4),
       {{"Ruler", 49, 0.15, kRepository}, {"CVC4 1.8", 135, 4.47, kMemory}, {"cvc5 1.0.3", 139, 8.54, kMeasured}}},
      {"bv4-3",
       "bv4",
       Options(kBits, 3, 3, 4),
       {{"Ruler", 272, 4.30, kMemory}, {"CVC4 1.8", 1978, 372, kMemory}, {"cvc5 1.0.3", 1282, 206, kMeasured}}},
      {"bv8-2", "bv8", Options(kBits, 3, 2, 8), {{"cvc5 1.0.3", 65, 15.4, kMeasured}}},
      {"bv32-2",
       "bv32",
       Options(kBits, 3, 2, 32),
       {{"Ruler", 46, 13.07, kRepository},
        {"CVC4 1.8", 126, 18.5, kMemory},
        {"cvc5 1.0.3", -1, -1, "measured: aborts at 378 terms"}}},
      {"fp32-1",
       "fp32",
       Preserving(Options(kFloats, 2, 1, 32, {Real(0.0), Real(-0.0), Real(1.0)})),
       {{"cvc5 1.0.3", 3, 1.2, kMeasured}}},
      {"fp32-2",
       "fp32",
       Preserving(Options(kFloats, 2, 2, 32, {Real(0.0), Real(-0.0), Real(1.0)})),
       {{"cvc5 1.0.3", 21, -1, "measured: not finished in 420 s, 117 classes"}}},
      {"fp32-2-all-modes",
       "fp32",
       Options(kFloats, 2, 2, 32, {Real(0.0), Real(-0.0), Real(1.0)}),
       {{"cvc5 1.0.3", 21, -1, "measured: not finished in 420 s, 117 classes"}}},
      {"stp-1",
       "stp",
       Preserving(Options(
           kRoundedFloats, 1, 1, 16,
           {Real(0.0), Real(-0.0), Real(1.0), Real(-1.0), Real(std::bit_cast<double>(0x7ff0000000000000u)),
            Real(std::bit_cast<double>(0xfff0000000000000u)), Real(std::bit_cast<double>(0x7ff8000000000000u))})),
       {{"cvc5 1.0.3", 13, 1.0, "measured: Float(3,5)"}}},
      {"stp-2",
       "stp",
       Preserving(Options(
           kRoundedFloats, 1, 2, 16,
           {Real(0.0), Real(-0.0), Real(1.0), Real(-1.0), Real(std::bit_cast<double>(0x7ff0000000000000u)),
            Real(std::bit_cast<double>(0xfff0000000000000u)), Real(std::bit_cast<double>(0x7ff8000000000000u))})),
       {{"cvc5 1.0.3", 724, 138, "measured: Float(3,5), not minimised"}}},
  };
  return workloads;
}

const Workload* FindWorkload(const std::string& name) {
  for (const Workload& workload : AllWorkloads()) {
    if (workload.name == name) return &workload;
  }
  return nullptr;
}

}  // namespace rewrought::peers
