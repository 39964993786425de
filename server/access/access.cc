#include "server/access/access.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "ir/digest.h"

namespace rewrought::rpc {
namespace {

constexpr size_t kMaxToken = 1024;
constexpr absl::string_view kScheme = "bearer ";

const char* NameOf(Role role) {
  switch (role) {
    case Role::kNone:
      return "none";
    case Role::kRead:
      return "read";
    case Role::kCheck:
      return "check";
    case Role::kAdmin:
      return "admin";
  }
  return "none";
}

absl::string_view View(grpc::string_ref text) { return absl::string_view(text.data(), text.size()); }

}  // namespace

absl::StatusOr<Role> ParseRole(absl::string_view text) {
  for (const Role role : {Role::kNone, Role::kRead, Role::kCheck, Role::kAdmin}) {
    if (text == NameOf(role)) return role;
  }
  return absl::InvalidArgumentError(absl::StrCat("'", text, "' is not a role; use none, read, check or admin"));
}

Access::Access(Role anonymous_grpc, Role anonymous_http)
    : anonymous_grpc_(anonymous_grpc), anonymous_http_(anonymous_http) {
  std::string bytes(32, '\0');
  // If no random bytes are available, the secret stays empty, and an empty secret never matches.
  if (RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(bytes.size())) == 1) {
    front_end_secret_ = absl::BytesToHexString(bytes);
  }
}

absl::Status Access::AddTokens(const std::string& path) {
  struct stat about {};
  if (stat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode)) {
    return absl::NotFoundError(absl::StrCat(path, ": no such token file"));
  }
  if ((about.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return absl::PermissionDeniedError(absl::StrCat(path, ": other users can write this file; run chmod go-w on it"));
  }
  std::ifstream file(path);
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    const absl::string_view text = absl::StripAsciiWhitespace(absl::string_view(line).substr(0, line.find('#')));
    if (text.empty()) continue;
    const std::vector<std::string> words = absl::StrSplit(text, absl::ByAnyChar(" \t"), absl::SkipEmpty());
    const auto wrong = [&](absl::string_view problem) {
      return absl::InvalidArgumentError(absl::StrCat(path, ":", number, ": ", problem));
    };
    if (words.size() != 3) return wrong("each line must be ROLE NAME SHA256-OF-THE-TOKEN");
    const absl::StatusOr<Role> role = ParseRole(words[0]);
    if (!role.ok()) return wrong(role.status().message());
    const std::string digest = absl::AsciiStrToLower(words[2]);
    if (digest.size() != 64 || !std::all_of(digest.begin(), digest.end(), absl::ascii_isxdigit)) {
      return wrong("the digest is not 64 hex digits; run printf %s \"$TOKEN\" | sha256sum");
    }
    if (!holders_.emplace(digest, Holder{*role, words[1]}).second) return wrong("the token is listed twice");
  }
  if (holders_.empty()) return absl::InvalidArgumentError(absl::StrCat(path, ": contains no token"));
  return absl::OkStatus();
}

bool Access::IsFrontEnd(const grpc::ServerContextBase& context) const {
  const auto& metadata = context.client_metadata();
  const auto front = metadata.find(kFrontHeader);
  return front != metadata.end() && !front_end_secret_.empty() && front->second.size() == front_end_secret_.size() &&
         CRYPTO_memcmp(front->second.data(), front_end_secret_.data(), front_end_secret_.size()) == 0;
}

absl::StatusOr<std::string> Access::Admit(const grpc::ServerContextBase& context, Role role) const {
  const bool front_end = IsFrontEnd(context);
  const Role anonymous = front_end ? anonymous_http_ : anonymous_grpc_;
  const auto [first, last] = context.client_metadata().equal_range("authorization");
  absl::Status status;
  if (first == last) {
    status = Decide("", anonymous, role);
  } else if (std::next(first) != last) {
    status = absl::UnauthenticatedError("more than one authorization header; send one");
  } else {
    status = Decide(View(first->second), anonymous, role);
  }
  // Refused calls also count toward the rate limit, so a client cannot guess tokens faster than it can make other
  // calls.
  std::string client = ClientOf(context);
  if (absl::Status taken = front_end ? absl::OkStatus() : quota_->Take(client, absl::Now()); !taken.ok()) return taken;
  if (!status.ok()) return status;
  return client;
}

std::string Access::ClientOf(const grpc::ServerContextBase& context) const {
  const auto& metadata = context.client_metadata();
  if (const auto given = metadata.find("authorization"); given != metadata.end()) {
    if (const Holder* holder = Find(View(given->second)); holder != nullptr)
      return absl::StrCat("token ", holder->name);
  }
  if (IsFrontEnd(context)) {
    const auto peer = metadata.find(kPeerHeader);
    return absl::StrCat("address ", peer == metadata.end() ? "" : View(peer->second));
  }
  const std::string peer = context.peer();  // "ipv4:127.0.0.1:50123"
  return absl::StrCat("address ", absl::string_view(peer).substr(0, peer.rfind(':')));
}

absl::Status Access::AdmitHttp(absl::string_view authorization, absl::string_view address, Role role) const {
  const Holder* holder = Find(authorization);
  const std::string client =
      holder == nullptr ? absl::StrCat("address ", address) : absl::StrCat("token ", holder->name);
  if (absl::Status taken = quota_->Take(client, absl::Now()); !taken.ok()) return taken;
  return Decide(authorization, anonymous_http_, role);
}

// Looks up the token by its digest, so that timing reveals nothing about the tokens. Returns null if the token is
// malformed or unknown.
const Access::Holder* Access::Find(absl::string_view authorization) const {
  if (authorization.size() > kMaxToken || !absl::StartsWithIgnoreCase(authorization, kScheme)) return nullptr;
  const auto found = holders_.find(ir::Digest::Of(authorization.substr(kScheme.size())).hex());
  return found == holders_.end() ? nullptr : &found->second;
}

absl::Status Access::Decide(absl::string_view authorization, Role anonymous, Role role) const {
  if (authorization.empty()) {
    if (anonymous >= role) return absl::OkStatus();
    return absl::UnauthenticatedError(
        absl::StrCat("this method requires a token of role ", NameOf(role),
                     "; send `authorization: Bearer TOKEN` with a token from the server's --tokens file"));
  }
  if (authorization.size() > kMaxToken || !absl::StartsWithIgnoreCase(authorization, kScheme)) {
    return absl::UnauthenticatedError("the authorization header is not `Bearer TOKEN`");
  }
  const Holder* holder = Find(authorization);
  if (holder == nullptr) return absl::UnauthenticatedError("the token is unknown");
  if (holder->role >= role) return absl::OkStatus();
  return absl::PermissionDeniedError(
      absl::StrCat("the token's role is ", NameOf(holder->role), "; this method requires ", NameOf(role)));
}

}  // namespace rewrought::rpc
