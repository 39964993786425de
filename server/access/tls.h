// Reads certificate, key, and token files, and sets up TLS.
#ifndef REWROUGHT_SERVER_ACCESS_TLS_H_
#define REWROUGHT_SERVER_ACCESS_TLS_H_

#include <openssl/ssl.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace rewrought::rpc {

// The PEM text of the TLS files. If all fields are empty, the server does not use TLS.
struct TlsFiles {
  std::string certificate;  // the server's certificate chain
  std::string key;
  std::string client_ca;  // if not empty, clients must present a certificate signed by one of these CAs
};

// Returns the text of a certificate, key, or token file. Fails like proto::ReadFile, and with InvalidArgument if the
// file is empty.
absl::StatusOr<std::string> ReadCredential(const std::string& path);

// Reads the files whose paths are not empty, and checks that they match. Fails with InvalidArgument, naming the missing
// option or the offending file, or with NotFound if a file is unreadable.
absl::StatusOr<TlsFiles> ReadTlsFiles(const std::string& certificate, const std::string& key,
                                      const std::string& client_ca);

using SslContext = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;

// Returns a context for TLS 1.2 and newer, or null if `files` is empty (no TLS). If `http2` is true,
// clients that use ALPN (RFC 7301) must offer HTTP/2.
absl::StatusOr<SslContext> TlsContext(const TlsFiles& files, bool http2);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_ACCESS_TLS_H_
