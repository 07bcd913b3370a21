#pragma once
// A desk on a small fabric under virtual time, and the hands of its clients.

#include <cstring>

#include "sim/server/desk.h"
#include "tests/sim/fabrics.h"

namespace weft::sim {

inline wire::Connect request_for(std::string_view node) {
  wire::Connect request;
  std::copy_n(node.begin(), node.size(), request.node.begin());
  request.extension = wire::kExtension;
  request.version = wire::kVersion;
  return request;
}

template <typename T>
std::vector<std::uint8_t> control_of(std::uint32_t kind, const T& data) {
  wire::Head head;
  head.kind = kind;
  head.length = sizeof(data);
  return control_message(head, {reinterpret_cast<const std::uint8_t*>(&data), sizeof(data)});
}

inline std::vector<std::uint8_t> stock_datagram(const mad::Mad& mad) {
  const transport::ibsim::Envelope envelope = transport::ibsim::envelope_of(mad);
  std::vector<std::uint8_t> datagram(envelope.begin(), envelope.end());
  datagram.insert(datagram.end(), mad.bytes.begin(), mad.bytes.end());
  return datagram;
}

inline std::vector<std::uint8_t> wide_datagram(const mad::Mad& mad, std::uint32_t agent) {
  Datagram datagram;
  write_wide(mad, kLidNone, agent, std::nullopt, datagram);
  return {datagram.bytes.begin(), datagram.bytes.end()};
}

/// A general MAD without data.
inline mad::Mad gmp(std::uint8_t mgmt_class, std::uint8_t version, std::uint8_t method) {
  mad::Mad mad;
  mad.bytes[0] = 1;
  mad.bytes[1] = mgmt_class;
  mad.bytes[2] = version;
  mad.bytes[3] = method;
  mad.address.qp = 1;
  return mad;
}

/// Three switches in a row with a host each, and a host "h3" with two ports, one of them cabled.
inline topology::Topology row_with_twin() {
  topology::Topology topology = row_of(3, false);
  topology::Node twin = topology.nodes.back();
  twin.id = "h3";
  twin.description = "h3 of the test";
  twin.guid = static_cast<Guid>(0x100030);
  twin.port_count = 2;
  topology.nodes.push_back(twin);
  const auto index = static_cast<std::uint32_t>(topology.nodes.size() - 1);
  topology.cables.push_back({{0, PortNum{4}}, {index, PortNum{2}}, LinkWidth::x4, LinkSpeed::hdr});
  return topology;
}

struct Counter {
  Lab lab{row_with_twin()};
  Desk desk{lab.network};

  Client& attach(Client::Kind kind, std::string_view node) {
    wire::Connect request = request_for(node);
    return **desk.connect(kind, request);
  }
  void pass(Duration time) { lab.clock.run_until(lab.clock.now() + time); }
  void settle() { pass(std::chrono::milliseconds(1)); }
  std::vector<Datagram> take_all(Client& client) {
    std::vector<Datagram> all(client.outgoing().items().begin(), client.outgoing().items().end());
    client.sent(all.size());
    return all;
  }
  /// 0, or the number of errno that it is refused with.
  int error_of(const std::vector<std::uint8_t>& answer) {
    return head_of(answer)->kind == wire::kError ? static_cast<int>(data_of<std::uint32_t>(answer)) : 0;
  }
  int register_agent(Client& client, std::uint32_t agent, std::uint8_t mgmt_class, std::uint8_t version,
                     std::initializer_list<unsigned> methods) {
    wire::Register request;
    request.agent = agent;
    request.mgmt_class = mgmt_class;
    request.class_version = version;
    for (const unsigned method : methods) request.methods[method / 64] |= std::uint64_t{1} << (method % 64);
    return error_of(desk.answer(client, control_of(wire::kRegister, request)));
  }
  int set_is_sm(Client& client, bool on) {
    return error_of(desk.answer(client, control_of(wire::kSetIsSm, std::uint32_t{on ? 1u : 0u})));
  }
};

}  // namespace weft::sim
