#include "server/handlers/service.h"

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "server/handlers/service_test.grpc.pb.h"

namespace rewrought::rpc {
namespace {

class WholeHandler : public Service {
 public:
  explicit WholeHandler(const Backend& backend) : Service(backend, "rewrought.rpc.test.Whole") {
    Serve(&WholeHandler::Read, &WholeHandler::Watch, &WholeHandler::Follow);
  }
  absl::Status Read(Call&, const test::ReadRequest& request, test::ReadResponse* response) {
    if (request.text().empty()) return absl::NotFoundError("nothing to read");
    response->set_text(request.text());
    return absl::OkStatus();
  }
  absl::Status Watch(Call& call, const test::WatchRequest&, Stream<test::WatchResponse>* stream) {
    const absl::StatusOr<Limiter::Pass> pass = call.Compute(absl::Seconds(60));
    if (!pass.ok()) return pass.status();
    for (uint32_t i = 0; i < 3; ++i) {
      test::WatchResponse response;
      response.set_number(i);
      stream->Write(response);
    }
    return absl::OutOfRangeError("no more");
  }
  // If `flood` is 0, streams "first", then the contents of `told`, and then ends.
  absl::Status Follow(Call&, const test::FollowRequest& request, Stream<test::FollowResponse>* stream) {
    test::FollowResponse response;
    if (request.flood() > 0) {
      response.set_content(std::string(request.flood(), 'x'));
      while (stream->Write(response)) ++written;
      return absl::OkStatus();
    }
    response.set_content("first");
    stream->Write(response);
    {
      const std::lock_guard<std::mutex> lock(mutex);
      wakers.push_back(stream->Waker());
    }
    stream->Follow([this, ended = false](test::FollowResponse* next) mutable -> absl::StatusOr<Next> {
      const std::lock_guard<std::mutex> lock(mutex);
      if (ended) return Next::kEnd;
      if (told.empty()) return Next::kWait;
      next->set_content(told);
      ended = true;
      return Next::kMessage;
    });
    return absl::OkStatus();
  }
  void Tell(const std::string& text) {
    std::vector<std::function<void()>> woken;
    {
      const std::lock_guard<std::mutex> lock(mutex);
      told = text;
      woken = wakers;
    }
    for (const auto& wake : woken) wake();
  }

  std::atomic<int> written{0};
  std::mutex mutex;
  std::string told;
  std::vector<std::function<void()>> wakers;
};

// Starts a server and calls it with `role`.
class ServiceTest : public testing::Test {
 protected:
  void Start(Role role, int running = 1) {
    caller_ = {"someone", role};
    limiter_ = std::make_unique<Limiter>(LimiterOptions{.running = running});
    scans_ = std::make_unique<Limiter>(LimiterOptions{.running = running});
    Backend backend;
    backend.calls = &calls_;
    backend.computations = limiter_.get();
    backend.scans = scans_.get();
    backend.open_calls = &open_calls_;
    backend.open_streams = &open_streams_;
    backend.pool = &pool_;
    backend.limits.write = absl::Milliseconds(300);
    service_ = std::make_unique<WholeHandler>(backend);
    ASSERT_TRUE(service_->Check().ok()) << service_->Check();
    grpc::ServerBuilder builder;
    builder.RegisterService(service_.get());
    server_ = builder.BuildAndStart();
    stub_ = test::Whole::NewStub(server_->InProcessChannel({}));
  }

  grpc::Status Read(const std::string& text, std::string* answer) {
    grpc::ClientContext context;
    Introduce(caller_, &context);
    test::ReadRequest request;
    request.set_text(text);
    test::ReadResponse response;
    const grpc::Status status = stub_->Read(&context, request, &response);
    *answer = response.text();
    return status;
  }

  grpc::Status Watch(std::vector<uint32_t>* numbers) {
    grpc::ClientContext context;
    Introduce(caller_, &context);
    const auto reader = stub_->Watch(&context, {});
    test::WatchResponse response;
    while (reader->Read(&response)) numbers->push_back(response.number());
    return reader->Finish();
  }

  // An open stream from which nothing has been read.
  struct Open {
    grpc::ClientContext context;
    std::unique_ptr<grpc::ClientReader<test::FollowResponse>> reader;
  };
  std::unique_ptr<Open> Follow(uint32_t flood = 0) {
    auto open = std::make_unique<Open>();
    Introduce(caller_, &open->context);
    test::FollowRequest request;
    request.set_flood(flood);
    open->reader = stub_->Follow(&open->context, request);
    return open;
  }
  static std::vector<std::string> Rest(Open* open, grpc::Status* status) {
    std::vector<std::string> texts;
    test::FollowResponse response;
    while (open->reader->Read(&response)) texts.push_back(response.content());
    *status = open->reader->Finish();
    return texts;
  }

