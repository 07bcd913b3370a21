#include "etcd/client.h"

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "etcd/refusal.h"

namespace weft::etcd {

namespace json = boost::json;

Error refusal_of(const Reply& reply, const Endpoint& endpoint) {
  const std::string words = error_from_json(reply.body);
  const std::string what =
      fmt::format("etcd at {} refuses: {} (HTTP {})", to_string(endpoint), words, reply.status);
  if (words.find("space exceeded") != words.npos) return {Errc::exhausted, what};
  if (words.find("compacted") != words.npos || reply.status == 404) return {Errc::not_found, what};
  if (reply.status >= 500 || reply.status == 429 || words.find("leader") != words.npos)
    return {Errc::unavailable, what};
  return {Errc::invalid, what};
}

std::string Client::endpoint() const { return to_string(options_.endpoints[at_]); }

void Client::cancel() {
  const std::lock_guard lock(mutex_);
  cancelled_ = true;
  if (connection_) connection_->cancel();
}

void Client::disconnect() {
  const std::lock_guard lock(mutex_);
  connection_.reset();
  token_.clear();
}

Result<void> Client::connect() {
  {
    const std::lock_guard lock(mutex_);
    if (cancelled_) return fail(Errc::cancelled, "cancelled");
  }
  if (connection_) return {};
  auto opened = Connection::open(options_.endpoints[at_], options_);
  if (!opened) return fail(opened.error());
  {
    const std::lock_guard lock(mutex_);
    connection_ = std::move(*opened);
    if (cancelled_) return fail(Errc::cancelled, "cancelled");
  }
  return options_.user.empty() ? Result<void>{} : authenticate();
}

Result<void> Client::authenticate() {
  const std::string body =
      json::serialize(json::object{{"name", options_.user}, {"password", options_.password}});
  auto reply = connection_->post("/v3/auth/authenticate", body, {}, options_.timeout);
  if (!reply) return fail(reply.error());
  if (reply->status != 200) return fail(refusal_of(*reply, options_.endpoints[at_]));
  auto token = token_from_json(reply->body);
  if (!token) return fail(token.error());
  token_ = std::move(*token);
  return {};
}

Result<std::string> Client::ask_here(const std::string& path, const std::string& body) {
  Result<void> connected = connect();
  if (!connected) return fail(connected.error());
  auto reply = connection_->post(path, body, token_, options_.timeout);
  if (reply && reply->status == kUnauthorized && !options_.user.empty()) {  // tokens end
    Result<void> known = authenticate();
    if (!known) return fail(known.error());
    reply = connection_->post(path, body, token_, options_.timeout);
  }
  if (!reply) return fail(reply.error());
  if (reply->status != 200) return fail(refusal_of(*reply, options_.endpoints[at_]));
  return std::move(reply->body);
}

Result<std::string> Client::ask(const std::string& path, const std::string& body) {
  Error last{Errc::unavailable, "no endpoint"};
  // One more than there are: a connection that has stood idle may have been closed by the other side.
  for (std::size_t attempt = 0; attempt <= options_.endpoints.size(); ++attempt) {
    const bool was_open = connection_ != nullptr;
    auto answer = ask_here(path, body);
    if (answer) return answer;
    last = answer.error();
    if (last.code == Errc::cancelled) return answer;
    const bool elsewhere = last.code == Errc::unavailable;
    if (!elsewhere) return answer;
    disconnect();
    if (!was_open && attempt + 1 >= options_.endpoints.size()) break;
    at_ = (at_ + 1) % options_.endpoints.size();
  }
  return fail(last);
}

Result<Range> Client::range(const RangeRequest& request) {
  const auto answer = ask("/v3/kv/range", to_json(request));
  if (!answer) return fail(answer.error());
  return range_from_json(*answer);
}

Result<Committed> Client::commit(const Transaction& transaction) {
  const auto answer = ask("/v3/kv/txn", to_json(transaction));
  if (!answer) return fail(answer.error());
  return committed_from_json(*answer);
}

Result<Lease> Client::grant(std::int64_t seconds) {
  const auto answer = ask("/v3/lease/grant", json::serialize(json::object{{"TTL", std::to_string(seconds)}}));
  if (!answer) return fail(answer.error());
  return lease_from_json(*answer);
}

Result<Lease> Client::keep_alive(std::int64_t lease) {
  const auto answer =
      ask("/v3/lease/keepalive", json::serialize(json::object{{"ID", std::to_string(lease)}}));
  if (!answer) return fail(answer.error());
  return lease_from_json(*answer);
}

Result<void> Client::revoke(std::int64_t lease) {
  const auto answer = ask("/v3/lease/revoke", json::serialize(json::object{{"ID", std::to_string(lease)}}));
  if (!answer) return fail(answer.error());
  return {};
}

}  // namespace weft::etcd
