// A worker that misbehaves as its first argument specifies. The mode "honest", which is the control, answers unsat to
// everything.
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "verifier/solver.h"
#include "verifier/worker/protocol.h"

namespace {

using namespace rewrought::verifier;  // NOLINT: a test program

std::string ReadExactly(size_t size) {
  std::string bytes(size, '\0');
  for (size_t filled = 0; filled < size;) {
    const ssize_t count = read(0, bytes.data() + filled, size - filled);
    if (count <= 0) _exit(0);
    filled += static_cast<size_t>(count);
  }
  return bytes;
}

void Write(const std::string& bytes) {
  if (write(1, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) _exit(3);
}

std::string Reply(uint64_t id, Answer answer) {
  WorkerReply reply;
  reply.id = id;
  reply.answer.answer = answer;
  reply.answer.solver = "fake";
  return EncodeReply(reply);
}

void Misbehave(const std::string& mode, const WorkerRequest& request) {
  const std::string honest = Reply(request.id, Answer::kUnsat);
  if (mode == "honest") Write(honest);
  if (mode == "slow") {
    sleep(2);
    Write(honest);
  }
  if (mode == "garbage") Write("unsat\nunsat\nunsat\n");
  if (mode == "wrong_id") Write(Reply(request.id + 1, Answer::kUnsat));
  if (mode == "old_id") Write(Reply(request.id - 1, Answer::kUnsat));
  if (mode == "empty_message") Write(std::string(kLengthBytes, '\0'));
  if (mode == "long_message") Write("\xff\xff\xff\x7f" + honest);
  if (mode == "long_body") Write(honest.substr(0, 1) + std::string("\x01\0\0", 3) + honest + std::string(256, 'x'));
  if (mode == "unknown_without_reason") Write(Reply(request.id, Answer::kUnknown));
  if (mode == "value_not_asked_for") {
    WorkerReply reply;
    reply.id = request.id;
    reply.answer.answer = Answer::kSat;
    reply.answer.model["zebra"] = "1";
    Write(EncodeReply(reply));
  }
  // Reports zero for every wanted constant, whatever the query is.
  if (mode == "sat_of_zeros") {
    WorkerReply reply;
    reply.id = request.id;
    reply.answer.answer = Answer::kSat;
    reply.answer.solver = "fake";
    for (const std::string& name : request.wanted) reply.answer.model[name] = "0";
    Write(EncodeReply(reply));
  }
  if (mode == "eats_memory") {
    std::vector<std::string> eaten;
    for (;;) eaten.emplace_back(size_t{16} << 20, 'x');
  }
  if (mode == "dies_inside_message") {
    Write(honest.substr(0, honest.size() / 2));
    _exit(3);
  }
  if (mode == "closes") {
    close(0);
    close(1);
    for (;;) pause();
  }
  if (mode == "segfault") {
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
  }
  if (mode == "silent") {
    for (;;) pause();
  }
  // Sends a correct answer, and an answer to the next query before that query arrives.
  if (mode == "answers_ahead") Write(honest + Reply(request.id + 1, Answer::kUnsat));
  if (mode == "exits_after_reply") {
    Write(honest);
    _exit(0);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "exits_at_once") return 3;
  if (mode == "never_reads") {
    for (;;) pause();
  }
  for (;;) {
    const std::optional<uint32_t> length = DecodeLength(ReadExactly(kLengthBytes));
    if (!length.has_value()) return 2;
    const std::optional<WorkerRequest> request = DecodeRequest(ReadExactly(*length));
    if (!request.has_value()) return 2;
    Misbehave(mode, *request);
  }
}
