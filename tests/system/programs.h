#pragma once
// Programs: weftd, weftctl and the field's own tools as child processes of a test, all under one simulated
// fabric.

#include <sys/types.h>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

namespace weft::system_test {

struct Output {
  int status = -1;   ///< Exit code; -1 when it was killed, by a signal or for taking too long.
  std::string text;  ///< Standard output and error together.
};

using Environment = std::map<std::string, std::string>;

/// Runs a shell command to its end, in `directory`, for at most `limit`.
Output run(const std::string& command, const Environment& environment = {},
           const std::filesystem::path& directory = ".",
           std::chrono::seconds limit = std::chrono::seconds(60));

/// A program in the background; killed with its owner.
class Background {
 public:
  Background(const std::string& command, const Environment& environment,
             const std::filesystem::path& directory, const std::filesystem::path& log);
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  void signal(int number);
  /// Waits for its end; the exit code, or -1 when it takes longer or was killed.
  int wait(std::chrono::milliseconds limit);
  bool running();
  std::string log() const;

 private:
  pid_t pid_ = -1;
  int status_ = -1;
  std::filesystem::path log_;
};

/// Polls until this holds; false after `limit`.
bool eventually(const std::function<bool()>& holds, std::chrono::seconds limit);

std::string program(const std::string& name);  ///< Path of one of our own programs.
/// Environment for tools and umad clients under ibsim's preload library.
Environment under_ibsim(const std::string& socket, const std::string& host = "");
std::size_t count_of(const std::string& text, const std::string& what);
std::string read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, const std::string& text);

}  // namespace weft::system_test
