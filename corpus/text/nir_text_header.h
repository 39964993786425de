// Recognizes which versions of Mesa may have printed a shader as NIR text, and reads its header. Sources:
// src/compiler/nir/nir_print.c of Mesa 22.3.6, 25.0.7, and 26.2.0-rc1, and the release notes of the versions between
// them.
#ifndef REWROUGHT_CORPUS_TEXT_NIR_TEXT_HEADER_H_
#define REWROUGHT_CORPUS_TEXT_NIR_TEXT_HEADER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace rewrought::corpus {

// Groups of Mesa versions that print the same syntax. The text does not contain a version number, so ranges may
// overlap.
enum class NirTextVersion : uint8_t {
  kUnknown,       // the text contains no mark, because its header is missing; it is read as text of Mesa 25.0
  kMesa22_3,      // 22.3 to 23.1: "vec1 32 ssa_5", "fadd!"
  kMesa23_2,      // 23.2 to 24.3: "32 %5", "fadd!", "decl_function main (0 params)"
  kMesa25_0,      // 25.0 to 25.3: "32 %5", "fadd!", "subgroup_size: 32"
  kMesa25_3,      // 25.3 or 26.0: "fadd!", "max_subgroup_size: 32"; the bits of each instruction are not printed
  kMesa26_1,      // 26.1 or 26.2: "fadd %1, %2 // exact, preserve:nan"
  kMesaUnmarked,  // 25.3 to 26.2, without an exact or preserving instruction; it is read as text of Mesa 26.1
};

// Returns a description such as "Mesa 26.1 to 26.2".
absl::string_view DescriptionOf(NirTextVersion version);

struct NirTextHeader {
  NirTextVersion version = NirTextVersion::kUnknown;
  // The flags (nsz, nnan, ninf) that a float instruction without printed flags may have, for 16, 32, and 64 bits. They
  // contain only permissions that every version in question grants.
  uint8_t permitted[3] = {0, 0, 0};
  std::vector<std::string> notes;  // reasons why permissions are missing
  int mode_line = 0;               // the line of `float_controls_execution_mode`, or 0; counts from 1 in the text
  bool mode_valid = true;          // whether its value is a 32-bit hexadecimal number
};

// Recognizes the version of `text`, which begins with a shader's first line and ends before the next shader. `stage` is
// "fragment", "kernel", "unknown", …
//
// Mesa has printed the flags of individual instructions only since 26.1. Before that, a shader from GLSL sets no
// preserve bits, and a shader from SPIR-V sets those of its execution mode (Mesa 25.0, vtn_alu.c
// vtn_handle_fp_fast_math). Before 26.1, kernels, and shaders without a stage, get no flags. The header of Mesa 22.3 to
// 23.1 may omit the execution mode even if it is not 0; such a shader gets flags only if its name says that it is from
// GLSL or if the header prints `subgroup_size`.
NirTextHeader ReadNirTextHeader(absl::string_view text, absl::string_view stage);

// Returns whether a line before the first function is a field that a known version prints, such as "inputs: 4", or the
// value of a specialization constant.
bool IsNirHeaderField(absl::string_view line);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_TEXT_NIR_TEXT_HEADER_H_
