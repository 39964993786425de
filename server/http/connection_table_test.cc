#include "server/http/connection_table.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"

namespace rewrought::rpc {
namespace {

// Connects from addresses in 127.0.0.0/8 to its own listener.
class ConnectionTableTest : public testing::Test {
 protected:
  ConnectionTableTest() {
    listener_ = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in any = Address("127.0.0.1");
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&any), sizeof(any)), 0);
    EXPECT_EQ(listen(listener_, 100), 0);
    socklen_t size = sizeof(here_);
    getsockname(listener_, reinterpret_cast<sockaddr*>(&here_), &size);
    files_.push_back(listener_);
  }
  ~ConnectionTableTest() override {
    for (const int file : files_) close(file);
  }

  static sockaddr_in Address(const char* text) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    inet_pton(AF_INET, text, &address.sin_addr);
    return address;
  }

  // Returns the server's end of a new connection from `from`.
  int Connect(const char* from) {
    const int client = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in own = Address(from);
    EXPECT_EQ(bind(client, reinterpret_cast<sockaddr*>(&own), sizeof(own)), 0);
    EXPECT_EQ(connect(client, reinterpret_cast<sockaddr*>(&here_), sizeof(here_)), 0);
    const int server = accept(listener_, nullptr, nullptr);
    files_.push_back(client);
    files_.push_back(server);
    return server;
  }

  static bool IsShut(int file) {
    pollfd one = {file, POLLIN, 0};
    return poll(&one, 1, 0) > 0 && (one.revents & POLLHUP) != 0;
  }

  int listener_ = -1;
  sockaddr_in here_ = {};
  std::vector<int> files_;
  ConnectionTable table_;
};

TEST_F(ConnectionTableTest, TheOldestThatNeverAskedGivesWay) {
  const int asked = Connect("127.0.0.1"), oldest = Connect("127.0.0.1"), younger = Connect("127.0.0.1");
  const ConnectionTable::Id id = table_.Add(asked);
  table_.Add(oldest);
  table_.Add(younger);
  table_.Began(id);
  table_.Ended(id);
  EXPECT_TRUE(table_.EvictOne());
  EXPECT_TRUE(IsShut(oldest));
  EXPECT_FALSE(IsShut(younger) || IsShut(asked));
  EXPECT_EQ(table_.size(), 2u);
  EXPECT_TRUE(table_.EvictOne());
  EXPECT_TRUE(IsShut(younger));
  // Connections that have already sent a request are evicted last.
  EXPECT_TRUE(table_.EvictOne());
  EXPECT_TRUE(IsShut(asked));
  EXPECT_FALSE(table_.EvictOne());
  EXPECT_EQ(table_.size(), 0u);
}

TEST_F(ConnectionTableTest, BusyConnectionsStay) {
  const int file = Connect("127.0.0.1");
  const ConnectionTable::Id id = table_.Add(file);
  table_.Began(id);
  table_.Began(id);
  table_.Ended(id);
  EXPECT_FALSE(table_.EvictOne());
  table_.Ended(id);
  EXPECT_TRUE(table_.EvictOne());
}

TEST_F(ConnectionTableTest, WhoTakesNothingOfItsAnswerGivesWayFirst) {
  const int slow = Connect("127.0.0.1"), quick = Connect("127.0.0.1"), working = Connect("127.0.0.1"),
            waiting = Connect("127.0.0.1");
  const ConnectionTable::Id slow_id = table_.Add(slow), quick_id = table_.Add(quick), working_id = table_.Add(working);
  table_.Add(waiting);
  for (const ConnectionTable::Id id : {slow_id, quick_id, working_id}) table_.Began(id);
  table_.Sending(slow_id, true);
  table_.Sending(working_id, true);
  table_.Sending(working_id, false);  // a stream whose client has read everything sent so far
  std::this_thread::sleep_for(ConnectionTable::kPatience);
  table_.Sending(quick_id, true);
  EXPECT_TRUE(table_.EvictOne());
  EXPECT_TRUE(IsShut(slow));
  EXPECT_TRUE(table_.EvictOne());
  EXPECT_TRUE(IsShut(waiting));
  EXPECT_TRUE(table_.EvictOne());
  EXPECT_TRUE(IsShut(quick));
  EXPECT_FALSE(table_.EvictOne());
}

TEST_F(ConnectionTableTest, TheAddressWithMostConnectionsGivesWay) {
  const int lonely = Connect("127.0.0.2");
  table_.Add(lonely);
  std::vector<int> crowd;
  for (int i = 0; i < 3; ++i) table_.Add(crowd.emplace_back(Connect("127.0.0.3")));
  EXPECT_TRUE(table_.EvictOne());
  EXPECT_TRUE(table_.EvictOne());
  EXPECT_TRUE(IsShut(crowd[0]) && IsShut(crowd[1]));
  EXPECT_FALSE(IsShut(lonely));
  EXPECT_TRUE(table_.EvictOne());  // now each address has one connection, so the least recently active one is evicted
  EXPECT_TRUE(IsShut(lonely));
}

TEST_F(ConnectionTableTest, RemovedConnectionsAreForgotten) {
  const ConnectionTable::Id id = table_.Add(Connect("127.0.0.4"));
  EXPECT_EQ(table_.size(), 1u);
  table_.Remove(id);
  EXPECT_EQ(table_.size(), 0u);
  table_.Began(id);  // has no effect after Remove
  table_.Remove(id);
}

}  // namespace
}  // namespace rewrought::rpc
