// Tests comparisons and recordings without a GPU. testing/fake_cuda.cc replaces the device: it interprets PTX on the
// host's float unit and is independent of the description. No answer in this test comes from a device, and the
// recordings' headers state this.
#include "tools/silicon/campaign.h"

#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tools/silicon/cuda_device.h"
#include "tools/silicon/inputs.h"

namespace rewrought::silicon {
namespace {

const machine::Machine& Sm70() { return **machine::FindMachine("sm70"); }

const std::vector<Case>& Cases() {
  static const std::vector<Case>& cases = *new std::vector<Case>(*AllCases(Sm70(), *BuiltInPtxRows()));
  return cases;
}

const Case& CaseNamed(absl::string_view name) {
  for (const Case& one : Cases()) {
    if (one.name() == name) return one;
  }
  ADD_FAILURE() << "no case " << name;
  return Cases()[0];
}

Device* HostDevice() {
  static std::unique_ptr<Device>& device = *new std::unique_ptr<Device>;
  if (device == nullptr) {
    absl::StatusOr<std::unique_ptr<Device>> opened = OpenCudaDevice({"tools/silicon/testing/libfake_cuda.so", 0});
    EXPECT_TRUE(opened.ok()) << opened.status();
    if (opened.ok()) device = *std::move(opened);
  }
  return device.get();
}

CaseResult ResultOf(const Case& one, const std::string& quirk, const CampaignOptions& options) {
  setenv("FAKE_CUDA_QUIRK", quirk.c_str(), 1);
  absl::StatusOr<CaseResult> result = RunCase(Sm70(), one, HostDevice(), options, {}, nullptr);
  EXPECT_TRUE(result.ok()) << one.name() << ": " << result.status();
  return result.ok() ? *std::move(result) : CaseResult();
}

CampaignOptions Options(uint64_t inputs, size_t keep = 32, int threads = 1) { return {inputs, 1, keep, threads}; }

// Compares every row with the description and the IR. If this fails, a PTX row, the description or the interpreter is
// wrong; these are independent of each other.
TEST(CampaignTest, HostAndDescriptionAgreeOnEveryCase) {
  Summary summary;
  std::string report;
  uint64_t sayable = 0;
  for (const Case& one : Cases()) {
    if (one.body.empty()) continue;
    ++sayable;
    const CaseResult result = ResultOf(one, "", Options(2 * 2 * kLaneGroup));
    EXPECT_EQ(result.tally.lanes, one.inputs[0].bits == 1 ? 1u << one.inputs.size() : 4 * kLaneGroup) << one.name();
    summary.Add(result);
    if (result.tally.description.count() + result.tally.ir.count() > 0) report += ReportOf(result);
  }
  EXPECT_EQ(report, "");
  EXPECT_EQ(summary.agree, sayable);
  EXPECT_EQ(summary.undecided + summary.refused + summary.ir_listed, 0u);
  EXPECT_LT(summary.without_ir, sayable * 6 / 10);  // the others were also compared with the IR
}

struct Planted {
  const char* quirk;
  const char* name;  // the case
  const char* kind;
};

TEST(CampaignTest, FaultsOfADeviceAreFoundAndNamed) {
  for (const Planted& planted : {Planted{"keeps_denormals", "[FADD(r(F), a(F), b(F))] flush", "denormal kept"},
                                 Planted{"keeps_denormals", "[FSETP(r(P), a(F), b(F)).cmp(LT)] flush", "denormal kept"},
                                 Planted{"keeps_denormals", "[FRND(r(F), a(F)).rnd(CEIL)] flush", "denormal kept"},
                                 Planted{"nan_maximum", "[FMAX(r(F), a(F), -b(F))] preserve", "NaN for a number"},
                                 Planted{"product_one_off", "[FMUL(r(F), a(F), abs(b(F)))] preserve", "off by 1 ULP"},
                                 Planted{"clamps_at_two", "[FFMA(r(F), a(F), b(F), c(F)).sat()] flush", "clamp"}}) {
    const Case& one = CaseNamed(planted.name);
    const CaseResult result = ResultOf(one, planted.quirk, Options(1 << 14));
    const auto kind = result.tally.description.kinds.find(planted.kind);
    ASSERT_NE(kind, result.tally.description.kinds.end()) << planted.name << ReportOf(result);
    EXPECT_GT(kind->second.count, 10u) << planted.name;
    EXPECT_EQ(kind->second.examples.size(), kExamples);
    EXPECT_GT(result.tally.ir.count(), 0u) << planted.name;
    EXPECT_TRUE(absl::StrContains(ReportOf(result), absl::StrCat(planted.name, ": ", planted.kind, ", ",
                                                                 kind->second.count, " inputs\n    a=0x")))
        << ReportOf(result);
  }
  // The same faults have no effect on instructions that lack the faulty flush, maximum, or clamp.
  EXPECT_EQ(ReportOf(ResultOf(CaseNamed("[FADD(r(F), a(F), b(F))] preserve"), "keeps_denormals", Options(1 << 14))),
            "");
  EXPECT_EQ(ReportOf(ResultOf(CaseNamed("[FMIN(r(F), a(F), b(F))] preserve"), "nan_maximum", Options(1 << 14))), "");
  EXPECT_EQ(ReportOf(ResultOf(CaseNamed("[FFMA(r(F), a(F), b(F), c(F))] flush"), "clamps_at_two", Options(1 << 14))),
            "");
}

TEST(CampaignTest, ThreadsAndRunsGiveTheSame) {
  const Case& one = CaseNamed("[FMUL(r(F), a(F), b(F))] flush");
  const std::string alone = CaseText(Recorded(ResultOf(one, "product_one_off", Options(1 << 18, 64, 1))));
  EXPECT_EQ(CaseText(Recorded(ResultOf(one, "product_one_off", Options(1 << 18, 64, 4)))), alone);
  EXPECT_NE(CaseText(Recorded(ResultOf(one, "", Options(1 << 18, 64, 4)))), alone);
}

// Runs the host's kernel, but flips the lowest bit of the outputs of block number `call`, from lane `first` on.
class TamperingDevice : public Device {
 public:
  TamperingDevice(int call, size_t first, size_t count) : call_(call), first_(first), count_(count) {}
  const DeviceInfo& info() const override { return HostDevice()->info(); }
  absl::StatusOr<std::unique_ptr<Kernel>> Load(const std::string& ptx, const std::string& entry) override {
    absl::StatusOr<std::unique_ptr<Kernel>> kernel = HostDevice()->Load(ptx, entry);
    if (!kernel.ok()) return kernel;
    return std::make_unique<TamperingKernel>(*std::move(kernel), this);
  }

