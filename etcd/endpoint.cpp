#include "etcd/endpoint.h"

#include <algorithm>
#include <charconv>

namespace weft::etcd {

Result<Endpoint> parse_endpoint(std::string_view url) {
  Endpoint endpoint;
  std::string_view rest = url;
  if (rest.starts_with("https://")) {
    endpoint.tls = true;
    rest.remove_prefix(8);
  } else if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
  } else {
    return fail(Errc::invalid, "{} must begin with http:// or https://", url);
  }
  if (rest.ends_with('/')) rest.remove_suffix(1);
  std::string_view port = "2379";
  if (rest.starts_with('[')) {
    const std::size_t end = rest.find(']');
    if (end == rest.npos) return fail(Errc::invalid, "{} has no ] behind its address", url);
    endpoint.host = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
    if (!rest.empty() && rest.front() != ':')
      return fail(Errc::invalid, "{} has something other than a port behind its address", url);
    if (!rest.empty()) port = rest.substr(1);
  } else {
    const std::size_t colon = rest.find(':');
    endpoint.host = rest.substr(0, colon);
    if (colon != rest.npos) port = rest.substr(colon + 1);
  }
  const bool plain = std::ranges::all_of(endpoint.host, [](unsigned char c) {
    return std::isalnum(c) || c == '.' || c == '-' || c == '_' || c == ':' || c == '%';
  });
  if (endpoint.host.empty() || !plain)
    return fail(Errc::invalid, "{} names no host; write it as https://etcd-1:2379", url);
  int number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (error != std::errc() || end != port.data() + port.size() || number < 1 || number > 65535)
    return fail(Errc::invalid, "{} has no port from 1 to 65535", url);
  endpoint.port = port;
  return endpoint;
}

std::string to_string(const Endpoint& endpoint) {
  const bool numbers = endpoint.host.find(':') != std::string::npos;
  return fmt::format("{}://{}{}{}:{}", endpoint.tls ? "https" : "http", numbers ? "[" : "", endpoint.host,
                     numbers ? "]" : "", endpoint.port);
}

}  // namespace weft::etcd
