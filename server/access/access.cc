#include "server/access/access.h"

#include <sys/stat.h>

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "ir/digest.h"
#include "proto/read_file.h"

namespace rewrought::rpc {
namespace {

constexpr size_t kMaxToken = 1024;
constexpr absl::string_view kScheme = "bearer ";
constexpr char kClientKey[] = "x-rewrought-client-bin";  // the name of a token may contain any bytes
constexpr char kRoleKey[] = "x-rewrought-role";

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

// Returns the token of an Authorization header, or an empty string if the header is not "Bearer TOKEN". A token
// consists of visible ASCII characters (RFC 6750, 2.1, allows only some of them), so it is never empty or blank.
absl::string_view TokenIn(absl::string_view authorization) {
  if (authorization.size() > kMaxToken || !absl::StartsWithIgnoreCase(authorization, kScheme)) return "";
  const absl::string_view token = authorization.substr(kScheme.size());
  return std::all_of(token.begin(), token.end(), absl::ascii_isgraph) ? token : "";
}

// Returns whether `digest` is that of a token without visible characters, which the server never admits. Such a digest
// usually results from a variable that is not set.
bool IsOfBlankToken(absl::string_view digest) {
  for (const absl::string_view blank : {"", "\n", "\r\n", " "}) {
    if (ir::Digest::Of(blank).hex() == digest) return true;
  }
  return false;
}

}  // namespace

absl::StatusOr<Role> ParseRole(absl::string_view text) {
  for (const Role role : {Role::kNone, Role::kRead, Role::kCheck, Role::kAdmin}) {
    if (text == NameOf(role)) return role;
  }
  return absl::InvalidArgumentError(absl::StrCat("'", text, "' is not a role; use none, read, check or admin"));
}

void Introduce(const Caller& caller, grpc::ClientContext* context) {
  context->AddMetadata(kClientKey, caller.client);
  context->AddMetadata(kRoleKey, NameOf(caller.role));
}

absl::StatusOr<Caller> CallerOf(const grpc::ServerContextBase& context) {
  const auto& metadata = context.client_metadata();
  const auto client = metadata.find(kClientKey), role = metadata.find(kRoleKey);
  if (client == metadata.end() || role == metadata.end()) {
    return absl::UnauthenticatedError("the call does not come from one of the server's ports");
  }
  const absl::StatusOr<Role> parsed = ParseRole(View(role->second));
  if (!parsed.ok()) return parsed.status();
  return Caller{std::string(View(client->second)), *parsed};
}

Access::Access(Role anonymous_grpc, Role anonymous_http)
    : anonymous_grpc_(anonymous_grpc), anonymous_http_(anonymous_http) {}

absl::Status Access::AddTokens(const std::string& path) {
  struct stat about {};
  if (stat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode)) {
    return absl::NotFoundError(absl::StrCat(path, ": no such token file"));
  }
  if ((about.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return absl::PermissionDeniedError(absl::StrCat(path, ": other users can write this file; run chmod go-w on it"));
  }
  const absl::StatusOr<std::string> lines = proto::ReadFile(path, proto::kCredentialLimits);
  if (!lines.ok()) return lines.status();
  int number = 0;
  for (const absl::string_view line : absl::StrSplit(*lines, '\n')) {
    ++number;
    const absl::string_view text = absl::StripAsciiWhitespace(line.substr(0, line.find('#')));
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
    if (IsOfBlankToken(digest)) {
      return wrong("this is the digest of an empty token; set $TOKEN, then run printf %s \"$TOKEN\" | sha256sum");
    }
    if (!holders_.emplace(digest, Holder{*role, words[1]}).second) return wrong("the token is listed twice");
  }
  if (holders_.empty()) return absl::InvalidArgumentError(absl::StrCat(path, ": contains no token"));
  return absl::OkStatus();
}

absl::StatusOr<Caller> Access::Admit(Protocol protocol, const std::vector<std::string>& authorizations,
                                     absl::string_view address, Role role) const {
  const Role anonymous = protocol == Protocol::kGrpc ? anonymous_grpc_ : anonymous_http_;
  const Holder* const holder = authorizations.size() == 1 ? Find(authorizations[0]) : nullptr;
  Caller caller = holder == nullptr ? Caller{absl::StrCat("address ", address), anonymous}
                                    : Caller{absl::StrCat("token ", holder->name), holder->role};
  // Refused calls also count toward the rate limit, so a client cannot guess tokens faster than it can make other
  // calls.
  if (absl::Status taken = quota_->Take(caller.client, absl::Now()); !taken.ok()) return taken;
  if (authorizations.size() > 1) return absl::UnauthenticatedError("more than one authorization header; send one");
  if (authorizations.empty()) {
    if (anonymous >= role) return caller;
    return absl::UnauthenticatedError(
        absl::StrCat("this method requires a token with the role ", NameOf(role),
                     "; send `authorization: Bearer TOKEN` with a token from the server's --tokens file"));
  }
  if (TokenIn(authorizations[0]).empty()) {
    return absl::UnauthenticatedError("the authorization header is not `Bearer TOKEN`");
  }
  if (holder == nullptr) return absl::UnauthenticatedError("the token is unknown");
  if (holder->role >= role) return caller;
  return absl::PermissionDeniedError(
      absl::StrCat("the token's role is ", NameOf(holder->role), "; this method requires ", NameOf(role)));
}

// Looks up the token by its digest, so that timing reveals nothing about the tokens. Returns null if the token is
// malformed or unknown.
const Access::Holder* Access::Find(absl::string_view authorization) const {
  const absl::string_view token = TokenIn(authorization);
  if (token.empty()) return nullptr;
  const auto found = holders_.find(ir::Digest::Of(token).hex());
  return found == holders_.end() ? nullptr : &found->second;
}

}  // namespace rewrought::rpc
