#include "tests/whole/chaos_client.h"

#include "mad/port_info.h"
#include "sa/components.h"

namespace weft::test {
namespace {

constexpr Duration kPatience = std::chrono::milliseconds(700);
constexpr Duration kPause = std::chrono::seconds(2);  // after kTries without an answer
constexpr int kTries = 6;
constexpr std::uint64_t kTidBits = (std::uint64_t{1} << 48) - 1;

bool is_member(const plan::SaState& state, const Gid& mgid, Guid port) {
  const auto group = state.groups.find(mgid);
  return group && group->members.contains(port);
}

bool is_subscribed(const plan::SaState& state, Guid port, std::uint32_t trap) {
  const plan::SaState::PortSubscriptions* all = state.subscriptions.find(port);
  return all != nullptr &&
         std::ranges::any_of(**all, [trap](const plan::Subscription& one) { return one.trap == trap; });
}

}  // namespace

/// What its port is told is seen where the device answers the Set that told it.
ChaosClient::ChaosClient(Whole& whole, sim::NodeIndex host)
    : whole_(whole),
      host_(host),
      port_(whole.world->port_of(host, PortNum{1})),
      id_(whole.network->attach(port_, *this)) {
  whole_.world->forge(host_, mad::AttrId::port_info, [this](mad::Smp& answer) {
    if (mad::decode<mad::PortInfo>(answer.data).client_reregister) register_again();
    return true;
  });
}

ChaosClient::~ChaosClient() {
  whole_.world->forge(host_, mad::AttrId::port_info, {});
  whole_.clock.cancel(timer_);
  whole_.network->detach(id_);
}

Gid ChaosClient::mgid(const Thing& thing) {
  return {0xff12401b00000000 | std::uint64_t{raw(thing.pkey)} << 16, 0x100 + thing.number};
}

bool ChaosClient::is_asked(const Thing& thing) const {
  const auto asks = [&thing](const Wish& wish) { return wish.thing == thing && !wish.away; };
  return (asking_ && asks(*asking_)) || std::ranges::any_of(wishes_, asks);
}

void ChaosClient::drop_wishes(const Thing& thing) {
  std::erase_if(wishes_, [&thing](const Wish& wish) { return wish.thing == thing; });
}

void ChaosClient::want(Thing thing) {
  drop_wishes(thing);
  wishes_.push_back({thing});
  next();
}

void ChaosClient::give_up(Thing thing) {
  confirmed_.erase(thing);
  drop_wishes(thing);
  wishes_.push_back({thing, true});
  next();
}

void ChaosClient::lost_partition(Pkey pkey) {
  const auto there = [pkey](const Thing& thing) { return thing.kind == Kind::group && thing.pkey == pkey; };
  std::erase_if(confirmed_, there);
  std::erase_if(wishes_, [&there](const Wish& wish) { return there(wish.thing); });
  if (!asking_ || !there(asking_->thing)) return;
  asking_.reset();
  next();
}

void ChaosClient::boot() {
  confirmed_.clear();
  wishes_.clear();
  asking_.reset();
  whole_.clock.cancel(timer_);
}

/// What is under way is asked again, too: its answer may come from a master that is none any longer.
void ChaosClient::register_again() {
  ++toll_.registered;
  if (asking_) wishes_.push_front(*asking_);
  asking_.reset();
  std::set<Thing> again;
  std::swap(again, confirmed_);
  for (const Thing& thing : again)
    if (!is_asked(thing)) wishes_.push_back({thing});
  // Not within the agent's answer.
  whole_.clock.cancel(timer_);
  timer_ = whole_.clock.after(std::chrono::milliseconds(1), [this] { next(); });
}

void ChaosClient::next() {
  if (asking_ || wishes_.empty()) return;
  asking_ = wishes_.front();
  wishes_.pop_front();
  ++tid_;
  tries_ = 0;
  send();
}

void ChaosClient::send() {
  whole_.clock.cancel(timer_);
  if (!asking_) return next();
  ++tries_;
  toll_.asked_again += tries_ > 1;
  whole_.network->send(id_, request());
  timer_ = whole_.clock.after(tries_ % kTries == 0 ? kPause : kPatience, [this] { send(); });
}

bool ChaosClient::takes(const mad::Mad& mad, bool) const {
  return mad::method_of(mad) == mad::Method::report;
}

void ChaosClient::receive(const mad::Mad& mad) {
  const mad::Header header = mad::header_of(mad);
  if (header.method == mad::Method::report) {
    mad::Mad answer = mad;
    answer.bytes[3] = static_cast<std::uint8_t>(mad::Method::report_resp);
    whole_.network->send(id_, answer);
    return;
  }
  if (!asking_ || (header.tid & kTidBits) != tid_) return;
  whole_.clock.cancel(timer_);
  finish(header.status);
}

void ChaosClient::finish(std::uint16_t status) {
  const Wish wish = *asking_;
  asking_.reset();
  if (!wish.away) {
    if (status == 0) {
      confirmed_.insert(wish.thing);
      ++toll_.confirmed;
    } else {
      ++toll_.refused;
      confirmed_.erase(wish.thing);
      last_refusal =
          fmt::format("kind {} number {} pkey {:#x}: status {:#x}", static_cast<int>(wish.thing.kind),
                      wish.thing.number, raw(wish.thing.pkey), status);
    }
  }
  next();
}

mad::Mad ChaosClient::request() const {
  mad::Mad mad;
  mad::Header header;
  header.mgmt_class = mad::MgmtClass::subn_adm;
  header.class_version = mad::kSaVersion;
  header.tid = tid_;
  header.method = asking_->away ? mad::Method::delete_ : mad::Method::set;
  mad::SaHeader sa;
  const std::span<std::uint8_t> all(mad.bytes);
  fill(all.subspan(mad::kSaDataAt), header, sa);
  mad::encode_into(all, header);
  mad::encode_into(all, sa);
  mad.address = {.lid = whole_.world->port(port_).info.sm_lid, .qp = 1};
  return mad;
}

void ChaosClient::fill(std::span<std::uint8_t> data, mad::Header& header, mad::SaHeader& sa) const {
  const Thing& thing = asking_->thing;
  const Gid own{kLinkLocalPrefix, raw(whole_.world->port(port_).guid)};
  const auto attribute = [&header](mad::SaAttr is) { header.attribute = static_cast<mad::AttrId>(is); };
  switch (thing.kind) {
    case Kind::group: {
      attribute(mad::SaAttr::mc_member_record);
      mad::McMemberRecord record;
      record.mgid = mgid(thing);
      record.port_gid = own;
      record.join_state = mad::join::kFull;
      record.pkey = thing.pkey;
      record.qkey = 0x0b1b;
      sa.component_mask = sa::bit(0) | sa::bit(1) | sa::bit(16);
      if (!asking_->away)
        sa.component_mask |= sa::bit(2) | sa::bit(6) | sa::bit(7) | sa::bit(12) | sa::bit(13);
      return mad::encode_into(data, record);
    }
    case Kind::service: {
      attribute(mad::SaAttr::service_record);
      mad::ServiceRecord record;
      record.id = 0x1000 + thing.number;
      record.gid = own;
      record.pkey = thing.pkey;
      record.lease = 0xffffffff;
      sa.component_mask = sa::bit(0) | sa::bit(1) | sa::bit(2) | sa::bit(4);
      return mad::encode_into(data, record);
    }
    case Kind::subscription: {
      attribute(mad::SaAttr::inform_info);
      header.method = mad::Method::set;
      mad::InformInfo wish;
      wish.lid_begin = Lid{0xffff};
      wish.generic = 1;
      wish.subscribe = asking_->away ? 0 : 1;
      wish.type = 3;
      wish.trap = static_cast<std::uint16_t>(thing.number);
      wish.producer = 4;
      wish.qpn = 1;
      return mad::encode_into(data, wish);
    }
  }
}

std::string ChaosClient::lost(const plan::SaState& state) const {
  const Guid guid = whole_.world->port(port_).guid;
  for (const Thing& thing : confirmed_) {
    bool there = false;
    if (thing.kind == Kind::group) there = is_member(state, mgid(thing), guid);
    if (thing.kind == Kind::service)
      there = state.services.contains(
          {.id = 0x1000 + thing.number, .gid = {kLinkLocalPrefix, raw(guid)}, .pkey = thing.pkey});
    if (thing.kind == Kind::subscription) there = is_subscribed(state, guid, thing.number);
    if (!there)
      return fmt::format("{} was confirmed kind {} number {} pkey {:#x}, and the master does not know it",
                         whole_.world->node(host_).id, static_cast<int>(thing.kind), thing.number,
                         raw(thing.pkey));
  }
  return "";
}

}  // namespace weft::test
