#include "etcd/messages.h"

#include <charconv>

#include <boost/json.hpp>

#include "etcd/base64.h"

namespace weft::etcd {
namespace {

namespace json = boost::json;

/// An object's members, where one that is missing has its default and one of the wrong kind makes the whole
/// bad.
class Fields {
 public:
  explicit Fields(const json::value& value) : object_(value.if_object()) { bad_ = object_ == nullptr; }
  bool bad() const { return bad_; }

  const json::value* find(std::string_view name) const {
    return object_ == nullptr ? nullptr : object_->if_contains(name);
  }
  template <typename T>
  T number(std::string_view name) {
    const json::value* found = find(name);
    T value{};
    if (found == nullptr) return value;
    if (const json::string* text = found->if_string()) {
      const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
      if (error != std::errc() || end != text->data() + text->size()) bad_ = true;
    } else if (const std::int64_t* whole = found->if_int64()) {
      value = static_cast<T>(*whole);
    } else {
      bad_ = true;
    }
    return value;
  }
  bool flag(std::string_view name) {
    const json::value* found = find(name);
    if (found == nullptr) return false;
    if (!found->is_bool()) bad_ = true;
    return found->is_bool() && found->get_bool();
  }
  std::string text(std::string_view name) {
    const json::value* found = find(name);
    if (found == nullptr) return {};
    if (const json::string* text = found->if_string()) return {text->data(), text->size()};
    bad_ = true;
    return {};
  }
  std::string bytes(std::string_view name) {
    auto decoded = from_base64(text(name));
    if (!decoded) bad_ = true;
    return decoded ? std::move(*decoded) : std::string();
  }
  const json::array& list(std::string_view name) {
    static const json::array kNone;
    const json::value* found = find(name);
    if (found == nullptr) return kNone;
    if (!found->is_array()) bad_ = true;
    return found->is_array() ? found->get_array() : kNone;
  }
  void refuse() { bad_ = true; }

