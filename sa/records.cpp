#include "sa/records.h"

#include <algorithm>

#include "mad/node_info.h"
#include "mad/port_info.h"
#include "mad/sa_records.h"
#include "mad/switch_info.h"
#include "mad/tables.h"

namespace weft::sa {
namespace {

using fabric::Fabric;
using fabric::PortRef;

mad::NodeInfo node_info(const Fabric& fabric, const End& end) {
  const fabric::Node& node = fabric.node(end.port.node);
  mad::NodeInfo info;
  info.type = node.type;
  info.port_count = node.port_count;
  info.system_guid = node.system_guid;
  info.node_guid = node.guid;
  info.port_guid = end.guid;
  info.device = node.device;
  info.partition_cap = node.pkey_capacity;
  info.revision = node.revision;
  info.local_port = end.port.port;
  info.vendor = node.vendor;
  return info;
}

/// PortInfo tells a speed in up to three fields; the older ones then show the fastest they can.
void tell_speed(mad::PortInfo& info, LinkSpeed speed) {
  if (speed == LinkSpeed::none) return;
  info.speed_active = static_cast<std::uint8_t>(speed >= LinkSpeed::qdr ? 4 : raw(speed));
  if (speed >= LinkSpeed::fdr)
    info.speed_ext_active = static_cast<std::uint8_t>(1u << std::min(raw(speed) - raw(LinkSpeed::fdr), 3));
  if (speed == LinkSpeed::xdr) info.speed_ext2_active = 1;
}

/// What we know of a port: as found, with what we have planned for it since.
mad::PortInfo port_info(const Context& context, PortRef ref) {
  const Fabric& fabric = context.index.fabric();
  const plan::Plan& plan = *context.index.view().plan;
  const fabric::Port& port = fabric.port(ref);
  const std::size_t slot = fabric.node(ref.node).first_port + raw(ref.port);
  mad::PortInfo info;
  if (context.devices != nullptr)
    if (const mad::AttrData* held =
            context.devices->find(fabric.node(ref.node).guid, mad::AttrId::port_info, raw(ref.port)))
      info = mad::decode<mad::PortInfo>(*held);
  info.m_key = 0;  // nobody's business, whoever asks
  info.client_reregister = false;
  info.local_port = ref.port;
  info.state = port.state;
  info.phys = port.phys;
  info.lid = port.lid;
  info.sm_lid = port.sm_lid;
  info.lmc = port.lmc;
  info.capabilities = port.capabilities;
  info.mtu_cap = port.mtu_cap;
  info.neighbor_mtu = port.neighbor_mtu;
  info.vl_cap = port.vl_cap;
  info.operational_vls = port.operational_vls;
  info.width_active = port.width;
  tell_speed(info, port.speed);
  if (slot >= plan.ports.size()) return info;
  const plan::PortSettings& settings = plan.ports[slot];
  if (settings.end_port) {
    info.gid_prefix = settings.prefix;
    info.lid = settings.lid.base;
    info.lmc = settings.lid.lmc;
    info.sm_lid = settings.sm_lid;
    info.subnet_timeout = settings.subnet_timeout;
  }
  if (settings.bring_up && settings.link.mtu != Mtu::none) info.neighbor_mtu = settings.link.mtu;
  return info;
}

}  // namespace

void node_records(const Context& context, Collector& records) {
  const Fabric& fabric = context.index.fabric();
  each_end(context, records, [&](const End& end) {
    const std::span<std::uint8_t> record = records.begin();
    put_bits(record, 0, 16, raw(end.base));
    encode_into(record.subspan(4), node_info(fabric, end));
    encode_into(record.subspan(44), mad::NodeDescription{fabric.node(end.port.node).description});
    records.offer();
  });
}

void port_info_records(const Context& context, Collector& records) {
  const Fabric& fabric = context.index.fabric();
  const bool has_bits = (records.request().header.modifier & 0x80000000u) != 0;
  const bool mask1 = has_bits && records.asks(kCapabilityMaskBit);
  const bool mask2 = has_bits && records.asks(kCapabilityMask2Bit);
  if (mask1) records.settle(kCapabilityMaskBit);
  if (mask2) records.settle(kCapabilityMask2Bit);
  const auto wanted = mad::decode<mad::PortInfo>(records.request().data.subspan(4, 64));
  const bool whole = (records.request().data[3] & 0x80) != 0;
  records.settle(2);
  const auto tell = [&](const End& end, PortRef ref) {
    mad::PortInfo info = port_info(context, ref);
    if (mask1 && (info.capabilities & wanted.capabilities) != wanted.capabilities) return;
    if (mask2 && (info.capabilities2 & wanted.capabilities2) != wanted.capabilities2) return;
    const std::span<std::uint8_t> record = records.begin();
    put_bits(record, 0, 16, raw(end.base));
    record[2] = raw(ref.port);
    record[3] = whole ? 0x80 : 0;
    encode_into(record.subspan(4), info);
    records.offer();
  };
  each_end(context, records, [&](const End& end) {
    if (!end.is_switch) return tell(end, end.port);
    for (std::size_t number = 0; number < fabric.ports(end.port.node).size() && !records.enough(); ++number)
      tell(end, {end.port.node, static_cast<PortNum>(number)});
  });
}

void switch_info_records(const Context& context, Collector& records) {
  const Fabric& fabric = context.index.fabric();
  const plan::Plan& plan = *context.index.view().plan;
  each_end(context, records, [&](const End& end) {
    if (!end.is_switch) return;
    const fabric::SwitchFacts& facts = fabric.node(end.port.node).switch_facts;
    mad::SwitchInfo info;
    if (context.devices != nullptr)
      if (const mad::AttrData* held =
              context.devices->find(fabric.node(end.port.node).guid, mad::AttrId::switch_info, 0))
        info = mad::decode<mad::SwitchInfo>(*held);
    info.lft_capacity = facts.lft_capacity;
    info.mft_capacity = facts.mft_capacity;
    info.lft_top = plan.routes().top;
    info.lifetime = plan.packet_lifetime;
    info.enhanced_port0 = facts.enhanced_port0;
    const std::span<std::uint8_t> record = records.begin();
    put_bits(record, 0, 16, raw(end.base));
    encode_into(record.subspan(4), info);
    records.offer();
  });
}

void lft_records(const Context& context, Collector& records) {
  const routing::Routes& routes = context.index.view().plan->routes();
  each_end(context, records, [&](const End& end) {
    if (!end.is_switch) return;
    const routing::Lft& lft = *routes.lfts[raw(end.leaf)];
    for (std::size_t block = 0; block * mad::kLftBlock < lft.size() && !records.enough(); ++block) {
      const std::span<std::uint8_t> record = records.begin();
      put_bits(record, 0, 16, raw(end.base));
      put_bits(record, 16, 16, block);
      std::ranges::copy(lft.block(block), record.begin() + 8);
      records.offer();
    }
  });
}

/// Blocks with nothing in them are not told: a table without groups has no record.
void mft_records(const Context& context, Collector& records) {
  constexpr std::uint32_t kMftFirst = 0xc000;
  constexpr std::uint32_t kMlids = 32;
  if (!context.multicast || context.multicast->size() != context.index.fabric().switch_count()) return;
  each_end(context, records, [&](const End& end) {
    if (!end.is_switch) return;
    const auto& entries = (*context.multicast)[raw(end.leaf)];
    const std::uint32_t positions = context.index.fabric().node(end.port.node).port_count / 16u + 1;
    for (auto from = entries.begin(); from != entries.end() && !records.enough();) {
      const std::uint32_t block = (raw(from->mlid) - kMftFirst) / kMlids;
      auto next = from;
      while (next != entries.end() && (raw(next->mlid) - kMftFirst) / kMlids == block) ++next;
      for (std::uint32_t position = 0; position < positions; ++position) {
        const std::span<std::uint8_t> record = records.begin();
        put_bits(record, 0, 16, raw(end.base));
        put_bits(record, 16, 4, position);
        put_bits(record, 23, 9, block);
        for (auto entry = from; entry != next; ++entry)
          put_bits(record, 64 + (raw(entry->mlid) - kMftFirst) % kMlids * 16u, 16,
                   entry->ports[position / 4] >> position % 4 * 16 & 0xffff);
        records.offer();
      }
      from = next;
    }
  });
}

void sm_info_records(const Context& context, Collector& records) {
  const auto tell = [&](Lid lid, mad::SmInfo info) {
    const End* end = context.index.find(lid);
    if (end == nullptr || !records.sight().sees(*end)) return;
    info.sm_key = 0;  // nobody's business
    const std::span<std::uint8_t> record = records.begin();
    put_bits(record, 0, 16, raw(lid));
    encode_into(record.subspan(4), info);
    records.offer();
  };
  tell(context.index.view().plan->sm_lid, context.self);
  for (const OtherManager& other : context.others) tell(other.lid, other.info);
}

void link_records(const Context& context, Collector& records) {
  const Fabric& fabric = context.index.fabric();
  const auto end_of = [&](PortRef ref) {
    return context.index.find(fabric.is_switch(ref.node) ? PortRef{ref.node, PortNum{0}} : ref);
  };
  each_end(context, records, [&](const End& end) {
    const std::span<const fabric::Port> ports = fabric.ports(end.port.node);
    for (std::size_t number = 1; number < ports.size() && !records.enough(); ++number) {
      const PortRef from{end.port.node, static_cast<PortNum>(number)};
      if (!end.is_switch && from != end.port) continue;
      if (!ports[number].peer) continue;
      const PortRef to = *ports[number].peer;
      const End* far = end_of(to);
      if (far == nullptr || !records.sight().sees(*far)) continue;
      encode_into(records.begin(), mad::LinkRecord{end.base, from.port, to.port, far->base});
      records.offer();
    }
  });
}

}  // namespace weft::sa
