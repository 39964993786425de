#include "verifier/inexact/inexact_number.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "ir/approximate.h"

namespace rewrought::verifier {
namespace {

std::atomic<int64_t> live_blocks = 0;

void* Allocate(size_t size) {
  ++live_blocks;
  return std::malloc(size);
}

void* Reallocate(void* block, size_t, size_t size) { return std::realloc(block, size); }

void Free(void* block, size_t) {
  --live_blocks;
  std::free(block);
}

void UseMpfr() {
  BigNumber x, y;
  mpfr_set_d(x.get(), 2.5, MPFR_RNDN);
  mpfr_cos(y.get(), x.get(), MPFR_RNDN);
  mpfr_pow(y.get(), x.get(), y.get(), MPFR_RNDN);
}

void UseApproximation() { ir::ApproximateCorrectlyRounded(ir::Approximation::kCos, 32, 0x40200000, 0); }

TEST(BigNumber, WhatMpfrKeepsForAThreadEndsWithIt) {
  mp_set_memory_functions(Allocate, Reallocate, Free);
  for (void (*const use)() : {UseMpfr, UseApproximation}) {
    std::thread(use).join();  // creates the state that all threads share
    const int64_t before = live_blocks;
    std::thread(use).join();
    EXPECT_EQ(live_blocks, before);
  }
}

}  // namespace
}  // namespace rewrought::verifier
