#include "verifier/verdict.h"

namespace rewrought::verifier {

absl::string_view NameOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kProved:
      return "proved";
    case Verdict::kRefuted:
      return "refuted";
    case Verdict::kUnknown:
      return "unknown";
    case Verdict::kVacuous:
      return "vacuous";
    case Verdict::kUnsupported:
      return "unsupported";
  }
  return "";
}

absl::string_view NameOf(Tier tier) {
  switch (tier) {
    case Tier::kNone:
      return "";
    case Tier::kCanonical:
      return "canonical";
    case Tier::kVectors:
      return "vectors";
    case Tier::kExhaustive:
      return "exhaustive";
    case Tier::kUninterpreted:
      return "uf";
    case Tier::kNative:
      return "native";
    case Tier::kSecondSolver:
      return "cvc5";
    case Tier::kCaseSplit:
      return "case_split";
  }
  return "";
}

}  // namespace rewrought::verifier
