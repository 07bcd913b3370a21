#pragma once
// Transport: the way to the fabric through one local port. Three stand behind it: devices (transport/umad),
// ibsim and weftsim by datagrams (transport/ibsim), and the simulator in process (sim/).
//
// `exchange` is one attempt; who needs more asks again (SmpClient). Answers are matched to requests here, by
// the low 32 bits of the transaction id, since kernels and simulators use the others. All on the one loop
// thread.

#include <functional>
#include <unordered_map>

#include "base/clock.h"
#include "base/result.h"
#include "mad/mad.h"
#include "transport/asio.h"

namespace weft::transport {

struct LocalPort {
  std::string device;  ///< "mlx5_0", "ibsim", "sim"
  PortNum number{};
  Guid guid{};  ///< Port GUID; 0 when only discovery will tell.
};

class Transport {
 public:
  using Unsolicited = std::function<void(const mad::Mad&)>;
  /// Called once when the device or server is gone; every exchange fails from then on. It may destroy the
  /// transport.
  using Lost = std::function<void(const Error&)>;

  explicit Transport(Clock& clock) : clock_(clock) {}
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;

  /// Sends a request and waits for its answer. Errors: `timeout`; `cancelled` after close(); `system`.
  asio::awaitable<Result<mad::Mad>> exchange(mad::Mad request, Duration timeout);
  /// Sends what asks for no answer, or is one: replies, TrapRepress.
  virtual Result<void> send(const mad::Mad& mad) = 0;

  /// Gets traps and the requests of others.
  void on_unsolicited(Unsolicited handler) { unsolicited_ = std::move(handler); }
  void on_lost(Lost handler) { lost_ = std::move(handler); }

  virtual const LocalPort& local_port() const = 0;
  /// Sets or clears IsSM in the port's CapabilityMask.
  virtual Result<void> set_is_sm(bool on) = 0;
  /// Fails every exchange under way with `cancelled`, and those to come. Idempotent.
  virtual void close();

  std::uint64_t sent() const { return sent_; }
  std::uint64_t timeouts() const { return timeouts_; }
  /// Answers that came too late or that nobody asked for.
  std::uint64_t strays() const { return strays_; }

 protected:
  /// Sends the request of an exchange. Overridden where the way must know how long an answer is awaited.
  virtual Result<void> submit(const mad::Mad& request, Duration timeout);
  /// An exchange is over, however it ended: its place on the wire is free.
  virtual void ended(std::uint32_t /*tid*/) {}

  /// For what came in: wakes the exchange it answers, or hands it to the handler of unsolicited MADs, which
  /// may destroy the transport.
  void deliver(const mad::Mad& mad);
  /// The way itself says that no answer will come.
  void give_up(std::uint32_t tid, Errc code);
  /// Ends it all and tells so. The handler may destroy the transport: touch no member afterwards.
  void lose(const Error& why);
  bool closed() const { return closed_; }
  Clock& clock() { return clock_; }

 private:
  struct Waiting {
    Completion<Result<mad::Mad>> done;
    Clock::TimerId timer = Clock::TimerId::none;
  };
  asio::awaitable<Result<mad::Mad>> answer_to(std::uint32_t tid, mad::Mad request, Duration timeout);
  void finish(std::uint32_t tid, Result<mad::Mad> result);

  Clock& clock_;
  std::unordered_map<std::uint32_t, Waiting> waiting_;
  std::uint32_t last_tid_ = 0;
  bool closed_ = false;
  Unsolicited unsolicited_;
  Lost lost_;
  std::uint64_t sent_ = 0;
  std::uint64_t timeouts_ = 0;
  std::uint64_t strays_ = 0;
};

}  // namespace weft::transport