 private:
  class TamperingKernel : public Kernel {
   public:
    TamperingKernel(std::unique_ptr<Kernel> kernel, TamperingDevice* device)
        : kernel_(std::move(kernel)), device_(device) {}
    absl::Status Run(absl::Span<const std::vector<uint32_t>> inputs, absl::Span<uint32_t> output) override {
      const absl::Status ran = kernel_->Run(inputs, output);
      if (device_->call_-- == 0) {
        for (size_t i = 0; i < device_->count_; ++i) output[device_->first_ + i] ^= 1;
      }
      return ran;
    }

   private:
    const std::unique_ptr<Kernel> kernel_;
    TamperingDevice* const device_;
  };

  int call_;
  const size_t first_, count_;
};

// Every lane of every block affects the count, the examples, and the digest of all outputs.
TEST(CampaignTest, EveryLaneIsCompared) {
  setenv("FAKE_CUDA_QUIRK", "", 1);
  const Case& one = CaseNamed("[IADD3(r(UD), a(UD), b(UD), c(UD))] none");
  constexpr uint64_t kLanes = 2 * 65536;
  const std::string untouched = ResultOf(one, "", Options(kLanes)).outputs;
  std::set<std::string> digests = {untouched};
  for (int block = 0; block < 2; ++block) {
    for (const auto& [first, count] : {std::pair<size_t, size_t>(0, 3), {65535, 1}, {1000, 64}}) {
      TamperingDevice device(block, first, count);
      const absl::StatusOr<CaseResult> result = RunCase(Sm70(), one, &device, Options(kLanes), {}, nullptr);
      ASSERT_TRUE(result.ok()) << result.status();
      EXPECT_EQ(result->tally.lanes, kLanes);
      EXPECT_EQ(result->tally.description.count(), count);
      EXPECT_EQ(result->tally.ir.count(), 0u);  // no base rule has IADD3 of UD
      const auto& examples = result->tally.description.kinds.at("other value").examples;
      ASSERT_EQ(examples.size(), std::min(count, kExamples));
      for (size_t i = 0; i < examples.size(); ++i)
        EXPECT_EQ(examples[i].answer.lane, static_cast<uint64_t>(block) * 65536 + first + i);
      EXPECT_TRUE(digests.insert(result->outputs).second);
    }
  }
}

TEST(CampaignTest, AStoppedCaseIsNoResult) {
  std::stop_source stop;
  const Case& one = CaseNamed("[FADD(r(F), a(F), b(F))] flush");
  setenv("FAKE_CUDA_QUIRK", "", 1);
  const absl::Status status =
      RunCase(Sm70(), one, HostDevice(), Options(1 << 20), stop.get_token(), [&](const Case&, uint64_t, uint64_t) {
        stop.request_stop();
      }).status();
  EXPECT_TRUE(absl::IsCancelled(status)) << status;
}

TEST(CampaignTest, PtxThatTheCompilerRefusesIsAResult) {
  setenv("FAKE_CUDA", "jit_error", 1);
  const CaseResult result = ResultOf(CaseNamed("[FADD(r(F), a(F), b(F))] flush"), "", Options(1024));
  setenv("FAKE_CUDA", "", 1);
  EXPECT_TRUE(absl::StrContains(result.refused, "Arguments mismatch")) << result.refused;
  EXPECT_TRUE(absl::StrContains(ReportOf(result), "the driver rejects the PTX: cuModuleLoadDataEx"))
      << ReportOf(result);
  Summary summary;
  summary.Add(result);
  EXPECT_EQ(summary.refused, 1u);
  EXPECT_EQ(summary.agree, 0u);
}

// Returns a recording of the host's answers to `names`.
std::string HostRecording(const std::vector<std::string>& names, size_t keep) {
  std::string text =
      HeadText({{"host float unit (test library, no device)", "-", "-"}, "sm70 -", "-", 1, uint64_t{1} << 14});
  for (const std::string& name : names)
    text += CaseText(Recorded(ResultOf(CaseNamed(name), "", Options(1 << 14, keep))));
  return text;
}

std::map<std::string, CaseResult> ReplayOf(const std::string& text) {
  std::map<std::string, CaseResult> results;
  const absl::StatusOr<Recording> recording = ParseRecording(text, "r.txt");
  EXPECT_TRUE(recording.ok()) << recording.status();
  if (!recording.ok()) return results;
  for (const RecordedCase& recorded : recording->cases) {
    absl::StatusOr<CaseResult> result = Replay(Sm70(), CaseNamed(recorded.name), recorded, "r.txt");
    EXPECT_TRUE(result.ok()) << result.status();
    if (result.ok()) results[recorded.name] = *std::move(result);
  }
  return results;
}

// One modified answer: the recorded output for `inputs` must be `was` and is replaced with `is`.
struct Change {
  const char* name;
  const char* inputs;
  uint32_t was, is;
  const char* kind;     // "" if the answer is still allowed
  const char* allowed;  // the values that the description allows according to the report
};

constexpr Change kChanges[] = {
    // These changes concern missing and unwanted flushes: of a source, of a result, in a comparison, and in a rounding.
    {"[FADD(r(F), a(F), b(F))] flush", "0x00000001 0x00000000", 0, 1, "denormal kept", "0x00000000"},
    {"[FADD(r(F), a(F), b(F))] preserve", "0x00000001 0x00000000", 1, 0, "denormal flushed", "0x00000001"},
    {"[FMUL(r(F), a(F), b(F))] preserve", "0x00800000 0x3f000000", 0x00400000, 0, "denormal flushed", "0x00400000"},
    {"[FMUL(r(F), a(F), b(F))] flush", "0x00800000 0x3f000000", 0, 0x00400000, "denormal kept", "0x00000000"},
    {"[FSETP(r(P), a(F), b(F)).cmp(GT)] flush", "0x00000001 0x00000000", 0, 1, "denormal kept", "0"},
    {"[FRND(r(F), a(F)).rnd(CEIL)] flush", "0x00000001", 0, 0x3f800000, "denormal kept", "0x00000000"},
    // These changes concern NaN. Any NaN pattern is correct where a NaN is allowed, but not elsewhere; F2I of NaN is 0.
    {"[FADD(r(F), a(F), b(F))] flush", "0x7fc00000 0x3f800000", 0x7fffffff, 0xff800001, "", ""},
    {"[FADD(r(F), a(F), b(F))] flush", "0x7fc00000 0x3f800000", 0x7fffffff, 0x7f800000, "number for a NaN", "nan"},
    {"[FMIN(r(F), a(F), b(F))] preserve", "0x7fc00000 0x3f800000", 0x3f800000, 0x7fffffff, "NaN for a number",
     "0x3f800000"},
    {"[F2I(r(D), a(F))] preserve", "0x7fc00000", 0, 0x80000000, "other value", "0x00000000"},
    // These changes concern errors of one ULP, and instructions that allow such errors.
    {"[FFMA(r(F), a(F), b(F), c(F))] preserve", "0x3f800000 0x3f800001 0x00000000", 0x3f800001, 0x3f800002,
     "off by 1 ULP", "0x3f800001"},
    {"[MUFU(r(F), a(F)).function(RCP)] flush", "0x40400000", 0x3eaaaaab, 0x3eaaaaac, "", ""},
    {"[MUFU(r(F), a(F)).function(RCP)] flush", "0x40400000", 0x3eaaaaab, 0x3eaaaaae, "beyond the bound", "0x3eaaaaab"},
    {"[MUFU(r(F), a(F)).function(RCP)] flush", "0x00000001", 0x7f800000, 0x7f7fffff, "beyond the bound", "0x7f800000"},
    {"[MUFU(r(F), a(F)).function(RSQ)] flush", "0x80000000", 0xff800000, 0x7f800000, "beyond the bound", "0xff800000"},
    // Beyond 2 pi, the bound for SIN permits any number, including a zero of either sign.
    {"[FMUL(t(F), a(F), imm(0.15915494, F)), MUFU(r(F), t(F)).function(SIN)] preserve", "0x4b000001", 0xbf067728,
     0x80000000, "", ""},
    {"[FMUL(t(F), a(F), imm(0.15915494, F)), MUFU(r(F), t(F)).function(SIN)] preserve", "0x4b000001", 0xbf067728,
     0x7fffffff, "NaN for a number", "0x00000000"},
    {"[FMUL(t(F), a(F), imm(0.15915494, F)), MUFU(r(F), t(F)).function(SIN)] preserve", "0x80000000", 0x80000000, 0,
     "sign of zero", "0x80000000"},
    // These changes concern clamps.
    {"[FADD(r(F), a(F), b(F)).sat()] flush", "0x3f800000 0x3f800000", 0x3f800000, 0x40000000, "clamp", "0x3f800000"},
    {"[FADD(r(F), a(F), b(F)).sat()] flush", "0xbf800000 0x00000000", 0, 0xbf800000, "clamp", "0x00000000"},
    {"[FADD(r(F), a(F), b(F)).sat()] preserve", "0x7fc00000 0x00000000", 0, 0x3f800000, "other value", "0x00000000"},
    // These changes concern zeros (FMNMX does not define their sign, but a sum does), a forgotten modifier, and
    // integers.
    {"[FMIN(r(F), a(F), b(F))] preserve", "0x80000000 0x00000000", 0x80000000, 0, "", ""},
    {"[FADD(r(F), a(F), b(F))] flush", "0x80000000 0x80000000", 0x80000000, 0, "sign of zero", "0x80000000"},
    {"[FADD(r(F), -a(F), b(F))] preserve", "0x3f800000 0x00000000", 0xbf800000, 0x3f800000, "other value",
     "0xbf800000"},
    {"[SHL(r(UD), a(UD), b(UD))] none", "0x00000001 0x00000021", 0, 2, "other value", "0x00000000"},
    {"[ISETP(r(P), a(D), b(D)).cmp(LT)] none", "0xffffffff 0x00000001", 1, 0, "other truth", "1"},
};

// Returns a recording with the answers of every case above. Adds the host's answers for inputs that kChanges does not
// contain.
std::string RecordingOfChanges() {
  std::map<std::string, std::vector<std::string>> lines;
  for (const Change& change : kChanges) {
    const std::string line = absl::StrFormat("%s = 0x%08x\n", change.inputs, change.was);
    std::vector<std::string>& mine = lines[change.name];
    if (std::find(mine.begin(), mine.end(), line) == mine.end()) mine.push_back(line);
  }
  std::vector<std::string> names;
  for (const auto& [name, mine] : lines) names.push_back(name);
  std::string text = HostRecording(names, 64);
  for (const auto& [name, mine] : lines) {
    const std::string head = absl::StrCat("case ", name, "\n");
    std::string block = head;
    for (const std::string& line : mine) block += line;
    text = absl::StrReplaceAll(text, {{head, block}});
  }
  return text;
}

// Checks that the original answers in kChanges are those of the host.
TEST(CampaignTest, TheChangedAnswersWereTheHosts) {
  setenv("FAKE_CUDA_QUIRK", "", 1);
  for (const Change& change : kChanges) {
    const Case& one = CaseNamed(change.name);
    absl::StatusOr<std::unique_ptr<Kernel>> kernel = HostDevice()->Load(PtxModule({&one}), KernelName(0));
    ASSERT_TRUE(kernel.ok()) << kernel.status();
    std::vector<std::vector<uint32_t>> inputs;
    for (const absl::string_view word : absl::StrSplit(change.inputs, ' ')) {
      uint32_t value = 0;
      ASSERT_TRUE(absl::SimpleHexAtoi(word, &value));
      inputs.push_back({value});
    }
    std::vector<uint32_t> output(1);
    ASSERT_TRUE((*kernel)->Run(inputs, absl::MakeSpan(output)).ok());
    EXPECT_EQ(output[0], change.was) << change.name << " " << change.inputs;
  }
}

TEST(CampaignTest, PlantedDeviationsOfARecordingAreFoundAndNamed) {
  const std::string recording = RecordingOfChanges();
  for (const auto& [name, result] : ReplayOf(recording)) {
    EXPECT_EQ(result.tally.description.count() + result.tally.description.undecided, 0u) << ReportOf(result);
    EXPECT_EQ(result.tally.ir.count(), 0u) << ReportOf(result);
    EXPECT_GE(result.tally.lanes, 64u);
  }
  for (const Change& change : kChanges) {
    const std::string head = absl::StrCat("case ", change.name, "\n");
    const size_t block = recording.find(head);
    const std::string line = absl::StrFormat("%s = 0x%08x\n", change.inputs, change.was);
    const size_t place = recording.find(line, block);
    ASSERT_NE(place, std::string::npos) << change.name;
    std::string changed = recording;
    changed.replace(place, line.size(), absl::StrFormat("%s = 0x%08x\n", change.inputs, change.is));
    const int number =
        1 + static_cast<int>(std::count(changed.begin(), changed.begin() + static_cast<int>(place), '\n'));
    for (const auto& [name, result] : ReplayOf(changed)) {
      const bool expected = name == change.name && *change.kind != '\0';
      EXPECT_EQ(result.tally.description.count(), expected ? 1u : 0u) << change.name << ReportOf(result);
      if (!expected) continue;
      const std::string report = ReportOf(result);
      EXPECT_TRUE(absl::StrContains(
          report, absl::StrCat(change.name, ": ", change.kind, ", 1 input\n    r.txt:", number, ": a=")))
          << report;
      EXPECT_TRUE(
          absl::StrContains(report, absl::StrFormat(": device 0x%08x, description %s\n", change.is, change.allowed)))
          << report;
    }
  }
}

TEST(CampaignTest, AnswersThatDoNotFitTheCaseAreRefused) {
  const std::string recording = HostRecording({"[SEL(r(UD), a(UD), b(UD), c(P))] none"}, 4);
  const auto replay = [](const std::string& text) {
    const absl::StatusOr<Recording> read = ParseRecording(text, "r.txt");
    EXPECT_TRUE(read.ok()) << read.status();
    return Replay(Sm70(), CaseNamed(read->cases[0].name), read->cases[0], "r.txt").status();
  };
  EXPECT_EQ(replay(recording), absl::OkStatus());
  const absl::Status fewer = replay(absl::StrReplaceAll(recording, {{"done", "0x00000001 = 0x00000001\ndone"}}));
  EXPECT_TRUE(absl::StrContains(fewer.message(), "r.txt:15: wrong number of inputs for [SEL(")) << fewer;
  const absl::Status wide =
      replay(absl::StrReplaceAll(recording, {{"done", "0x00000001 0x00000001 0x00000002 = 0x00000001\ndone"}}));
  EXPECT_TRUE(absl::StrContains(wide.message(), "r.txt:15: a Boolean must be 0 or 1")) << wide;
}

// A resumed run reports the counts of the previous run.
TEST(CampaignTest, ARecordedCaseIsRecalledWithItsCounts) {
  const Case& one = CaseNamed("[FMUL(r(F), a(F), b(F))] preserve");
  const CaseResult result = ResultOf(one, "product_one_off", Options(1 << 14, 8));
  const std::string head = HeadText({{"host", "-", "-"}, "sm70 -", "-", 1, uint64_t{1} << 14});
  const absl::StatusOr<Recording> recording = ParseRecording(head + CaseText(Recorded(result)), "r.txt");
  ASSERT_TRUE(recording.ok()) << recording.status();
  const absl::StatusOr<CaseResult> recalled = Recall(Sm70(), one, recording->cases[0], "r.txt");
  ASSERT_TRUE(recalled.ok()) << recalled.status();
  EXPECT_EQ(recalled->tally.lanes, uint64_t{1} << 14);
  EXPECT_EQ(recalled->tally.description.count(), result.tally.description.count());
  EXPECT_EQ(recalled->tally.ir.count(), result.tally.ir.count());
  EXPECT_TRUE(
      absl::StrContains(ReportOf(*recalled), absl::StrCat(result.tally.description.count(), " inputs\n    r.txt:")))
      << ReportOf(*recalled);
}

}  // namespace
}  // namespace rewrought::silicon
