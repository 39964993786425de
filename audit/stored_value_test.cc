// Checks that stored values are accepted as they are written, and that a change of any field is found.
#include "audit/stored_value.h"

#include <gtest/gtest.h>

#include <functional>

#include "absl/strings/match.h"

namespace rewrought::audit {
namespace {

using Json = nlohmann::json;

const std::string kKey(64, 'a');
const std::string kInferenceKey = kKey + "+infer-2";

Json Refuted() {
  return Json::parse(R"json({
    "line": 1, "rule": "(('isub', 'a', 'b'), 'a')", "dialect": "nir-26", "verdict": "refuted", "ms": 0.5,
    "assumes": ["x"], "unsat": ["AAAAAAAAAAAAAA-_"],
    "cases": [{"width": 8, "sizes": {"a": 8}, "mode": "none", "verdict": "proved", "tier": "uf", "confirmed_by": [],
               "reason": "", "ms": 1},
              {"width": 32, "sizes": {"a": 32}, "mode": "none", "verdict": "refuted", "tier": "vectors",
               "confirmed_by": ["cvc5 1.0.3"], "argued_lemmas": ["ffma32"], "reason": "r", "ms": 1,
               "witness": {"vars": {"a": "0x01", "v": ["0x1", "0x2"]}, "search": ["0x1", ["0x1", "0x2"]],
                           "replace": ["0x1", "nan"], "search_complete": false},
               "explain": [{"side": "search", "node": "a", "values": ["0x1"]}]}]})json");
}

void ExpectRefused(const std::string& key, const Json& value, const std::string& what) {
  const absl::Status status = CheckStoredValue(key, value);
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << value;
  EXPECT_TRUE(absl::StrContains(status.message(), what)) << status << " lacks " << what;
}

TEST(StoredValue, AnswersAreAccepted) {
  EXPECT_TRUE(CheckStoredValue(kKey, Refuted()).ok()) << CheckStoredValue(kKey, Refuted());
  Json any = Refuted();
  any["cases"][1]["witness"]["search"] = "nan";
  EXPECT_TRUE(CheckStoredValue(kKey, any).ok());
  Json inexact = Refuted();
  inexact["verdict"] = "inexact";
  inexact["medium_precision"] = true;
  EXPECT_TRUE(CheckStoredValue(kKey, inexact).ok());
  inexact.erase("medium_precision");
  inexact["inexact"] = {{"reals", "proved"}, {"reason", "proved by normal forms"}, {"class", "cancelling"}};
  EXPECT_TRUE(CheckStoredValue(kKey, inexact).ok());
  const Json error = {{"verdict", "error"},
                      {"cases", Json::array()},
                      {"error", {{"column", 1}, {"message", "m"}}},
                      {"matches_nothing", true}};
  EXPECT_TRUE(CheckStoredValue(kKey, error).ok()) << CheckStoredValue(kKey, error);
}

// Calls `visit` with the path of each value below `value`.
void ForEachPath(const Json& value, const Json::json_pointer& path,
                 const std::function<void(const Json::json_pointer&)>& visit) {
  if (!value.is_structured()) return;
  for (const auto& [name, one] : value.items()) {
    const Json::json_pointer below = value.is_array() ? path / std::stoul(name) : path / name;
    visit(below);
    ForEachPath(one, below, visit);
  }
}

// No other type is accepted in any place, so that code that reads a field cannot throw.
TEST(StoredValue, EveryFieldHasItsType) {
  int refused = 0;
  const Json whole = Refuted();
  ForEachPath(whole, Json::json_pointer(), [&](const Json::json_pointer& path) {
    for (const Json& other : {Json(), Json(true), Json(-1), Json("x"), Json({{"x", {1}}}), Json({{1}})}) {
      Json changed = whole;
      if (changed[path].type() == other.type() || (changed[path].is_number() && other.is_number())) continue;
      // A list of components may replace a single one, and the other way around.
      if (absl::StrContains(path.to_string(), "/witness/") && other == "x") continue;
      changed[path] = other;
      EXPECT_FALSE(CheckStoredValue(kKey, changed).ok()) << path << " = " << other;
      ++refused;
    }
  });
  EXPECT_GT(refused, 150);
}

TEST(StoredValue, TheVerdictFollowsFromTheCases) {
  for (const char* const verdict : {"proved", "unknown", "vacuous", "unsupported", "inexact", "error", "perfect", ""}) {
    Json changed = Refuted();
    changed["verdict"] = verdict;
    ExpectRefused(kKey, changed, "verdict");
  }
  Json none = Refuted();
  none["verdict"] = "proved";
  none["cases"] = Json::array();
  ExpectRefused(kKey, none, "the cases lead to the verdict unsupported");
  none["cases"] = {{{"width", 8}, {"mode", "none"}, {"verdict", "vacuous"}}};
  ExpectRefused(kKey, none, "the cases lead to the verdict vacuous");
  Json nothing = Refuted();
  nothing["matches_nothing"] = true;
  ExpectRefused(kKey, nothing, "matches_nothing");
  Json proved = Refuted();
  proved["cases"].erase(1);
  proved["verdict"] = "proved";
  EXPECT_TRUE(CheckStoredValue(kKey, proved).ok());
  proved["inexact"] = {{"reals", "refuted"}, {"reason", "refuted"}};
  ExpectRefused(kKey, proved, "inexact");
}

TEST(StoredValue, SizesAndDigestsAreInRange) {
  Json changed = Refuted();
  changed["cases"][0]["width"] = 65;
  ExpectRefused(kKey, changed, "cases[0].width");
  changed = Refuted();
  changed["unsat"][0] = "short";
  ExpectRefused(kKey, changed, "unsat[0]");
}

// The result of Infer is merged into the answer, so it must not contain any other field.
TEST(StoredValue, InferenceHasNoVerdict) {
  const Json inferred = {{"weakest", {{"n0:nsz"}}},
                         {"suggested_fix", {{"rule", "r"}, {"change", "n0:nsz"}, {"verdict", "proved"}}}};
  EXPECT_TRUE(CheckStoredValue(kInferenceKey, inferred).ok());
  EXPECT_TRUE(CheckStoredValue(kInferenceKey, {{"weaker", {"a"}}}).ok());
  Json forged = inferred;
  forged["verdict"] = "proved";
  ExpectRefused(kInferenceKey, forged, "verdict");
  forged = inferred;
  forged["suggested_fix"] = "r";
  ExpectRefused(kInferenceKey, forged, "suggested_fix");
  ExpectRefused(kKey, inferred, "verdict");
}

TEST(StoredValue, KeysAreDigests) {
  for (const std::string& key : {std::string(), std::string("k"), std::string(63, 'a'), std::string(64, 'g')})
    ExpectRefused(key, Refuted(), "the key");
  ExpectRefused(kKey, Json::array(), "object");
}

}  // namespace
}  // namespace rewrought::audit
