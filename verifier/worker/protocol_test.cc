#include "verifier/worker/protocol.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace rewrought::verifier {
namespace {

WorkerRequest SomeRequest() {
  return {0x0102030405060708u, Tactic::kReal, {7, 1500, 6000}, std::string("(assert\0)", 9), {"a", ""}};
}

WorkerReply SomeReply() {
  WorkerReply reply;
  reply.id = 7;
  reply.answer = {Answer::kSat, "", {{"a", "7e00"}, {"b", "1"}}, "Z3 1.2", 3.25, 1.5};
  reply.retire = true;
  return reply;
}

std::string Body(const std::string& message) { return message.substr(kLengthBytes); }

TEST(Protocol, RequestSurvives) {
  const std::string message = EncodeRequest(SomeRequest());
  EXPECT_EQ(DecodeLength(message.substr(0, kLengthBytes)), message.size() - kLengthBytes);
  const auto request = DecodeRequest(Body(message));
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(request->id, SomeRequest().id);
  EXPECT_EQ(request->tactic, Tactic::kReal);
  EXPECT_EQ(request->limits, SomeRequest().limits);
  EXPECT_EQ(request->text, SomeRequest().text);
  EXPECT_EQ(request->wanted, SomeRequest().wanted);
}

TEST(Protocol, ReplySurvives) {
  const auto reply = DecodeReply(Body(EncodeReply(SomeReply())));
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(reply->id, 7u);
  EXPECT_TRUE(reply->retire);
  EXPECT_EQ(reply->answer.answer, Answer::kSat);
  EXPECT_EQ(reply->answer.model, SomeReply().answer.model);
  EXPECT_EQ(reply->answer.solver, "Z3 1.2");
  EXPECT_EQ(reply->answer.milliseconds, 3.25);
  EXPECT_EQ(reply->answer.work_ms, 1.5);
}

TEST(Protocol, NoTruncatedOrExtendedBodyIsTaken) {
  const std::string request = Body(EncodeRequest(SomeRequest()));
  for (size_t size = 0; size < request.size(); ++size) EXPECT_FALSE(DecodeRequest(request.substr(0, size))) << size;
  EXPECT_FALSE(DecodeRequest(request + "x"));
  const std::string reply = Body(EncodeReply(SomeReply()));
  for (size_t size = 0; size < reply.size(); ++size) EXPECT_FALSE(DecodeReply(reply.substr(0, size))) << size;
  EXPECT_FALSE(DecodeReply(reply + "x"));
  EXPECT_FALSE(DecodeReply(request));
  EXPECT_FALSE(DecodeRequest(reply));
}

TEST(Protocol, HugeCountsAllocateNothing) {
  WorkerReply empty;
  empty.answer.reason = "r";
  std::string body = Body(EncodeReply(empty));
  body.replace(body.size() - 4, 4, "\xff\xff\xff\xff");  // the number of values
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(DecodeReply(body));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
}

TEST(Protocol, OutOfRangeEnumsAreRefused) {
  std::string request = Body(EncodeRequest(SomeRequest()));
  request[9] = 4;  // the tactic, after tag and id
  EXPECT_FALSE(DecodeRequest(request));
  std::string reply = Body(EncodeReply(SomeReply()));
  reply[9] = 3;  // answer
  EXPECT_FALSE(DecodeReply(reply));
}

TEST(Protocol, ContradictoryAnswersAreRefused) {
  const auto taken = [](const SolverAnswer& answer) {
    return DecodeReply(Body(EncodeReply({1, answer, false}))).has_value();
  };
  EXPECT_TRUE(taken({Answer::kUnsat, "", {}, "", 0}));
  EXPECT_TRUE(taken({Answer::kUnknown, "time", {}, "", 0}));
  EXPECT_FALSE(taken({Answer::kUnsat, "time", {}, "", 0}));
  EXPECT_FALSE(taken({Answer::kUnknown, "", {}, "", 0}));
  EXPECT_FALSE(taken({Answer::kUnsat, "", {{"a", "1"}}, "", 0}));
  EXPECT_FALSE(taken({Answer::kUnsat, "", {}, "", -1}));
  EXPECT_FALSE(taken({Answer::kUnsat, "", {}, "", 0, -1}));
}

TEST(Protocol, LengthsAreBounded) {
  EXPECT_FALSE(DecodeLength(absl::string_view("\0\0\0\0", 4)));
  EXPECT_FALSE(DecodeLength("\xff\xff\xff\xff"));
  EXPECT_FALSE(DecodeLength("abc"));
  EXPECT_EQ(DecodeLength(absl::string_view("\x01\x02\0\0", 4)), 513u);
}

}  // namespace
}  // namespace rewrought::verifier
