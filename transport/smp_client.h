#pragma once
// SmpClient: asks and sets attributes of nodes, with retries, a window over all and one per node. The windows
// adapt: a node gets 1 to 4 packets at once, more as it answers and fewer when it is silent; a node that is
// silent to everyone through all attempts of a request is mute until forget_mute(): the requests that wait
// for it fail at once, so a mute node costs one retry cycle and no more.
//
// Every node is shown the M_Key it is known to hold. Which that is comes from its PortInfo, of which each one
// read is looked at: where it does not show the key that was sent, it is read again with the others we have.

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>

#include "mad/m_keys.h"
#include "mad/smp.h"
#include "transport/flight_window.h"
#include "transport/transport.h"

namespace weft::transport {

struct SmpSettings {
  int window = 128;  ///< Packets on the wire at once.
  int per_node = 4;  ///< Of these, to one node.
  Duration timeout = std::chrono::milliseconds(200);
  int attempts = 3;
  mad::MKeys m_keys;
};

/// Whom to ask. `node` may be 0 while it is not known who is there; then no window of its own applies.
struct Target {
  Guid node{};
  mad::DirectedRoute route;
};

class SmpClient {
 public:
  SmpClient(Transport& transport, Clock& clock, SmpSettings settings);

  /// Asks until answered. Errors: `timeout` (mute, or found mute), `busy`, `bad_status`, `bad_answer`,
  /// `cancelled`.
  asio::awaitable<Result<mad::AttrData>> get(Target target, mad::AttrId attribute, std::uint32_t modifier);
  /// Sets until answered; the answer is what the device says it holds now. Only for Sets that may be
  /// repeated.
  asio::awaitable<Result<mad::AttrData>> set(Target target, mad::AttrId attribute, std::uint32_t modifier,
                                             mad::AttrData data);
  /// A Set sent once: for those that move PortState or clear PortStateChange, which must be read back before
  /// they are repeated.
  asio::awaitable<Result<mad::AttrData>> set_once(Target target, mad::AttrId attribute,
                                                  std::uint32_t modifier, mad::AttrData data);

  /// Asked before each Set but that of SMInfo; false: it is not sent, and fails with `cancelled`.
  void set_fence(std::function<bool()> may_set) { may_set_ = std::move(may_set); }

  /// Share of packets lost, as the requests that were answered in the end tell; 0 on a good fabric.
  double loss() const { return loss_; }
  void forget_mute();
  bool is_mute(Guid node) const;
  /// The M_Key that a node is to hold; 0: none.
  std::uint64_t wanted_m_key(Guid node) { return state_of(node)->wanted; }
  /// The one it is known to hold, or shown until more is known.
  std::uint64_t m_key_of(Guid node) const;
  /// Nodes whose last PortInfo named an M_Key that is none of ours, or showed none although they may have
  /// one.
  /// With the modifier it was read by: a switch's outer ports have no key and say nothing of port 0's.
  const std::map<Guid, std::uint32_t>& foreign() const { return foreign_; }
  /// Tries the keys of other devices on one of foreign(), where each has its own: a Set that gave one of them
  /// its key may have reached this one, while a cable moved or it was exchanged. Those of `others` and of all
  /// that were asked before. True when it holds one, which it is shown now. Once until it answers to a key.
  asio::awaitable<bool> find_stray_m_key(Target target, std::uint32_t modifier, std::span<const Guid> others);
  /// Whether that has not been done yet.
  bool may_have_strayed(Guid node) { return settings_.m_keys.per_device && !state_of(node)->strays_tried; }
  void set_settings(SmpSettings settings);
  const SmpSettings& settings() const { return settings_; }
  Transport& transport() { return transport_; }
  Clock& clock() { return clock_; }

  /// Requests sent by method and attribute, repeats included.
  using Counts = std::map<std::pair<mad::Method, mad::AttrId>, std::uint64_t>;
  const Counts& counts() const { return counts_; }
  std::uint64_t sent() const { return sent_; }
  std::uint64_t sets_sent() const { return sets_sent_; }
  std::uint64_t timeouts() const { return timeouts_; }

 private:
  struct NodeState {
    explicit NodeState(int limit) : gate(limit) {}
    Gate gate;
    int answers_in_a_row = 0;
    std::uint64_t answers = 0;
    bool mute = false;
    bool keys_tried = false;    ///< All our M_Keys, since it was mute.
    bool strays_tried = false;  ///< Those of others.
    std::uint64_t m_key = 0;    ///< What it is shown.
    std::uint64_t wanted = 0;
  };
  asio::awaitable<Result<mad::AttrData>> ask(Target target, mad::Smp request, int attempts);
  asio::awaitable<Result<mad::AttrData>> ask_inside(NodeState* node, const mad::Smp& request, int attempts);
  asio::awaitable<Result<mad::AttrData>> attempt(const mad::Smp& request);
  asio::awaitable<Result<mad::AttrData>> find_m_key(Target target, mad::Smp request, mad::AttrData seen);
  std::set<std::uint64_t> keys_of_all(std::span<const Guid> others) const;
  asio::awaitable<Result<mad::AttrData>> with_other_keys(Target target, mad::Smp request, Error silence);
  void learn_m_key(Guid node, const mad::AttrData& set, mad::AttrData& answer);
  NodeState* state_of(Guid node);
  void learn(NodeState* node, bool answered);
  void learn_loss(int lost);
  /// Attempts a request gets: those of the settings, more where packets are being lost.
  int patience() const;

  Transport& transport_;
  Clock& clock_;
  SmpSettings settings_;
  FlightWindow window_;
  std::function<bool()> may_set_;
  std::unordered_map<Guid, std::unique_ptr<NodeState>> nodes_;
  std::map<Guid, std::uint32_t> foreign_;
  double loss_ = 0;
  Counts counts_;
  std::uint64_t sent_ = 0;
  std::uint64_t sets_sent_ = 0;
  std::uint64_t timeouts_ = 0;
};

/// The answer decoded, or the error.
template <typename S>
Result<S> decoded(const Result<mad::AttrData>& answer) {
  if (!answer) return fail(answer.error());
  return mad::decode<S>(*answer);
}

}  // namespace weft::transport
