#include "daemon/api_answers.h"

#include <boost/json/serialize.hpp>

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

Response PageWriter::finish(std::string_view key, std::uint64_t generation) && {
  return json_response(json::object{
      {"generation", generation}, {"total", total_}, {"offset", page_.offset}, {key, std::move(items_)}});
}

}  // namespace weft::daemon
