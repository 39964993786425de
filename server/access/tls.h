// Certificates of the server, for gRPC and for HTTP, and how the files of either side are read.
#ifndef REWROUGHT_SERVER_ACCESS_TLS_H_
#define REWROUGHT_SERVER_ACCESS_TLS_H_

#include <grpcpp/security/server_credentials.h>
#include <openssl/ssl.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace rewrought::rpc {

// PEM text. All empty: no TLS.
struct TlsFiles {
  std::string certificate;  // the server's chain
  std::string key;
  std::string client_ca;  // not empty: clients must show a certificate of one of these
};

// The text of a file with a certificate, a key or a token. NotFound: it cannot be read, or is empty.
absl::StatusOr<std::string> ReadCredential(const std::string& path);

// Reads the files (empty paths: none) and checks that they fit together. InvalidArgument names the option that is
// missing or the file that is wrong, NotFound a file that cannot be read.
absl::StatusOr<TlsFiles> ReadTlsFiles(const std::string& certificate, const std::string& key,
                                      const std::string& client_ca);

std::shared_ptr<grpc::ServerCredentials> GrpcCredentials(const TlsFiles& files);

using SslContext = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;

// TLS 1.2 and newer. Null in the result: no TLS.
absl::StatusOr<SslContext> HttpCredentials(const TlsFiles& files);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_ACCESS_TLS_H_
