#include "transport/umad/umad_port.h"

#include <endian.h>
#include <fcntl.h>
#include <infiniband/umad.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

namespace weft::transport {
namespace {

using mad::Method;
using mad::MgmtClass;

/// The simulator's stand-in reads this much beyond a MAD.
constexpr std::size_t kSpare = 64;
constexpr std::size_t kMadsPerReceive = 64;
/// For GMPs. Source: IBTA vol. 1, 3.5.3, the well-known Q_Key of QP1.
constexpr int kQp1Key = static_cast<int>(0x80010000u);

std::string words(int error) { return std::strerror(error); }

/// The last is the simulator's way to say it.
bool means_gone(int error) {
  return error == ENODEV || error == EIO || error == EBADF || error == ENXIO || error == ECONNREFUSED;
}

std::vector<std::uint8_t> new_buffer() {
  return std::vector<std::uint8_t>(::umad_size() + mad::kMadSize + kSpare);
}

}  // namespace

std::vector<Registration> registrations() {
  const std::vector<Method> subnet{Method::get, Method::set, Method::trap, Method::trap_repress};
  return {{MgmtClass::subn_lid_routed, 1, subnet},
          {MgmtClass::subn_directed, 1, subnet},
          {MgmtClass::subn_adm,
           2,
           {Method::get, Method::set, Method::get_table, Method::get_trace_table, Method::get_multi,
            Method::delete_}},
          {MgmtClass::perf, 1, {}}};
}

Result<UmadPort> UmadPort::open(const std::string& device, PortNum number) {
  if (::umad_init() < 0)
    return fail(Errc::unavailable, "no MAD interface under {}: is the kernel module ib_umad loaded?",
                SYS_INFINIBAND_MAD);
  errno = 0;
  const int fd = ::umad_open_port(device.c_str(), raw(number));
  if (fd < 0) {
    const int error = errno != 0 ? errno : -fd;
    const Errc code = error == EACCES || error == EPERM ? Errc::system : Errc::unavailable;
    return fail(code, "{} port {}: cannot open: {}", device, raw(number), words(error));
  }
  UmadPort port(device, number, fd);
  port.outgoing_ = new_buffer();
  port.incoming_ = new_buffer();
  const Result<void> registered = port.register_agents();
  if (!registered) return fail(registered.error());
  return Result<UmadPort>(std::move(port));
}

Result<void> UmadPort::register_agents() {
  for (const Registration& wanted : registrations()) {
    constexpr std::size_t kBits = sizeof(long) * CHAR_BIT;
    long mask[16 / sizeof(long)] = {};
    for (const Method method : wanted.methods) {
      const auto bit = static_cast<std::size_t>(method);
      mask[bit / kBits] |= static_cast<long>(1ul << (bit % kBits));
    }
    errno = 0;
    const int id = ::umad_register(port_, static_cast<int>(wanted.mgmt_class), wanted.version, 0, mask);
    if (id < 0)
      return fail(
          Errc::system,
          "{} port {}: cannot register for class 0x{:02x} version {}: {}; another program may hold it",
          device_, raw(number_), static_cast<int>(wanted.mgmt_class), wanted.version,
          words(errno != 0 ? errno : -id));
    agents_.push_back({wanted.mgmt_class, id});
  }
  return {};
}

UmadPort::UmadPort(UmadPort&& other) noexcept
    : device_(std::move(other.device_)),
      number_(other.number_),
      port_(std::exchange(other.port_, -1)),
      issm_fd_(std::exchange(other.issm_fd_, -1)),
      agents_(std::move(other.agents_)),
      outgoing_(std::move(other.outgoing_)),
      incoming_(std::move(other.incoming_)) {}

UmadPort::~UmadPort() {
  if (port_ < 0) return;
  if (issm_fd_ >= 0) ::close(issm_fd_);
  for (const Agent& agent : agents_) ::umad_unregister(port_, agent.id);
  ::umad_close_port(port_);
}

Result<void> UmadPort::send(const mad::Mad& mad, Duration timeout) {
  const auto mgmt_class = static_cast<MgmtClass>(mad.bytes[1]);
  const auto agent = std::ranges::find(agents_, mgmt_class, &Agent::mgmt_class);
  if (agent == agents_.end()) return fail(Errc::invalid, "no agent for class 0x{:02x}", mad.bytes[1]);
  void* umad = outgoing_.data();
  const bool general = mgmt_class == MgmtClass::subn_adm || mgmt_class == MgmtClass::perf;
  const Lid lid = mgmt_class == MgmtClass::subn_directed ? kLidPermissive : mad.address.lid;
  ::umad_set_addr(umad, raw(lid), static_cast<int>(mad.address.qp), raw(mad.address.sl),
                  general ? kQp1Key : 0);
  ::umad_set_grh(umad, nullptr);
  ::umad_set_pkey(umad, mad.address.pkey_index);
  std::ranges::copy(mad.bytes, static_cast<std::uint8_t*>(::umad_get_mad(umad)));
  const auto milliseconds = static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(timeout).count());
  errno = 0;
  if (::umad_send(port_, agent->id, umad, mad::kMadSize, milliseconds, 0) >= 0) return {};
  const int error = errno != 0 ? errno : EIO;
  return fail(means_gone(error) ? Errc::unavailable : Errc::system, "{} port {}: send: {}", device_,
              raw(number_), words(error));
}

Result<std::vector<UmadPort::Received>> UmadPort::receive(std::chrono::milliseconds wait) {
  std::vector<Received> received;
  void* umad = incoming_.data();
  while (received.size() < kMadsPerReceive) {
    int length = mad::kMadSize;
    errno = 0;
    const int code = ::umad_recv(port_, umad, &length, received.empty() ? static_cast<int>(wait.count()) : 0);
    if (code < 0) {
      const bool nothing = code == -ETIMEDOUT || code == -EAGAIN || code == -EINTR;
      if (nothing || !received.empty()) break;  // a failure comes again
      return fail(Errc::unavailable, "{} port {}: receive: {}", device_, raw(number_), words(-code));
    }
    Received& next = received.emplace_back();
    const ib_mad_addr_t* from = ::umad_get_mad_addr(umad);
    next.mad.address = {static_cast<Lid>(be16toh(from->lid)), be32toh(from->qpn), static_cast<Sl>(from->sl),
                        from->pkey_index};
    const auto* bytes = static_cast<const std::uint8_t*>(::umad_get_mad(umad));
    std::copy_n(bytes,
                std::clamp<std::size_t>(static_cast<std::size_t>(std::max(length, 0)), 0, mad::kMadSize),
                next.mad.bytes.begin());
    next.undelivered = ::umad_status(umad) != 0;
  }
  return received;
}

Result<void> UmadPort::set_is_sm(bool on) {
  if (!on) {
    if (issm_fd_ >= 0) ::close(std::exchange(issm_fd_, -1));
    return {};
  }
  if (issm_fd_ >= 0) return {};
  char path[256] = {};
  if (const int code = ::umad_get_issm_path(device_.c_str(), raw(number_), path, sizeof(path)); code < 0)
    return fail(Errc::system, "{} port {}: no issm device: {}", device_, raw(number_), words(-code));
  const int fd = ::open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) {
    const int error = errno;
    return fail(error == EAGAIN || error == EBUSY ? Errc::conflict : Errc::system, "{}: {}{}", path,
                words(error), error == EAGAIN ? " (another subnet manager holds it)" : "");
  }
  issm_fd_ = fd;
  return {};
}

}  // namespace weft::transport
