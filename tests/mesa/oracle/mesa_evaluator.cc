#include "tests/mesa/oracle/mesa_evaluator.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <vector>

#include "absl/strings/str_split.h"
#include "ir/scalar.h"

namespace rewrought {
namespace {

template <typename Function>
void Load(void* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(library, name));
  if (*function == nullptr) {
    std::cerr << "no " << name << "\n";
    std::exit(2);
  }
}

}  // namespace

Mesa LoadMesa(const char* path) {
  void* library = dlopen(path, RTLD_NOW);
  if (library == nullptr) {
    std::cerr << dlerror() << "\n";
    std::exit(2);
  }
  Mesa mesa;
  Load(library, "oracle_count", &mesa.count);
  Load(library, "oracle_name", &mesa.name);
  Load(library, "oracle_find", &mesa.find);
  Load(library, "oracle_source_components", &mesa.source_components);
  Load(library, "oracle_source_bits", &mesa.source_bits);
  Load(library, "oracle_result_components", &mesa.result_components);
  Load(library, "oracle_result_bits", &mesa.result_bits);
  Load(library, "oracle_evaluate", &mesa.evaluate);
  return mesa;
}

uint64_t DrawValue(std::mt19937_64* random, ir::BaseType base, int bits) {
  const uint64_t mask = ir::MaskOf(bits), kind = (*random)();
  if (base == ir::BaseType::kBool) return kind & 1 ? mask : 0;
  const uint64_t value = (*random)();
  if (base == ir::BaseType::kFloat && ir::IsFloatWidth(bits)) {
    const ir::FloatFormat format = ir::FormatOf(bits);
    const uint64_t sign = value >> 63 ? format.sign() : 0;
    switch (kind % 8) {
      case 0: {
        const uint64_t special[] = {0,
                                    1,
                                    format.smallest_normal() - 1,
                                    format.smallest_normal(),
                                    format.one(),
                                    format.one() + 1,
                                    format.infinity() - 1,
                                    format.infinity(),
                                    format.quiet_nan()};
        return sign | special[(kind >> 8) % std::size(special)];
      }
      case 1:
      case 2: {  // values of moderate size, for which most ops have nontrivial results
        const double number = static_cast<double>(static_cast<int64_t>(value)) / 9.2e18;
        return ir::FloatToBits(number * static_cast<double>(uint64_t{1} << ((kind >> 8) % 34)), bits);
      }
      case 3:  // integers
        return ir::FloatToBits(static_cast<double>(static_cast<int64_t>(value) >> (32 + (kind >> 8) % 31)), bits);
      default: {
        // Half of the random NaNs are signaling. For a signaling NaN and a number, the host's fmin and fmax, which Mesa
        // calls, return a NaN instead of the number; this is a known difference.
        return value & mask;
      }
    }
  }
  switch (kind % 6) {
    case 0: {
      const uint64_t special[] = {0, 1, 2, 31, 32, 33, mask, mask - 1, mask >> 1, (mask >> 1) + 1};
      return special[(kind >> 8) % std::size(special)] & mask;
    }
    case 1:
      return value & mask & 0x3f;
    case 2:
      return (value >> ((kind >> 8) % 64)) & mask;
    default:
      return value & mask;
  }
}

// Each line is "op[@size] VERSION reason"; VERSION is "all" or a Mesa version.
std::map<std::string, std::string> ReadKnown(const char* path, const std::string& version) {
  std::map<std::string, std::string> known;
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string name, of, reason;
    if (!(words >> name) || name[0] == '#') continue;
    words >> of;
    std::getline(words, reason);
    if (reason.size() < 8) {
      std::cerr << path << ": missing reason: " << line << "\n";
      std::exit(2);
    }
    const std::vector<std::string> versions = absl::StrSplit(of, ',');
    const bool applies = std::find(versions.begin(), versions.end(), version) != versions.end();
    if (of == "all" || applies) known[name] = reason;
  }
  return known;
}

}  // namespace rewrought
