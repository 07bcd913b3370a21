#pragma once
// EtcdCluster: real etcd servers on loopback for the length of a test, on free ports, with their data in a
// temporary folder. They die with their owner, and with the test program however that ends.

#include <atomic>
#include <chrono>
#include <deque>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

#include "tests/support/ibsim_process.h"
#include "tests/support/tcp_relay.h"

namespace weft::tests {

class EtcdCluster {
 public:
  struct Options {
    int members = 1;
    std::vector<std::string> arguments;  ///< Of every member.
    bool tls = false;                    ///< Clients come by TLS: ca(), and a certificate for 127.0.0.1.
    bool relays = false;  ///< Members talk to each other through relays, so that one can be cut off.
  };
  /// Starts them and waits until they answer. Throws std::runtime_error with what they say when they do not.
  explicit EtcdCluster(Options options);
  EtcdCluster() : EtcdCluster(Options{}) {}
  ~EtcdCluster();
  EtcdCluster(const EtcdCluster&) = delete;
  EtcdCluster& operator=(const EtcdCluster&) = delete;

  int members() const { return static_cast<int>(pids_.size()); }
  std::string url(int member = 0) const;
  std::vector<std::string> urls() const;
  std::string ca() const { return (directory_.path() / "ca.pem").string(); }

  void signal(int member, int number);
  /// kill -9, and waits for its end.
  void kill(int member);
  /// Starts one that was killed, with the data it had, or with none.
  void start(int member, bool blank = false);
  /// What this one and the others tell each other is lost; until mend(). With Options::relays only.
  void cut_off(int member);
  void mend();
  int client_port(int member) const { return client_ports_[static_cast<std::size_t>(member)]; }
  /// Whether etcdctl gets an answer from this one within 2 s.
  bool answers(int member) const;
  /// Runs etcdctl on all members; what it prints. Throws when it fails.
  std::string ctl(const std::string& command) const;

 private:
  std::filesystem::path data(int member) const;
  int member_at(int port) const;
  void make_certificates();
  void spawn(int member);
  bool all_answer(std::chrono::seconds limit) const;

  Options options_;
  TempDir directory_;
  std::vector<int> client_ports_;
  std::vector<int> peer_ports_;
  std::deque<std::atomic<pid_t>> pids_;            // 0: not running; relays look, too
  std::vector<std::unique_ptr<TcpRelay>> relays_;  // before the members; empty without
};

/// A port of 127.0.0.1 that nobody uses at this moment, and no other test gets until this program ends.
int free_port();

}  // namespace weft::tests
