#pragma once
// Port: what stands behind one open umad descriptor: agents, requests that wait for their answers, messages
// in and out by RMPP, and what the program has still to read. A thread of its own does what the kernel would.
//
// The program's descriptor is an eventfd that is readable exactly while a message waits, so poll, select and
// epoll take it. Threads of the program may be cancelled where libumad's would: while they wait in receive().

#include <infiniband/umad.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "sim/run/link.h"
#include "sim/run/rmpp.h"

namespace weft::run {

using Time = std::chrono::steady_clock::time_point;
using Millis = std::chrono::milliseconds;

struct Agent {
  std::uint8_t mgmt_class = 0;
  std::uint8_t class_version = 0;
  bool rmpp = false;  ///< Done for it, as it asked.
};

class Port {
 public:
  static constexpr int kMaxAgents = UMAD_CA_MAX_AGENTS;

  /// Attached to `link` already.
  explicit Port(Fd link);
  ~Port();
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

  int fd() const { return event_.get(); }

  /// Number of the new agent, or a negative number of errno.
  int register_agent(const Agent& agent, const wire::Register& filter);
  int unregister_agent(int agent);
  /// `length`: bytes of the MAD or message behind the header. 0 or a negative number of errno.
  int send(int agent, const ib_user_mad* umad, std::size_t length, int timeout_ms, int retries);
  /// As umad_recv(): the agent's number, or a negative number of errno; `length` is then what is needed.
  int receive(ib_user_mad* umad, int* length, int timeout_ms);
  /// 0 when something can be read, else -ETIMEDOUT or another.
  int wait(int timeout_ms);

 private:
  using Wide = std::array<std::uint8_t, wire::kWideSize>;
  /// Transaction and class; the transaction of a request is told by its low half and the agent.
  struct Key {
    std::uint64_t tid = 0;
    std::uint32_t agent = 0;
    std::uint8_t mgmt_class = 0;
    bool answer = false;
    auto operator<=>(const Key&) const = default;
  };
  struct Sending {
    Wide first;  ///< As it went; the headers serve all segments.
    std::optional<RmppSender> rmpp;
    bool has_grh = false;
    bool waits = false;  ///< For an answer: all of it is out.
    Millis timeout{};
    int retries_left = 0;
    int retries = 0;
    Time deadline{};
  };
  struct Receiving {
    RmppReceiver rmpp;
    Wide first;
    Time deadline{};
    bool delivered = false;
  };
  struct Message {
    std::uint32_t agent = 0;
    std::uint32_t status = 0;
    ib_mad_addr_t address{};
    std::vector<std::uint8_t> bytes;
  };
  using Lock = std::unique_lock<std::mutex>;

  void work();
  bool take_all();
  void take(const Wide& wide);
  void take_rmpp(const Wide& wide, const Mad& mad, std::uint32_t agent);
  void take_data(const Wide& wide, const Mad& mad, std::uint32_t agent);
  void take_ack(const Mad& mad, std::uint32_t agent);
  bool complete_request(const Wide& wide, const Mad& mad, std::uint32_t agent);
  void deliver(const Wide& wide, std::uint32_t agent, std::vector<std::uint8_t> bytes);
  void give_back(const Key& key, const Sending& sending);
  void queue(Message message);
  void transmit(const Wide& wide);
  void transmit(const Wide& like, const Mad& mad);
  void advance(const Key& key, Sending& sending);
  void set_deadline(const Key& key, Sending& sending, Millis wait);
  Time strike(Time now);
  void expire(const Key& key);
  void forget(const Key& key);
  std::vector<std::uint8_t> ask_server(Lock& lock, std::uint32_t kind, const void* data, std::size_t size);
  void wake(Time deadline);
  static Key key_of(const Mad& mad, std::uint32_t agent, bool answer);

  Fd link_;
  Fd event_;  // readable while messages_ has something, or the server is gone
  Fd wake_;
  std::mutex mutex_;
  std::condition_variable answered_;
  std::map<int, Agent> agents_;
  std::map<Key, Sending> sending_;
  std::map<Key, Receiving> receiving_;
  std::set<std::pair<Time, Key>> deadlines_;  // of sending_
  std::deque<Message> messages_;
  std::optional<std::vector<std::uint8_t>> control_answer_;
  bool asking_ = false;
  std::atomic<bool> dead_ = false;
  bool stopping_ = false;
  Time sleeps_until_ = Time::min();
  std::thread thread_;
};

}  // namespace weft::run
