#include "tests/support/ibsim_process.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <utility>

#include <fmt/format.h>

namespace weft::tests {
namespace {

using Steady = std::chrono::steady_clock;

[[noreturn]] void throw_errno(const char* what) {
  throw std::runtime_error(fmt::format("{}: {}", what, std::strerror(errno)));
}

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno != EINTR) throw_errno("write");
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
}

int memory_file(const char* name) {
  const int fd = ::memfd_create(name, MFD_CLOEXEC);
  if (fd < 0) throw_errno("memfd_create");
  return fd;
}

void close_fd(int& fd) {
  if (fd >= 0) ::close(std::exchange(fd, -1));
}

/// Asks again until it is so; false after `patience`. The one thing to do when a program tells its state to
/// nobody.
template <typename Condition>
bool eventually(std::chrono::milliseconds patience, Condition condition) {
  const auto end = Steady::now() + patience;
  while (!condition()) {
    if (Steady::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

constexpr std::string_view kTempPrefix = "weft-test-";

/// Removes the folders of test programs that were killed: each carries the process id of its owner.
void remove_orphans() {
  std::error_code ignored;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::temp_directory_path(), ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kTempPrefix)) continue;
    const int owner = std::atoi(name.c_str() + kTempPrefix.size());
    if (owner > 0 && ::kill(owner, 0) != 0 && errno == ESRCH)
      std::filesystem::remove_all(entry.path(), ignored);
  }
}

}  // namespace

const std::string_view kSmallNet = R"(switchguid=0x200000
Switch 8 "S1" # "left switch" enhanced port 0 lid 0 lmc 0
[1] "H1"[1] # lid 0 4xEDR
[2] "H2"[1] # lid 0 4xEDR
[8] "S2"[8] # lid 0 4xEDR

switchguid=0x200001
Switch 8 "S2" # "right switch" enhanced port 0 lid 0 lmc 0
[1] "H3"[1] # lid 0 4xEDR
[8] "S1"[8] # lid 0 4xEDR

hcaguids=0x10
Hca 1 "H1" # "host 1"
[1] "S1"[1] # lid 0 4xEDR

hcaguids=0x20
Hca 1 "H2" # "host 2"
[1] "S1"[2] # lid 0 4xEDR

hcaguids=0x30
Hca 1 "H3" # "host 3"
[1] "S2"[1] # lid 0 4xEDR
)";

TempDir::TempDir() {
  remove_orphans();
  const std::string name = fmt::format("{}{}-XXXXXX", kTempPrefix, ::getpid());
  std::string pattern = (std::filesystem::temp_directory_path() / name).string();
  if (::mkdtemp(pattern.data()) == nullptr) throw_errno("mkdtemp");
  path_ = pattern;
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

IbsimProcess::IbsimProcess(Options options) : options_(std::move(options)) {
  static int number = 0;
  if (options_.socket_name.empty())
    options_.socket_name = fmt::format("weft-test-{}-{}", ::getpid(), ++number);
  if (options_.net_file.empty()) {
    net_fd_ = memory_file("net");
    write_all(net_fd_, options_.net);
  }
  start();
}

IbsimProcess::~IbsimProcess() {
  kill();
  close_fd(net_fd_);
}

void IbsimProcess::start() {
  int console[2];
  if (::pipe2(console, O_CLOEXEC) != 0) throw_errno("pipe2");
  console_fd_ = console[1];
  output_fd_ = memory_file("ibsim-output");
  std::vector<std::string> words{"ibsim", "-s"};
  words.insert(words.end(), options_.arguments.begin(), options_.arguments.end());
  words.push_back(net_fd_ >= 0 ? fmt::format("/proc/self/fd/{}", net_fd_) : options_.net_file.string());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) throw_errno("fork");
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    ::dup2(console[0], STDIN_FILENO);
    ::dup2(output_fd_, STDOUT_FILENO);
    ::dup2(output_fd_, STDERR_FILENO);
    if (net_fd_ >= 0) ::fcntl(net_fd_, F_SETFD, 0);
    ::setenv("IBSIM_SOCKNAME", options_.socket_name.c_str(), 1);
    ::unsetenv("LD_PRELOAD");
    ::execvp("ibsim", argv.data());
    ::_exit(127);
  }
  ::close(console[0]);
  const bool ready = eventually(options_.patience, [this] {
    if (accepts_clients()) return true;
    if (::waitpid(pid_, nullptr, WNOHANG) == 0) return false;
    pid_ = -1;
    return true;
  });
  if (ready && pid_ > 0) return;
  const std::string said = output();
  kill();
  throw std::runtime_error("ibsim did not come up:\n" + said);
}

bool IbsimProcess::accepts_clients() const {
  const std::string name = options_.socket_name + ":ctl";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size() + 2);
  const int fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const bool connected = ::connect(fd, reinterpret_cast<const sockaddr*>(&address), length) == 0;
  ::close(fd);
  return connected;
}

std::string IbsimProcess::output() const {
  std::string text;
  char buffer[4096];
  for (off_t at = 0;; at = static_cast<off_t>(text.size())) {
    const ssize_t length = ::pread(output_fd_, buffer, sizeof(buffer), at);
    if (length <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(length));
  }
}

std::size_t IbsimProcess::prompts() const {
  constexpr std::string_view kPrompt = "sim> ";
  const std::string text = output();
  std::size_t count = 0;
  for (std::size_t at = text.find(kPrompt); at != std::string::npos; at = text.find(kPrompt, at + 1)) ++count;
  return count;
}

void IbsimProcess::command(std::string_view line) {
  if (!eventually(std::chrono::seconds(10), [this] { return prompts() > 0; }))
    throw std::runtime_error("ibsim shows no prompt:\n" + output());
  const std::size_t before = prompts();
  write_all(console_fd_, std::string(line) + "\n");
  if (!eventually(std::chrono::seconds(10), [&] { return prompts() > before; }))
    throw std::runtime_error(fmt::format("ibsim did not finish {}:\n{}", line, output()));
}

void IbsimProcess::kill() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  close_fd(console_fd_);
  close_fd(output_fd_);
}

void IbsimProcess::restart() {
  kill();
  start();
}

}  // namespace weft::tests
