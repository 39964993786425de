#include "server/rpc/handlers/service.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "server/rpc/handlers/service_test.grpc.pb.h"

namespace rewrought::rpc {
namespace {

class WholeHandler : public Service {
 public:
  explicit WholeHandler(const Backend& backend) : Service(backend, "rewrought.rpc.test.Whole") {
    Serve(&WholeHandler::Read, &WholeHandler::Watch);
  }
  absl::Status Read(Call&, const test::ReadRequest& request, test::ReadResponse* response) {
    if (request.text().empty()) return absl::NotFoundError("nothing to read");
    response->set_text(request.text());
    return absl::OkStatus();
  }
  absl::Status Watch(Call& call, const test::WatchRequest&, grpc::ServerWriter<test::WatchResponse>* writer) {
    const absl::StatusOr<Limiter::Pass> pass = call.Compute(absl::Seconds(60));
    if (!pass.ok()) return pass.status();
    for (uint32_t i = 0; i < 3; ++i) {
      test::WatchResponse response;
      response.set_number(i);
      writer->Write(response);
    }
    return absl::OutOfRangeError("no more");
  }
};

// Answers calls as `role` may make them, without a token.
class ServiceTest : public testing::Test {
 protected:
  void Start(Role role, int running = 1) {
    access_ = std::make_unique<Access>(role, Role::kNone);
    limiter_ = std::make_unique<Limiter>(running, 0);
    Backend backend;
    backend.access = access_.get();
    backend.calls = &calls_;
    backend.limiter = limiter_.get();
    service_ = std::make_unique<WholeHandler>(backend);
    ASSERT_TRUE(service_->Check().ok()) << service_->Check();
    grpc::ServerBuilder builder;
    builder.RegisterService(service_.get());
    server_ = builder.BuildAndStart();
    stub_ = test::Whole::NewStub(server_->InProcessChannel({}));
  }

  grpc::Status Read(const std::string& text, std::string* answer) {
    grpc::ClientContext context;
    test::ReadRequest request;
    request.set_text(text);
    test::ReadResponse response;
    const grpc::Status status = stub_->Read(&context, request, &response);
    *answer = response.text();
    return status;
  }

  grpc::Status Watch(std::vector<uint32_t>* numbers) {
    grpc::ClientContext context;
    const auto reader = stub_->Watch(&context, {});
    test::WatchResponse response;
    while (reader->Read(&response)) numbers->push_back(response.number());
    return reader->Finish();
  }

  CallWatcher calls_;
  std::unique_ptr<Limiter> limiter_;
  std::unique_ptr<Access> access_;
  std::unique_ptr<WholeHandler> service_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<test::Whole::Stub> stub_;
};

TEST_F(ServiceTest, AnswersAndTellsErrors) {
  Start(Role::kAdmin);
  std::string text;
  EXPECT_TRUE(Read("abc", &text).ok());
  EXPECT_EQ(text, "abc");
  const grpc::Status status = Read("", &text);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(status.error_message(), "nothing to read");
  std::vector<uint32_t> numbers;
  EXPECT_EQ(Watch(&numbers).error_code(), grpc::StatusCode::OUT_OF_RANGE);
  EXPECT_EQ(numbers, (std::vector<uint32_t>{0, 1, 2}));
}

TEST_F(ServiceTest, AdmitsByTheRoleOfTheMethod) {
  Start(Role::kRead);
  std::string text;
  std::vector<uint32_t> numbers;
  EXPECT_TRUE(Read("abc", &text).ok());
  EXPECT_EQ(Watch(&numbers).error_code(), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_TRUE(numbers.empty());
}

TEST_F(ServiceTest, AdmitsNobodyWithoutARole) {
  Start(Role::kNone);
  std::string text;
  EXPECT_EQ(Read("abc", &text).error_code(), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(text, "");
}

TEST_F(ServiceTest, ComputingCallsTakeAPlace) {
  Start(Role::kAdmin);
  const absl::StatusOr<Limiter::Pass> taken = limiter_->Enter({});
  std::string text;
  std::vector<uint32_t> numbers;
  EXPECT_EQ(Watch(&numbers).error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_TRUE(Read("abc", &text).ok());
}

class RolelessHandler : public Service {
 public:
  RolelessHandler() : Service({}, "rewrought.rpc.test.Roleless") { Serve(&RolelessHandler::Bare); }
  absl::Status Bare(Call&, const test::BareRequest&, test::BareResponse*) { return absl::OkStatus(); }
};

TEST(ServiceCheck, EveryMethodHasARole) {
  const absl::Status status = RolelessHandler().Check();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_EQ(status.message().substr(0, 44), "rewrought.rpc.test.Roleless.Bare has no role") << status;
}

class ForgetfulHandler : public Service {
 public:
  ForgetfulHandler() : Service({}, "rewrought.rpc.test.Whole") { Serve(&ForgetfulHandler::Read); }
  absl::Status Read(Call&, const test::ReadRequest&, test::ReadResponse*) { return absl::OkStatus(); }
};

TEST(ServiceCheck, EveryMethodIsServed) {
  EXPECT_EQ(ForgetfulHandler().Check().message(), "rewrought.rpc.test.Whole.Watch has no handler");
}

class WrongHandler : public Service {
 public:
  WrongHandler() : Service({}, "rewrought.rpc.test.Whole") { Serve(&WrongHandler::Read, &WrongHandler::Watch); }
  absl::Status Read(Call&, const test::ReadRequest&, test::ReadResponse*) { return absl::OkStatus(); }
  absl::Status Watch(Call&, const test::WatchRequest&, test::WatchResponse*) { return absl::OkStatus(); }
};

TEST(ServiceCheck, AnswersAreAsTheSchemaSays) {
  EXPECT_EQ(WrongHandler().Check().message(),
            "rewrought.rpc.test.Whole.Watch is answered otherwise than its schema says");
}

class StrangerHandler : public Service {
 public:
  StrangerHandler() : Service({}, "rewrought.rpc.test.Roleless") { Serve(&StrangerHandler::Read); }
  absl::Status Read(Call&, const test::ReadRequest&, test::ReadResponse*) { return absl::OkStatus(); }
};

TEST(ServiceCheck, RequestsAreTheSchemas) {
  EXPECT_EQ(StrangerHandler().Check().message(), "rewrought.rpc.test.Roleless takes no rewrought.rpc.test.ReadRequest");
}

}  // namespace
}  // namespace rewrought::rpc
