#include "transport/umad/ports.h"

#include <endian.h>
#include <infiniband/umad.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <tuple>

namespace weft::transport {
namespace {

/// IsSMDisabled in the CapabilityMask. Source: IBTA vol. 1, 14.2.5.6.
constexpr std::uint32_t kIsSmDisabled = 1u << 10;

PortEntry entry_of(const umad_ca_t& device, const umad_port_t& port) {
  PortEntry entry;
  entry.device = device.ca_name;
  entry.number = static_cast<PortNum>(port.portnum);
  entry.guid = static_cast<Guid>(be64toh(port.port_guid));
  entry.link_layer = port.link_layer;
  entry.state = static_cast<PortState>(port.state);
  entry.phys_state = static_cast<PhysState>(port.phys_state);
  entry.is_sm_disabled = (be32toh(port.capmask) & kIsSmDisabled) != 0;
  entry.node_type = device.node_type;
  return entry;
}

void add_ports_of(const char* name, std::vector<PortEntry>& ports) {
  umad_ca_t device{};
  if (const int code = ::umad_get_ca(name, &device); code < 0) {
    PortEntry entry;
    entry.device = name;
    entry.fault = std::strerror(-code);
    ports.push_back(std::move(entry));
    return;
  }
  for (const umad_port_t* port : device.ports)
    if (port != nullptr) ports.push_back(entry_of(device, *port));
  ::umad_release_ca(&device);
}

bool fits(const PortEntry& port, const WantedPort& wanted) {
  if (!wanted.device.empty() && port.device != wanted.device) return false;
  if (!port.fault.empty()) return !wanted.device.empty();
  if (wanted.number && port.number != *wanted.number) return false;
  return wanted.guid == Guid{} || port.guid == wanted.guid;
}

std::string describe(const WantedPort& wanted) {
  std::string text;
  if (!wanted.device.empty()) text = wanted.device;
  if (wanted.number) text += fmt::format("{}port {}", text.empty() ? "" : " ", to_string(*wanted.number));
  if (wanted.guid != Guid{})
    text += fmt::format("{}guid {}", text.empty() ? "" : " ", to_string(wanted.guid));
  return text.empty() ? "any port" : text;
}

/// One line a port: what it is and what speaks against it.
std::string listing(const std::vector<PortEntry>& ports) {
  std::string text;
  for (const PortEntry& port : ports) {
    const std::string reason = why_unusable(port);
    text += fmt::format("\n  {}: {}", describe(port), reason.empty() ? "usable" : "rejected, " + reason);
  }
  return text.empty() ? "\n  no InfiniBand device" : text;
}

}  // namespace

Result<std::vector<PortEntry>> list_ports() {
  if (::umad_init() < 0)
    return fail(Errc::unavailable, "no MAD interface under {}: is the kernel module ib_umad loaded?",
                SYS_INFINIBAND_MAD);
  std::vector<PortEntry> ports;
  umad_device_node* devices = ::umad_get_ca_device_list();
  for (const umad_device_node* device = devices; device != nullptr; device = device->next)
    add_ports_of(device->ca_name, ports);
  ::umad_free_ca_device_list(devices);
  const auto place = [](const PortEntry& port) { return std::tie(port.device, port.number); };
  std::ranges::sort(ports, {}, place);
  return ports;
}

std::string why_unusable(const PortEntry& port) {
  if (!port.fault.empty()) return "the device cannot be asked: " + port.fault;
  if (port.node_type < 1 || port.node_type > 3)
    return fmt::format("node type {} is no InfiniBand", port.node_type);
  // "IB" is what libibumad says when the kernel, or the simulator, does not tell.
  const bool infiniband =
      port.link_layer.empty() || port.link_layer == "InfiniBand" || port.link_layer == "IB";
  if (!infiniband) return port.link_layer + " link layer";
  if (port.is_sm_disabled) return "IsSMDisabled: no subnet manager may run there";
  return {};
}

std::string describe(const PortEntry& port) {
  if (!port.fault.empty()) return port.device;
  return fmt::format("{} port {} guid {} {}/{}", port.device, to_string(port.number), to_string(port.guid),
                     name(port.state), name(port.phys_state));
}

Result<PortEntry> choose_port(const std::vector<PortEntry>& ports, const WantedPort& wanted) {
  std::vector<PortEntry> usable;
  bool refused = false;
  for (const PortEntry& port : ports) {
    if (!fits(port, wanted)) continue;
    if (why_unusable(port).empty())
      usable.push_back(port);
    else if (port.fault.empty())
      refused = true;
  }
  if (usable.size() == 1) return usable.front();
  if (usable.size() > 1)
    return fail(Errc::ambiguous, "{} fits several ports; name one by device and port or by GUID:{}",
                describe(wanted), listing(ports));
  const bool named_exactly = wanted.guid != Guid{} || (!wanted.device.empty() && wanted.number);
  if (refused && named_exactly)
    return fail(Errc::invalid, "{} cannot be used:{}", describe(wanted), listing(ports));
  return fail(Errc::unavailable, "waiting for {}:{}", describe(wanted), listing(ports));
}

}  // namespace weft::transport
