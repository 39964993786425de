#include "tools/silicon/campaign.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "ir/digest.h"
#include "tools/silicon/inputs.h"

namespace rewrought::silicon {
namespace {

constexpr size_t kBlock = 64 * kLaneGroup;  // lanes that a thread processes at once

// Returns the first 8 bytes of the SHA-256 of a block's position and outputs. The digests of all blocks are summed, so
// the order of the blocks does not matter.
uint64_t BlockDigest(uint64_t first, const std::vector<uint32_t>& outputs) {
  std::string bytes(reinterpret_cast<const char*>(&first), sizeof first);
  bytes.append(reinterpret_cast<const char*>(outputs.data()), outputs.size() * sizeof(uint32_t));
  const ir::Digest digest = ir::Digest::Of(bytes);
  uint64_t word = 0;
  for (int i = 0; i < 8; ++i) word = word << 8 | digest.bytes[static_cast<size_t>(i)];
  return word;
}

// Selects the lanes to record: half are spread evenly over the edge cases, and half come from the first random groups.
std::set<uint64_t> KeptLanes(const Lanes& lanes, size_t keep) {
  std::set<uint64_t> kept;
  if (keep == 0 || lanes.count() == 0) return kept;
  const uint64_t random_lanes = lanes.count() - lanes.edges();
  const size_t of_edges = random_lanes == 0 ? keep : keep / 2;
  for (size_t i = 0; i < of_edges && lanes.edges() > 0; ++i) kept.insert(lanes.edges() * i / of_edges);
  const uint64_t window = std::min<uint64_t>(random_lanes, kBlock);
  for (size_t i = of_edges; i < keep && window > 0; ++i) {
    kept.insert(lanes.edges() + window * (i - of_edges) / (keep - of_edges));
  }
  return kept;
}

class CaseRun {
 public:
  CaseRun(const Judge& judge, const Lanes& lanes, Kernel* kernel, size_t keep, std::stop_token stop)
      : judge_(judge), lanes_(lanes), kernel_(kernel), kept_lanes_(KeptLanes(lanes, keep)), stop_(std::move(stop)) {}

  absl::Status Run(int threads, const std::function<void(uint64_t)>& progress, CaseResult* result) {
    const uint64_t blocks = (lanes_.count() + kBlock - 1) / kBlock;
    threads = static_cast<int>(std::min<uint64_t>(static_cast<uint64_t>(std::max(1, threads)), blocks));
    std::vector<std::thread> workers;
    for (int i = 0; i < threads; ++i) workers.emplace_back([&] { Work(progress); });
    for (std::thread& worker : workers) worker.join();
    if (!status_.ok()) return status_;
    if (stop_.stop_requested()) return absl::CancelledError("stopped");
    result->tally = std::move(tally_);
    std::sort(kept_.begin(), kept_.end());
    result->kept = std::move(kept_);
    result->outputs = absl::StrFormat("%016x", outputs_);
    return absl::OkStatus();
  }

 private:
  void Work(const std::function<void(uint64_t)>& progress) {
    for (;;) {
      const uint64_t first = next_.fetch_add(kBlock);
      if (first >= lanes_.count() || stop_.stop_requested() || failed_) return;
      const size_t count = static_cast<size_t>(std::min<uint64_t>(kBlock, lanes_.count() - first));
      const std::vector<std::vector<uint64_t>> values = lanes_.Fill(first, count);
      std::vector<std::vector<uint32_t>> words;
      for (const std::vector<uint64_t>& column : values) words.emplace_back(column.begin(), column.end());
      std::vector<uint32_t> outputs(count);
      const absl::Status ran = kernel_->Run(words, absl::MakeSpan(outputs));
      Tally tally;
      if (ran.ok()) judge_.Compare(first, values, outputs, &tally);
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!ran.ok()) {
        status_.Update(ran);
        failed_ = true;
        return;
      }
      tally_.Merge(tally);
      outputs_ += BlockDigest(first, outputs);
      for (auto lane = kept_lanes_.lower_bound(first); lane != kept_lanes_.end() && *lane < first + count; ++lane) {
        Answer& answer = kept_.emplace_back();
        answer.lane = *lane;
        for (const std::vector<uint64_t>& column : values) answer.inputs.push_back(column[*lane - first]);
        answer.output = outputs[*lane - first];
      }
      if (progress) progress(tally_.lanes);
    }
  }

