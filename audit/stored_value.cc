#include "audit/stored_value.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/digest.h"
#include "proto/names.h"
#include "proto/rewrought/v1/proof.pb.h"
#include "verifier/cache/unsat_digests.h"

namespace rewrought::audit {
namespace {

using Json = nlohmann::json;

constexpr int kMostBits = 64;

// Checks one value, and remembers the first field that is wrong.
class Checker {
 public:
  using Check = std::function<void(const Json&, const std::string&)>;

  absl::Status status() const { return status_; }
  void Fail(const std::string& field, absl::string_view what) {
    if (status_.ok()) status_ = absl::InvalidArgumentError(absl::StrCat("field ", field, ": ", what));
  }

  void Answer(const Json& answer);
  void Inference(const Json& inferred);

 private:
  // Checks a field of `object` with `check` if the object has the field.
  void Optional(const Json& object, const std::string& path, const char* name, const Check& check) {
    const auto found = object.find(name);
    if (found != object.end()) check(*found, path.empty() ? name : absl::StrCat(path, ".", name));
  }
  void Required(const Json& object, const std::string& path, const char* name, const Check& check) {
    if (!object.contains(name)) return Fail(path.empty() ? name : absl::StrCat(path, ".", name), "is missing");
    Optional(object, path, name, check);
  }

  Check String() {
    return [this](const Json& value, const std::string& path) {
      if (!value.is_string()) Fail(path, "expected a string");
    };
  }
  Check Number() {
    return [this](const Json& value, const std::string& path) {
      if (!value.is_number()) Fail(path, "expected a number");
    };
  }
  Check Boolean() {
    return [this](const Json& value, const std::string& path) {
      if (!value.is_boolean()) Fail(path, "expected true or false");
    };
  }
  Check Bits() {
    return [this](const Json& value, const std::string& path) {
      const bool fits = value.is_number_integer() && value.get<int64_t>() >= 0 && value.get<int64_t>() <= kMostBits;
      if (!fits) Fail(path, "expected a size in bits");
    };
  }
  Check ListOf(Check element) {
    return [this, element = std::move(element)](const Json& value, const std::string& path) {
      if (!value.is_array()) return Fail(path, "expected a list");
      for (size_t i = 0; i < value.size(); ++i) element(value[i], absl::StrCat(path, "[", i, "]"));
    };
  }
  Check MapOf(Check element) {
    return [this, element = std::move(element)](const Json& value, const std::string& path) {
      if (!value.is_object()) return Fail(path, "expected an object");
      for (const auto& [name, one] : value.items()) element(one, absl::StrCat(path, ".", name));
    };
  }
  Check Object(std::function<void(const Json&, const std::string&)> fields) {
    return [this, fields = std::move(fields)](const Json& value, const std::string& path) {
      if (!value.is_object()) return Fail(path, "expected an object");
      fields(value, path);
    };
  }
  // A string, or a list of strings for the components of a vector.
  Check Components() {
    return [this](const Json& value, const std::string& path) {
      if (!value.is_string()) ListOf(String())(value, path);
    };
  }
  // Verdicts of whole rules also include errors.
  Check Verdict(bool of_rule) {
    return [this, of_rule](const Json& value, const std::string& path) {
      if (!value.is_string()) return Fail(path, "expected a verdict");
      const v1::Verdict verdict = v1::Named<v1::Verdict>(value.get<std::string>());
      const bool known = verdict == v1::VERDICT_PROVED || verdict == v1::VERDICT_REFUTED ||
                         verdict == v1::VERDICT_UNKNOWN || verdict == v1::VERDICT_UNSUPPORTED ||
                         verdict == v1::VERDICT_VACUOUS ||
                         (of_rule && (verdict == v1::VERDICT_INEXACT || verdict == v1::VERDICT_ERROR));
      if (!known) Fail(path, "expected a verdict");
    };
  }
  Check Digest() {
    return [this](const Json& value, const std::string& path) {
      if (!value.is_string() || !verifier::IsShortDigest(value.get<std::string>())) Fail(path, "expected a digest");
    };
  }

  void Case(const Json& one, const std::string& path);
  void VerdictFollowsFromCases(const Json& answer);

