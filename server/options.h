// Options of a `rewrought.v1` server: its addresses, the data that it serves, and its quotas.
#ifndef REWROUGHT_SERVER_OPTIONS_H_
#define REWROUGHT_SERVER_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/time/time.h"

namespace rewrought::rpc {

// The server's quotas. A request that exceeds a quota fails with RESOURCE_EXHAUSTED, or its limit is reduced to the
// quota. Nothing is dropped silently.
struct Limits {
  int running_calls = 0;                            // checks and improvements that compute at the same time; 0: one per
                                                    // worker
  int waiting_calls = 64;                           // calls that wait to compute; further calls are refused
  int client_calls = 32;                            // calls of one client that compute or wait
  double calls_per_second = 2000;                   // calls of any kind by one client, per second; 0: no limit
  absl::Duration max_call = absl::Seconds(60);      // time for one check, whatever limit the caller sets
  absl::Duration max_improve = absl::Seconds(120);  // time for one improvement
  absl::Duration max_verify_pack = absl::Minutes(10);  // time for re-verifying one pack's rules
  absl::Duration default_improve = absl::Seconds(10);  // time for an improvement if the caller sets no limit
  int64_t message_bytes = 1 << 20;                     // size of one request or response
  int64_t vectors = 10000;                             // inputs of one evaluation
  int queued_runs = 8;                                 // runs that wait, not counting the active run
  int open_calls = 512;                                // open unary calls
  int client_open_calls = 128;                         // open unary calls of one client
  int open_streams = 4000;                             // open streams
  int client_streams = 250;                            // open streams of one client
  absl::Duration write = absl::Seconds(20);            // time for a client to read at least some more of a response
  int grpc_connections = 1000;                         // open connections
  size_t request_bytes = size_t{64} << 20;             // memory for the requests that are being received
  int connection_streams = 100;                        // concurrent calls on one gRPC connection
  int64_t upload_files = 1000;                         // files in one upload
  absl::Duration max_upload = absl::Seconds(60);       // CPU time and wall-clock time for parsing one upload
  uint64_t upload_memory = uint64_t{2} << 30;          // memory of the process that parses an upload
  int64_t packs = 200;                                 // packs in the folder; no further packs are built
  uint64_t audit_bytes = uint64_t{64} << 20;           // size of one audit file; larger files are not read
};

struct ServerOptions {
  std::string db;                           // must exist
  std::string address = "127.0.0.1:50051";  // host:port; port 0: any free port
  std::string http_address;                 // address for the Connect protocol, /metrics, and the web UI; empty: no
                                            // HTTP
  std::string page_folder;                  // folder of the built web UI; empty: no web UI
  std::string packs_folder;                 // folder in which packs are stored and built; empty: no packs
  std::string audits_folder;                // folder of files that `rewrought audit --json` wrote; empty: no audits
  std::string program;     // path of `rewrought`, which parses uploads in a separate process; empty: no uploads
  std::string token_file;  // file of tokens for Access::AddTokens; required for addresses that are not loopback
  std::string anonymous;   // role of callers without a token; empty: the role depends on the address
  std::string tls_certificate, tls_key;  // PEM files; required for addresses that are not loopback
  std::string tls_client_ca;             // PEM file; clients must present a certificate signed by one of these CAs
  int http_connections = 256;            // open connections
  bool read_only = false;                // whether the database is only read; if so, runs cannot be started
  bool reflection = false;
  int workers = 0;                          // number of solver processes; 0: one per core
  std::string worker_path;                  // path of the solver binary; empty: the binary beside the program
  absl::Duration drain = absl::Seconds(3);  // time for calls in flight to finish by themselves
  Limits limits;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_OPTIONS_H_