  const Judge& judge_;
  const Lanes& lanes_;
  Kernel* const kernel_;
  const std::set<uint64_t> kept_lanes_;
  const std::stop_token stop_;
  std::atomic<uint64_t> next_ = 0;
  std::atomic<bool> failed_ = false;
  std::mutex mutex_;
  absl::Status status_;
  Tally tally_;
  std::vector<Answer> kept_;
  uint64_t outputs_ = 0;
};

// Returns whether the result agrees with the description, which lists the op as deviating from the IR.
bool ListedDeviation(const CaseResult& result) {
  return result.deviation_listed && result.tally.description.count() == 0;
}

void Describe(const CaseResult& result, const Deviations& deviations, const std::string& who, const std::string& note,
              std::string* text) {
  const Case& one = *result.one;
  for (const auto& [name, kind] : deviations.kinds) {
    absl::StrAppend(text, one.name(), ": ", name, ", ", kind.count, kind.count == 1 ? " input" : " inputs", note, "\n");
    for (const Example& example : kind.examples) {
      std::vector<std::string> inputs;
      for (size_t i = 0; i < one.inputs.size(); ++i) {
        inputs.push_back(absl::StrFormat("%s=0x%08x", one.inputs[i].name, example.answer.inputs[i]));
      }
      const std::string place = result.file.empty() ? "" : absl::StrCat(result.file, ":", example.answer.lane, ": ");
      absl::StrAppendFormat(text, "    %s%s: device 0x%08x, %s %s\n", place, absl::StrJoin(inputs, " "),
                            example.answer.output, who, example.allowed);
    }
  }
  if (deviations.undecided > 0) {
    absl::StrAppend(text, one.name(), ": ", deviations.undecided, " inputs undecided, against the ", who, "\n");
  }
}

}  // namespace

absl::StatusOr<CaseResult> RunCase(const machine::Machine& machine, const Case& one, Device* device,
                                   const CampaignOptions& options, std::stop_token stop, const OnProgress& progress) {
  const absl::StatusOr<std::unique_ptr<Judge>> judge = Judge::Create(machine, one);
  if (!judge.ok()) return judge.status();
  CaseResult result;
  result.one = &one;
  result.ir_text = (*judge)->ir_text();
  result.deviation_listed = (*judge)->deviation_listed();
  const absl::StatusOr<std::unique_ptr<Kernel>> kernel = device->Load(PtxModule({&one}), KernelName(0));
  if (absl::IsInvalidArgument(kernel.status())) {
    result.refused = std::string(kernel.status().message());
    return result;
  }
  if (!kernel.ok()) return kernel.status();
  const Lanes lanes(one, &(*judge)->dag(), (*judge)->roots(), options.seed, options.inputs);
  const int threads =
      options.threads > 0 ? options.threads : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  CaseRun run(**judge, lanes, kernel->get(), options.keep, stop);
  const auto show = [&](uint64_t done) {
    if (progress) progress(one, done, lanes.count());
  };
  if (absl::Status ran = run.Run(threads, show, &result); !ran.ok()) return ran;
  return result;
}

RecordedCase Recorded(const CaseResult& result) {
  RecordedCase recorded;
  recorded.name = result.one->name();
  recorded.refused = result.refused;
  recorded.lanes = result.tally.lanes;
  recorded.outputs = result.outputs;
  recorded.worst_error = result.tally.worst_error;
  recorded.undecided = result.tally.description.undecided + result.tally.ir.undecided;
  std::set<Answer> answers(result.kept.begin(), result.kept.end());
  if (result.tally.worst_error > 0) answers.insert(result.tally.worst);
  for (const auto& [deviations, counts] : {std::pair(&result.tally.description, &recorded.deviations),
                                           std::pair(&result.tally.ir, &recorded.ir_deviations)}) {
    for (const auto& [name, kind] : deviations->kinds) {
      (*counts)[name] = kind.count;
      for (const Example& example : kind.examples) answers.insert(example.answer);
    }
  }
  recorded.answers.assign(answers.begin(), answers.end());
  return recorded;
}

