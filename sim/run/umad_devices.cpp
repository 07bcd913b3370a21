// The part of libibumad's interface that tells of devices: one, our node of the simulated fabric. And
// opening.

#include <arpa/inet.h>
#include <infiniband/umad.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "sim/run/issm.h"
#include "sim/run/ports.h"

namespace {

using namespace weft::run;  // NOLINT: one file's worth
namespace wire = weft::sim::wire;

constexpr const char* kDevice = "weftsim0";

int fail_with(int error) {
  errno = error;
  return -error;
}

bool is_ours(const char* name) { return name == nullptr || *name == '\0' || std::strcmp(name, kDevice) == 0; }

std::uint32_t bits(const std::uint8_t* bytes, std::size_t at, unsigned shift, unsigned mask) {
  return bytes[at] >> shift & mask;
}

/// In Gb/s, as sysfs tells it: 2.5 is told as 2.
unsigned rate_of(const std::uint8_t* info) {
  static constexpr unsigned kExtended[] = {0, 14, 25, 50, 100, 200};
  static constexpr struct {
    unsigned code, lanes;
  } kWidths[] = {{1, 1}, {2, 4}, {4, 8}, {8, 12}, {16, 2}};
  const unsigned width = info[31];
  unsigned lanes = 0;
  for (const auto& [code, count] : kWidths)
    if (code == width) lanes = count;
  const unsigned extended = bits(info, 62, 4, 0xf);
  static constexpr unsigned kExtendedCodes[] = {0, 1, 2, 4, 8};
  for (std::size_t i = 1; i < std::size(kExtendedCodes); ++i)
    if (extended == kExtendedCodes[i]) return lanes * kExtended[i];
  switch (bits(info, 35, 4, 0xf)) {
    case 2:
      return lanes * 5;
    case 4:
      return lanes * 10;
    default:
      return lanes * 5 / 2;
  }
}

void fill(umad_port_t& port, const wire::Description& told) {
  const std::uint8_t* info = told.port_info.data();
  std::memset(&port, 0, sizeof(port));
  std::snprintf(port.ca_name, sizeof(port.ca_name), "%s", kDevice);
  std::snprintf(port.link_layer, sizeof(port.link_layer), "IB");
  port.portnum = static_cast<int>(told.port);
  port.base_lid = static_cast<unsigned>(number_at(info, 16, 2));
  port.sm_lid = static_cast<unsigned>(number_at(info, 18, 2));
  port.lmc = bits(info, 34, 0, 0x7);
  port.sm_sl = bits(info, 36, 0, 0xf);
  port.state = bits(info, 32, 0, 0xf);
  port.phys_state = bits(info, 33, 4, 0xf);
  port.rate = rate_of(info);
  std::memcpy(&port.capmask, info + 20, sizeof(port.capmask));
  std::memcpy(&port.gid_prefix, info + 8, sizeof(port.gid_prefix));
  if (port.gid_prefix == 0) {
    static constexpr std::uint8_t kDefaultPrefix[8] = {0xfe, 0x80};
    std::memcpy(&port.gid_prefix, kDefaultPrefix, sizeof(port.gid_prefix));
  }
  std::memcpy(&port.port_guid, told.node_info.data() + 20, sizeof(port.port_guid));
  port.pkeys_size = told.pkey_count;
  port.pkeys = static_cast<std::uint16_t*>(std::calloc(std::max(1u, told.pkey_count), sizeof(std::uint16_t)));
  for (std::uint32_t i = 0; port.pkeys != nullptr && i < told.pkey_count; ++i)
    port.pkeys[i] = static_cast<std::uint16_t>(number_at(told.pkeys.data(), 2 * i, 2));
}

/// The port that 0 stands for: an Active one, else one whose link has trained, else the first.
std::optional<wire::Description> describe_default() {
  std::optional<wire::Description> first = describe(0);
  if (!first || first->port_count <= 1) return first;
  std::optional<wire::Description> trained;
  for (std::uint32_t number = first->port; number <= first->port_count; ++number) {
    const std::optional<wire::Description> told = describe(static_cast<int>(number));
    if (!told) continue;
    if (bits(told->port_info.data(), 32, 0, 0xf) == 4) return told;
    if (!trained && bits(told->port_info.data(), 33, 4, 0xf) == 5) trained = told;
  }
  return trained ? trained : first;
}

std::optional<wire::Description> describe_asked(const char* name, int number) {
  if (!is_ours(name)) {
    errno = ENODEV;
    return std::nullopt;
  }
  return number == 0 ? describe_default() : describe(number);
}

}  // namespace

