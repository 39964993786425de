#include "server/pipeline/candidate_search.h"

namespace rewrought::pipeline {

bool CheaperThan(const machine::Cost& a, const machine::Cost& b) {
  if (a.issue_cycles != b.issue_cycles) return a.issue_cycles < b.issue_cycles;
  if (a.instructions != b.instructions) return a.instructions < b.instructions;
  if (a.latency != b.latency) return a.latency < b.latency;
  return a.bytes < b.bytes;
}

}  // namespace rewrought::pipeline
