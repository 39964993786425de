#include "server/access/tls.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "proto/read_file.h"

namespace rewrought::rpc {
namespace {

template <typename T, void (*Free)(T*)>
struct Freer {
  void operator()(T* object) const { Free(object); }
};
void FreeBio(BIO* bio) { BIO_free(bio); }
using Bio = std::unique_ptr<BIO, Freer<BIO, FreeBio>>;
using Certificate = std::unique_ptr<X509, Freer<X509, X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Freer<EVP_PKEY, EVP_PKEY_free>>;

Bio BioOf(const std::string& text) { return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))); }

absl::Status Wrong(absl::string_view what) {
  char reason[256];
  ERR_error_string_n(ERR_get_error(), reason, sizeof(reason));
  ERR_clear_error();
  return absl::InvalidArgumentError(absl::StrCat(what, " (", reason, ")"));
}

absl::Status UseChain(SSL_CTX* context, const std::string& pem) {
  const Bio bio = BioOf(pem);
  const Certificate first(PEM_read_bio_X509_AUX(bio.get(), nullptr, nullptr, nullptr));
  if (first == nullptr || SSL_CTX_use_certificate(context, first.get()) != 1) {
    return Wrong("--tls-cert contains no usable certificate");
  }
  while (X509* next = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)) {
    if (SSL_CTX_add0_chain_cert(context, next) != 1) {  // takes ownership only on success
      X509_free(next);
      return Wrong("--tls-cert contains an invalid chain");
    }
  }
  ERR_clear_error();  // reaching the end of the file counts as an error
  return absl::OkStatus();
}

absl::Status UseClientCa(SSL_CTX* context, const std::string& pem) {
  const Bio bio = BioOf(pem);
  int count = 0;
  while (const Certificate ca{PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)}) {
    if (X509_STORE_add_cert(SSL_CTX_get_cert_store(context), ca.get()) != 1 ||
        SSL_CTX_add_client_CA(context, ca.get()) != 1) {
      return Wrong("--tls-client-ca contains an invalid certificate");
    }
    ++count;
  }
  if (count == 0) return Wrong("--tls-client-ca contains no certificate");
  ERR_clear_error();
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  return absl::OkStatus();
}

// Selects HTTP/2 from the protocols that a client offers, each preceded by its length.
int SelectHttp2(SSL*, const unsigned char** selected, unsigned char* selected_size, const unsigned char* offered,
                unsigned offered_size, void*) {
  static constexpr unsigned char kHttp2[] = {2, 'h', '2'};
  unsigned char* found = nullptr;
  if (SSL_select_next_proto(&found, selected_size, kHttp2, sizeof(kHttp2), offered, offered_size) !=
      OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  }
  *selected = found;
  return SSL_TLSEXT_ERR_OK;
}

}  // namespace

absl::StatusOr<std::string> ReadCredential(const std::string& path) {
  absl::StatusOr<std::string> text = proto::ReadFile(path, proto::kCredentialLimits);
  if (text.ok() && text->empty()) return absl::InvalidArgumentError(absl::StrCat(path, ": is empty"));
  return text;
}

absl::StatusOr<TlsFiles> ReadTlsFiles(const std::string& certificate, const std::string& key,
                                      const std::string& client_ca) {
  TlsFiles files;
  if (certificate.empty() && key.empty() && client_ca.empty()) return files;
  if (certificate.empty() || key.empty()) {
    return absl::InvalidArgumentError("TLS requires both --tls-cert and --tls-key");
  }
  const std::pair<const std::string*, std::string*> all[] = {
      {&certificate, &files.certificate}, {&key, &files.key}, {&client_ca, &files.client_ca}};
  for (const auto& [path, text] : all) {
    if (path->empty()) continue;
    absl::StatusOr<std::string> read = ReadCredential(*path);
    if (!read.ok()) return read.status();
    *text = *std::move(read);
  }
  if (const auto context = TlsContext(files, false); !context.ok()) return context.status();
  return files;
}

absl::StatusOr<SslContext> TlsContext(const TlsFiles& files, bool http2) {
  SslContext context(nullptr, SSL_CTX_free);
  if (files.certificate.empty()) return context;
  context.reset(SSL_CTX_new(TLS_server_method()));
  if (context == nullptr) return Wrong("no TLS context");
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);  // saves 34 KB for each idle connection
  if (http2) SSL_CTX_set_alpn_select_cb(context.get(), SelectHttp2, nullptr);
  // A resumed session would skip verification of the client's certificate, even if a server with different rules
  // started the session.
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  const unsigned char kContextId[] = "rewrought";
  SSL_CTX_set_session_id_context(context.get(), kContextId, sizeof(kContextId) - 1);
  if (absl::Status status = UseChain(context.get(), files.certificate); !status.ok()) return status;
  const Bio bio = BioOf(files.key);
  const Key key(PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, const_cast<char*>("")));
  if (key == nullptr || SSL_CTX_use_PrivateKey(context.get(), key.get()) != 1 ||
      SSL_CTX_check_private_key(context.get()) != 1) {
    return Wrong("--tls-key is not the key of --tls-cert, or has a passphrase");
  }
  if (!files.client_ca.empty()) {
    if (absl::Status status = UseClientCa(context.get(), files.client_ca); !status.ok()) return status;
  }
  return context;
}

}  // namespace rewrought::rpc
