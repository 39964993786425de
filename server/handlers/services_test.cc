#include "server/handlers/services.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace rewrought::rpc {
namespace {

// Fails if a method of a schema has no role or no handler.
TEST(Services, ServeAllThatTheirSchemasName) {
  const absl::StatusOr<std::vector<std::unique_ptr<Service>>> services = MakeServices({});
  ASSERT_TRUE(services.ok()) << services.status();
  std::set<std::string> names;
  for (const std::unique_ptr<Service>& service : *services) names.insert(service->name());
  EXPECT_EQ(names.size(), services->size());
  EXPECT_TRUE(names.contains("rewrought.v1.RuleService"));
}

}  // namespace
}  // namespace rewrought::rpc
