#include "emitter/machine/pieces.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace rewrought::emitter {
namespace {

bool IsDigit(char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); }
bool IsNameSign(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_'; }

class Splitter {
 public:
  Splitter(absl::string_view text, const Words& words) : text_(text), words_(words) {}

  std::vector<Piece> Run() {
    const size_t program = text_.find(", InstructionList([\n"), end = text_.rfind("\n])");
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (program < at_ && at_ < end) {
        InProgram(c);
      } else if (at_ >= end && (c == '\'' || c == '"')) {
        Condition(c);
      } else if (c == '\'') {
        Name();
      } else if (StartsNumber()) {
        Add(Piece::Kind::kNumber, NumberLength());
      } else {
        Fixed(1);
      }
    }
    return std::move(pieces_);
  }

 private:
  char Before() const { return at_ == 0 ? '\0' : text_[at_ - 1]; }
  bool StartsNumber() const { return IsDigit(text_[at_]) && !IsNameSign(Before()) && Before() != '.'; }

  size_t NumberLength() const {
    size_t length = 1;
    const bool is_hex = text_.substr(at_, 2) == "0x";
    for (; at_ + length < text_.size(); ++length) {
      const char c = text_[at_ + length], last = text_[at_ + length - 1];
      const bool exponent = !is_hex && (c == '+' || c == '-') && (last == 'e' || last == 'E');
      if (!IsNameSign(c) && c != '.' && !exponent) break;
    }
    return length;
  }

  void Add(Piece::Kind kind, size_t length) {
    pieces_.push_back({kind, std::string(text_.substr(at_, length))});
    at_ += length;
  }

  void Fixed(size_t length) {
    if (pieces_.empty() || pieces_.back().kind != Piece::Kind::kFixed) pieces_.push_back({});
    absl::StrAppend(&pieces_.back().text, text_.substr(at_, length));
    at_ += length;
  }

  size_t NameLength() const {
    size_t length = 0;
    while (at_ + length < text_.size() && IsNameSign(text_[at_ + length])) ++length;
    return length;
  }

  // Splits an op such as 'fadd@32(nsz)' or a variable such as '#a@32(is_odd)'.
  void Name() {
    const bool is_op = Before() == '(' && (at_ < 2 || !IsNameSign(text_[at_ - 2]));
    Add(Piece::Kind::kQuote, 1);
    while (is_op && (text_[at_] == '~' || text_[at_] == '!')) Fixed(1);
    if (is_op && NameLength() > 0) Add(Piece::Kind::kOp, NameLength());
    while (text_[at_] != '\'') {
      if (Before() == '@' && IsDigit(text_[at_])) {
        Add(Piece::Kind::kBits, NameLength());
      } else {
        Fixed(1);
      }
    }
    Add(Piece::Kind::kQuote, 1);
  }

  // Splits C text, in which sizes are separate numbers. Text that an f-string would interpret remains one piece.
  void Condition(char quote) {
    const size_t length = text_.rfind(quote) - at_ + 1;
    if (text_.substr(at_, length).find_first_of("\\{}") != absl::string_view::npos) return Fixed(length);
    const size_t end = at_ + length - 1;
    Add(Piece::Kind::kQuote, 1);
    while (at_ < end) {
      const size_t digits = StartsNumber() ? NumberLength() : 0;
      const bool is_size = digits > 0 && std::all_of(text_.begin() + static_cast<ptrdiff_t>(at_),
                                                     text_.begin() + static_cast<ptrdiff_t>(at_ + digits), IsDigit);
      if (is_size) {
        Add(Piece::Kind::kBits, digits);
      } else {
        Fixed(std::max<size_t>(digits, 1));
      }
    }
    Add(Piece::Kind::kQuote, 1);
  }

  void InProgram(char c) {
    if (c == '"') return Fixed(text_.find('"', at_ + 1) - at_ + 1);  // A name, swizzle, or mask.
    if (StartsNumber()) return Add(Piece::Kind::kNumber, NumberLength());
    const size_t length = NameLength();
    if (length == 0 || IsNameSign(Before())) return Fixed(std::max<size_t>(length, 1));
    const absl::string_view name = text_.substr(at_, length);
    if (text_[at_ + length] != '(') {
      return words_.IsWord(name) ? Add(Piece::Kind::kWord, length) : Fixed(length);
    }
    // An opcode is at the start of a line, after the indentation.
    const bool is_opcode = text_.substr(0, at_).find_last_not_of(' ') == text_.substr(0, at_).rfind('\n');
    return is_opcode && name != "TempReg" ? Add(Piece::Kind::kOpcode, length) : Fixed(length);
  }

  absl::string_view text_;
  const Words& words_;
  size_t at_ = 0;
  std::vector<Piece> pieces_;
};

}  // namespace

std::vector<Piece> PiecesOf(absl::string_view pattern, const Words& words) { return Splitter(pattern, words).Run(); }

std::string CellOf(const Piece& piece) {
  return piece.kind == Piece::Kind::kOp ? absl::StrCat("'", piece.text, "'") : piece.text;
}

}  // namespace rewrought::emitter
