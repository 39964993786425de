// Bit-field and bit-count ops. bfm, ubfe and ibfe mask offset and width to five bits (SM5). bitfield_insert,
// ubitfield_extract and ibitfield_extract follow GLSL: they do not mask, and their result is poison where GLSL leaves
// it undefined.
#include "ir/ops/families.h"

namespace rewrought::ir::ops {
namespace {

constexpr const char* kExtractUndefined = "(or (slt b 0) (slt c 0) (ult 32 (add b c)))";
constexpr const char* kInsertUndefined = "(or (slt c 0) (slt d 0) (ult 32 (add c d)))";
constexpr const char* kGlslReference = "GLSL 4.60 8.8; docs/float_contract.md 2.5: poison";

std::vector<OpRow> Fields() {
  return {
      {.name = "bfm",
       .result = kU32,
       .sources = {kI32, kI32},
       .meaning = "(shl (sub (shl 1 (and a 31)) 1) (and b 31))"},
      {.name = "bfi",
       .result = kU32,
       .sources = {kU32, kU32, kU32},
       .meaning = "(ite (eq a 0) c (or (and (not a) c) (and a (shl b (ctz a)))))"},
      {.name = "ubfe",
       .result = kU32,
       .sources = {kU32, kU32, kU32},
       .meaning = "(let offset (and b 31) (let bits (and c 31) (let top (add offset bits) (ite (eq bits 0) 0 "
                  "(ite (ult top 32) (lshr (shl a (sub 32 top)) (sub 32 bits)) (lshr a offset))))))"},
      {.name = "ibfe",
       .result = kI32,
       .sources = {kI32, kU32, kU32},
       .meaning = "(let offset (and b 31) (let bits (and c 31) (let top (add offset bits) (ite (eq bits 0) 0 "
                  "(ite (ult top 32) (ashr (shl a (sub 32 top)) (sub 32 bits)) (ashr a offset))))))"},
      {.name = "ubitfield_extract",
       .result = kU32,
       .sources = {kU32, kI32, kI32},
       .meaning = "(ite (eq c 0) 0 (lshr (shl a (sub 32 (add b c))) (sub 32 c)))",
       .poison = kExtractUndefined,
       .reference = kGlslReference},
      {.name = "ibitfield_extract",
       .result = kI32,
       .sources = {kI32, kI32, kI32},
       .meaning = "(ite (eq c 0) 0 (ashr (shl a (sub 32 (add b c))) (sub 32 c)))",
       .poison = kExtractUndefined,
       .reference = kGlslReference},
      {.name = "bitfield_insert",
       .result = kU32,
       .sources = {kU32, kU32, kI32, kI32},
       .meaning = "(let mask (shl (sub (shl 1 d) 1) c) (or (and (not mask) a) (and mask (shl b c))))",
       .poison = kInsertUndefined,
       .reference = kGlslReference},
  };
}

// Returns the ops that count or find bits. The `find...` ops return the bit's index, or -1 if no bit is set.
std::vector<OpRow> Counts() {
  return {
      {.name = "bit_count", .result = kU32, .sources = {kU}, .meaning = "(resize 32 (popcount a))"},
      {.name = "bitfield_reverse", .result = kU32, .sources = {kU32}, .meaning = "(bitreverse a)"},
      {.name = "find_lsb", .result = kI32, .sources = {kI}, .meaning = "(ite (eq a 0) -1 (resize 32 (ctz a)))"},
      {.name = "ufind_msb",
       .result = kI32,
       .sources = {kU},
       .meaning = "(ite (eq a 0) -1 (sub w (add 1 (resize 32 (clz a)))))"},
      {.name = "ifind_msb",
       .result = kI32,
       .sources = {kI32},
       .meaning = "(let folded (xor a (ashr a 31)) (ite (eq folded 0) -1 (sub 31 (clz folded))))"},
      // The index counts from the top bit. Only a size of 32 bits is allowed, because Mesa's folding tests bit 31 at
      // every size, which is meaningless for the other sizes.
      {.name = "ufind_msb_rev",
       .result = kI32,
       .sources = {kU},
       .meaning = "(ite (eq a 0) -1 (clz a))",
       .free_sizes = {32}},
      {.name = "ifind_msb_rev",
       .result = kI32,
       .sources = {kI32},
       .meaning = "(let folded (xor a (ashr a 31)) (ite (eq folded 0) -1 (clz folded)))"},
      {.name = "uclz", .result = kU32, .sources = {kU32}, .meaning = "(clz a)"},
  };
}

}  // namespace

std::vector<OpRow> Bitfield() {
  std::vector<OpRow> rows = Fields();
  const std::vector<OpRow> counts = Counts();
  rows.insert(rows.end(), counts.begin(), counts.end());
  return WithMesaReference(std::move(rows));
}

}  // namespace rewrought::ir::ops
