#include "tests/system/programs.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <fstream>
#include <optional>
#include <sstream>
#include <thread>

namespace weft::system_test {
namespace {

pid_t start(const std::string& command, const Environment& environment,
            const std::filesystem::path& directory, int output) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setpgid(0, 0);
  if (chdir(directory.c_str()) != 0) _exit(126);
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  std::string line = "exec env";
  for (const auto& [name, value] : environment) line += " " + name + "='" + value + "'";
  execl("/bin/sh", "sh", "-c", (line + " " + command).c_str(), nullptr);
  _exit(127);
}

/// Exit code when it has ended, nothing while it runs.
std::optional<int> ended(pid_t pid) {
  int status = 0;
  if (waitpid(pid, &status, WNOHANG) != pid) return std::nullopt;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

Output run(const std::string& command, const Environment& environment, const std::filesystem::path& directory,
           std::chrono::seconds limit) {
  std::string name = (std::filesystem::temp_directory_path() / "weft-output-XXXXXX").string();
  const int file = mkstemp(name.data());
  const pid_t pid = start(command, environment, directory, file);
  const auto end = std::chrono::steady_clock::now() + limit;
  Output output;
  while (true) {
    if (const auto status = ended(pid)) {
      output.status = *status;
      break;
    }
    if (std::chrono::steady_clock::now() > end) {
      ::kill(-pid, SIGKILL);
      waitpid(pid, nullptr, 0);
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  output.text = read_file(name);
  close(file);
  unlink(name.c_str());
  return output;
}

Background::Background(const std::string& command, const Environment& environment,
                       const std::filesystem::path& directory, const std::filesystem::path& log)
    : log_(log) {
  const int file = open(log.c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600);
  pid_ = start(command, environment, directory, file);
  close(file);
}

Background::~Background() {
  if (pid_ < 0) return;
  ::kill(-pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void Background::signal(int number) {
  if (pid_ > 0) ::kill(pid_, number);
}

bool Background::running() {
  if (pid_ < 0) return false;
  const auto status = ended(pid_);
  if (!status) return true;
  status_ = *status;
  pid_ = -1;
  return false;
}

int Background::wait(std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (running()) {
    if (std::chrono::steady_clock::now() > end) return -1;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return status_;
}

std::string Background::log() const { return read_file(log_); }

bool eventually(const std::function<bool()>& holds, std::chrono::seconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return true;
}

std::string program(const std::string& name) { return std::string(WEFT_BINARY_DIR) + "/bin/" + name; }

Environment under_ibsim(const std::string& socket, const std::string& host) {
  Environment environment{{"LD_PRELOAD", "/usr/lib/x86_64-linux-gnu/umad2sim/libumad2sim.so"},
                          {"IBSIM_SOCKNAME", socket}};
  if (!host.empty()) environment["SIM_HOST"] = host;
  return environment;
}

std::size_t count_of(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size()))
    ++count;
  return count;
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void write_file(const std::filesystem::path& path, const std::string& text) { std::ofstream(path) << text; }

}  // namespace weft::system_test
