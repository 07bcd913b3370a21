#include "transport/smp_client.h"

#include <algorithm>
#include <cmath>

#include "mad/port_info.h"

namespace weft::transport {
namespace {

constexpr int kAnswersToWiden = 8;
/// A packet that has been out for this part of its time-out no longer fills the wire.
constexpr int kHoldPart = 8;
/// The loss estimate follows about this many packets.
constexpr double kLossMemory = 48;
/// Below this loss the attempts of the settings do.
constexpr double kLossMinded = 0.02;
/// Attempts are chosen so that at most one request in a million gets no answer by loss alone.
constexpr double kMayFail = 1e-6;
constexpr int kMostAttempts = 16;

std::uint64_t first_key(const mad::MKeys& keys, Guid node) {
  return keys.active() ? keys.for_device(node).front() : 0;
}

}  // namespace

SmpClient::SmpClient(Transport& transport, Clock& clock, SmpSettings settings)
    : transport_(transport),
      clock_(clock),
      settings_(std::move(settings)),
      window_(clock, settings_.window, settings_.timeout / kHoldPart) {}

void SmpClient::set_settings(SmpSettings settings) {
  const bool new_keys = settings.m_keys != settings_.m_keys;
  settings_ = std::move(settings);
  window_.set_limit(settings_.window);
  if (!new_keys) return;
  for (auto& [guid, state] : nodes_) state->wanted = first_key(settings_.m_keys, guid);
}

SmpClient::NodeState* SmpClient::state_of(Guid node) {
  if (node == Guid{}) return nullptr;
  std::unique_ptr<NodeState>& state = nodes_[node];
  if (!state) {
    state = std::make_unique<NodeState>(std::min(2, settings_.per_node));
    state->m_key = state->wanted = first_key(settings_.m_keys, node);
  }
  return state.get();
}

std::uint64_t SmpClient::m_key_of(Guid node) const {
  const auto found = nodes_.find(node);
  return found == nodes_.end() ? first_key(settings_.m_keys, node) : found->second->m_key;
}

void SmpClient::forget_mute() {
  for (auto& [guid, state] : nodes_) state->mute = state->keys_tried = false;
}

bool SmpClient::is_mute(Guid node) const {
  const auto found = nodes_.find(node);
  return found != nodes_.end() && found->second->mute;
}

void SmpClient::learn(NodeState* node, bool answered) {
  if (node == nullptr) return;
  if (answered) ++node->answers;
  if (!answered) {
    node->answers_in_a_row = 0;
    node->gate.set_limit(std::max(1, node->gate.limit() / 2));
    return;
  }
  if (node->gate.limit() < settings_.per_node && ++node->answers_in_a_row >= kAnswersToWiden) {
    node->answers_in_a_row = 0;
    node->gate.set_limit(node->gate.limit() + 1);
  }
}

/// Only requests that were answered in the end tell of loss: those to a mute node tell of the node.
void SmpClient::learn_loss(int lost) {
  for (int i = 0; i < lost; ++i) loss_ += (1 - loss_) / kLossMemory;
  loss_ -= loss_ / kLossMemory;
}

int SmpClient::patience() const {
  if (loss_ < kLossMinded) return settings_.attempts;
  const int needed = static_cast<int>(std::ceil(std::log(kMayFail) / std::log(loss_)));
  return std::clamp(needed, settings_.attempts, std::max(settings_.attempts, kMostAttempts));
}

asio::awaitable<Result<mad::AttrData>> SmpClient::get(Target target, mad::AttrId attribute,
                                                      std::uint32_t modifier) {
  mad::Smp request;
  request.method = mad::Method::get;
  request.attribute = attribute;
  request.modifier = modifier;
  Result<mad::AttrData> answer = co_await ask(target, request, settings_.attempts);
  if (!answer) {
    const bool silent = answer.error().code == Errc::timeout && settings_.m_keys.keys.size() > 1;
    if (silent) answer = co_await with_other_keys(target, request, answer.error());
  } else if (attribute == mad::AttrId::port_info && target.node != Guid{}) {
    const mad::AttrData seen = *answer;
    answer = co_await find_m_key(target, request, seen);
  }
  co_return answer;
}

/// Looks at the M_Key of a PortInfo that was read, and reads it again with our other keys where ours is not
/// the one.
asio::awaitable<Result<mad::AttrData>> SmpClient::find_m_key(Target target, mad::Smp request,
                                                             mad::AttrData seen) {
  const auto info = mad::decode<mad::PortInfo>(seen);
  NodeState& node = *state_of(target.node);
  const mad::MKeyShown shown = mad::m_key_shown(info, node.m_key);
  const bool known = shown == mad::MKeyShown::none || shown == mad::MKeyShown::ours;
  if (known) {
    node.strays_tried = false;
    const auto foreign = foreign_.find(target.node);
    if (foreign != foreign_.end() && foreign->second == request.modifier) foreign_.erase(foreign);
    co_return seen;
  }
  request.route = target.route;
  for (const std::uint64_t key : settings_.m_keys.for_device(target.node)) {
    if (shown == mad::MKeyShown::another && info.m_key != key) continue;
    mad::AttrData told = seen;
    if (shown == mad::MKeyShown::hidden) {
      if (key == node.m_key) continue;
      request.m_key = key;
      Result<mad::AttrData> answer = co_await attempt(request);
      if (!answer) continue;
      told = *answer;
    }
    if (mad::decode<mad::PortInfo>(told).m_key != key) continue;
    node.m_key = key;
    foreign_.erase(target.node);
    co_return told;
  }
  foreign_.insert_or_assign(target.node, request.modifier);
  co_return seen;
}

/// Our keys of `others` and of all that were asked before, each once.
std::set<std::uint64_t> SmpClient::keys_of_all(std::span<const Guid> others) const {
  std::set<std::uint64_t> keys;
  const auto add = [&](Guid owner) {
    for (const std::uint64_t key : settings_.m_keys.for_device(owner)) keys.insert(key);
  };
  for (const Guid other : others) add(other);
  for (const auto& [asked, state] : nodes_) add(asked);
  keys.erase(0);
  return keys;
}

asio::awaitable<bool> SmpClient::find_stray_m_key(Target target, std::uint32_t modifier,
                                                  std::span<const Guid> others) {
  NodeState* node = state_of(target.node);
  if (!settings_.m_keys.per_device || node == nullptr || std::exchange(node->strays_tried, true))
    co_return false;
  mad::Smp request;
  request.method = mad::Method::get;
  request.attribute = mad::AttrId::port_info;
  request.modifier = modifier;
  request.route = target.route;
  Result<mad::AttrData> shown = co_await attempt(request);
  if (!shown) {
    node->strays_tried = false;
    co_return false;
  }
  std::set<std::uint64_t> keys = keys_of_all(others);
  if (const std::uint64_t held = mad::decode<mad::PortInfo>(*shown).m_key; held != 0)
    keys = keys.contains(held) ? std::set{held} : std::set<std::uint64_t>();
  bool all_answered = true;
  for (const std::uint64_t key : keys) {
    request.m_key = key;
    Result<mad::AttrData> answer = co_await attempt(request);
    if (!answer) answer = co_await attempt(request);
    all_answered = all_answered && answer.has_value();
    if (!answer || mad::decode<mad::PortInfo>(*answer).m_key != key) continue;
    node->m_key = key;
    node->strays_tried = false;
    foreign_.erase(target.node);
    co_return true;
  }
  node->strays_tried = all_answered;  // what was lost may have been the one
  co_return false;
}

/// A device that answers nothing to a key that is not its own may answer to another of ours.
asio::awaitable<Result<mad::AttrData>> SmpClient::with_other_keys(Target target, mad::Smp request,
                                                                  Error silence) {
  NodeState* node = state_of(target.node);
  const bool futile = node != nullptr ? std::exchange(node->keys_tried, true) : settings_.m_keys.per_device;
  if (futile) co_return fail(std::move(silence));
  request.route = target.route;
  const std::uint64_t tried = node != nullptr ? node->m_key : first_key(settings_.m_keys, Guid{});
  for (const std::uint64_t key : settings_.m_keys.for_device(target.node)) {
    if (key == tried) continue;
    request.m_key = key;
    Result<mad::AttrData> answer = co_await attempt(request);
    const bool silent = !answer && answer.error().code == Errc::timeout;
    if (silent) continue;
    if (node != nullptr) {
      node->m_key = key;
      node->mute = node->keys_tried = false;
      ++node->answers;
    }
    co_return answer;
  }
  co_return fail(std::move(silence));
}

/// A Set(PortInfo) that gave the device another M_Key. Its answer may show none, since what was sent with it
/// is no longer the key.
void SmpClient::learn_m_key(Guid guid, const mad::AttrData& set, mad::AttrData& answer) {
  const auto asked = mad::decode<mad::PortInfo>(set);
  auto told = mad::decode<mad::PortInfo>(answer);
  NodeState& node = *state_of(guid);
  if (asked.m_key == 0 || asked.m_key == node.m_key) return;
  const bool taken = told.m_key == asked.m_key || (told.m_key == 0 && told.m_key_protect != 0);
  if (!taken) return;
  node.m_key = told.m_key = asked.m_key;
  mad::encode_into(std::span<std::uint8_t>(answer), told);
}

asio::awaitable<Result<mad::AttrData>> SmpClient::set(Target target, mad::AttrId attribute,
                                                      std::uint32_t modifier, mad::AttrData data) {
  mad::Smp request;
  request.method = mad::Method::set;
  request.attribute = attribute;
  request.modifier = modifier;
  request.data = data;
  Result<mad::AttrData> answer = co_await ask(target, request, settings_.attempts);
  if (answer && attribute == mad::AttrId::port_info && target.node != Guid{})
    learn_m_key(target.node, data, *answer);
  co_return answer;
}

asio::awaitable<Result<mad::AttrData>> SmpClient::set_once(Target target, mad::AttrId attribute,
                                                           std::uint32_t modifier, mad::AttrData data) {
  mad::Smp request;
  request.method = mad::Method::set;
  request.attribute = attribute;
  request.modifier = modifier;
  request.data = data;
  Result<mad::AttrData> answer = co_await ask(target, request, 1);
  if (answer && attribute == mad::AttrId::port_info && target.node != Guid{})
    learn_m_key(target.node, data, *answer);
  co_return answer;
}

asio::awaitable<Result<mad::AttrData>> SmpClient::ask(Target target, mad::Smp request, int attempts) {
  request.route = target.route;
  NodeState* node = state_of(target.node);
  request.m_key = node != nullptr ? node->m_key : first_key(settings_.m_keys, Guid{});
  if (node != nullptr) {
    // The place at the node is kept over all attempts, so that those who wait learn after one retry cycle.
    const bool free = node->gate.try_enter();
    if (!free) co_await node->gate.enter();
  }
  Result<mad::AttrData> answer = co_await ask_inside(node, request, attempts);
  if (node != nullptr) node->gate.leave();
  co_return answer;
}

asio::awaitable<Result<mad::AttrData>> SmpClient::ask_inside(NodeState* node, const mad::Smp& request,
                                                             int attempts) {
  const std::uint64_t answers_before = node != nullptr ? node->answers : 0;
  for (int number = 1;; ++number) {
    if (node != nullptr && node->mute)
      co_return fail(Errc::timeout, "{}: the node is mute", mad::describe(request));
    Result<mad::AttrData> answer = co_await attempt(request);
    learn(node, answer.has_value() || answer.error().code != Errc::timeout);
    if (answer) {
      learn_loss(number - 1);
      co_return answer;
    }
    const Errc code = answer.error().code;
    const bool again = code == Errc::timeout || code == Errc::busy;
    const int enough = attempts > 1 ? patience() : 1;  // as is set by now
    if (again && number < enough) continue;
    // Loss can hit one request at every attempt; a node that answered others meanwhile is not mute.
    const bool silent = node != nullptr && node->answers == answers_before;
    if (code == Errc::timeout && attempts > 1 && silent) node->mute = true;
    co_return fail(code, "{}: {}{}", mad::describe(request), answer.error().what,
                   number > 1 ? fmt::format(" after {} attempts", number) : std::string());
  }
}

asio::awaitable<Result<mad::AttrData>> SmpClient::attempt(const mad::Smp& request) {
  const bool room = window_.try_enter();
  if (!room) co_await window_.enter();
  if (request.method == mad::Method::set && request.attribute != mad::AttrId::sm_info && may_set_ &&
      !may_set_()) {
    window_.land(window_.depart());
    co_return fail(Errc::cancelled, "we are not master any longer");
  }
  const FlightWindow::Flight flight = window_.depart();
  ++counts_[{request.method, request.attribute}];
  ++sent_;
  if (request.method == mad::Method::set) ++sets_sent_;
  const mad::Mad packet = mad::to_mad(request);
  const Duration timeout = settings_.timeout;
  Result<mad::Mad> answer = co_await transport_.exchange(packet, timeout);
  window_.land(flight);
  if (!answer) {
    if (answer.error().code == Errc::timeout) ++timeouts_;
    co_return fail(answer.error());
  }
  Result<mad::Smp> smp = mad::to_smp(*answer);
  if (!smp) co_return fail(Errc::bad_answer, "{}", smp.error().what);
  if (smp->status & raw(mad::Status::busy)) co_return fail(Errc::busy, "busy");
  if (smp->status != 0) co_return fail(Errc::bad_status, "{}", mad::describe_status(smp->status));
  if (smp->attribute != request.attribute)
    co_return fail(Errc::bad_answer, "answered with attribute {}", mad::name(smp->attribute));
  co_return smp->data;
}

}  // namespace weft::transport
