#include "tools/silicon/recording.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace rewrought::silicon {
namespace {

constexpr absl::string_view kMagic = "rewrought silicon recording 1";

// Joins the lines of `text` into one line, because a recording is read line by line.
std::string OneLine(absl::string_view text) {
  return absl::StrReplaceAll(absl::StripAsciiWhitespace(text), {{"\n", "; "}, {"\r", ""}});
}

absl::Status ReadWord(absl::string_view text, uint64_t* word) {
  if (absl::StartsWith(text, "0x") && text.size() <= 10 && absl::SimpleHexAtoi(text, word)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("'", text, "' is not a word like 0x3f800000"));
}

class Reader {
 public:
  Reader(absl::string_view text, absl::string_view file) : text_(text), file_(file) {}

  absl::StatusOr<Recording> Run() {
    if (absl::Status read = ReadHead(); !read.ok()) return Error(read);
    recording_.complete_bytes = at_;
    RecordedCase block;
    absl::string_view line;
    while (NextLine(&line)) {
      if (line.empty()) continue;
      const absl::StatusOr<bool> whole = ReadLine(line, &block);
      if (!whole.ok()) return Error(whole.status());
      if (!*whole) continue;
      recording_.cases.push_back(std::move(block));
      recording_.complete_bytes = at_;
      block = RecordedCase();
    }
    return std::move(recording_);
  }

 private:
  absl::Status Error(const absl::Status& status) const {
    return absl::InvalidArgumentError(absl::StrCat(file_, ":", number_, ": ", status.message()));
  }

  // Reads the next line, or returns false at the end of the text. A last line without a line end is incomplete and
  // ignored.
  bool NextLine(absl::string_view* line) {
    const size_t end = text_.find('\n', at_);
    if (end == absl::string_view::npos) return false;
    *line = text_.substr(at_, end - at_);
    at_ = end + 1;
    ++number_;
    return true;
  }

  absl::Status ReadHead() {
    absl::string_view line;
    if (!NextLine(&line) || line != kMagic) {
      return absl::InvalidArgumentError(absl::StrCat("not a recording; its first line must be '", kMagic, "'"));
    }
    RecordingHead& head = recording_.head;
    std::string seed, inputs;
    for (const auto& [key, value] :
         std::initializer_list<std::pair<absl::string_view, std::string*>>{{"device ", &head.device.name},
                                                                           {"driver ", &head.device.driver},
                                                                           {"capability ", &head.device.capability},
                                                                           {"machine ", &head.machine},
                                                                           {"rows ", &head.rows},
                                                                           {"seed ", &seed},
                                                                           {"inputs ", &inputs}}) {
      if (!NextLine(&line) || !absl::ConsumePrefix(&line, key)) {
        return absl::InvalidArgumentError(absl::StrCat("missing line '", key, "...' in the head"));
      }
      *value = std::string(line);
    }
    if (!absl::SimpleAtoi(seed, &head.seed) || !absl::SimpleAtoi(inputs, &head.inputs)) {
      return absl::InvalidArgumentError("seed and inputs must be numbers");
    }
    return absl::OkStatus();
  }

  // Reads `line` and returns whether it ends the block.
  absl::StatusOr<bool> ReadLine(absl::string_view line, RecordedCase* block) {
    if (absl::ConsumePrefix(&line, "case ")) {
      if (!block->name.empty())
        return absl::InvalidArgumentError("a case begins before the 'done' of the previous one");
      block->name = std::string(line);
      block->line = number_;
      return false;
    }
    if (block->name.empty()) return absl::InvalidArgumentError("a line outside of a case; expected 'case ...'");
    if (absl::ConsumePrefix(&line, "refused ")) {
      block->refused = std::string(line);
      return false;
    }
    for (const auto& [key, counts] : {std::pair(absl::string_view("deviation "), &block->deviations),
                                      std::pair(absl::string_view("ir-deviation "), &block->ir_deviations)}) {
      if (!absl::ConsumePrefix(&line, key)) continue;
      const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(line, absl::MaxSplits(' ', 1));
      if (!absl::SimpleAtoi(parts.first, &(*counts)[std::string(parts.second)]))
        return absl::InvalidArgumentError("expected 'deviation COUNT KIND'");
      return false;
    }
    if (absl::ConsumePrefix(&line, "undecided ")) {
      if (!absl::SimpleAtoi(line, &block->undecided)) return absl::InvalidArgumentError("expected 'undecided COUNT'");
      return false;
    }
    if (absl::ConsumePrefix(&line, "done ")) return ReadDone(line, block);
    return ReadAnswer(line, block);
  }

  absl::StatusOr<bool> ReadDone(absl::string_view line, RecordedCase* block) {
    for (const absl::string_view word : absl::StrSplit(line, ' ', absl::SkipEmpty())) {
      const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(word, absl::MaxSplits('=', 1));
      bool read = true;
      if (parts.first == "lanes") {
        read = absl::SimpleAtoi(parts.second, &block->lanes);
      } else if (parts.first == "worst") {
        read = absl::SimpleAtod(parts.second, &block->worst_error);
      } else if (parts.first == "outputs") {
        block->outputs = std::string(parts.second);
      } else {
        read = false;
      }
      if (!read) return absl::InvalidArgumentError(absl::StrCat("'", word, "' of 'done' is not understood"));
    }
    return true;
  }

