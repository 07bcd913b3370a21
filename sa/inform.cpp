#include "sa/inform.h"

#include <algorithm>

#include "mad/sa_records.h"
#include "plan/registrations.h"
#include "sa/records.h"

namespace weft::sa {
namespace {

namespace status = mad::sa_status;
constexpr std::uint16_t kAnyType = 0xffff;
constexpr std::uint16_t kAnyTrap = 0xffff;
constexpr std::uint32_t kAnyProducer = 0xffffff;
constexpr Lid kAnyLid{0xffff};
constexpr std::uint16_t kFirstSecurityTrap = 256;
constexpr std::uint16_t kLastSecurityTrap = 259;
constexpr std::uint32_t kClassManager = 4;
constexpr std::uint8_t kManagement = 3;

mad::InformInfo info_of(const plan::Subscription& of) {
  mad::InformInfo info;
  info.gid = of.gid;
  info.lid_begin = of.lid_begin;
  info.lid_end = of.lid_end;
  info.generic = of.generic;
  info.subscribe = 1;
  info.type = of.type;
  info.trap = of.trap;
  info.qpn = of.qp;
  info.producer = of.producer;
  return info;
}

plan::Subscription subscription_of(const mad::InformInfo& asked, const Request& request,
                                   const Gid& subscriber) {
  plan::Subscription made;
  made.subscriber = subscriber;
  made.lid = request.from.lid;
  made.qp = request.from.qp;
  made.sl = request.from.sl;
  made.gid = asked.gid;
  made.lid_begin = asked.lid_begin;
  made.lid_end = asked.lid_end == kLidNone ? asked.lid_begin : asked.lid_end;
  made.generic = asked.generic != 0;
  made.type = asked.type;
  made.trap = asked.trap;
  made.producer = asked.producer;
  made.trusted = request.trusted;
  return made;
}

/// The same wish of the same queue pair.
bool same(const plan::Subscription& a, plan::Subscription b) {
  b.trusted = a.trusted;
  b.sl = a.sl;
  return a == b;
}

plan::SaState with_subscriptions(const plan::SaState& state, Guid port,
                                 std::vector<plan::Subscription> list) {
  plan::SaState next = state;
  if (list.empty())
    next.subscriptions.erase(port);
  else
    next.subscriptions.set(port, std::make_shared<const std::vector<plan::Subscription>>(std::move(list)));
  return next;
}

/// Who names an issuer must name one that he may see.
bool known_issuers(const mad::InformInfo& asked, const Context& context, const Sight& sight) {
  const auto seen = [&sight](const End* end) { return end != nullptr && sight.sees(*end); };
  if (asked.gid != Gid{}) return seen(context.index.find(interface_of(asked.gid)));
  // 0 to 0 names nobody: osmtest begins so.
  if (asked.lid_begin == kAnyLid || (asked.lid_begin == kLidNone && asked.lid_end == kLidNone)) return true;
  const Lid end = asked.lid_end == kLidNone ? asked.lid_begin : asked.lid_end;
  if (end < asked.lid_begin) return false;
  for (unsigned lid = raw(asked.lid_begin); lid <= raw(end); ++lid)
    if (seen(context.index.find(static_cast<Lid>(lid)))) return true;
  return false;
}

}  // namespace

void inform_info_records(const Context& context, Collector& records) {
  std::uint16_t number = 0;
  each_subscription(context.state, [&](const plan::Subscription& subscription) {
    const End* end = context.index.find(interface_of(subscription.subscriber));
    const bool seen = end != nullptr ? records.sight().sees(*end) : records.request().trusted;
    if (!seen || records.enough()) return;
    const std::span<std::uint8_t> record = records.begin();
    put_bits(record, 0, 64, subscription.subscriber[0]);
    put_bits(record, 64, 64, subscription.subscriber[1]);
    put_bits(record, 128, 16, number++);
    encode_into(record.subspan(24), info_of(subscription));
    records.offer();
  });
}

std::optional<plan::SaState> with_present_lids(const plan::SaState& state, const Index& index) {
  std::optional<plan::SaState> next;
  state.subscriptions.each([&](Guid port, const plan::SaState::PortSubscriptions& list) {
    const End* end = index.find(port);
    if (end == nullptr) return;
    const auto has = [end](Lid lid) {
      return raw(lid) >= raw(end->base) && raw(lid) < raw(end->base) + (1 << end->lmc);
    };
    if (std::ranges::all_of(*list, [&](const plan::Subscription& one) { return has(one.lid); })) return;
    std::vector<plan::Subscription> moved;
    for (plan::Subscription one : *list) {
      if (!has(one.lid)) one.lid = end->base;
      // Its client may have subscribed again from there.
      if (std::ranges::none_of(moved, [&](const auto& each) { return same(each, one); }))
        moved.push_back(one);
    }
    if (!next) next = state;
    next = with_subscriptions(*next, port, std::move(moved));
  });
  return next;
}

Answer set_inform_info(const Request& request, const Context& context) {
  const auto asked = mad::decode<mad::InformInfo>(request.data);
  const End* asker = context.index.find(request.from.lid);
  if (asked.subscribe > 1 || asked.generic > 1 || asker == nullptr) return refusal(request, status::kInvalid);
  const Gid subscriber{context.prefix, raw(asker->guid)};
  const plan::Subscription wanted = subscription_of(asked, request, subscriber);
  const plan::SaState::PortSubscriptions* known = context.state.subscriptions.find(asker->guid);
  std::vector<plan::Subscription> held = known == nullptr ? std::vector<plan::Subscription>() : **known;
  const auto found = std::ranges::find_if(held, [&](const auto& each) { return same(each, wanted); });
  Answer answer;
  answer.attribute = mad::SaAttr::inform_info;
  answer.offset = 4;
  answer.data.assign(request.data.begin(), request.data.begin() + 36);
  if (asked.subscribe == 0) {
    if (found == held.end()) return refusal(request, status::kInvalid);
    held.erase(found);
    answer.state = with_subscriptions(context.state, asker->guid, std::move(held));
    return answer;
  }
  const bool security =
      asked.generic == 1 && asked.trap >= kFirstSecurityTrap && asked.trap <= kLastSecurityTrap;
  if ((security && !request.trusted) || !known_issuers(asked, context, Sight(request, context)))
    return refusal(request, status::kInvalid);
  if (found != held.end()) return answer;
  if (held.size() >= plan::kMostSubscriptionsOfAPort) return refusal(request, status::kNoResources);
  held.push_back(wanted);
  answer.state = with_subscriptions(context.state, asker->guid, std::move(held));
  return answer;
}

std::array<std::uint8_t, 80> notice_of(const Event& event, Lid sm_lid, const Gid& sm_gid) {
  mad::Notice notice;
  notice.type = kManagement;
  notice.producer = kClassManager;
  notice.trap = static_cast<mad::TrapNumber>(event.trap);
  notice.issuer = sm_lid;
  std::array<std::uint8_t, 80> bytes{};
  const std::span<std::uint8_t> all(bytes);
  encode_into(all, notice);
  put_bits(all, 16 * 8, 64, event.gid[0]);
  put_bits(all, 24 * 8, 64, event.gid[1]);
  put_bits(all, 64 * 8, 64, sm_gid[0]);
  put_bits(all, 72 * 8, 64, sm_gid[1]);
  return bytes;
}

bool wants(const plan::Subscription& subscription, const mad::Notice& notice, const Gid& issuer) {
  const auto trap = raw(notice.trap);
  if (subscription.gid != Gid{}) {
    if (subscription.gid != issuer) return false;
  } else if (subscription.lid_begin != kAnyLid &&
             (notice.issuer < subscription.lid_begin || notice.issuer > subscription.lid_end)) {
    return false;
  }
  if (trap >= kFirstSecurityTrap && trap <= kLastSecurityTrap && !subscription.trusted) return false;
  return subscription.generic == notice.generic &&
         (subscription.type == kAnyType || subscription.type == notice.type) &&
         (subscription.trap == kAnyTrap || subscription.trap == trap) &&
         (subscription.producer == kAnyProducer || subscription.producer == notice.producer);
}

}  // namespace weft::sa
