#pragma once
// IbsimTransport: a port of a fabric that ibsim or weftsim simulates, by its datagram protocol. No preload,
// whole MADs of 256 bytes, nothing blocks.
//
// At most `window` requests are on the wire; more wait here, since ibsim stops reading when about 250 are
// unanswered. What we send without asking for an answer goes first. ibsim tells at once that a request was
// not delivered, which ends the exchange with `timeout`; weftsim leaves that to the time-out. Unix sockets do
// not tell that the server died: the next packet does.

#include <array>
#include <deque>
#include <memory>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include "mad/node_info.h"
#include "transport/ibsim/endpoint.h"
#include "transport/request_queue.h"
#include "transport/transport.h"

namespace weft::transport {

class IbsimTransport final : public Transport {
 public:
  struct Options {
    ibsim::Server server;
    /// Id or description of the node to be; empty: the first of the net file. Its first port, or port 0 of a
    /// switch.
    std::string node;
    int port = 0;  ///< Of an HCA; 0: its first. weftsim only: ibsim attaches to the first whatever is asked.
    /// IsSM from the start: granted only while no other program at the node has it. Stock ibsim grants
    /// set_is_sm() always, so this is the only way on it to be the one manager of a port.
    bool is_sm = false;
    int window = 128;  ///< Requests on the wire at once.
    Duration connect_timeout = std::chrono::seconds(2);
  };
  /// As ibsim's own clients take them: IBSIM_SOCKNAME, IBSIM_SERVER_NAME and _PORT, SIM_HOST, SIM_SET_ISSM.
  static Options options_from_environment();

  /// Attaches to the server. Errors: `unavailable` when it is not there, does not answer or has no room;
  /// `conflict` when IsSM is asked for and another program at the node has it; `invalid` when there is no
  /// such node; `system`. The caller tries again.
  static asio::awaitable<Result<std::unique_ptr<IbsimTransport>>> connect(asio::io_context& loop,
                                                                          Clock& clock, Options options);
  /// Clears IsSM and takes leave of the server.
  ~IbsimTransport() override;

  Result<void> send(const mad::Mad& mad) override;
  const LocalPort& local_port() const override { return local_port_; }
  /// The server's answer is not awaited. After a refusal the transport is lost with `conflict`.
  Result<void> set_is_sm(bool on) override;
  void close() override;

  /// Requests that have left and are not over yet.
  int on_the_wire() const { return requests_.on_the_wire(); }

 private:
  IbsimTransport(asio::io_context& loop, Clock& clock, Options options);
  /// One attempt; `conflict` when the server refuses, for whatever reason.
  static asio::awaitable<Result<std::unique_ptr<IbsimTransport>>> attached(asio::io_context& loop,
                                                                           Clock& clock, Options options);
  Result<void> submit(const mad::Mad& request, Duration timeout) override;
  void ended(std::uint32_t tid) override;

  asio::awaitable<Result<void>> attach();
  asio::awaitable<Result<mad::NodeInfo>> who_we_are();
  asio::awaitable<Result<ibsim::ControlMessage>> ask_server(ibsim::ControlMessage message);
  void read_control();
  void read_data();
  void take_control();
  void take_data();
  void take(const ibsim::Receiver::Datagram& datagram);

  /// Sends what waits once the handlers before this one have added theirs, so that one kernel call takes
  /// many.
  void flush_soon();
  void flush();
  /// The MADs that may go now: what asks for no answer, then requests as far as the window goes.
  std::size_t collect(std::span<const mad::Mad*> batch) const;
  /// The first `count` of what collect() told are on their way.
  void left(std::size_t count);
  /// The kernel will not have the first of them.
  void drop_first();
  void flush_when_writable();
  void lose_soon();

  using Alive = std::weak_ptr<int>;
  Options options_;
  asio::io_context& loop_;
  asio::posix::stream_descriptor control_;
  asio::posix::stream_descriptor data_;
  ibsim::Receiver receiver_;
  LocalPort local_port_;
  std::uint32_t client_ = 0;
  bool attached_ = false;
  bool is_sm_ = false;
  bool losing_ = false;
  bool flushing_ = false;            // a flush is on its way: posted, or when the socket takes more
  std::deque<mad::Mad> unanswered_;  // replies and the like
  RequestQueue requests_;
  Completion<Result<ibsim::ControlMessage>> asked_;
  ibsim::Control asked_type_{};
  Clock::TimerId ask_timer_ = Clock::TimerId::none;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  // handlers of the loop hold it weakly
};

}  // namespace weft::transport
