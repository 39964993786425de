#include "enumerator/constant_readings.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ir/text/rule_text.h"

namespace rewrought::enumerator {
namespace {

std::set<std::string> ReadingsOfText(const std::string& text) {
  std::set<std::string> printed;
  for (const ConstantReading& reading : ReadingsOf(*ir::ParseTerm(text), DefaultConstants(false))) {
    std::string line = ir::PrintTerm(reading.term);
    for (const auto& [name, value] : reading.constants) line += " " + name + "=" + std::to_string(value);
    printed.insert(line);
  }
  return printed;
}

TEST(ConstantReadingsTest, EachConstantAsItselfAsAPowerAndByAnother) {
  const struct {
    const char* goal;
    std::set<std::string> readings;
  } rows[] = {
      {"('iand@32', 'a@32', 0x000000ff@32)", {"('iand@32', 'a@32', 0x000000ff@32)"}},
      {"('fmul@32', 'a@32', 0x00000040@32)", {"('fmul@32', 'a@32', 'k0@32') k0=64"}},
      {"('imul@32', 'a@32', 0x00000040@32)",
       {"('imul@32', 'a@32', 'k0@32') k0=64",
        "('imul@32', 'a@32', ('ishl@32', 0x00000001@32, 'exponent6@32')) exponent6=6"}},
      // This constant is in the pool, so every bank contains it.
      {"('imul@32', 'a@32', 0x00000010@32)",
       {"('imul@32', 'a@32', 0x00000010@32)",
        "('imul@32', 'a@32', ('ishl@32', 0x00000001@32, 'exponent4@32')) exponent4=4"}},
      {"('ior@32', ('ishl@32', 'a@32', 0x00000009@32), ('ushr@32', 'a', 0x00000017@32))",
       {"('ior@32', ('ishl@32', 'a@32', 'k0@32'), ('ushr@32', 'a', 'k1@32')) k0=9 k1=23",
        "('ior@32', ('ishl@32', 'a@32', 'k0@32'), ('ushr@32', 'a', ('isub@32', 0x00000020@32, 'k0@32'))) k0=9"}},
      {"('fadd@32', ('fmul@32', 'a@32', 0x40400000@32), 0xc0400000@32)",
       {"('fadd@32', ('fmul@32', 'a@32', 'k0@32'), 'k1@32') k0=1077936128 k1=3225419776",
        "('fadd@32', ('fmul@32', 'a@32', 'k0@32'), ('fneg@32', 'k0@32')) k0=1077936128"}},
      {"('fadd@32', ('fmul@32', 'a@32', 0x40c00000@32), 0x40400000@32)",
       {"('fadd@32', ('fmul@32', 'a@32', 'k0@32'), 'k1@32') k0=1086324736 k1=1077936128",
        "('fadd@32', ('fmul@32', 'a@32', ('fmul@32', 0x40000000@32, 'k1@32')), 'k1@32') k1=1077936128"}},
      {"('iadd@32', ('iand@32', 'a@32', 0x00000005@32), 0xfffffffb@32)",
       {"('iadd@32', ('iand@32', 'a@32', 'k0@32'), 'k1@32') k0=5 k1=4294967291",
        "('iadd@32', ('iand@32', 'a@32', 'k0@32'), ('ineg@32', 'k0@32')) k0=5"}},
      {"('iadd@32', ('iand@32', 'a@32', 0x00000005@32), 0xfffffffa@32)",
       {"('iadd@32', ('iand@32', 'a@32', 'k0@32'), 'k1@32') k0=5 k1=4294967290",
        "('iadd@32', ('iand@32', 'a@32', 'k0@32'), ('inot@32', 'k0@32')) k0=5"}},
  };
  for (const auto& row : rows) EXPECT_EQ(ReadingsOfText(row.goal), row.readings) << row.goal;
}

TEST(NearConstantsTest, OfCountsOfBitsAndSingleBits) {
  using Near = std::optional<std::vector<uint32_t>>;
  const struct {
    const char* goal;
    Near near;
  } rows[] = {
      {"('ishr@32', 'a@32', 0x00000003@32)", Near({3, 7, 29})},
      {"('ishl@32', ('ushr@32', 'a@32', 0x00000003@32), 0x00000003@32)", Near({3, 7, 29})},
      {"('udiv@32', 'a@32', 0x00000010@32)", Near({4, 15, 16})},
      {"('ushr@32', 'a@32', 0x00000001@32)", Near({1, 31})},
      {"('iadd@32', 'a@32', 0x00000001@32)", Near(std::vector<uint32_t>())},  // Every bank contains 1.
      {"('fmul@32', 'a@32', 0x40000000@32)", Near(std::vector<uint32_t>())},  // Every bank contains 2.0.
      {"('iadd@32', ('ishl@32', 'a@32', 0x00000003@32), 0x00000005@32)", Near()},
      {"('iadd@32', ('ishl@32', 'a@32', 0x00000003@32), 0x00000003@32)", Near()},  // 3 is also an addend.
      {"('ishl@32', 0x00000003@32, 'a@32')", Near()},
      {"('ishr@32', 'a@32', 0x00000020@32)", Near({5, 31, 32})},  // A power of two, but too large for a bit count.
      {"('fadd@32', 'a@32', 0x40400000@32)", Near()},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(NearConstants(*ir::ParseTerm(row.goal), DefaultConstants(false)), row.near) << row.goal;
  }
}

}  // namespace
}  // namespace rewrought::enumerator
