#include "daemon/http.h"

#include <algorithm>
#include <charconv>
#include <exception>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace weft::daemon {

namespace json = boost::json;

namespace {

Result<std::string> decoded(std::string_view text, bool plus_is_blank) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_blank) {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      unsigned value = 0;
      const std::string_view digits = text.substr(i + 1, 2);
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
      if (error != std::errc() || digits.size() != 2 || end != digits.data() + 2) {
        return fail(Errc::malformed, "'%' without two hexadecimal digits in the request's path");
      }
      out += static_cast<char>(value);
      i += 2;
    }
  }
  return out;
}

Response not_allowed(const Caller& caller, Access needs) {
  const std::string what = needs == Access::change ? "may not change anything" : "may not read this";
  Response response = error_response(caller.needs_token ? 401 : 403, "forbidden",
                                     fmt::format("{} {}", caller.name, what), caller.hint);
  if (caller.needs_token) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

Response run(const Route& route, const Request& request) {
  try {
    return route.handler(request);
  } catch (const std::exception& error) {
    return error_response(500, "internal", error.what(), "this is a fault in weftd: please report it");
  }
}

}  // namespace

std::optional<std::string_view> Request::parameter(std::string_view name) const {
  const auto found = query.find(name);
  if (found == query.end()) return std::nullopt;
  return found->second;
}

std::string_view Request::header(std::string_view name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? std::string_view() : found->second;
}

const Route* Router::find(std::string_view method, std::string_view path) const {
  const auto found = std::find_if(routes_.begin(), routes_.end(), [&](const Route& route) {
    return route.method == method && route.path == path;
  });
  return found != routes_.end() ? &*found : nullptr;
}

Response Router::answer(const Request& request) const {
  if (const Route* route = find(request.method, request.path)) {
    const Access needs = route->needs();
    const Caller& caller = request.caller;
    if (needs == Access::change ? !caller.may_change : needs == Access::read && !caller.may_read)
      return not_allowed(caller, needs);
    Response response = run(*route, request);
    if (needs == Access::change && on_change_) on_change_(request, response.status);
    return response;
  }
  for (const Route& route : routes_) {
    if (route.path != request.path) continue;
    return error_response(405, "method_not_allowed",
                          fmt::format("{} is not for {}", request.path, request.method),
                          fmt::format("use {}", route.method));
  }
  return error_response(404, "not_found", fmt::format("nothing is served at {}", request.path),
                        "weftctl and weftd may be of different versions");
}

Response error_response(int status, std::string_view code, std::string_view message, std::string_view hint) {
  json::object error{{"code", code}, {"message", message}};
  if (!hint.empty()) error["hint"] = hint;
  Response response;
  response.status = status;
  response.body = json::serialize(json::object{{"error", std::move(error)}});
  return response;
}

Result<Request> request_from_target(std::string_view target) {
  Request request;
  request.target = target;
  const std::size_t mark = target.find('?');
  auto path = decoded(target.substr(0, mark), false);
  if (!path) return fail(path.error());
  request.path = std::move(*path);
  std::string_view rest = mark == std::string_view::npos ? std::string_view() : target.substr(mark + 1);
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    const std::size_t equals = pair.find('=');
    auto key = decoded(pair.substr(0, equals), true);
    if (!key) return fail(key.error());
    auto value =
        decoded(equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1), true);
    if (!value) return fail(value.error());
    request.query[std::move(*key)] = std::move(*value);
  }
  return request;
}

}  // namespace weft::daemon
