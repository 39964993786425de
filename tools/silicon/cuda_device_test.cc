// Tests opening, compiling and running with a test library in place of libcuda (testing/fake_cuda.cc), and each way in
// which these steps can fail.
#include "tools/silicon/cuda_device.h"

#include <cstdlib>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace rewrought::silicon {
namespace {

constexpr char kFake[] = "tools/silicon/testing/libfake_cuda.so";

constexpr char kAdd[] =
    ".version 6.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry sum(.param .u64 sum_a, .param .u64 sum_b, .param .u64 sum_out, .param .u32 sum_lanes)\n{\n"
    "  .reg .b32 %i, %n, %x, %y, %a, %b, %r;\n  .reg .b64 %at, %in;\n  .reg .pred %outside;\n"
    "  mov.u32 %x, %ctaid.x; mov.u32 %y, %ntid.x; mov.u32 %i, %tid.x; mad.lo.u32 %i, %x, %y, %i;\n"
    "  ld.param.u32 %n, [sum_lanes]; setp.ge.u32 %outside, %i, %n; @%outside bra DONE;\n"
    "  mul.wide.u32 %at, %i, 4;\n"
    "  ld.param.u64 %in, [sum_a]; add.u64 %in, %in, %at; ld.global.b32 %a, [%in];\n"
    "  ld.param.u64 %in, [sum_b]; add.u64 %in, %in, %at; ld.global.b32 %b, [%in];\n"
    "  add.u32 %r, %a, %b;\n"
    "  ld.param.u64 %in, [sum_out]; add.u64 %in, %in, %at; st.global.b32 [%in], %r;\nDONE:\n  ret;\n}\n";

// Opens the test library in the state `how`.
absl::StatusOr<std::unique_ptr<Device>> Open(const char* how, int index = 0) {
  setenv("FAKE_CUDA", how, 1);
  return OpenCudaDevice({kFake, index});
}

absl::Status Sum(Device* device, size_t lanes) {
  const absl::StatusOr<std::unique_ptr<Kernel>> kernel = device->Load(kAdd, "sum");
  if (!kernel.ok()) return kernel.status();
  std::vector<uint32_t> a(lanes), b(lanes), sum(lanes);
  for (size_t i = 0; i < lanes; ++i) a[i] = static_cast<uint32_t>(i * 7), b[i] = static_cast<uint32_t>(~i);
  const std::vector<std::vector<uint32_t>> inputs = {a, b};
  if (absl::Status ran = (*kernel)->Run(inputs, absl::MakeSpan(sum)); !ran.ok()) return ran;
  for (size_t i = 0; i < lanes; ++i) EXPECT_EQ(sum[i], a[i] + b[i]) << i;
  return absl::OkStatus();
}

TEST(CudaDeviceTest, RunsAKernelOverLanesOfAnyNumber) {
  absl::StatusOr<std::unique_ptr<Device>> device = Open("");
  ASSERT_TRUE(device.ok()) << device.status();
  EXPECT_TRUE(absl::StrContains((*device)->info().name, "no device"));
  EXPECT_EQ((*device)->info().driver, "12.8");
  EXPECT_EQ((*device)->info().capability, "7.0");
  for (const size_t lanes : {1u, 255u, 256u, 257u, 100'000u, 3u})
    EXPECT_EQ(Sum(device->get(), lanes), absl::OkStatus());
}

TEST(CudaDeviceTest, NoLibraryNoDriverNoDevice) {
  const absl::Status missing = OpenCudaDevice({"libnosuchcuda.so.1", 0}).status();
  EXPECT_TRUE(absl::IsNotFound(missing)) << missing;
  EXPECT_TRUE(absl::StrContains(missing.message(), "libnosuchcuda.so.1")) << missing;
  EXPECT_TRUE(absl::StrContains(missing.message(), "--library")) << missing;
  const absl::Status other = OpenCudaDevice({"libc.so.6", 0}).status();
  EXPECT_TRUE(absl::StrContains(other.message(), "libc.so.6 has no cuInit")) << other;
  const absl::Status driver = Open("no_driver").status();
  EXPECT_TRUE(absl::StrContains(driver.message(), "cuInit: CUDA_ERROR_NO_DEVICE")) << driver;
  const absl::Status device = Open("no_device").status();
  EXPECT_TRUE(absl::StrContains(device.message(), "no device 0; the driver has 0")) << device;
  EXPECT_TRUE(absl::StrContains(Open("", 3).status().message(), "no device 3; the driver has 1"));
  EXPECT_FALSE(Open("", -1).ok());
  const absl::Status old = Open("old_device").status();
  EXPECT_TRUE(absl::StrContains(old.message(), "capability 6.1; the PTX rows require 7.0")) << old;
  const absl::Status context = Open("no_context").status();
  EXPECT_TRUE(absl::IsResourceExhausted(context)) << context;
}

TEST(CudaDeviceTest, TheCompilersLogIsInTheError) {
  absl::StatusOr<std::unique_ptr<Device>> device = Open("");
  ASSERT_TRUE(device.ok());
  setenv("FAKE_CUDA", "jit_error", 1);
  const absl::Status refused = (*device)->Load(kAdd, "sum").status();
  EXPECT_TRUE(absl::IsInvalidArgument(refused)) << refused;
  EXPECT_TRUE(absl::StrContains(refused.message(), "CUDA_ERROR_INVALID_PTX")) << refused;
  EXPECT_TRUE(absl::StrContains(refused.message(), "line 3; error : Arguments mismatch")) << refused;
  setenv("FAKE_CUDA", "", 1);
  const absl::Status missing = (*device)->Load(kAdd, "product").status();
  EXPECT_TRUE(absl::StrContains(missing.message(), "cuModuleGetFunction of product")) << missing;
  EXPECT_EQ(Sum(device->get(), 10), absl::OkStatus());
}

TEST(CudaDeviceTest, LittleMemoryIsUsedInSlicesAndNoneIsAnError) {
  absl::StatusOr<std::unique_ptr<Device>> device = Open("little_memory");
  ASSERT_TRUE(device.ok());
  EXPECT_EQ(Sum(device->get(), 100'000), absl::OkStatus());
  device = Open("");
  ASSERT_TRUE(device.ok());
  setenv("FAKE_CUDA", "no_memory", 1);
  const absl::Status none = Sum(device->get(), 100'000);
  EXPECT_TRUE(absl::IsResourceExhausted(none)) << none;
  EXPECT_TRUE(absl::StrContains(none.message(), "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY")) << none;
  setenv("FAKE_CUDA", "", 1);
  EXPECT_EQ(Sum(device->get(), 100'000), absl::OkStatus());
}

// This must be the last test because, like a real context, the test library's context stays broken.
TEST(CudaDeviceTest, AFailedLaunchEndsTheDevice) {
  absl::StatusOr<std::unique_ptr<Device>> device = Open("");
  ASSERT_TRUE(device.ok());
  setenv("FAKE_CUDA", "launch_failure", 1);
  const absl::Status failed = Sum(device->get(), 10);
  EXPECT_TRUE(absl::IsInternal(failed)) << failed;
  EXPECT_TRUE(absl::StrContains(failed.message(), "CUDA_ERROR_LAUNCH_FAILED: unspecified launch failure")) << failed;
  EXPECT_FALSE(Sum(device->get(), 10).ok());
}

}  // namespace
}  // namespace rewrought::silicon