 private:
  const json::object* object_;
  bool bad_ = false;
};

Result<json::value> parse(std::string_view text) {
  boost::system::error_code error;
  json::value value = json::parse(text, error);
  if (error) return fail(Errc::malformed, "etcd's answer is no JSON: {}", error.message());
  return value;
}

tl::unexpected<Error> unexpected(std::string_view what) {
  return fail(Errc::malformed, "etcd's answer is none to {}", what);
}

Header header_of(Fields& fields) {
  const json::value* found = fields.find("header");
  if (found == nullptr) {
    fields.refuse();
    return {};
  }
  Fields header(*found);
  const Header read{header.number<std::uint64_t>("cluster_id"), header.number<std::int64_t>("revision")};
  if (header.bad()) fields.refuse();
  return read;
}

KeyValue entry_of(const json::value& value, Fields& whole) {
  Fields fields(value);
  KeyValue entry;
  entry.key = fields.bytes("key");
  entry.value = fields.bytes("value");
  entry.create_revision = fields.number<std::int64_t>("create_revision");
  entry.mod_revision = fields.number<std::int64_t>("mod_revision");
  entry.lease = fields.number<std::int64_t>("lease");
  if (fields.bad()) whole.refuse();
  return entry;
}

json::array ops_of(const std::vector<Op>& ops) {
  json::array list;
  for (const Op& op : ops) {
    json::object inner{{"key", to_base64(op.key)}};
    if (op.kind == Op::Kind::put) inner["value"] = to_base64(op.value);
    if (op.lease != 0) inner["lease"] = std::to_string(op.lease);
    const char* name = op.kind == Op::Kind::put     ? "request_put"
                       : op.kind == Op::Kind::erase ? "request_delete_range"
                                                    : "request_range";
    list.push_back(json::object{{name, std::move(inner)}});
  }
  return list;
}

}  // namespace

std::string end_of_prefix(std::string_view prefix) {
  std::string end(prefix);
  while (!end.empty() && static_cast<unsigned char>(end.back()) == 0xff) end.pop_back();
  if (end.empty()) return std::string(1, '\0');  // etcd: to the end of all keys
  end.back() = static_cast<char>(static_cast<unsigned char>(end.back()) + 1);
  return end;
}

std::string to_json(const RangeRequest& request) {
  json::object object{{"key", to_base64(request.key)}};
  if (!request.end.empty()) object["range_end"] = to_base64(request.end);
  if (request.revision != 0) object["revision"] = std::to_string(request.revision);
  if (request.limit != 0) object["limit"] = std::to_string(request.limit);
  return json::serialize(object);
}

std::string to_json(const Transaction& transaction) {
  json::array conditions;
  for (const Compare& one : transaction.when)
    conditions.push_back(json::object{{"key", to_base64(one.key)},
                                      {"target", "MOD"},
                                      {"result", "EQUAL"},
                                      {"mod_revision", std::to_string(one.mod_revision)}});
  return json::serialize(json::object{{"compare", std::move(conditions)},
                                      {"success", ops_of(transaction.then)},
                                      {"failure", ops_of(transaction.otherwise)}});
}

std::string watch_json(std::string_view prefix, std::int64_t revision) {
  return json::serialize(
      json::object{{"create_request", json::object{{"key", to_base64(prefix)},
                                                   {"range_end", to_base64(end_of_prefix(prefix))},
                                                   {"start_revision", std::to_string(revision)}}}});
}

Result<Range> range_from_json(std::string_view text) {
  const auto value = parse(text);
  if (!value) return fail(value.error());
  Fields fields(*value);
  Range range;
  range.header = header_of(fields);
  range.more = fields.flag("more");
  for (const json::value& one : fields.list("kvs")) range.entries.push_back(entry_of(one, fields));
  if (fields.bad()) return unexpected("a range");
  return range;
}

Result<Committed> committed_from_json(std::string_view text) {
  const auto value = parse(text);
  if (!value) return fail(value.error());
  Fields fields(*value);
  Committed committed;
  committed.header = header_of(fields);
  committed.held = fields.flag("succeeded");
  for (const json::value& one : fields.list("responses")) {
    Fields response(one);
    const json::value* range = response.find("response_range");
    if (range == nullptr) continue;
    Fields inner(*range);
    for (const json::value& entry : inner.list("kvs")) committed.found.push_back(entry_of(entry, inner));
    if (inner.bad()) fields.refuse();
  }
  if (fields.bad()) return unexpected("a transaction");
  return committed;
}

Result<Lease> lease_from_json(std::string_view text) {
  const auto value = parse(text);
  if (!value) return fail(value.error());
  Fields outer(*value);
  const json::value* inner = outer.find("result");  // keep-alive is a stream
  Fields fields(inner != nullptr ? *inner : *value);
  const Lease lease{fields.number<std::int64_t>("ID"), fields.number<std::int64_t>("TTL")};
  if (fields.bad() || lease.id == 0) return unexpected("a lease");
  return lease;
}

Result<WatchNews> watch_from_json(std::string_view line) {
  const auto value = parse(line);
  if (!value) return fail(value.error());
  Fields outer(*value);
  const json::value* inner = outer.find("result");
  if (inner == nullptr) return fail(Errc::malformed, "etcd ends a watch: {}", error_from_json(line));
  Fields fields(*inner);
  WatchNews news;
  news.header = header_of(fields);
  news.ended = fields.flag("canceled");
  news.compact_revision = fields.number<std::int64_t>("compact_revision");
  for (const json::value& one : fields.list("events")) {
    Fields event(one);
    const json::value* entry = event.find("kv");
    if (entry == nullptr) return unexpected("a watch");
    news.events.push_back({event.text("type") == "DELETE", entry_of(*entry, fields)});
  }
  if (fields.bad()) return unexpected("a watch");
  return news;
}

Result<std::string> token_from_json(std::string_view text) {
  const auto value = parse(text);
  if (!value) return fail(value.error());
  Fields fields(*value);
  std::string token = fields.text("token");
  if (fields.bad() || token.empty()) return unexpected("an authentication");
  return token;
}

std::string error_from_json(std::string_view text) {
  const auto value = parse(text);
  if (value) {
    Fields fields(*value);
    const json::value* inner = fields.find("error");
    if (inner != nullptr && inner->is_object()) {  // of a stream
      Fields nested(*inner);
      return nested.text("message");
    }
    if (std::string message = fields.text("message"); !message.empty()) return message;
    if (std::string error = fields.text("error"); !error.empty()) return error;
  }
  return std::string(text.substr(0, 200));
}

}  // namespace weft::etcd
