#pragma once
// Server: the sockets of weftsim. Programs for ibsim connect as they do to ibsim
// (transport/ibsim/endpoint.h), our own by one SOCK_SEQPACKET connection each. Nothing here ever waits for a
// client: what one does not read is queued, then dropped and counted. What datagrams mean is the desk's.

#include <string>

#include "sim/server/desk.h"
#include "sim/server/loop.h"

namespace weft::sim {

class Server {
 public:
  /// `name`: base of all socket names (IBSIM_SOCKNAME).
  Server(Loop& loop, Desk& desk, std::string name);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Errors: `conflict` when another server has the name; `system`.
  Result<void> open();

  Desk& desk() { return desk_; }
  /// Takes a client from the fabric and ends its connection; a stock one is not told.
  bool drop_client(std::uint32_t number);

 private:
  static constexpr std::size_t kBatch = 64;
  static constexpr std::size_t kBufferSize = 512;  // more than any message has

  /// A client's socket; `client` is null until CONNECT has come.
  struct Link {
    transport::ibsim::Descriptor fd;
    Client* client = nullptr;
    std::string peer;          // of stock clients: name of the control socket
    std::string data_address;  // and of the data socket
    bool waits_to_write = false;
  };
  struct Batch {
    std::array<std::array<std::uint8_t, kBufferSize>, kBatch> bytes;
    std::array<std::size_t, kBatch> sizes{};
  };

  void read_control();
  void take_control(std::span<const std::uint8_t> message, const std::string& from);
  void connect_stock(std::span<const std::uint8_t> message, const std::string& from);
  void accept_all();
  void read_link(int fd, std::uint32_t events);
  bool take_message(Link& link, std::span<const std::uint8_t> message);
  void connect_wide(Link& link, std::span<const std::uint8_t> message);
  void reply(Link& link, std::span<const std::uint8_t> message);
  void flush();
  bool flush(Link& link);
  void close_link(int fd);
  Link* link_of(const Client& client);
  void check_alive();
  /// How many came; a negative number when the other side is gone.
  int receive(int fd);

  Loop& loop_;
  Desk& desk_;
  std::string name_;
  transport::ibsim::Descriptor control_;
  transport::ibsim::Descriptor listener_;
  transport::ibsim::Descriptor probe_;
  std::unordered_map<int, Link> links_;
  std::unordered_map<const Client*, int> fds_;
  std::unique_ptr<Batch> batch_ = std::make_unique<Batch>();
  Clock::TimerId alive_timer_ = Clock::TimerId::none;
};

}  // namespace weft::sim
