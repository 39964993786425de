// What is read from outside is bounded before work is done: one table of bounds, and the budget by which every parser
// keeps to its row. A parser charges what it takes; the first charge past a bound fails, and the message names the
// bound and the remedy. Parsers are linear in what they charge, so that bounds on bytes and items bound their time.
#ifndef REWROUGHT_PROTO_PARSE_LIMITS_H_
#define REWROUGHT_PROTO_PARSE_LIMITS_H_

#include <cstdint>
#include <istream>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace rewrought::proto {

inline constexpr uint64_t kUnbounded = UINT64_MAX;

struct ParseLimits {
  const char* what;    // what is read, with its article
  uint64_t bytes;      // its length
  uint64_t items;      // as many of `unit`
  const char* unit;    // plural
  uint64_t depth;      // levels of nesting
  const char* remedy;  // imperative
};

// Rules, terms, programs.
inline constexpr ParseLimits kRuleLimits = {"a rule", 1u << 20, 4096, "values on one side", 200, "split the rule"};
inline constexpr ParseLimits kRuleFileLimits = {"a file of rules", 64u << 20, 1'000'000,
                                                "rules",           200,       "split the file"};
inline constexpr ParseLimits kProgramLimits = {
    "a program", 1u << 20, 1024, "instructions", 8, "split the program; modifiers of one operand nest this deep"};
inline constexpr ParseLimits kTreeTextLimits = {
    "a tuple or condition of a driver's tree", 64u << 10, kUnbounded, "words", 100, "shorten it"};
inline constexpr ParseLimits kMeaningLimits = {"a meaning", 1u << 20, 1u << 16,
                                               "words",     200,      "name parts of it with let"};

// Shaders. `items` of the readers of text are lines, of SPIR-V instructions after all calls are inlined.
inline constexpr ParseLimits kNirTextLimits = {"NIR text", 64u << 20, 1u << 20, "lines", 1000, "split the file"};
inline constexpr ParseLimits kTgsiLimits = {"TGSI text", 64u << 20, 1u << 20, "lines", 1000, "split the file"};
inline constexpr ParseLimits kSpirvLimits = {
    "SPIR-V", 64u << 20, 100'000, "instructions with its calls inlined", 1000, "give the module fewer calls"};
inline constexpr ParseLimits kGlslLimits = {"GLSL", 4u << 20, 1u << 20, "tokens", 1000, "split the source"};
inline constexpr ParseLimits kScriptLimits = {"a script with GLSL", 64u << 20, 1u << 16,
                                              "string literals",    32,        "cut the shaders out of the script"};
inline constexpr ParseLimits kArchiveLimits = {
    "an archive", uint64_t{8} << 30, 1'000'000, "members", 1, "unpack it and harvest the folder"};

// Files that a user names, whatever they hold.
inline constexpr ParseLimits kFileLimits = {"a file", 1u << 30, kUnbounded, "lines", kUnbounded, "name a smaller one"};

// Formats that libraries read for us: what they nest is counted before they begin.
inline constexpr ParseLimits kTextProtoLimits = {"a textproto", 16u << 20, kUnbounded,
                                                 "fields",      32,        "shorten the file"};
inline constexpr ParseLimits kJsonLimits = {"JSON", 256u << 20, kUnbounded, "values", 64, "nest less"};
inline constexpr ParseLimits kMessageLimits = {"a message", 64u << 20, kUnbounded, "fields", 64, "nest less"};

// Proofs. No formula of ours comes near the depth; Z3 4.8.12 and cvc5 1.0.3 read 100 000 levels of bvnot.
inline constexpr ParseLimits kSmtLimits = {
    "an SMT-LIB script", 32u << 20, kUnbounded, "tokens", 10'000, "split the formula with define-fun"};

// Counts what one parser takes of its row. For one thread.
class ParseBudget {
 public:
  explicit ParseBudget(const ParseLimits& limits) : limits_(limits) {}

  // Each is false once a bound is passed, and error() says which. Without effect after that.
  bool TakeBytes(uint64_t count) { return Take(count, limits_.bytes, &bytes_, "bytes"); }
  bool TakeItems(uint64_t count = 1) { return Take(count, limits_.items, &items_, limits_.unit); }
  bool Enter() { return Take(1, limits_.depth, &depth_, "levels of nesting"); }
  void Leave() { --depth_; }

  bool ok() const { return error_.empty(); }
  const std::string& error() const { return error_; }
  absl::Status status() const { return ok() ? absl::OkStatus() : absl::ResourceExhaustedError(error_); }

 private:
  bool Take(uint64_t count, uint64_t most, uint64_t* taken, const char* unit) {
    if (!ok()) return false;
    if (count > most - *taken) return Refuse(most, unit);
    *taken += count;
    return true;
  }
  bool Refuse(uint64_t most, const char* unit);

  const ParseLimits& limits_;
  uint64_t bytes_ = 0, items_ = 0, depth_ = 0;
  std::string error_;
};

// One level of nesting, for as long as it lives.
class ParseLevel {
 public:
  explicit ParseLevel(ParseBudget* budget) : budget_(budget), entered_(budget->Enter()) {}
  ~ParseLevel() {
    if (entered_) budget_->Leave();
  }
  ParseLevel(const ParseLevel&) = delete;
  ParseLevel& operator=(const ParseLevel&) = delete;
  bool ok() const { return entered_; }

 private:
  ParseBudget* const budget_;
  const bool entered_;
};

enum class Quotes : uint8_t { kDouble, kDoubleAndSingle };  // that text in brackets may stand in, with \ escapes

// Appends what is left of `stream` to `bytes`. ResourceExhausted: more than the bound on bytes (/dev/zero has no end).
absl::Status ReadBounded(std::istream& stream, const ParseLimits& limits, std::string* bytes);

// Whether text that a library will read keeps to the bounds on bytes and on nested brackets, () [] {} <>; `comments`:
// from '#' to the end of the line nothing counts. ResourceExhausted "LINE:COLUMN: which bound; remedy". CheckLength
// looks at the bytes alone.
absl::Status CheckBrackets(absl::string_view text, const ParseLimits& limits, Quotes quotes, bool comments);
absl::Status CheckLength(absl::string_view text, const ParseLimits& limits);
inline absl::Status CheckJson(absl::string_view text, const ParseLimits& limits = kJsonLimits) {
  return CheckBrackets(text, limits, Quotes::kDouble, false);
}

}  // namespace rewrought::proto

#endif  // REWROUGHT_PROTO_PARSE_LIMITS_H_
