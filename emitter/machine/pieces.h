// The text of a pattern taken apart into what may vary within a family and what may not.
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
    kQuote,   // one end of a string that may have parts that vary
    kOp,      // of the search, within a string
    kBits,    // a size, within a string
    kNumber,  // outside of strings
    kOpcode,
    kWord,  // a type or choice
  };
  Kind kind = Kind::kFixed;
  std::string text;
};

// The pieces of what PatternText wrote; joined they are that text again.
std::vector<Piece> PiecesOf(absl::string_view pattern, const Words& words);

// How the value of a piece that varies is written in the row of a loop: an op is a string there.
std::string CellOf(const Piece& piece);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_MACHINE_PIECES_H_