  absl::StatusOr<bool> ReadAnswer(absl::string_view line, RecordedCase* block) {
    const std::vector<absl::string_view> words = absl::StrSplit(line, ' ', absl::SkipEmpty());
    if (words.size() < 3 || words[words.size() - 2] != "=") {
      return absl::InvalidArgumentError("expected 'INPUT... = OUTPUT', 'deviation', 'refused' or 'done'");
    }
    Answer answer;
    answer.lane = static_cast<uint64_t>(number_);
    for (size_t i = 0; i + 2 < words.size(); ++i) {
      if (absl::Status read = ReadWord(words[i], &answer.inputs.emplace_back()); !read.ok()) return read;
    }
    if (absl::Status read = ReadWord(words.back(), &answer.output); !read.ok()) return read;
    block->answers.push_back(std::move(answer));
    return false;
  }

  const absl::string_view text_, file_;
  size_t at_ = 0;
  int number_ = 0;
  Recording recording_;
};

absl::Status SystemError(const std::string& path, absl::string_view what) {
  return absl::UnavailableError(absl::StrCat(path, ": ", what, ": ", std::strerror(errno)));
}

// Returns a description of the first difference, or "".
std::string Difference(const RecordingHead& x, const RecordingHead& y) {
  const auto differ = [](absl::string_view what, const std::string& was, const std::string& is) {
    return was == is ? "" : absl::StrCat(what, " was '", was, "', is '", is, "'");
  };
  for (const std::string& difference :
       {differ("device", x.device.name, y.device.name), differ("driver", x.device.driver, y.device.driver),
        differ("machine", x.machine, y.machine), differ("table of rows", x.rows, y.rows),
        differ("seed", absl::StrCat(x.seed), absl::StrCat(y.seed)),
        differ("number of inputs", absl::StrCat(x.inputs), absl::StrCat(y.inputs))}) {
    if (!difference.empty()) return difference;
  }
  return "";
}

}  // namespace

std::string HeadText(const RecordingHead& head) {
  return absl::StrCat(kMagic, "\ndevice ", OneLine(head.device.name), "\ndriver ", OneLine(head.device.driver),
                      "\ncapability ", OneLine(head.device.capability), "\nmachine ", head.machine, "\nrows ",
                      head.rows, "\nseed ", head.seed, "\ninputs ", head.inputs, "\n");
}

std::string CaseText(const RecordedCase& one) {
  std::string text = absl::StrCat("\ncase ", one.name, "\n");
  if (!one.refused.empty()) absl::StrAppend(&text, "refused ", OneLine(one.refused), "\n");
  for (const Answer& answer : one.answers) {
    for (const uint64_t input : answer.inputs) absl::StrAppendFormat(&text, "0x%08x ", input);
    absl::StrAppendFormat(&text, "= 0x%08x\n", answer.output);
  }
  for (const auto& [kind, count] : one.deviations) absl::StrAppend(&text, "deviation ", count, " ", kind, "\n");
  for (const auto& [kind, count] : one.ir_deviations) absl::StrAppend(&text, "ir-deviation ", count, " ", kind, "\n");
  if (one.undecided > 0) absl::StrAppend(&text, "undecided ", one.undecided, "\n");
  absl::StrAppend(&text, "done lanes=", one.lanes, " outputs=", one.outputs.empty() ? "-" : one.outputs,
                  " worst=", one.worst_error, "\n");
  return text;
}

absl::StatusOr<Recording> ParseRecording(absl::string_view text, absl::string_view file) {
  return Reader(text, file).Run();
}

absl::StatusOr<RecordingFile> RecordingFile::Open(const std::string& path, const RecordingHead& head,
                                                  Recording* before) {
  const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) return SystemError(path, "cannot be opened for writing");
  RecordingFile file(path, descriptor);
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) return SystemError(path, "another run is writing to it");
  std::string text;
  char buffer[1 << 16];
  ssize_t count = 0;
  while ((count = read(descriptor, buffer, sizeof buffer)) > 0) text.append(buffer, static_cast<size_t>(count));
  if (count < 0) return SystemError(path, "cannot be read");
  *before = Recording();
  before->head = head;
  // Replace an incomplete head.
  if (absl::StartsWith(HeadText(head), text) && text.size() < HeadText(head).size()) {
    if (ftruncate(descriptor, 0) != 0 || lseek(descriptor, 0, SEEK_SET) != 0)
      return SystemError(path, "cannot be truncated");
    if (absl::Status written = file.Write(HeadText(head)); !written.ok()) return written;
    return file;
  }
  absl::StatusOr<Recording> recording = ParseRecording(text, path);
  if (!recording.ok()) return recording.status();
  if (const std::string difference = Difference(recording->head, head); !difference.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(path, ": has a different configuration: ", difference,
                                                      "; name another file, or --replay this one"));
  }
  if (ftruncate(descriptor, static_cast<off_t>(recording->complete_bytes)) != 0 || lseek(descriptor, 0, SEEK_END) < 0) {
    return SystemError(path, "its incomplete end cannot be truncated");
  }
  *before = *std::move(recording);
  return file;
}

RecordingFile::RecordingFile(RecordingFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

RecordingFile::~RecordingFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

absl::Status RecordingFile::Write(absl::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0)
      return SystemError(path_, "write failed; free up disk space and run again (complete cases are kept)");
    text.remove_prefix(static_cast<size_t>(written));
  }
  return fsync(descriptor_) == 0 ? absl::OkStatus() : SystemError(path_, "writing failed");
}

absl::Status RecordingFile::Append(const RecordedCase& one) { return Write(CaseText(one)); }

}  // namespace rewrought::silicon
