#pragma once
// IbsimProcess: a real ibsim for the length of a test, under a socket name of its own, so that many run side
// by side. It dies with its owner, and with the test program however that ends; it leaves no files behind.

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace weft::tests {

/// A fresh folder under the system's folder for temporary files, removed with its owner; the next one made
/// removes those of test programs that were killed.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Four nodes: HCAs "H1" (port GUID 0x11) and "H2" (0x21) on switch "S1" (0x200000), and "H3" (0x31) on "S2"
/// (0x200001), which hangs on S1's port 8.
extern const std::string_view kSmallNet;

class IbsimProcess {
 public:
  struct Options {
    std::string net;                                    ///< Text of the net file ...
    std::filesystem::path net_file;                     ///< ... or its path.
    std::string socket_name;                            ///< Empty: a name that nobody else has.
    std::vector<std::string> arguments{"-L", "49152"};  ///< Further ones, such as "-N", "16384".
    std::chrono::seconds patience{30};                  ///< Until it answers; big fabrics load slowly.
  };
  /// Starts it and waits until clients can connect. Throws std::runtime_error with its output when it ends
  /// before.
  explicit IbsimProcess(Options options);
  ~IbsimProcess();
  IbsimProcess(const IbsimProcess&) = delete;
  IbsimProcess& operator=(const IbsimProcess&) = delete;

  /// A console command, such as `Unlink "S1"[1]`; returns when ibsim has done it. Throws when it does not
  /// within 10 s.
  void command(std::string_view line);
  /// kill -9, and waits for its end.
  void kill();
  /// Starts it again, blank, under the same name; kills it first when it still runs.
  void restart();
  /// What it has printed so far.
  std::string output() const;

  pid_t pid() const { return pid_; }
  const std::string& socket_name() const { return options_.socket_name; }

 private:
  void start();
  bool accepts_clients() const;
  std::size_t prompts() const;

  Options options_;
  pid_t pid_ = -1;
  int net_fd_ = -1;      // the net file when it came as text
  int console_fd_ = -1;  // kept open: at the end of its input ibsim spins
  int output_fd_ = -1;
};

}  // namespace weft::tests
