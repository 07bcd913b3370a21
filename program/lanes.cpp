#include "program/lanes.h"

#include <algorithm>
#include <array>

#include "mad/tables.h"
#include "transport/concurrency.h"
#include "transport/target.h"

namespace weft::program {
namespace {

constexpr std::uint32_t kEveryOut = 1U << 16;
constexpr std::uint32_t kEveryIn = 1U << 17;

std::uint32_t pair_of(std::size_t in, std::size_t out) { return static_cast<std::uint32_t>(in << 8 | out); }

/// The table of one switch, of ports that matter: port 0 and linked ones as inputs, linked ones as outputs.
class LaneTable {
 public:
  LaneTable(const fabric::Fabric& fabric, const routing::Lanes& lanes, SwitchId id) : lanes_(lanes), id_(id) {
    const auto ports = fabric.ports(id);
    ins_.push_back(0);
    for (std::size_t p = 1; p < ports.size(); ++p) {
      if (!ports[p].peer) continue;
      ins_.push_back(p);
      outs_.push_back(p);
    }
  }

  std::vector<LaneSet> pairs() const {
    std::vector<LaneSet> sets;
    for (const std::size_t in : ins_)
      for (const std::size_t out : outs_) sets.push_back({pair_of(in, out), at(in, out)});
    return sets;
  }

  /// Rows, then columns in which all inputs agree, then what neither says.
  std::vector<LaneSet> rows_and_columns() const {
    std::vector<std::size_t> uniform;
    std::vector<std::size_t> mixed;
    for (const std::size_t out : outs_)
      (std::ranges::all_of(ins_, [&](std::size_t in) { return at(in, out) == at(0, out); }) ? uniform : mixed)
          .push_back(out);
    std::vector<LaneSet> sets;
    std::vector<LaneSet> single;
    std::vector<bool> column_says_more(uniform.size());
    for (const std::size_t in : ins_) {
      const Vl usual = most_usual(in, mixed.empty() ? outs_ : mixed);
      sets.push_back({pair_of(in, 0) | kEveryOut, usual});
      for (const std::size_t out : mixed)
        if (at(in, out) != usual) single.push_back({pair_of(in, out), at(in, out)});
      for (std::size_t u = 0; u < uniform.size(); ++u)
        if (at(in, uniform[u]) != usual) column_says_more[u] = true;
    }
    for (std::size_t u = 0; u < uniform.size(); ++u)
      if (column_says_more[u]) sets.push_back({pair_of(0, uniform[u]) | kEveryIn, at(0, uniform[u])});
    sets.insert(sets.end(), single.begin(), single.end());
    return sets;
  }

 private:
  Vl at(std::size_t in, std::size_t out) const {
    return lanes_.at(id_, static_cast<PortNum>(in), static_cast<PortNum>(out));
  }
  Vl most_usual(std::size_t in, const std::vector<std::size_t>& outs) const {
    std::array<std::size_t, 16> count{};
    for (const std::size_t out : outs) ++count[raw(at(in, out))];
    return static_cast<Vl>(std::ranges::max_element(count) - count.begin());
  }

  const routing::Lanes& lanes_;
  SwitchId id_;
  std::vector<std::size_t> ins_;
  std::vector<std::size_t> outs_;
};

mad::AttrData one_lane(Vl vl) {
  mad::SlToVlTable table;
  table.vl.fill(vl);
  return mad::encode(table);
}

/// One run of write_lanes; its coroutines borrow it.
struct LaneWriter {
  transport::SmpClient& client;
  const fabric::Fabric& fabric;
  const fabric::PathTree& paths;
  const routing::Lanes& lanes;
  std::function<void()> step;
  LanesWritten result;

