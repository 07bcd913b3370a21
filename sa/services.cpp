#include "sa/services.h"

#include <algorithm>

#include "mad/sa_records.h"
#include "partitions/pkey.h"
#include "sa/records.h"

namespace weft::sa {
namespace {

namespace status = mad::sa_status;
constexpr std::uint32_t kForEver = 0xffffffff;
constexpr int kIdBit = 0;
constexpr int kGidBit = 1;
constexpr int kPkeyBit = 2;
constexpr int kLeaseBit = 4;
constexpr int kKeyBit = 5;
/// Enough for any fabric, and a bound to what a wild client can make us remember.
constexpr std::size_t kMostServices = 100'000;

bool asks(const Request& request, int number) { return (request.sa.component_mask & bit(number)) != 0; }

bool live(const plan::Service& service, std::int64_t now) {
  return service.lease == kForEver || service.expires > now;
}

mad::ServiceRecord record_of(const plan::Service& service, std::int64_t now, bool trusted) {
  mad::ServiceRecord record{service.id, service.gid,  service.pkey, service.lease,
                            {},         service.name, service.data};
  if (service.lease != kForEver)
    record.lease = static_cast<std::uint32_t>(std::max<std::int64_t>(service.expires - now, 0));
  if (trusted) record.key = service.key;
  return record;
}

/// A service belongs to a partition; without one (P_Key 0) it is for all.
bool open_to(const Sight& sight, Pkey pkey) { return !partitions::is_valid(pkey) || sight.is_in(pkey); }

/// The P_Key of a service whose request names none: the requester's in the default partition, else his first.
Pkey own_key(const Sight& sight) {
  if (sight.asker() == nullptr) return partitions::kDefaultPkey;
  const std::span<const Pkey> keys = sight.asker()->keys;
  const std::optional<Pkey> usual = sight.key_in(partitions::kDefaultPkey);
  return usual ? *usual : keys.empty() ? Pkey{0} : keys.front();
}

plan::ServiceKey key_of(const mad::ServiceRecord& record) { return {record.id, record.gid, record.pkey}; }

Answer echo(const mad::ServiceRecord& record, mad::Method method) {
  Answer answer;
  answer.method = method;
  answer.attribute = mad::SaAttr::service_record;
  answer.offset = 22;
  answer.data.resize(176);
  encode_into(std::span<std::uint8_t>(answer.data), record);
  return answer;
}

}  // namespace

void service_records(const Context& context, Collector& records) {
  // A key is compared by whoever may not see it, too: it proves that he knows it.
  const bool by_key = records.asks(kKeyBit);
  records.settle(kKeyBit);
  records.settle(kLeaseBit);
  const auto asked = mad::decode<mad::ServiceRecord>(records.request().data);
  context.state.services.each([&](const plan::ServiceKey&, const plan::SaState::ServicePtr& service) {
    if (!open_to(records.sight(), service->pkey)) return;
    if (records.enough() || !live(*service, context.now) || (by_key && service->key != asked.key)) return;
    encode_into(records.begin(), record_of(*service, context.now, records.request().trusted));
    records.offer();
  });
}

Answer set_service(const Request& request, const Context& context) {
  auto asked = mad::decode<mad::ServiceRecord>(request.data);
  if (!asks(request, kIdBit) || !asks(request, kGidBit)) return refusal(request, status::kInvalid);
  const Sight sight(request, context);
  if (!asks(request, kPkeyBit)) asked.pkey = own_key(sight);
  if (!asks(request, kLeaseBit)) asked.lease = kForEver;
  if (!asks(request, kKeyBit)) asked.key = {};
  if (!open_to(sight, asked.pkey)) return refusal(request, status::kInvalid);
  const bool known = context.state.services.contains(key_of(asked));
  if (!known && context.state.services.size() >= kMostServices) return refusal(request, status::kNoResources);
  mad::ServiceRecord told = asked;
  if (!request.trusted) told.key = {};
  Answer answer = echo(told, mad::Method::get_resp);
  answer.state = context.state;
  answer.state->services.set(
      key_of(asked), std::make_shared<const plan::Service>(
                         plan::Service{asked.id, asked.gid, asked.pkey, asked.lease,
                                       context.now + asked.lease, asked.key, asked.name, asked.data}));
  return answer;
}

Answer delete_service(const Request& request, const Context& context) {
  // Id, GID and P_Key name a registration whatever the mask says: clients set only what they searched by.
  auto asked = mad::decode<mad::ServiceRecord>(request.data);
  const Sight sight(request, context);
  if (!asks(request, kPkeyBit) && asked.pkey == Pkey{0}) asked.pkey = own_key(sight);
  const plan::SaState::ServicePtr* found = context.state.services.find(key_of(asked));
  if (found == nullptr || !live(**found, context.now) || !open_to(sight, asked.pkey))
    return refusal(request, status::kNoRecords);
  Answer answer = echo(record_of(**found, context.now, request.trusted), mad::Method::delete_resp);
  answer.state = context.state;
  answer.state->services.erase(key_of(asked));
  return answer;
}

void Leases::follow(const plan::SaState& before, const plan::SaState& after) {
  const auto drop = [this](const plan::ServiceKey& key) {
    const auto known = expires_.find(key);
    if (known == expires_.end()) return;
    by_time_.erase({known->second, key});
    expires_.erase(known);
  };
  const auto put = [&](const plan::ServiceKey& key, const plan::SaState::ServicePtr& service) {
    drop(key);
    if (service->lease == kForEver) return;
    expires_[key] = service->expires;
    by_time_.emplace(service->expires, key);
  };
  decltype(before.services)::differences(before.services, after.services, put, drop);
}

std::optional<std::int64_t> Leases::next() const {
  return by_time_.empty() ? std::nullopt : std::optional(by_time_.begin()->first);
}

plan::SaState Leases::without_ended(const plan::SaState& state, std::int64_t now) const {
  plan::SaState next = state;
  for (auto one = by_time_.begin(); one != by_time_.end() && one->first <= now; ++one)
    next.services.erase(one->second);
  return next;
}

}  // namespace weft::sa
