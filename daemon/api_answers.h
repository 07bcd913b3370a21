#pragma once
// The shapes that the control API's answers have in common: JSON, a refusal, one page of a list.

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "daemon/http.h"
#include "daemon/status.h"

namespace weft::daemon {

Response json_response(const boost::json::value& value, int status = 200);
/// The error as a status of HTTP, with what to do about it.
Response refusal(const Error& error, std::string_view hint = {});

/// Of a word for a node or port that find.h of plan does not take.
Response place_refusal(const Error& error);

constexpr std::size_t kMostItems = 10'000;

struct Page {
  std::uint64_t offset = 0;
  std::uint64_t limit = 0;
};

/// A number from the query, or the default. Errors: `invalid` with the parameter's name.
Result<std::uint64_t> number_parameter(const Request& request, std::string_view key, std::uint64_t fallback,
                                       std::uint64_t most);
/// What the query says of offset and limit. Errors: as above.
Result<Page> page_of(const Request& request);

/// Why nothing is known of the fabric, and what to do about it.
Response no_view(const Status& status);

/// Collects one page of the items that match and counts all of them.
class PageWriter {
 public:
  explicit PageWriter(Page page) : page_(page) {}
  template <typename ToJson>
  void add(ToJson to_json_of) {
    if (total_ >= page_.offset && items_.size() < page_.limit) items_.push_back(to_json_of());
    ++total_;
  }
  Response finish(std::string_view key, std::uint64_t generation) &&;

 private:
  Page page_;
  std::uint64_t total_ = 0;
  boost::json::array items_;
};

}  // namespace weft::daemon