  /// One Set after the other: columns must come after rows.
  asio::awaitable<void> write(const LaneWork& work) {
    const Guid guid = fabric.node(work.id).guid;
    const auto way = transport::target_by(guid, paths.ports_to(fabric.node_of(work.id)));
    if (!way) co_return;
    if (!work.on_record && carries_traffic(fabric, fabric.node_of(work.id))) {
      const bool there = co_await holds_all(*way, work.id);
      if (there) {
        result.digests[guid] = work.digest;
        step();
        co_return;
      }
    }
    Result<void> done = co_await set_all(*way, work.sets);
    if (!done && done.error().code == Errc::bad_status) {
      // Not every switch that offers whole rows takes them.
      std::vector<LaneSet> pairs = LaneTable(fabric, lanes, work.id).pairs();
      done = co_await set_all(*way, std::move(pairs));
    }
    result.digests[guid] = done ? work.digest : 0;
    if (!done && done.error().code != Errc::cancelled)
      result.failed.push_back({guid, "SLtoVLMappingTable", done.error().what});
    step();
  }

  /// Whether the switch has it all already; looks no further than the first pair that differs.
  asio::awaitable<bool> holds_all(transport::Target way, SwitchId id) {
    const std::vector<LaneSet> pairs = LaneTable(fabric, lanes, id).pairs();
    for (const LaneSet& one : pairs) {
      Result<mad::AttrData> answer = co_await client.get(way, mad::AttrId::sl_to_vl, one.modifier);
      if (!answer ||
          mad::decode<mad::SlToVlTable>(*answer) != mad::decode<mad::SlToVlTable>(one_lane(one.vl)))
        co_return false;
    }
    co_return true;
  }

  asio::awaitable<Result<void>> set_all(const transport::Target& way, std::vector<LaneSet> sets) {
    for (const LaneSet& one : sets) {
      const mad::AttrData data = one_lane(one.vl);
      Result<mad::AttrData> answer = co_await client.set(way, mad::AttrId::sl_to_vl, one.modifier, data);
      if (!answer) co_return fail(answer.error());
      if (mad::decode<mad::SlToVlTable>(*answer) != mad::decode<mad::SlToVlTable>(data))
        co_return fail(Errc::bad_status, "SLtoVLMappingTable 0x{:x}: answered with other lanes than set",
                       one.modifier);
    }
    co_return Result<void>{};
  }
};

struct WriteLanesOf {
  LaneWriter* writer;
  asio::awaitable<void> operator()(const LaneWork& work) const { return writer->write(work); }
};

}  // namespace

std::vector<LaneSet> lane_sets(const fabric::Fabric& fabric, const routing::Lanes& lanes, SwitchId id) {
  const LaneTable table(fabric, lanes, id);
  const bool wildcards = fabric.node(id).switch_facts.optimized_sl_to_vl;
  return wildcards ? table.rows_and_columns() : table.pairs();
}

std::uint64_t lanes_digest(std::span<const LaneSet> sets) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const LaneSet& one : sets)
    hash = (hash ^ (std::uint64_t{one.modifier} << 8 | raw(one.vl))) * 0x100000001b3;
  return hash == 0 ? 1 : hash;
}

std::vector<LaneWork> lane_work(const fabric::Fabric& fabric, const routing::Lanes& lanes,
                                const plan::DeviceMap& devices) {
  std::vector<LaneWork> work;
  for (std::size_t s = 0; s < fabric.switch_count(); ++s) {
    LaneWork one{.id = static_cast<SwitchId>(s), .sets = lane_sets(fabric, lanes, static_cast<SwitchId>(s))};
    one.digest = lanes_digest(one.sets);
    const auto record = devices.find(fabric.node(one.id).guid);
    const std::uint64_t held = record == devices.end() ? 0 : record->second->lanes_digest;
    one.on_record = held != 0;
    if (held != one.digest) work.push_back(std::move(one));
  }
  return work;
}

bool carries_traffic(const fabric::Fabric& fabric, NodeId node) {
  return std::ranges::any_of(fabric.ports(node), [&fabric](const fabric::Port& port) {
    return port.peer && port.state == PortState::active && fabric.is_switch(port.peer->node);
  });
}

asio::awaitable<LanesWritten> write_lanes(transport::SmpClient& client, const fabric::Fabric& fabric,
                                          const fabric::PathTree& paths, const routing::Lanes& lanes,
                                          std::span<const LaneWork> work, std::function<void()> step) {
  LaneWriter writer{client, fabric, paths, lanes, std::move(step), {}};
  const WriteLanesOf act{&writer};
  co_await transport::for_each(work, static_cast<std::size_t>(client.settings().window), act);
  co_return std::move(writer.result);
}

}  // namespace weft::program
