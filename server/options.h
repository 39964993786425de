// What a server of `rewrought.v1` is told: where it listens, what it serves, and how much one caller may ask.
#ifndef REWROUGHT_SERVER_OPTIONS_H_
#define REWROUGHT_SERVER_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/time/time.h"

namespace rewrought::rpc {

// Quotas. What is beyond them is refused with RESOURCE_EXHAUSTED or cut to the limit, never done in part silently.
struct Limits {
  int running_calls = 0;                            // checks and improvements that compute at once; 0: one per worker
  int waiting_calls = 64;                           // beyond these a call is refused
  int client_calls = 32;                            // of one client that compute or wait
  double calls_per_second = 2000;                   // of one client, of any kind; 0: no limit
  absl::Duration max_call = absl::Seconds(60);      // of one check, whatever the caller allows
  absl::Duration max_improve = absl::Seconds(120);  // of one improvement
  absl::Duration max_verify_pack = absl::Minutes(10);  // of proving one pack's rules again
  absl::Duration default_improve = absl::Seconds(10);  // when the caller names no time
  int64_t message_bytes = 1 << 20;                     // of one request or response
  int64_t vectors = 10000;                             // of one evaluation
  int queued_runs = 8;                                 // beside the one that runs
  int open_calls = 512;                                // calls at once, streams not counted
  int client_open_calls = 128;                         // of one client
  int open_streams = 4000;                             // at once
  int client_streams = 250;                            // of one client
  absl::Duration write = absl::Seconds(20);            // for a client to take any more of an answer
  int grpc_connections = 1000;                         // open at once
  size_t grpc_buffer_bytes = size_t{64} << 20;         // of all gRPC messages that are being read or sent
  int connection_streams = 100;                        // calls at once on one gRPC connection
  int64_t upload_files = 1000;                         // of one upload
  absl::Duration max_upload = absl::Seconds(60);       // of parsing one upload, CPU and wall clock
  uint64_t upload_memory = uint64_t{2} << 30;          // bytes of the process that parses it
  int64_t packs = 200;                                 // that the folder may hold; more are not built
  uint64_t audit_bytes = uint64_t{64} << 20;           // of one audit's file; larger ones are not read
};

struct ServerOptions {
  std::string db;                           // must exist
  std::string address = "127.0.0.1:50051";  // host:port; port 0: any that is free
  std::string http_address;                 // of the Connect protocol, /metrics and the page; empty: none
  std::string page_folder;                  // the built page; empty: none
  std::string packs_folder;                 // where packs lie and are built; empty: none
  std::string audits_folder;                // where `rewrought audit --json` wrote its files; empty: none
  std::string program;     // `rewrought` itself, which parses uploads in a process of its own; empty: none
  std::string token_file;  // Access::AddTokens; needed for addresses that are not loopback
  std::string anonymous;   // role of callers without a token; empty: as the address says
  std::string tls_certificate, tls_key;  // PEM files; needed for addresses that are not loopback
  std::string tls_client_ca;             // PEM file; clients must show a certificate of one of these
  int http_connections = 256;            // open at once
  bool read_only = false;                // serve a database that nobody may write: runs cannot be started
  bool reflection = false;
  int workers = 0;                          // solver processes; 0: one per core
  std::string worker_path;                  // of the solver's binary; empty: found beside the program
  absl::Duration drain = absl::Seconds(3);  // calls in flight have this long to end by themselves
  Limits limits;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_OPTIONS_H_
