#pragma once
// Rmpp: the reliable multi-packet protocol of the general services, for both sides of the SA: sends answers
// of any length in segments as their receiver acknowledges them, and takes requests that come in segments.
// Our own on every transport. Each transfer is bounded in time and memory: a slow peer is waited for, one
// that is gone or lies is dropped and counted. Programs that know no RMPP never acknowledge anything (under
// stock ibsim nobody does): what goes to them is sent once, and does not stand in the way of others. Source:
// IBTA vol. 1, 13.6; the receiver's window and the turn of a double-sided transfer as Linux does them.

#include <functional>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "mad/sa.h"
#include "transport/transport.h"

namespace weft::transport {

struct RmppSettings {
  Duration patience = std::chrono::seconds(1);  ///< For an acknowledgement, before the window is sent again.
  int attempts = 5;
  std::uint32_t window = 64;  ///< Segments that we let a sender send at a time.
  std::size_t most_transfers = 1000;
  std::size_t most_bytes = 256u << 20;         ///< Over all transfers under way.
  std::size_t most_request_bytes = 64u << 10;  ///< Of one request.
};

class Rmpp {
 public:
  /// Gets a request that came in segments: its first segment's headers, and all of its data.
  using Whole = std::function<void(const mad::Mad& head, std::vector<std::uint8_t> data)>;

  Rmpp(Transport& transport, Clock& clock, Whole whole, RmppSettings settings = {});
  ~Rmpp();
  Rmpp(const Rmpp&) = delete;
  Rmpp& operator=(const Rmpp&) = delete;

  /// Sends `data` behind the headers of `head` (method, transaction, SA header and address filled in). False
  /// when there is no room, or when this very answer is under way. Another one to this address under this
  /// transaction ends: its requester has begun anew.
  bool send(const mad::Mad& head, std::vector<std::uint8_t> data);
  /// Ends what is on its way to where `head` goes under its transaction: the requester, who asks something
  /// else by now, must not take it for the answer.
  void drop(const mad::Mad& head);
  /// Takes a MAD of class SA that is part of a transfer; false for all others.
  bool handle(const mad::Mad& mad);

  std::size_t transfers() const { return sending_.size() + receiving_.size(); }
  std::uint64_t given_up() const { return given_up_; }

 private:
  using Key = std::tuple<Lid, std::uint32_t, std::uint64_t>;  // address, queue pair, transaction
  struct Sending {
    mad::Mad head;
    std::vector<std::uint8_t> data;
    std::uint32_t segments = 0;
    std::uint32_t sent = 0;
    std::uint32_t acked = 0;
    std::uint32_t window_last = 1;
    int attempts_left = 0;
    std::uint64_t number = 0;
    Clock::TimerId timer = Clock::TimerId::none;
  };
  struct Receiving {
    mad::Mad head;
    std::vector<std::uint8_t> data;
    std::uint32_t received = 0;  // in order
    std::uint32_t window_last = 1;
    bool complete = false;
    Clock::TimerId timer = Clock::TimerId::none;
  };
  using Peer = std::pair<Lid, std::uint32_t>;
  static Key key_of(const mad::Mad& mad);
  static Peer peer_of(const Key& key) { return {std::get<0>(key), std::get<1>(key)}; }
  void end_oldest_unheard(Peer peer);
  bool make_room(std::size_t bytes);
  void pump(Key key, Sending& sending);
  void put_segment(const Sending& sending, std::uint32_t number);
  void on_silence(Key key);
  void acknowledged(const mad::Mad& mad, const mad::SaHeader& sa);
  void segment(const mad::Mad& mad, const mad::SaHeader& sa);
  void refresh(Key key, Receiving& receiving);
  void acknowledge(const Receiving& receiving);
  void reject(const mad::Mad& mad, mad::RmppType type, mad::rmpp::Code code);
  void end_sending(Key key, bool gave_up);
  void end_receiving(Key key);

  Transport& transport_;
  Clock& clock_;
  Whole whole_;
  RmppSettings settings_;
  std::map<Key, Sending> sending_;
  std::map<Key, Receiving> receiving_;
  std::map<std::uint64_t, Key> by_age_;  // sendings
  std::uint64_t last_number_ = 0;
  std::map<Peer, int> silent_;  // how many sendings in a row they have not acknowledged at all
  std::size_t bytes_ = 0;
  std::uint64_t given_up_ = 0;
};

}  // namespace weft::transport
