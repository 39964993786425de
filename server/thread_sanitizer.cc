// Suppresses thread sanitizer reports in programs that use gRPC. The distribution's gRPC and Abseil are not
// instrumented, so the sanitizer sees neither their locks nor how gRPC hands a call from thread to thread. A race with
// a gRPC or Abseil frame on its stack is not reported, even if the race is in a handler. State that handlers share is
// tested separately, without gRPC.
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
