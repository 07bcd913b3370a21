#pragma once
// TcpRelay: stands between two programs on loopback and can lose what passes, as a network does: nothing
// arrives, nobody is told, and connections go on where they were when it is mended.

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace weft::tests {

class TcpRelay {
 public:
  /// Passes on what comes to port() to this port of 127.0.0.1. `who` tells by its port which program has
  /// opened a connection; without it all are number 0.
  explicit TcpRelay(int to, std::function<int(int port)> who = {});
  ~TcpRelay();
  TcpRelay(const TcpRelay&) = delete;
  TcpRelay& operator=(const TcpRelay&) = delete;

  int port() const { return port_; }
  /// What this program sends and gets is lost.
  void lose(int who);
  void lose_all();
  void mend();
  /// Bytes that have passed.
  std::uint64_t passed() const { return passed_; }

 private:
  struct Way {
    int from = -1;
    int to = -1;
    std::vector<char> waiting;
    bool ended = false;
  };
  struct Connection {
    int who = 0;
    Way there;
    Way back;
  };
  void serve();
  void accept_one();
  bool is_lost(int who);
  bool pass(Connection& connection);
  bool pass(Way& way);

  int to_;
  std::function<int(int)> who_;
  int listening_ = -1;
  int port_ = 0;
  std::mutex mutex_;  ///< Of what is lost.
  std::set<int> lost_;
  bool all_lost_ = false;
  std::atomic<std::uint64_t> passed_ = 0;
  std::atomic<bool> stopping_ = false;
  std::vector<std::unique_ptr<Connection>> connections_;  ///< The thread's.
  std::thread thread_;
};

}  // namespace weft::tests
