#include "tests/support/etcd_process.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>

namespace weft::tests {
namespace {

struct Ran {
  int status = -1;
  std::string text;
};

Ran run_here(const std::string& command) {
  FILE* pipe = popen(("(" + command + ") 2>&1").c_str(), "r");
  if (pipe == nullptr) return {};
  Ran ran;
  std::array<char, 4096> buffer{};
  for (std::size_t got = 0; (got = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    ran.text.append(buffer.data(), got);
  ran.status = pclose(pipe);
  return ran;
}

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : ",") + text;
  return all;
}

std::string content(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

}  // namespace

int free_port() {
  // Below the ports that the system gives to whoever connects: none of those may take one of ours while its
  // server is down. A name in the abstract namespace keeps other tests off until this program ends.
  constexpr int kFirst = 10'240;
  constexpr int kCount = 20'000;
  static std::mt19937 random(std::random_device{}());
  for (int attempt = 0; attempt < kCount; ++attempt) {
    const int port = kFirst + static_cast<int>(random() % kCount);
    const int claim = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    const auto end = fmt::format_to_n(name.sun_path + 1, sizeof name.sun_path - 1, "weft-test-port-{}", port);
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + end.size);
    const bool ours = bind(claim, reinterpret_cast<sockaddr*>(&name), length) == 0;
    const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const bool free = ours && bind(probe, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    close(probe);
    if (free) return port;
    close(claim);
  }
  throw std::runtime_error("no free port");
}

EtcdCluster::EtcdCluster(Options options) : options_(std::move(options)) {
  if (options_.tls) make_certificates();
  for (int member = 0; member < options_.members; ++member) {
    client_ports_.push_back(free_port());
    peer_ports_.push_back(free_port());
    pids_.emplace_back(0);
    if (options_.relays)
      relays_.push_back(
          std::make_unique<TcpRelay>(peer_ports_.back(), [this](int port) { return member_at(port); }));
  }
  for (int member = 0; member < options_.members; ++member) spawn(member);
  if (!all_answer(std::chrono::seconds(30)))
    throw std::runtime_error("etcd does not come up: " + content(directory_.path() / "0.log"));
}

/// The member that has opened a connection from this port; -1 when it is none.
int EtcdCluster::member_at(int port) const {
  std::ifstream table("/proc/net/tcp");
  const std::string from = fmt::format("0100007F:{:04X}", port);
  std::string line;
  std::string inode;
  while (inode.empty() && std::getline(table, line)) {
    std::istringstream words(line);
    std::string word;
    words >> word >> word;
    if (word != from) continue;
    for (int i = 0; i < 8; ++i) words >> word;
    inode = fmt::format("socket:[{}]", word);
  }
  if (inode.empty()) return -1;
  for (int member = 0; member < members(); ++member) {
    const std::string files = fmt::format("/proc/{}/fd", pids_[static_cast<std::size_t>(member)].load());
    std::error_code ignored;
    for (const auto& file : std::filesystem::directory_iterator(files, ignored))
      if (std::filesystem::read_symlink(file.path(), ignored).string() == inode) return member;
  }
  return -1;
}

void EtcdCluster::cut_off(int member) {
  for (int other = 0; other < members(); ++other)
    if (other == member)
      relays_[static_cast<std::size_t>(other)]->lose_all();
    else
      relays_[static_cast<std::size_t>(other)]->lose(member);
}

void EtcdCluster::mend() {
  for (const auto& relay : relays_) relay->mend();
}

EtcdCluster::~EtcdCluster() {
  for (int member = 0; member < members(); ++member) kill(member);
}

std::filesystem::path EtcdCluster::data(int member) const {
  return directory_.path() / std::to_string(member);
}

std::string EtcdCluster::url(int member) const {
  return fmt::format("{}://127.0.0.1:{}", options_.tls ? "https" : "http",
                     client_ports_[static_cast<std::size_t>(member)]);
}

std::vector<std::string> EtcdCluster::urls() const {
  std::vector<std::string> all;
  for (int member = 0; member < members(); ++member) all.push_back(url(member));
  return all;
}

void EtcdCluster::make_certificates() {
  const std::string at = directory_.path().string();
  const Ran ran = run_here(fmt::format(
      "cd {} && openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=ca -keyout ca.key -out ca.pem "
      "&& "
      "openssl req -newkey rsa:2048 -nodes -subj /CN=etcd -keyout server.key -out server.csr && "
      "printf 'subjectAltName=IP:127.0.0.1' > san && "
      "openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 30 -extfile san "
      "-out server.pem",
      at));
  if (ran.status != 0) throw std::runtime_error("openssl: " + ran.text);
}

void EtcdCluster::spawn(int member) {
  const auto index = static_cast<std::size_t>(member);
  std::vector<std::string> peers;
  const auto shown = [this](std::size_t i) {
    return fmt::format("http://127.0.0.1:{}", relays_.empty() ? peer_ports_[i] : relays_[i]->port());
  };
  for (std::size_t i = 0; i < pids_.size(); ++i) peers.push_back(fmt::format("m{}={}", i, shown(i)));
  const std::string peer = fmt::format("http://127.0.0.1:{}", peer_ports_[index]);
  std::vector<std::string> words{"etcd",
                                 "--name",
                                 fmt::format("m{}", member),
                                 "--data-dir",
                                 data(member).string(),
                                 "--listen-client-urls",
                                 url(member),
                                 "--advertise-client-urls",
                                 url(member),
                                 "--listen-peer-urls",
                                 peer,
                                 "--initial-advertise-peer-urls",
                                 shown(index),
                                 "--initial-cluster",
                                 joined(peers),
                                 "--initial-cluster-token",
                                 directory_.path().filename().string()};
  if (options_.tls) {
    const std::string at = directory_.path().string();
    words.insert(words.end(), {"--cert-file", at + "/server.pem", "--key-file", at + "/server.key"});
  }
  words.insert(words.end(), options_.arguments.begin(), options_.arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const std::string log = (directory_.path() / fmt::format("{}.log", member)).string();
  const pid_t pid = fork();
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int output = open(log.c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    execvp("etcd", argv.data());
    _exit(127);
  }
  pids_[index] = pid;
}

bool EtcdCluster::answers(int member) const {
  const std::string ca_option = options_.tls ? " --cacert " + ca() : "";
  return run_here(fmt::format("ETCDCTL_API=3 etcdctl --endpoints {}{} --dial-timeout=1s --command-timeout=2s "
                              "endpoint health",
                              url(member), ca_option))
             .status == 0;
}

bool EtcdCluster::all_answer(std::chrono::seconds limit) const {
  const auto end = std::chrono::steady_clock::now() + limit;
  for (int member = 0; member < members(); ++member)
    while (!answers(member)) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  return true;
}

std::string EtcdCluster::ctl(const std::string& command) const {
  const std::string ca_option = options_.tls ? " --cacert " + ca() : "";
  const Ran ran =
      run_here(fmt::format("ETCDCTL_API=3 etcdctl --endpoints {}{} {}", joined(urls()), ca_option, command));
  if (ran.status != 0) throw std::runtime_error("etcdctl " + command + ": " + ran.text);
  return ran.text;
}

void EtcdCluster::signal(int member, int number) {
  if (const pid_t pid = pids_[static_cast<std::size_t>(member)]; pid > 0) ::kill(pid, number);
}

void EtcdCluster::kill(int member) {
  std::atomic<pid_t>& pid = pids_[static_cast<std::size_t>(member)];
  if (pid <= 0) return;
  ::kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  pid = 0;
}

void EtcdCluster::start(int member, bool blank) {
  kill(member);
  if (blank) std::filesystem::remove_all(data(member));
  spawn(member);
}

}  // namespace weft::tests
