#include "daemon/api_answers.h"

#include <charconv>

#include <boost/json/serialize.hpp>

#include "plan/find.h"

namespace weft::daemon {

namespace json = boost::json;

namespace {

int http_status(Errc code) {
  switch (code) {
    case Errc::malformed:
    case Errc::invalid:
      return 400;
    case Errc::not_found:
      return 404;
    case Errc::ambiguous:
    case Errc::conflict:
    case Errc::unsafe:
      return 409;
    case Errc::unavailable:
    case Errc::busy:
    case Errc::cancelled:
      return 503;
    case Errc::timeout:
      return 504;
    default:
      return 500;
  }
}

}  // namespace

Response json_response(const json::value& value, int status) {
  Response response;
  response.status = status;
  response.body = json::serialize(value) + "\n";
  return response;
}

Response refusal(const Error& error, std::string_view hint) {
  return error_response(http_status(error.code), name(error.code), error.what, hint);
}

Response place_refusal(const Error& error) { return refusal(error, plan::hint_on(error)); }

Response PageWriter::finish(std::string_view key, std::uint64_t generation) && {
  return json_response(json::object{
      {"generation", generation}, {"total", total_}, {"offset", page_.offset}, {key, std::move(items_)}});
}

Result<std::uint64_t> number_parameter(const Request& request, std::string_view key, std::uint64_t fallback,
                                       std::uint64_t most) {
  const auto text = request.parameter(key);
  if (!text) return fallback;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc() || end != text->data() + text->size() || value > most) {
    return fail(Errc::invalid, "{} must be a number from 0 to {}, not \"{}\"", key, most, *text);
  }
  return value;
}

Result<Page> page_of(const Request& request) {
  const auto offset = number_parameter(request, "offset", 0, UINT32_MAX);
  if (!offset) return fail(offset.error());
  const auto limit = number_parameter(request, "limit", 1000, kMostItems);
  if (!limit) return fail(limit.error());
  return Page{*offset, *limit};
}

Response no_view(const Status& status) {
  switch (status.state) {
    case State::waiting_for_device:
      return error_response(
          503, "no_device", "there is no usable port, so nothing is known of the fabric",
          status.text.empty() ? "weftd goes on by itself as soon as one is there" : status.text);
    case State::standby:
    case State::disabled:
      return error_response(503, "not_master",
                            "another subnet manager manages this fabric, so weftd has no plan for it",
                            status.text);
    case State::failed:
      return error_response(503, "not_ready", "no sweep has succeeded yet, so nothing is known of the fabric",
                            status.text);
    default:
      return error_response(503, "not_ready",
                            "the first sweep has not ended yet, so nothing is known of the fabric",
                            "weftctl status shows how far it is");
  }
}

}  // namespace weft::daemon