  CallWatcher calls_;
  WorkPool pool_{2, 2};
  Limiter open_calls_{{.running = 4}};
  Limiter open_streams_{{.running = 8, .client_calls = 4, .what = "streams of this client are open"}};
  std::unique_ptr<Limiter> limiter_, scans_;
  Caller caller_;
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
  EXPECT_EQ(Watch(&numbers).error_code(), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_TRUE(numbers.empty());
}

TEST_F(ServiceTest, AdmitsNobodyWithoutARole) {
  Start(Role::kNone);
  std::string text;
  EXPECT_EQ(Read("abc", &text).error_code(), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(text, "");
}

TEST_F(ServiceTest, AdmitsNobodyWithoutACaller) {
  Start(Role::kAdmin);
  grpc::ClientContext context;
  test::ReadResponse response;
  EXPECT_EQ(stub_->Read(&context, {}, &response).error_code(), grpc::StatusCode::UNAUTHENTICATED);
}

TEST_F(ServiceTest, ComputingCallsTakeAPlace) {
  Start(Role::kAdmin);
  const absl::StatusOr<Limiter::Pass> taken = limiter_->Enter({});
  std::string text;
  std::vector<uint32_t> numbers;
  EXPECT_EQ(Watch(&numbers).error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_TRUE(Read("abc", &text).ok());
}

// Readers that occupy all of their slots do not delay checks.
TEST_F(ServiceTest, ReadersAndCheckersHaveTheirOwnPlaces) {
  Start(Role::kAdmin);
  const absl::StatusOr<Limiter::Pass> taken = scans_->Enter({});
  std::vector<uint32_t> numbers;
  EXPECT_EQ(Watch(&numbers).error_code(), grpc::StatusCode::OUT_OF_RANGE);
  EXPECT_EQ(numbers.size(), 3u);
}

TEST_F(ServiceTest, StreamsThatWaitHoldNoThread) {
  Start(Role::kRead);
  std::vector<std::unique_ptr<Open>> streams;
  for (int i = 0; i < 4; ++i) streams.push_back(Follow());  // more streams than the pool has threads (two)
  test::FollowResponse first;
  for (const auto& one : streams) {
    ASSERT_TRUE(one->reader->Read(&first));
    EXPECT_EQ(first.content(), "first");
  }
  std::string text;
  EXPECT_TRUE(Read("abc", &text).ok());
  service_->Tell("then");
  grpc::Status status;
  for (const auto& one : streams) {
    EXPECT_EQ(Rest(one.get(), &status), std::vector<std::string>{"then"});
    EXPECT_TRUE(status.ok()) << status.error_message();
  }
}

TEST_F(ServiceTest, OneClientOpensABoundedNumberOfStreams) {
  Start(Role::kRead);
  std::vector<std::unique_ptr<Open>> streams;
  test::FollowResponse first;
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(streams.emplace_back(Follow())->reader->Read(&first));
  grpc::Status status;
  EXPECT_TRUE(Rest(Follow().get(), &status).empty());
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(status.error_message(), "4 streams of this client are open already; try again when one has ended");
  for (const auto& one : streams) one->context.TryCancel();
  for (const auto& one : streams) Rest(one.get(), &status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::CANCELLED);
  bool again = false;
  for (int i = 0; i < 100 && !again; ++i) {
    again = Follow()->reader->Read(&first);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(again);
}

// The queue of a stream whose client is not reading is bounded, and its call is cancelled after a while.
TEST_F(ServiceTest, ClientsThatDoNotReadAreLeft) {
  Start(Role::kRead);
  std::vector<std::unique_ptr<Open>> streams;
  for (int i = 0; i < 4; ++i) streams.push_back(Follow(64 << 10));
  const auto wait = [](const auto& condition) {
    for (int i = 0; i < 500 && !condition(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  };
  wait([&] { return service_->written >= 4 * 16; });  // one mebibyte each
  grpc::Status status;
  wait([&] {
    const std::unique_ptr<Open> other = Follow();
    service_->Tell("then");
    return !Rest(other.get(), &status).empty();
  });
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_GE(service_->written, 4 * 16);
  EXPECT_LE(service_->written, 4 * 20);
  int cancelled = 0;
  for (const auto& one : streams) {
    Rest(one.get(), &status);
    EXPECT_FALSE(status.ok());  // a client that reads too late also gets an error
    cancelled += status.error_code() == grpc::StatusCode::CANCELLED ? 1 : 0;
  }
  EXPECT_GE(cancelled, 1);
}

TEST_F(ServiceTest, MalformedRequestsAreRejected) {
  Start(Role::kRead);
  grpc::GenericStub generic(server_->InProcessChannel({}));
  const grpc::Slice slice("\xff\xff\xff");
  const grpc::ByteBuffer request(&slice, 1);
  grpc::ByteBuffer response;
  grpc::ClientContext context;
  Introduce(caller_, &context);
  std::promise<grpc::Status> ended;
  generic.UnaryCall(&context, "/rewrought.rpc.test.Whole/Read", {}, &request, &response,
                    [&](grpc::Status status) { ended.set_value(std::move(status)); });
  const grpc::Status status = ended.get_future().get();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(status.error_message(), "the request is not a valid rewrought.rpc.test.ReadRequest");
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
            "rewrought.rpc.test.Whole.Watch has a handler that does not match its schema");
}

class StrangerHandler : public Service {
 public:
  StrangerHandler() : Service({}, "rewrought.rpc.test.Roleless") { Serve(&StrangerHandler::Read); }
  absl::Status Read(Call&, const test::ReadRequest&, test::ReadResponse*) { return absl::OkStatus(); }
};

TEST(ServiceCheck, RequestsAreTheSchemas) {
  EXPECT_EQ(StrangerHandler().Check().message(),
            "rewrought.rpc.test.Roleless has no method with request rewrought.rpc.test.ReadRequest");
}

}  // namespace
}  // namespace rewrought::rpc
