#include "store/verified_store.h"

#include <fcntl.h>
#include <openssl/hmac.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <system_error>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"

namespace rewrought::store {
namespace {

constexpr size_t kSecretBytes = 32;

std::string RandomBytes() {
  std::random_device random;  // uses the kernel's generator
  std::string bytes;
  while (bytes.size() < kSecretBytes) bytes.push_back(static_cast<char>(random()));
  return bytes;
}

absl::Status Unavailable(const std::string& path) {
  return absl::UnavailableError(
      absl::StrCat(path, ": ", std::strerror(errno), "; choose a folder of your own with REWROUGHT_STATE_DIR"));
}

absl::StatusOr<std::string> ReadSecret(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return errno == ENOENT ? absl::NotFoundError(path) : Unavailable(path);
  const absl::Cleanup closed = [file] { close(file); };
  struct stat status = {};
  if (fstat(file, &status) != 0) return Unavailable(path);
  if (status.st_uid != geteuid() || (status.st_mode & 077) != 0) {
    return absl::FailedPreconditionError(absl::StrCat(
        path, ": other users can read this file, so it proves nothing; remove it, and a new one will be created"));
  }
  std::string secret(kSecretBytes + 1, '\0');
  const ssize_t length = read(file, secret.data(), secret.size());
  if (length != static_cast<ssize_t>(kSecretBytes)) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, ": does not have ", kSecretBytes, " bytes; remove it, and a new one will be created"));
  }
  secret.resize(kSecretBytes);
  return secret;
}

// Creates the file atomically. If two processes create it concurrently, the first process's file is kept.
absl::Status MakeSecret(const std::string& folder, const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  std::string temporary = absl::StrCat(folder, "/secret.XXXXXX");
  const int file = mkstemp(temporary.data());  // with mode 0600
  if (file < 0) return Unavailable(folder);
  const absl::Cleanup removed = [&] { unlink(temporary.c_str()); };
  const std::string secret = RandomBytes();
  const bool written = write(file, secret.data(), secret.size()) == static_cast<ssize_t>(secret.size());
  if (close(file) != 0 || !written) return Unavailable(temporary);
  if (link(temporary.c_str(), path.c_str()) != 0 && errno != EEXIST) return Unavailable(path);
  return absl::OkStatus();
}

std::array<unsigned char, 32> MacOf(absl::string_view secret, absl::string_view claim) {
  std::array<unsigned char, 32> mac = {};
  unsigned int length = 0;
  HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
       reinterpret_cast<const unsigned char*>(claim.data()), claim.size(), mac.data(), &length);
  return mac;
}

sqlite::Blob BlobOf(const std::array<unsigned char, 32>& mac) {
  return sqlite::Blob{absl::string_view(reinterpret_cast<const char*>(mac.data()), mac.size())};
}

}  // namespace

absl::StatusOr<std::string> SecretIn(const std::string& folder) {
  const std::string path = absl::StrCat(folder, "/secret");
  absl::StatusOr<std::string> secret = ReadSecret(path);
  if (!absl::IsNotFound(secret.status())) return secret;
  if (absl::Status made = MakeSecret(folder, path); !made.ok()) return made;
  return ReadSecret(path);
}

std::string StateFolder() {
  const auto variable = [](const char* name) { return std::string(getenv(name) == nullptr ? "" : getenv(name)); };
  if (std::string own = variable("REWROUGHT_STATE_DIR"); !own.empty()) return own;
  if (const std::string state = variable("XDG_STATE_HOME"); !state.empty()) return absl::StrCat(state, "/rewrought");
  if (const std::string home = variable("HOME"); !home.empty()) return absl::StrCat(home, "/.local/state/rewrought");
  return "";
}

const std::string& InstallationSecret(std::string* why) {
  struct Kept {
    std::string secret, why;
  };
  static const Kept& kept = *new Kept([]() -> Kept {
    const std::string folder = StateFolder();
    if (folder.empty()) return {RandomBytes(), "neither REWROUGHT_STATE_DIR nor HOME is set"};
    absl::StatusOr<std::string> secret = SecretIn(folder);
    if (secret.ok()) return {*std::move(secret), ""};
    return {RandomBytes(), std::string(secret.status().message())};
  }());
  if (why != nullptr) *why = kept.why;
  return kept.secret;
}

absl::StatusOr<bool> VerifiedStore::Has(absl::string_view claim) {
  const auto mac = MacOf(secret_, claim);
  bool has = false;
  const absl::Status status = store_->Read([&](sqlite::Database& reader) {
    const absl::StatusOr<int64_t> count =
        reader.QueryInt("SELECT count(*) FROM verified WHERE mac = ?1", {BlobOf(mac)});
    has = count.ok() && *count > 0;
    return count.status();
  });
  if (!status.ok()) return status;
  return has;
}

absl::Status VerifiedStore::Put(absl::string_view claim) {
  const auto mac = MacOf(secret_, claim);
  return store_->Write([&](sqlite::Database& writer) {
    return writer.Run("INSERT INTO verified (mac) VALUES (?1) ON CONFLICT DO NOTHING", {BlobOf(mac)});
  });
}

}  // namespace rewrought::store
