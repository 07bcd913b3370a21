#include "config/listen.h"

#include <arpa/inet.h>

#include <charconv>

#include "base/units.h"

namespace weft::config {

namespace {

bool is_address(int family, const std::string& text) {
  unsigned char bytes[16];
  return inet_pton(family, text.c_str(), bytes) == 1;
}

}  // namespace

Result<Listen> listen_from(std::string_view text) {
  const auto bad = [text] {
    return fail(Errc::invalid, "expects an address and a port such as 127.0.0.1:8723 or [::1]:8723, not {}",
                in_quotes(text));
  };
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos) return bad();
  const std::string_view digits = text.substr(colon + 1);
  Listen listen;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), listen.port);
  if (error != std::errc() || end != digits.data() + digits.size() || digits.empty()) return bad();
  std::string host(text.substr(0, colon));
  if (host == "localhost") host = "127.0.0.1";
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  listen.address = bracketed ? host.substr(1, host.size() - 2) : host;
  if (!is_address(bracketed ? AF_INET6 : AF_INET, listen.address)) return bad();
  listen.loopback = bracketed ? listen.address == "::1" : listen.address.starts_with("127.");
  return listen;
}

}  // namespace weft::config
