// Creates databases in new folders and small records for tests.
#ifndef REWROUGHT_STORE_TESTING_STORE_TESTING_H_
#define REWROUGHT_STORE_TESTING_STORE_TESTING_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "corpus/site_record.h"
#include "ir/digest.h"
#include "store/corpus_store.h"
#include "store/dump.h"
#include "store/rule_store.h"
#include "store/run_store.h"
#include "store/search_store.h"
#include "store/store.h"

namespace rewrought::store {

#define ASSERT_OK(expression)                               \
  do {                                                      \
    const absl::Status assert_ok_status = (expression);     \
    ASSERT_TRUE(assert_ok_status.ok()) << assert_ok_status; \
  } while (false)

#define EXPECT_OK(expression) EXPECT_EQ(expression, absl::OkStatus())

// Returns a path in a new folder for this test. The file does not exist yet.
std::string NewPath(const std::string& name = "test.db");

std::unique_ptr<Store> OpenStore(const std::string& path);

std::string DumpOf(Store* store);

void ExpectSameDump(const std::string& one, const std::string& two);

ir::Digest D(const std::string& text);  // short name for ir::Digest::Of

ShaderRecord Shader(const std::string& content, const std::string& extraction = "extraction 1");
corpus::SiteRecord Site(const std::string& fragment, int64_t count, const std::string& facts = "");
CandidateRecord Candidate(const std::string& text, const std::string& machine = "intel_gen9");
VerdictRecord VerdictOf(const std::string& rule, v1::Verdict verdict, const std::string& case_key = "32 any");
RuleRecord RuleOf(const std::string& search, const std::string& replace, const std::string& machine = "intel_gen9");
RunRecord RunOf(const std::string& id, int64_t started_seconds);

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_TESTING_STORE_TESTING_H_