  absl::Status status_;
};

void Checker::Case(const Json& one, const std::string& path) {
  Required(one, path, "width", Bits());
  Required(one, path, "mode", String());
  Required(one, path, "verdict", Verdict(false));
  Optional(one, path, "sizes", MapOf(Bits()));
  Optional(one, path, "tier", String());
  Optional(one, path, "confirmed_by", ListOf(String()));
  Optional(one, path, "argued_lemmas", ListOf(String()));
  Optional(one, path, "reason", String());
  Optional(one, path, "ms", Number());
  Optional(one, path, "witness", Object([this](const Json& witness, const std::string& at) {
             Required(witness, at, "vars", MapOf(Components()));
             Required(witness, at, "replace", Components());
             Required(witness, at, "search", [this](const Json& search, const std::string& place) {
               if (!search.is_string()) ListOf(Components())(search, place);
             });
             Optional(witness, at, "search_complete", Boolean());
           }));
  Optional(one, path, "explain", ListOf(Object([this](const Json& node, const std::string& at) {
             Required(node, at, "side", String());
             Required(node, at, "node", String());
             Required(node, at, "values", ListOf(String()));
           })));
}

// A verdict that its cases contradict does not come from this program.
void Checker::VerdictFollowsFromCases(const Json& answer) {
  std::set<std::string> cases;
  for (const Json& one : answer["cases"]) cases.insert(one["verdict"].get<std::string>());
  std::string combined = cases.empty() ? "unsupported" : "vacuous";
  for (const char* const verdict : {"proved", "unsupported", "unknown", "refuted"}) {
    if (cases.contains(verdict)) combined = verdict;
  }
  const std::string stated = answer["verdict"].get<std::string>();
  const bool is_unproved = combined == "refuted" || combined == "unknown";
  if (stated == "error") {
    if (!answer.contains("error") || !cases.empty()) Fail("verdict", "an error has a message and no cases");
  } else if (stated == "inexact") {
    const bool explained = answer.contains("inexact") || answer.value("medium_precision", false);
    if (!explained || !is_unproved) Fail("verdict", "the cases do not lead to the verdict inexact");
  } else if (stated != combined) {
    Fail("verdict", absl::StrCat("the cases lead to the verdict ", combined, ", not to ", stated));
  }
  if (answer.value("matches_nothing", false) && !answer.contains("error"))
    Fail("matches_nothing", "only a rule with an error can match nothing");
  if (answer.contains("inexact") && !is_unproved) Fail("inexact", "the rule is decided bit for bit");
}

void Checker::Answer(const Json& answer) {
  Required(answer, "", "verdict", Verdict(true));
  Required(answer, "", "cases", ListOf(Object([this](const Json& one, const std::string& path) { Case(one, path); })));
  Optional(answer, "", "rule", String());
  Optional(answer, "", "dialect", String());
  Optional(answer, "", "line", Number());
  Optional(answer, "", "ms", Number());
  Optional(answer, "", "error", Object([this](const Json& error, const std::string& path) {
             Required(error, path, "message", String());
             Optional(error, path, "column", Number());
           }));
  Optional(answer, "", "inexact", Object([this](const Json& inexact, const std::string& path) {
             Required(inexact, path, "reals", String());
             Required(inexact, path, "reason", String());
             Optional(inexact, path, "class", String());
           }));
  Optional(answer, "", "assumes", ListOf(String()));
  Optional(answer, "", "weakest", ListOf(ListOf(String())));
  Optional(answer, "", "matches_nothing", Boolean());
  Optional(answer, "", "medium_precision", Boolean());
  Optional(answer, "", "unsat", ListOf(Digest()));
  // Infer adds these fields to an answer in memory.
  for (const char* const name : {"weaker", "suggested_fix", "offline"}) {
    if (answer.contains(name)) Fail(name, "is not a field of a stored answer");
  }
  if (status_.ok()) VerdictFollowsFromCases(answer);
}

void Checker::Inference(const Json& inferred) {
  Optional(inferred, "", "weaker", ListOf(String()));
  Optional(inferred, "", "weakest", ListOf(ListOf(String())));
  Optional(inferred, "", "suggested_fix", Object([this](const Json& fix, const std::string& path) {
             for (const char* const name : {"rule", "change", "verdict"}) Required(fix, path, name, String());
           }));
  for (const auto& [name, value] : inferred.items()) {
    if (name != "weaker" && name != "weakest" && name != "suggested_fix")
      Fail(name, "is not a field of stored conditions");
  }
}

}  // namespace

absl::Status CheckStoredValue(const std::string& key, const Json& value) {
  const size_t plus = key.find('+');
  if (!ir::Digest::FromHex(absl::string_view(key).substr(0, plus)).ok())
    return absl::InvalidArgumentError("the key must begin with 64 hex digits");
  if (!value.is_object()) return absl::InvalidArgumentError("the value must be an object");
  Checker checker;
  if (plus == std::string::npos) {
    checker.Answer(value);
  } else {
    checker.Inference(value);
  }
  return checker.status();
}

}  // namespace rewrought::audit
