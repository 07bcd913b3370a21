// The part of libibumad's interface that sends and receives. What each does and returns: umad.h and its
// manual pages.

#include <arpa/inet.h>
#include <infiniband/umad.h>

#include <cerrno>
#include <cstring>

#include "sim/run/ports.h"

namespace {

using namespace weft::run;  // NOLINT: one file's worth
namespace wire = weft::sim::wire;

ib_user_mad* umad_of(void* umad) { return static_cast<ib_user_mad*>(umad); }

int fail_with(int error, int result) {
  errno = error;
  return result;
}

/// Bit n of the mask asks for method n.
void take_methods(wire::Register& filter, const long* mask) {
  if (mask == nullptr) return;
  static_assert(sizeof(filter.methods) == 16);
  std::memcpy(filter.methods.data(), mask, sizeof(filter.methods));
}

int add_agent(int port_fd, const Agent& agent, const wire::Register& filter) {
  const std::shared_ptr<Port> port = port_at(port_fd);
  return port == nullptr ? -EINVAL : port->register_agent(agent, filter);
}

}  // namespace

extern "C" {

int umad_init(void) { return 0; }
int umad_done(void) { return 0; }

void* umad_get_mad(void* umad) { return umad_of(umad)->data; }
size_t umad_size(void) { return sizeof(ib_user_mad); }
int umad_status(void* umad) { return static_cast<int>(umad_of(umad)->status); }
ib_mad_addr_t* umad_get_mad_addr(void* umad) { return &umad_of(umad)->addr; }

int umad_set_grh_net(void* umad, void* mad_addr) {
  ib_mad_addr_t& to = umad_of(umad)->addr;
  const auto* from = static_cast<const ib_mad_addr_t*>(mad_addr);
  to.grh_present = from != nullptr ? 1 : 0;
  if (from == nullptr) return 0;
  std::memcpy(to.gid, from->gid, sizeof(to.gid));
  to.flow_label = from->flow_label;
  to.hop_limit = from->hop_limit;
  to.traffic_class = from->traffic_class;
  to.gid_index = from->gid_index;
  return 0;
}

int umad_set_grh(void* umad, void* mad_addr) {
  umad_set_grh_net(umad, mad_addr);
  if (mad_addr != nullptr) {
    ib_mad_addr_t& to = umad_of(umad)->addr;
    to.flow_label = htonl(to.flow_label);
  }
  return 0;
}

int umad_set_addr_net(void* umad, __be16 dlid, __be32 dqp, int sl, __be32 qkey) {
  ib_mad_addr_t& to = umad_of(umad)->addr;
  to.lid = dlid;
  to.qpn = dqp;
  to.sl = static_cast<std::uint8_t>(sl);
  to.qkey = qkey;
  return 0;
}

int umad_set_addr(void* umad, int dlid, int dqp, int sl, int qkey) {
  return umad_set_addr_net(umad, htons(static_cast<std::uint16_t>(dlid)),
                           htonl(static_cast<std::uint32_t>(dqp)), sl,
                           htonl(static_cast<std::uint32_t>(qkey)));
}

int umad_set_pkey(void* umad, int pkey_index) {
  umad_of(umad)->addr.pkey_index = static_cast<std::uint16_t>(pkey_index);
  return 0;
}
int umad_get_pkey(void* umad) { return umad_of(umad)->addr.pkey_index; }

int umad_register(int port_fd, int mgmt_class, int mgmt_version, std::uint8_t rmpp_version,
                  long method_mask[16 / sizeof(long)]) {
  Agent agent;
  agent.mgmt_class = static_cast<std::uint8_t>(mgmt_class);
  agent.class_version = static_cast<std::uint8_t>(mgmt_version);
  agent.rmpp = rmpp_version != 0;
  wire::Register filter;
  filter.mgmt_class = agent.mgmt_class;
  filter.class_version = agent.class_version;
  take_methods(filter, method_mask);
  const int number = add_agent(port_fd, agent, filter);
  return number >= 0 ? number : fail_with(-number, number == -EINVAL ? -EINVAL : -EPERM);
}

int umad_register_oui(int port_fd, int mgmt_class, std::uint8_t rmpp_version, std::uint8_t oui[3],
                      long method_mask[16 / sizeof(long)]) {
  if (mgmt_class < 0x30 || mgmt_class > 0x4f) return fail_with(EINVAL, -EINVAL);
  Agent agent;
  agent.mgmt_class = static_cast<std::uint8_t>(mgmt_class);
  agent.class_version = 1;
  agent.rmpp = rmpp_version != 0;
  wire::Register filter;
  filter.mgmt_class = agent.mgmt_class;
  filter.class_version = 1;
  filter.oui = static_cast<std::uint32_t>(oui[0] << 16 | oui[1] << 8 | oui[2]);
  take_methods(filter, method_mask);
  const int number = add_agent(port_fd, agent, filter);
  return number >= 0 ? number : fail_with(-number, number == -EINVAL ? -EINVAL : -EPERM);
}

int umad_register2(int port_fd, struct umad_reg_attr* attr, std::uint32_t* agent_id) {
  if (attr == nullptr || agent_id == nullptr ||
      (attr->flags & ~static_cast<std::uint32_t>(UMAD_USER_RMPP)) != 0)
    return EINVAL;
  Agent agent;
  agent.mgmt_class = attr->mgmt_class;
  agent.class_version = attr->mgmt_class_version;
  agent.rmpp = attr->rmpp_version != 0 && (attr->flags & UMAD_USER_RMPP) == 0;
  wire::Register filter;
  filter.mgmt_class = attr->mgmt_class;
  filter.class_version = attr->mgmt_class_version;
  filter.oui = attr->oui;
  filter.methods = {attr->method_mask[0], attr->method_mask[1]};
  const int number = add_agent(port_fd, agent, filter);
  if (number < 0) return -number;
  *agent_id = static_cast<std::uint32_t>(number);
  return 0;
}

int umad_unregister(int port_fd, int agent_id) {
  const std::shared_ptr<Port> port = port_at(port_fd);
  const int error = port == nullptr ? -EINVAL : port->unregister_agent(agent_id);
  return error == 0 ? 0 : fail_with(-error, error);
}

int umad_send(int port_fd, int agent_id, void* umad, int length, int timeout_ms, int retries) {
  const std::shared_ptr<Port> port = port_at(port_fd);
  if (port == nullptr || length < 0) return fail_with(EINVAL, -EINVAL);
  ib_user_mad* mad = umad_of(umad);
  mad->agent_id = static_cast<std::uint32_t>(agent_id);
  mad->timeout_ms = static_cast<std::uint32_t>(timeout_ms);
  mad->retries = static_cast<std::uint32_t>(retries);
  const int error = port->send(agent_id, mad, static_cast<std::size_t>(length), timeout_ms, retries);
  return error == 0 ? 0 : fail_with(-error, error);
}

int umad_recv(int port_fd, void* umad, int* length, int timeout_ms) {
  const std::shared_ptr<Port> port = port_at(port_fd);
  if (port == nullptr || umad == nullptr || length == nullptr) return fail_with(EINVAL, -EINVAL);
  const int agent = port->receive(umad_of(umad), length, timeout_ms);
  return agent >= 0 ? agent : fail_with(-agent, agent);
}

int umad_poll(int port_fd, int timeout_ms) {
  const std::shared_ptr<Port> port = port_at(port_fd);
  const int error = port == nullptr ? -EINVAL : port->wait(timeout_ms);
  return error == 0 ? 0 : fail_with(-error, error);
}

int umad_get_fd(int port_fd) { return port_at(port_fd) != nullptr ? port_fd : fail_with(EINVAL, -EINVAL); }

}  // extern "C"
