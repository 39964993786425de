// What the thread sanitizer is not to report of programs with gRPC: the distribution's gRPC and Abseil are not
// instrumented, so that it sees neither their locks nor how gRPC hands a call from thread to thread. A race in which a
// frame of theirs stands is not reported, ours under a handler included; what handlers share has tests without gRPC.
#if defined(REWROUGHT_THREAD_SANITIZER)
extern "C" const char* __tsan_default_suppressions() {
  return "race:grpc\n"
         "race:libgpr\n"
         "race:libupb\n"
         "race:libabsl_cord\n"
         "race:libabsl_graphcycles_internal\n"
         "race:libabsl_status\n"
         "race:libabsl_strings.so\n"
         "race:libabsl_time\n";
}
#endif
