#pragma once
// EtcdCluster: real etcd servers on loopback for the length of a test, on free ports, with their data in a
// temporary folder. They die with their owner, and with the test program however that ends.

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

#include "tests/support/ibsim_process.h"

namespace weft::tests {

class EtcdCluster {
 public:
  struct Options {
    int members = 1;
    std::vector<std::string> arguments;  ///< Of every member.
    bool tls = false;                    ///< Clients come by TLS: ca(), and a certificate for 127.0.0.1.
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
  /// Whether etcdctl gets an answer from this one within 2 s.
  bool answers(int member) const;
  /// Runs etcdctl on all members; what it prints. Throws when it fails.
  std::string ctl(const std::string& command) const;

 private:
  std::filesystem::path data(int member) const;
  void make_certificates();
  void spawn(int member);
  bool all_answer(std::chrono::seconds limit) const;

  Options options_;
  TempDir directory_;
  std::vector<int> client_ports_;
  std::vector<int> peer_ports_;
  std::vector<pid_t> pids_;  // 0: not running
};

/// A port of 127.0.0.1 that nobody uses at this moment.
int free_port();

}  // namespace weft::tests
