// Splits the text of a pattern into fixed pieces and pieces that may vary within a family.
#ifndef REWROUGHT_EMITTER_MACHINE_PIECES_H_
#define REWROUGHT_EMITTER_MACHINE_PIECES_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "emitter/machine/words.h"

namespace rewrought::emitter {

struct Piece {
  enum class Kind {
    kFixed,
    kQuote,   // The quote of a string with parts that may vary.
    kOp,      // An op of the search side, within a string.
    kBits,    // A size, within a string.
    kNumber,  // A number outside of strings.
    kOpcode,
    kWord,  // A type or choice.
  };
  Kind kind = Kind::kFixed;
  std::string text;
};

// Splits the output of PatternText into pieces, whose concatenation is that output.
std::vector<Piece> PiecesOf(absl::string_view pattern, const Words& words);

// Returns the text of a varying piece in a loop's row, where an op is written as a string.
std::string CellOf(const Piece& piece);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_MACHINE_PIECES_H_
