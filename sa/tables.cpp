#include "sa/tables.h"

#include <algorithm>

#include "mad/node_info.h"
#include "mad/switch_info.h"
#include "sa/records.h"

namespace weft::sa {
namespace {

using mad::AttrId;

constexpr std::size_t kHeaderSize = 8;
constexpr std::uint32_t kPkeysPerBlock = 32;

/// A record to be: its header, and the block that its body is.
struct TableRow {
  std::array<std::uint8_t, kHeaderSize> header{};
  TableBlock block;
};

TableBlock block_of(const End& end, const Context& context, AttrId attribute, std::uint32_t modifier) {
  const Guid holder = end.is_switch ? context.index.fabric().node(end.port.node).guid : end.guid;
  return {end.port, holder, attribute, modifier};
}

const mad::AttrData* held(const Context& context, const TableBlock& block) {
  return context.tables == nullptr ? nullptr
                                   : context.tables->find(block.holder, block.attribute, block.modifier);
}

/// What has to be known of a device before its rows can be told; calls `need` for what is not.
template <typename Need>
std::uint32_t pkey_blocks(const Context& context, const End& end, PortNum port, const Need& need) {
  const bool external = end.is_switch && port != PortNum{0};
  const TableBlock facts = block_of(end, context, external ? AttrId::switch_info : AttrId::node_info, 0);
  const mad::AttrData* data = held(context, facts);
  if (data == nullptr) {
    need(facts);
    return 0;
  }
  const std::uint32_t keys = external ? mad::decode<mad::SwitchInfo>(*data).partition_enforcement_cap
                                      : mad::decode<mad::NodeInfo>(*data).partition_cap;
  return (keys + kPkeysPerBlock - 1) / kPkeysPerBlock;
}

/// Calls `visit(row)` for every row of one end's tables of this kind, `need(block)` for what must be read to
/// know which rows there are.
template <typename Visit, typename Need>
void each_row(const Context& context, mad::SaAttr attribute, const End& end, const Visit& visit,
              const Need& need) {
  const std::uint32_t ports = end.is_switch ? context.index.fabric().node(end.port.node).port_count + 1u : 1u;
  const auto number = [&end](std::uint32_t port) { return end.is_switch ? port : raw(end.port.port); };
  TableRow row;
  put_bits(std::span<std::uint8_t>(row.header), 0, 16, raw(end.base));
  if (attribute == mad::SaAttr::sl_to_vl_record) {
    for (std::uint32_t in = 0; in < ports; ++in)
      for (std::uint32_t out = 0; out < ports; ++out) {
        row.header[2] = static_cast<std::uint8_t>(in);
        row.header[3] = static_cast<std::uint8_t>(out);
        row.block = block_of(end, context, AttrId::sl_to_vl, in << 8 | out);
        visit(row);
      }
    return;
  }
  for (std::uint32_t port = 0; port < ports; ++port) {
    if (attribute == mad::SaAttr::vl_arbitration_record) {
      row.header[2] = static_cast<std::uint8_t>(number(port));
      for (std::uint32_t block = 1; block <= 4; ++block) {
        row.header[3] = static_cast<std::uint8_t>(block);
        row.block = block_of(end, context, AttrId::vl_arbitration, block << 16 | port);
        visit(row);
      }
      continue;
    }
    const std::uint32_t blocks = pkey_blocks(context, end, static_cast<PortNum>(port), need);
    row.header[4] = static_cast<std::uint8_t>(number(port));
    for (std::uint32_t block = 0; block < blocks; ++block) {
      put_bits(std::span<std::uint8_t>(row.header), 16, 16, block);
      row.block = block_of(end, context, AttrId::pkey_table, port << 16 | block);
      visit(row);
    }
  }
}

/// An end port of an HCA has one table of each kind: whatever port is asked for behind its LID, it is that.
bool ports_do_not_count(const Context& context, const Request& request) {
  const End* end = context.index.find(static_cast<Lid>(get_bits(request.data, 0, 16)));
  return (request.sa.component_mask & bit(0)) != 0 && end != nullptr && !end->is_switch;
}

void tell_tables(const Context& context, Collector& records, mad::SaAttr attribute) {
  if (ports_do_not_count(context, records.request())) {
    records.settle(attribute == mad::SaAttr::pkey_table_record ? 2 : 1);
    if (attribute == mad::SaAttr::sl_to_vl_record) records.settle(2);
  }
  each_end(context, records, [&](const End& end) {
    each_row(
        context, attribute, end,
        [&](const TableRow& row) {
          const mad::AttrData* data = held(context, row.block);
          if (data == nullptr || records.enough()) return;
          const std::span<std::uint8_t> record = records.begin();
          std::ranges::copy(row.header, record.begin());
          std::copy_n(data->begin(), record.size() - kHeaderSize, record.begin() + kHeaderSize);
          records.offer();
        },
        [](const TableBlock&) {});
  });
}

Components components_of(mad::SaAttr attribute) {
  switch (attribute) {
    case mad::SaAttr::sl_to_vl_record:
      return kSlToVlRecord;
    case mad::SaAttr::vl_arbitration_record:
      return kVlArbitrationRecord;
    case mad::SaAttr::pkey_table_record:
      return kPkeyTableRecord;
    default:
      return {};
  }
}

}  // namespace

void sl_to_vl_records(const Context& context, Collector& records) {
  tell_tables(context, records, mad::SaAttr::sl_to_vl_record);
}

void vl_arbitration_records(const Context& context, Collector& records) {
  tell_tables(context, records, mad::SaAttr::vl_arbitration_record);
}

void pkey_table_records(const Context& context, Collector& records) {
  tell_tables(context, records, mad::SaAttr::pkey_table_record);
}

std::vector<TableBlock> missing_tables(const Request& request, const Context& context, std::size_t most) {
  const auto attribute = static_cast<mad::SaAttr>(request.header.attribute);
  const Components components = components_of(attribute);
  const bool asked =
      request.header.method == mad::Method::get || request.header.method == mad::Method::get_table;
  if (components.empty() || !asked) return {};
  if (attribute == mad::SaAttr::pkey_table_record && !request.trusted) return {};
  std::vector<TableBlock> missing;
  const auto need = [&](const TableBlock& block) {
    const bool known = !missing.empty() && missing.back() == block;
    if (!known && missing.size() <= most) missing.push_back(block);
  };
  Collector filter(request, context, kHeaderSize, components);
  std::uint64_t mask = request.sa.component_mask;
  if (filter.asks(0)) mask &= ~bit(0);  // any LID of the port will do
  if (ports_do_not_count(context, request)) mask = 0;
  each_end(context, filter, [&](const End& end) {
    if (missing.size() > most) return;
    each_row(
        context, attribute, end,
        [&](const TableRow& row) {
          const auto query = request.data.first(kHeaderSize);
          if (matches(row.header, query, mask, components) && held(context, row.block) == nullptr)
            need(row.block);
        },
        need);
  });
  return missing;
}

}  // namespace weft::sa
