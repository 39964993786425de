#include "verifier/worker/protocol.h"

#include <bit>
#include <utility>

namespace rewrought::verifier {
namespace {

// The first byte of a body is the kind of message. Change it whenever the layout changes.
constexpr uint8_t kRequestTag = 0xA2;
constexpr uint8_t kReplyTag = 0xB2;

class Writer {
 public:
  explicit Writer(uint8_t tag) : bytes_(kLengthBytes, '\0') { Number(tag, 1); }

  void Number(uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) bytes_.push_back(static_cast<char>(value >> (8 * i)));
  }

  void Text(const std::string& text) {
    Number(text.size(), 4);
    bytes_ += text;
  }

  std::string Finish() {
    const uint64_t body = bytes_.size() - kLengthBytes;
    for (size_t i = 0; i < kLengthBytes; ++i) bytes_[i] = static_cast<char>(body >> (8 * i));
    return std::move(bytes_);
  }

 private:
  std::string bytes_;
};

// Reads Writer's output. After the first failure, everything reads as zero and `ok` stays false.
class Reader {
 public:
  explicit Reader(absl::string_view bytes) : bytes_(bytes) {}

  uint64_t Number(size_t bytes) {
    if (!Need(bytes)) return 0;
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; ++i) value |= uint64_t{static_cast<uint8_t>(bytes_[i])} << (8 * i);
    bytes_.remove_prefix(bytes);
    return value;
  }

  std::string Text() {
    const size_t size = Number(4);
    if (!Need(size)) return {};
    std::string text(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
    return text;
  }

  // Reads a count of entries of at least `entry_bytes` each. The check limits the memory that a broken peer can make
  // this process allocate.
  uint64_t Count(size_t entry_bytes) {
    const uint64_t count = Number(4);
    if (!Need(count * entry_bytes)) return 0;
    return count;
  }

  void Require(bool condition) { ok_ = ok_ && condition; }
  bool finished() const { return ok_ && bytes_.empty(); }

 private:
  bool Need(uint64_t bytes) {
    ok_ = ok_ && bytes <= bytes_.size();
    return ok_;
  }

  absl::string_view bytes_;
  bool ok_ = true;
};

constexpr size_t kEmptyTextBytes = 4;

}  // namespace

std::string EncodeRequest(const WorkerRequest& request) {
  Writer writer(kRequestTag);
  writer.Number(request.id, 8);
  writer.Number(static_cast<uint8_t>(request.tactic), 1);
  writer.Number(request.limits.units, 8);
  writer.Number(request.limits.processor_ms, 8);
  writer.Number(request.limits.wall_ms, 8);
  writer.Text(request.text);
  writer.Number(request.wanted.size(), 4);
  for (const std::string& name : request.wanted) writer.Text(name);
  return writer.Finish();
}

std::string EncodeReply(const WorkerReply& reply) {
  Writer writer(kReplyTag);
  writer.Number(reply.id, 8);
  writer.Number(static_cast<uint8_t>(reply.answer.answer), 1);
  writer.Number(reply.retire ? 1 : 0, 1);
  writer.Number(std::bit_cast<uint64_t>(reply.answer.milliseconds), 8);
  writer.Number(std::bit_cast<uint64_t>(reply.answer.work_ms), 8);
  writer.Text(reply.answer.reason);
  writer.Text(reply.answer.solver);
  writer.Number(reply.answer.model.size(), 4);
  for (const auto& [name, value] : reply.answer.model) {
    writer.Text(name);
    writer.Text(value);
  }
  return writer.Finish();
}

std::optional<uint32_t> DecodeLength(absl::string_view header) {
  if (header.size() != kLengthBytes) return std::nullopt;
  const uint64_t length = Reader(header).Number(kLengthBytes);
  if (length == 0 || length > kMaxBodyBytes) return std::nullopt;
  return static_cast<uint32_t>(length);
}

std::optional<WorkerRequest> DecodeRequest(absl::string_view body) {
  Reader reader(body);
  WorkerRequest request;
  reader.Require(reader.Number(1) == kRequestTag);
  request.id = reader.Number(8);
  const uint64_t tactic = reader.Number(1);
  reader.Require(tactic <= static_cast<uint8_t>(Tactic::kInteger));
  request.tactic = static_cast<Tactic>(tactic);
  request.limits.units = reader.Number(8);
  request.limits.processor_ms = reader.Number(8);
  request.limits.wall_ms = reader.Number(8);
  request.text = reader.Text();
  const uint64_t wanted = reader.Count(kEmptyTextBytes);
  for (uint64_t i = 0; i < wanted; ++i) request.wanted.push_back(reader.Text());
  if (!reader.finished()) return std::nullopt;
  return request;
}

std::optional<WorkerReply> DecodeReply(absl::string_view body) {
  Reader reader(body);
  WorkerReply reply;
  reader.Require(reader.Number(1) == kReplyTag);
  reply.id = reader.Number(8);
  const uint64_t answer = reader.Number(1);
  reader.Require(answer <= static_cast<uint8_t>(Answer::kUnknown));
  reply.answer.answer = static_cast<Answer>(answer);
  const uint64_t retire = reader.Number(1);
  reader.Require(retire <= 1);
  reply.retire = retire == 1;
  reply.answer.milliseconds = std::bit_cast<double>(reader.Number(8));
  reply.answer.work_ms = std::bit_cast<double>(reader.Number(8));
  reply.answer.reason = reader.Text();
  reply.answer.solver = reader.Text();
  const uint64_t values = reader.Count(2 * kEmptyTextBytes);
  for (uint64_t i = 0; i < values; ++i) {
    std::string name = reader.Text();
    reader.Require(reply.answer.model.emplace(std::move(name), reader.Text()).second);
  }
  reader.Require((reply.answer.answer == Answer::kUnknown) == !reply.answer.reason.empty());
  reader.Require(reply.answer.answer == Answer::kSat || reply.answer.model.empty());
  reader.Require(reply.answer.milliseconds >= 0 && reply.answer.work_ms >= 0);
  if (!reader.finished()) return std::nullopt;
  return reply;
}

}  // namespace rewrought::verifier