absl::StatusOr<CaseResult> Replay(const machine::Machine& machine, const Case& one, const RecordedCase& recorded,
                                  const std::string& file) {
  const absl::StatusOr<std::unique_ptr<Judge>> judge = Judge::Create(machine, one);
  if (!judge.ok()) return judge.status();
  CaseResult result;
  result.one = &one;
  result.ir_text = (*judge)->ir_text();
  result.deviation_listed = (*judge)->deviation_listed();
  result.refused = recorded.refused;
  result.outputs = recorded.outputs;
  result.kept = recorded.answers;
  result.file = file;
  const auto broken = [&](const Answer& answer, absl::string_view what) {
    return absl::InvalidArgumentError(absl::StrCat(file, ":", answer.lane, ": ", what, " ", one.name()));
  };
  // Process one answer at a time, so that the lane of an example is the line number of its answer in the file.
  for (const Answer& answer : recorded.answers) {
    if (answer.inputs.size() != one.inputs.size()) return broken(answer, "wrong number of inputs for");
    std::vector<std::vector<uint64_t>> inputs;
    for (size_t i = 0; i < one.inputs.size(); ++i) {
      if (one.inputs[i].bits == 1 && answer.inputs[i] > 1) return broken(answer, "a Boolean must be 0 or 1, in");
      inputs.push_back({answer.inputs[i]});
    }
    (*judge)->Compare(answer.lane, inputs, {static_cast<uint32_t>(answer.output)}, &result.tally);
  }
  return result;
}

absl::StatusOr<CaseResult> Recall(const machine::Machine& machine, const Case& one, const RecordedCase& recorded,
                                  const std::string& file) {
  absl::StatusOr<CaseResult> result = Replay(machine, one, recorded, file);
  if (!result.ok()) return result;
  for (const auto& [counts, deviations] : {std::pair(&recorded.deviations, &result->tally.description),
                                           std::pair(&recorded.ir_deviations, &result->tally.ir)}) {
    for (const auto& [kind, count] : *counts) deviations->kinds[kind].count = count;
  }
  result->tally.lanes = recorded.lanes;
  result->tally.description.undecided = recorded.undecided;
  result->tally.ir.undecided = 0;
  return result;
}

std::string ReportOf(const CaseResult& result) {
  std::string text;
  const Case& one = *result.one;
  if (!result.refused.empty())
    absl::StrAppend(&text, one.name(), ": the driver rejects the PTX: ", result.refused, "\n");
  Describe(result, result.tally.description, "description", "", &text);
  Describe(result, result.tally.ir, absl::StrCat("IR ", result.ir_text),
           ListedDeviation(result) ? " from the IR, as the description lists" : " from the IR", &text);
  if (const Tally& tally = result.tally; tally.worst_error > 0) {
    absl::StrAppendFormat(&text, "%s: off by up to %.2f of its bound, at a=0x%08x: 0x%08x\n", one.name(),
                          tally.worst_error, tally.worst.inputs[0], tally.worst.output);
  }
  return text;
}

void Summary::Add(const CaseResult& result) {
  const bool deviates = result.tally.description.count() > 0, from_ir = result.tally.ir.count() > 0;
  const bool listed = ListedDeviation(result);
  const bool open = result.tally.description.undecided + result.tally.ir.undecided > 0;
  refused += !result.refused.empty();
  deviate += deviates;
  ir_deviate += from_ir && !listed;
  ir_listed += from_ir && listed;
  undecided += open;
  agree += result.refused.empty() && !deviates && !(from_ir && !listed) && !open;
  without_ir += result.ir_text.empty();
}

std::string Summary::Text() const {
  return absl::StrCat(agree, " cases agree, ", deviate, " deviate from the description, ", ir_deviate,
                      " from the IR (and ", ir_listed, " as the description lists), ", undecided, " undecided, ",
                      refused, " rejected by the driver; ", without_ir, " have no op of the IR");
}

}  // namespace rewrought::silicon
