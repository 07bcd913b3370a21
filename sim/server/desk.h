#pragma once
// Desk: the server without its sockets: who is attached, what control messages do, and what becomes of
// datagrams. Anything may stand in a message; the worst that follows is that it is ignored or refused.

#include <cstring>
#include <deque>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "sim/server/client.h"

namespace weft::sim {

struct DeskSettings {
  /// After which a request of a stock client is told to be lost: what such programs would wait on a device.
  Duration smp_timeout = std::chrono::milliseconds(200);
  Duration gmp_timeout = std::chrono::seconds(2);
};

class Desk {
 public:
  using ClientId = Network::ClientId;

  explicit Desk(Network& network, DeskSettings settings = {});
  ~Desk();
  Desk(const Desk&) = delete;
  Desk& operator=(const Desk&) = delete;

  /// Attaches a program. Errors: `not_found`: no such node or port; `conflict`: it asks to be SM where
  /// another is; `unavailable`.
  Result<Client*> connect(Client::Kind kind, const wire::Connect& request);
  /// Its port loses IsSM when it was the last SM there. The client is gone when this returns.
  void disconnect(Client& client);
  /// Null when there is none of this number.
  Client* find(std::uint32_t number) const;
  std::size_t client_count() const { return clients_.size(); }
  /// By number.
  std::vector<Client*> clients() const;

  /// What a control message of an attached client is answered with: 80 bytes. CONNECT, DISCONNECT and
  /// kDescribe are not for here.
  std::vector<std::uint8_t> answer(Client& client, std::span<const std::uint8_t> message);
  /// The answer to kDescribe, whoever asks.
  std::vector<std::uint8_t> describe(std::span<const std::uint8_t> message) const;
  /// A MAD's datagram of either size.
  void take(Client& client, std::span<const std::uint8_t> datagram);

  /// Clients that have got something to send since the last call.
  std::vector<Client*> take_dirty();

  Network& network() { return network_; }
  const World& world() const { return network_.world(); }
  std::uint64_t malformed() const { return malformed_; }

 private:
  friend class Client;
  void mark_dirty(Client& client);
  void watch_unanswered(Instant until);
  void check_unanswered();
  Result<PortIndex> port_named(const std::array<char, wire::kNodeNameSize>& node, std::uint32_t number) const;
  bool sm_elsewhere(PortIndex port, const Client* but) const;
  std::uint32_t register_agent(Client& client, std::span<const std::uint8_t> data);
  std::uint32_t set_is_sm(Client& client, bool on);
  mad::AttrData attribute(mad::AttrId attribute, PortIndex port, std::uint32_t modifier) const;
  std::optional<Grh> grh_for(const Client& client, const mad::Mad& mad);
  void remember_grh(const Client& client, const Incoming& in);

  struct Remembered {
    Grh grh;  ///< gid: where it goes
    std::array<std::uint8_t, 16> from{};
    Instant until{};
  };

  Network& network_;
  DeskSettings settings_;
  std::map<std::uint32_t, std::unique_ptr<Client>> clients_;
  std::vector<Client*> dirty_;
  std::unordered_map<std::uint64_t, Remembered> grhs_;       // by transaction id, of requests with one
  std::deque<std::pair<std::uint64_t, Instant>> grh_order_;  // the oldest first; some are gone already
  Agenda agenda_;
  Clock::TimerId timer_ = Clock::TimerId::none;
  Instant watched_until_ = Instant::max();
  std::uint64_t malformed_ = 0;
};

/// The first bytes of a control message; nothing when it is too short or not one.
std::optional<wire::Head> head_of(std::span<const std::uint8_t> message);
/// The data of a control message, zeros where it is shorter than T.
template <typename T>
T data_of(std::span<const std::uint8_t> message) {
  T value{};
  const std::span<const std::uint8_t> data = message.subspan(std::min(message.size(), sizeof(wire::Head)));
  if (!data.empty()) std::memcpy(static_cast<void*>(&value), data.data(), std::min(data.size(), sizeof(T)));
  return value;
}
/// A control message of `size` bytes of data.
std::vector<std::uint8_t> control_message(const wire::Head& head, std::span<const std::uint8_t> data,
                                          std::size_t size = 64);
/// A refusal, with a number of errno.
std::vector<std::uint8_t> refusal(const wire::Head& head, int error);

}  // namespace weft::sim