extern "C" {

int umad_get_cas_names(char cas[][UMAD_CA_NAME_LEN], int max) {
  if (max < 1 || !describe(0)) return 0;
  std::snprintf(cas[0], UMAD_CA_NAME_LEN, "%s", kDevice);
  return 1;
}

int umad_get_ca_portguids(const char* ca_name, __be64* portguids, int max) {
  const std::optional<wire::Description> first = describe_asked(ca_name, 0);
  if (!first) return fail_with(ENODEV);
  const int count = static_cast<int>(first->port_count) + 1;  // a place for port 0 too
  if (portguids == nullptr) return count;
  if (max < count) return fail_with(ENOMEM);
  for (int number = 0; number < count; ++number) {
    portguids[number] = 0;
    if (number == 0 && first->port_count > 0) continue;
    if (const auto told = describe(number))
      std::memcpy(&portguids[number], told->node_info.data() + 20, sizeof(portguids[number]));
  }
  return count;
}

int umad_get_port(const char* ca_name, int portnum, umad_port_t* port) {
  const std::optional<wire::Description> told = describe_asked(ca_name, portnum);
  if (!told) return fail_with(ENODEV);
  fill(*port, *told);
  return 0;
}

int umad_release_port(umad_port_t* port) {
  std::free(port->pkeys);
  port->pkeys = nullptr;
  port->pkeys_size = 0;
  return 0;
}

int umad_get_ca(const char* ca_name, umad_ca_t* ca) {
  const std::optional<wire::Description> first = is_ours(ca_name) ? describe(0) : std::nullopt;
  if (!first) return fail_with(ENODEV);
  std::memset(ca, 0, sizeof(*ca));
  std::snprintf(ca->ca_name, sizeof(ca->ca_name), "%s", kDevice);
  std::snprintf(ca->fw_ver, sizeof(ca->fw_ver), "1.0.0");
  std::snprintf(ca->ca_type, sizeof(ca->ca_type), "weftsim");
  std::snprintf(ca->hw_ver, sizeof(ca->hw_ver), "%u",
                static_cast<unsigned>(number_at(first->node_info.data(), 32, 4)));
  ca->node_type = first->node_info[2];
  ca->numports = static_cast<int>(std::min<std::uint32_t>(first->port_count, UMAD_CA_MAX_PORTS - 1));
  std::memcpy(&ca->node_guid, first->node_info.data() + 12, sizeof(ca->node_guid));
  std::memcpy(&ca->system_guid, first->node_info.data() + 4, sizeof(ca->system_guid));
  const int lowest = first->port_count == 0 ? 0 : 1;
  for (int number = lowest; number <= std::max(lowest, ca->numports); ++number) {
    const auto told = describe(number);
    if (!told) continue;
    ca->ports[number] = static_cast<umad_port_t*>(std::calloc(1, sizeof(umad_port_t)));
    if (ca->ports[number] != nullptr) fill(*ca->ports[number], *told);
  }
  return 0;
}

int umad_release_ca(umad_ca_t* ca) {
  for (umad_port_t*& port : ca->ports) {
    if (port == nullptr) continue;
    umad_release_port(port);
    std::free(port);
    port = nullptr;
  }
  return 0;
}

int umad_get_issm_path(const char* ca_name, int portnum, char path[], int max) {
  const std::optional<wire::Description> told = describe_asked(ca_name, portnum);
  if (!told) return fail_with(ENODEV);
  if (std::snprintf(path, static_cast<std::size_t>(max), "%s%u", kIssmPrefix, told->port) >= max)
    return fail_with(ENAMETOOLONG);
  return 0;
}

int umad_open_port(const char* ca_name, int portnum) {
  const std::optional<wire::Description> told = describe_asked(ca_name, portnum);
  if (!told) return fail_with(ENODEV);
  const int fd = open_port(static_cast<int>(told->port));
  return fd >= 0 ? fd : fail_with(-fd);
}

int umad_close_port(int port_fd) {
  const int error = close_port(port_fd);
  return error == 0 ? 0 : fail_with(-error);
}

struct umad_device_node* umad_get_ca_device_list(void) {
  errno = 0;
  if (!describe(0)) {
    errno = 0;  // none is no error
    return nullptr;
  }
  // One block of memory, as umad_free_ca_device_list() gives it back.
  struct Whole {
    umad_device_node node;
    char name[UMAD_CA_NAME_LEN];
  };
  auto* whole = static_cast<Whole*>(std::calloc(1, sizeof(Whole)));
  if (whole == nullptr) return nullptr;
  std::snprintf(whole->name, sizeof(whole->name), "%s", kDevice);
  whole->node.ca_name = whole->name;
  return &whole->node;
}

void umad_free_ca_device_list(struct umad_device_node* head) {
  while (head != nullptr) std::free(std::exchange(head, head->next));
}

/// Of one device there is nothing to sort, but a program may have linked lists of its own.
int umad_sort_ca_device_list(struct umad_device_node** head, size_t size) {
  if (head == nullptr) return EINVAL;
  std::vector<umad_device_node*> nodes;
  for (umad_device_node* node = *head; node != nullptr; node = node->next) nodes.push_back(node);
  if (size != 0 && size != nodes.size()) return EINVAL;
  std::ranges::sort(nodes,
                    [](const auto* a, const auto* b) { return std::strcmp(a->ca_name, b->ca_name) < 0; });
  umad_device_node** place = head;
  for (umad_device_node* node : nodes) {
    *place = node;
    place = &node->next;
  }
  *place = nullptr;
  return 0;
}

}  // extern "C"
