// Fuzzes the parsers of short strings that no other target covers: driver statistics, strings in a database, addresses,
// roles, and page tokens. The first byte selects the parser.
#include <cstddef>
#include <cstdint>

#include "ir/facts/value_facts.h"
#include "proto/rewrought/v1/rule_service.pb.h"
#include "selection/driver_correlation.h"
#include "server/access/access.h"
#include "server/access/address.h"
#include "server/messages/paging.h"
#include "store/columns.h"
#include "verifier/message/verdict_message.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rewrought;
  if (size == 0) return 0;
  const absl::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 7) {
    case 0:
      (void)selection::ParseDriverFigures(text);
      break;
    case 1:
      (void)ir::ParseFactsSummary(text);
      break;
    case 2:
      (void)store::ParseLines(text);
      break;
    case 3:
      (void)verifier::ParseModes(text);
      break;
    case 4:
      if (const auto address = rpc::ParseAddress(text); address.ok()) (void)rpc::IsLoopback(*address);
      break;
    case 5:
      (void)rpc::ParseRole(text);
      break;
    case 6: {
      v1::ListRulesRequest request;
      request.set_page_token(std::string(text));
      (void)rpc::Page::Numbered(request);
      // Build a valid token for this list with the text as its position.
      request.set_page_token(rpc::Page::Of(v1::ListRulesRequest())->TokenOf(text));
      (void)rpc::Page::Numbered(request);
      break;
    }
  }
  return 0;
}
