#include "daemon/http_access.h"

#include <grp.h>
#include <pwd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "base/files.h"
#include "config/m_keys_file.h"

namespace weft::daemon {

namespace {

constexpr std::size_t kShortestToken = 16;

struct CloseUsers {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

/// Those of this machine; a directory service would have to be asked over the network.
std::map<uid_t, std::string> local_users() {
  std::map<uid_t, std::string> names;
  const std::unique_ptr<std::FILE, CloseUsers> file(std::fopen("/etc/passwd", "re"));
  if (!file) return names;
  std::vector<char> room(64u << 10);
  passwd user{};
  passwd* found = nullptr;
  while (fgetpwent_r(file.get(), &user, room.data(), room.size(), &found) == 0)
    names.emplace(user.pw_uid, user.pw_name);
  return names;
}

bool is_member(int socket, gid_t primary, gid_t group) {
  if (primary == group) return true;
  std::vector<gid_t> groups(64);
  auto size = static_cast<socklen_t>(groups.size() * sizeof(gid_t));
  if (getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &size) != 0) {
    if (errno != ERANGE) return false;
    groups.resize(size / sizeof(gid_t));
    if (getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &size) != 0) return false;
  }
  groups.resize(size / sizeof(gid_t));
  return std::ranges::find(groups, group) != groups.end();
}

std::array<unsigned char, 32> digest_of(std::string_view text) {
  std::array<unsigned char, 32> digest{};
  EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_sha256(), nullptr);
  return digest;
}

/// The host of "http://[::1]:8723", "localhost:8723": without scheme and port.
std::string_view host_in(std::string_view text) {
  if (const std::size_t scheme = text.find("://"); scheme != text.npos) text.remove_prefix(scheme + 3);
  if (text.starts_with('[')) return text.substr(0, text.find(']') + 1);
  return text.substr(0, text.find(':'));
}

bool is_loopback_name(std::string_view host) {
  const bool numeric = host.find_first_not_of("0123456789.") == host.npos;
  return host == "localhost" || host == "[::1]" || (numeric && host.starts_with("127."));
}

/// Why a browser may have been led to send this by another site; empty: it was not.
std::string suspicion(const Request& request, const TokenAccess& access) {
  const std::string_view host = request.header("host");
  // A name that leads here without being ours: DNS rebinding. With TLS the certificate would not fit.
  if (!access.secure && !is_loopback_name(host_in(host)))
    return "the Host of the request is not this machine's loopback address";
  const std::string_view origin = request.header("origin");
  if (!origin.empty() && host_in(origin) != host_in(host)) return "the request was made by another site";
  const std::string_view site = request.header("sec-fetch-site");
  if (site == "cross-site" || site == "same-site") return "the request was made by another site";
  return {};
}

std::string_view bearer_token(const Request& request) {
  std::string_view value = request.header("authorization");
  constexpr std::string_view kScheme = "bearer ";
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  if (value.size() < kScheme.size() ||
      !std::ranges::equal(value.substr(0, kScheme.size()), kScheme, {}, lower))
    return {};
  value.remove_prefix(kScheme.size());
  while (value.starts_with(' ')) value.remove_prefix(1);
  return value;
}

}  // namespace

SocketAccess socket_access(const std::string& admin_group) {
  SocketAccess access;
  access.names = local_users();
  if (admin_group.empty()) return access;
  std::vector<char> room(64u << 10);
  group entry{};
  group* found = nullptr;
  if (getgrnam_r(admin_group.c_str(), &entry, room.data(), room.size(), &found) == 0 && found != nullptr)
    access.admins = found->gr_gid;
  return access;
}

Caller caller_at(int socket, const SocketAccess& access) {
  Caller caller;
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
    caller.may_change = false;
    return caller;
  }
  const auto named = access.names.find(peer.uid);
  caller.name = named != access.names.end() ? fmt::format("{} (uid {})", named->second, peer.uid)
                                            : fmt::format("uid {}", peer.uid);
  caller.may_change = peer.uid == 0 || peer.uid == geteuid() ||
                      (access.admins && is_member(socket, peer.gid, *access.admins));
  caller.hint = "root, the user of weftd and members of the group control.admin_group may";
  return caller;
}

Caller caller_of(const Request& request, const std::string& from, const TokenAccess& access) {
  Caller caller;
  caller.name = from;
  caller.may_read = caller.may_change = false;
  if (const std::string why = suspicion(request, access); !why.empty()) {
    caller.hint = why + "; use the address that weftd listens at";
    return caller;
  }
  const std::string_view shown = bearer_token(request);
  const bool writes = !access.write.empty() && same_secret(shown, access.write);
  const bool reads = !access.read.empty() && same_secret(shown, access.read);
  caller.may_change = writes;
  caller.may_read = writes || reads || (access.open_reading && access.loopback);
  caller.needs_token = true;
  if (writes || reads) caller.name += writes ? " with the write token" : " with the read token";
  caller.hint = access.write.empty()
                    ? "nothing can be changed over TCP without control.tcp.write_token_file; reading needs "
                      "Authorization: Bearer and the token of control.tcp.read_token_file"
                    : "send Authorization: Bearer and the token; reading needs that of "
                      "control.tcp.read_token_file, changes that of control.tcp.write_token_file";
  return caller;
}

Result<std::string> read_token(const std::string& path) {
  if (std::string why = config::why_not_private(path); !why.empty()) return fail(Errc::invalid, "{}", why);
  const Result<std::string> text = read_file(path);
  if (!text) return fail(text.error());
  std::string token = text->substr(0, text->find_first_of("\r\n"));
  if (token.size() < kShortestToken)
    return fail(Errc::invalid, "{}: its first line is the token, and must have at least {} characters", path,
                kShortestToken);
  return token;
}

bool same_secret(std::string_view a, std::string_view b) {
  const auto one = digest_of(a);
  const auto other = digest_of(b);
  return CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

}  // namespace weft::daemon
