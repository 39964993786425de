// Limits for untrusted input: a table with one row per kind of input, and the budget with which a parser enforces its
// row. A parser charges the input that it consumes. The first charge beyond a limit fails with a message that names the
// limit and the remedy. Parsers run in time linear in their charges, so limits on bytes and items also limit time.
#ifndef REWROUGHT_PROTO_PARSE_LIMITS_H_
#define REWROUGHT_PROTO_PARSE_LIMITS_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace rewrought::proto {

inline constexpr uint64_t kUnbounded = UINT64_MAX;

struct ParseLimits {
  const char* what;    // The kind of input, with its article.
  uint64_t bytes;      // The maximum length.
  uint64_t items;      // The maximum number of `unit`.
  const char* unit;    // A plural noun.
  uint64_t depth;      // The maximum nesting depth.
  const char* remedy;  // A phrase in the imperative.
};

// Rules, terms, and programs.
inline constexpr ParseLimits kRuleLimits = {"a rule", 1u << 20, 4096, "values on one side", 200, "split the rule"};
inline constexpr ParseLimits kRuleFileLimits = {"a file of rules", 64u << 20, 1'000'000,
                                                "rules",           200,       "split the file"};
inline constexpr ParseLimits kProgramLimits = {
    "a program", 1u << 20, 1024, "instructions", 8, "split the program, or nest fewer modifiers on one operand"};
inline constexpr ParseLimits kTreeTextLimits = {
    "a tuple or condition of a driver's tree", 64u << 10, kUnbounded, "words", 100, "shorten it"};
inline constexpr ParseLimits kMeaningLimits = {"a meaning", 1u << 20, 1u << 16, "words", 200, "name subterms with let"};
inline constexpr ParseLimits kTreeVerdictLimits = {"a file of recorded verdicts", 64u << 20, 1'000'000, "lines", 1,
                                                   "record fewer files"};

// Shaders. `items` limits the lines of text formats, and the instructions of SPIR-V after inlining all calls.
inline constexpr ParseLimits kNirTextLimits = {"NIR text", 64u << 20, 1u << 20, "lines", 1000, "split the file"};
inline constexpr ParseLimits kTgsiLimits = {"TGSI text", 64u << 20, 1u << 20, "lines", 1000, "split the file"};
inline constexpr ParseLimits kSpirvLimits = {
    "SPIR-V", 64u << 20, 100'000, "instructions with its calls inlined", 1000, "give the module fewer calls"};
inline constexpr ParseLimits kSpirvTextLimits = {"SPIR-V assembly", 64u << 20, 1u << 20, "lines", 1, "split the file"};
inline constexpr ParseLimits kGlslLimits = {"GLSL", 4u << 20, 1u << 20, "tokens", 1000, "split the source"};
inline constexpr ParseLimits kIncludeLimits = {
    "a shader with the files that it includes", 4u << 20, 1000, "included files", 32, "include fewer files"};
inline constexpr ParseLimits kScriptLimits = {"a script with GLSL", 64u << 20, 1u << 16,
                                              "string literals",    32,        "cut the shaders out of the script"};
inline constexpr ParseLimits kArchiveLimits = {
    "an archive", uint64_t{8} << 30, 1'000'000, "members", 1, "unpack it and harvest the folder"};

// Files (proto/read_file.h). A file in a format with a row of its own has the limits of that row.
inline constexpr ParseLimits kFileLimits = {"a file", 1u << 30, kUnbounded, "lines", kUnbounded, "use a smaller file"};
inline constexpr ParseLimits kPackFileLimits = {"a file of a pack", 256u << 20,      kUnbounded, "lines",
                                                kUnbounded,         "split the pack"};
inline constexpr ParseLimits kTreeFileLimits = {
    "a file of a driver's tree", 64u << 20, kUnbounded, "lines", kUnbounded, "name the file of an unchanged tree"};
inline constexpr ParseLimits kWebUiLimits = {"the files of the web UI", 64u << 20, kUnbounded, "lines", kUnbounded,
                                             "build the web UI again"};
inline constexpr ParseLimits kCredentialLimits = {
    "a file of certificates, keys, or tokens", 1u << 20, kUnbounded, "lines", kUnbounded, "name another file"};

// Formats that a library parses. Their nesting is counted before the library reads them.
inline constexpr ParseLimits kTextProtoLimits = {"a textproto", 16u << 20, kUnbounded,
                                                 "fields",      32,        "shorten the file"};
inline constexpr ParseLimits kJsonLimits = {"JSON", 256u << 20, kUnbounded, "values", 64, "reduce the nesting"};
inline constexpr ParseLimits kMessageLimits = {"a message", 64u << 20, kUnbounded, "fields", 64, "reduce the nesting"};

// Proofs. Our formulas stay far below this depth; Z3 4.8.12 and cvc5 1.0.3 can read 100,000 nested bvnot terms.
inline constexpr ParseLimits kSmtLimits = {
    "an SMT-LIB script", 32u << 20, kUnbounded, "tokens", 10'000, "split the formula with define-fun"};

// Counts the input that one parser consumes against its limits. Not thread-safe.
class ParseBudget {
 public:
  explicit ParseBudget(const ParseLimits& limits) : limits_(limits) {}

  // Each of these functions returns false if the charge exceeds a limit. From then on, error() names the limit and
  // later charges have no effect.
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

// Enters one level of nesting for the lifetime of the object.
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

// The quotes that can enclose strings with \ escapes.
enum class Quotes : uint8_t { kDouble, kDoubleAndSingle };

// CheckBrackets checks `text` against the limits on size and on the nesting of brackets () [] {} <> before a library
// parses it. If `comments` is set, it ignores text from '#' to the end of the line. Fails with ResourceExhausted
// "LINE:COLUMN: limit; remedy". CheckLength checks only the limit on size.
absl::Status CheckBrackets(absl::string_view text, const ParseLimits& limits, Quotes quotes, bool comments);
absl::Status CheckLength(absl::string_view text, const ParseLimits& limits);
inline absl::Status CheckJson(absl::string_view text, const ParseLimits& limits = kJsonLimits) {
  return CheckBrackets(text, limits, Quotes::kDouble, false);
}

}  // namespace rewrought::proto

#endif  // REWROUGHT_PROTO_PARSE_LIMITS_H_
