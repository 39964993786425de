#include "corpus/spirv/spirv_mutator.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <vector>

#include "corpus/spirv/spirv_reader.h"

namespace rewrought::corpus {
namespace {

std::vector<std::string> Samples() {
  std::vector<std::string> samples;
  for (const auto& entry : std::filesystem::directory_iterator("corpus/samples/spirv")) {
    std::ifstream file(entry.path(), std::ios::binary);
    samples.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  std::sort(samples.begin(), samples.end());
  // Small samples suffice, because the test measures the mutator.
  std::erase_if(samples, [](const std::string& sample) { return sample.size() > 8000; });
  return samples;
}

TEST(SpirvMutator, MostMutantsAreRead) {
  const std::vector<std::string> samples = Samples();
  ASSERT_GE(samples.size(), 4u);
  int mutants = 0, read = 0, changed = 0, bytes_read = 0;
  std::mt19937 random(1);
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const std::string& sample = samples[seed % samples.size()];
    const std::string mutant = MutateSpirv(sample, 1 << 20, seed);
    EXPECT_EQ(mutant.size() % 4, 0u);
    EXPECT_EQ(mutant, MutateSpirv(sample, 1 << 20, seed));
    ++mutants;
    changed += mutant != sample;
    read += ReadSpirv(mutant, "m", "m").ok();
    // The baseline for the comparison changes random bytes.
    std::string bytes = sample;
    for (int i = 0; i < 3; ++i) bytes[random() % bytes.size()] = static_cast<char>(random());
    bytes_read += ReadSpirv(bytes, "m", "m").ok();
  }
  std::cout << mutants << " mutants, " << changed << " differ, " << read << " are read; with bytes changed, "
            << bytes_read << "\n";
  EXPECT_GT(changed, mutants * 9 / 10);
  EXPECT_GT(read, mutants / 3);
}

TEST(SpirvMutator, AnyBytesAreTaken) {
  EXPECT_EQ(MutateSpirv("", 100, 1), "");
  EXPECT_EQ(MutateSpirv("abc", 100, 1), "abc");
  EXPECT_EQ(MutateSpirv("no module at all", 100, 1).size(), 16u);
  const std::string sample = Samples()[0];
  for (size_t length = 0; length < 200; ++length) (void)MutateSpirv(sample.substr(0, length), 1000, length);
  EXPECT_LE(MutateSpirv(sample, sample.size(), 3).size(), sample.size());
}

}  // namespace
}  // namespace rewrought::corpus
