// Subnet administration in process, on a tree of 11,664 hosts: what an answer costs before it goes on the
// wire.
#include <memory>
#include <vector>

#include <benchmark/benchmark.h>

#include "mad/sa_records.h"
#include "plan/multicast.h"
#include "sa/components.h"
#include "sa/group_care.h"
#include "sa/multicast.h"
#include "sa/request.h"
#include "tests/support/fabric_of.h"

namespace {

using namespace weft;

/// Planned once, for all of them.
struct Served {
  std::shared_ptr<const plan::View> view;
  std::unique_ptr<sa::Index> index;
  std::vector<sa::End> hosts;
  plan::SaState state;

  Served() {
    auto made = std::make_shared<plan::View>();
    made->fabric = std::make_shared<const fabric::Fabric>(test::fabric_of("fat-tree:radix=36,levels=3"));
    for (const fabric::PortRef port : made->fabric->end_ports())
      if (!made->fabric->is_switch(port.node)) {
        made->sm_port = port;
        break;
      }
    auto planned = plan::make_plan(*made->fabric, plan::Config{}, plan::Ledger{}, made->sm_port, nullptr);
    if (!planned) std::abort();
    made->plan = planned->plan;
    made->ledger = planned->ledger;
    view = made;
    index = std::make_unique<sa::Index>(view);
    for (const sa::End& end : index->ends())
      if (!end.is_switch) hosts.push_back(end);
    std::vector<sa::Event> events;
    if (auto next = sa::with_own_groups(state, {}, made->plan->partitions, events)) state = *next;
  }
  sa::Context context() const { return {*index, state, {}, {}, kLinkLocalPrefix, 0}; }
};

const Served& served() {
  static const Served one;
  return one;
}

sa::Request request_of(mad::Method method, mad::SaAttr attribute, std::uint64_t mask,
                       std::span<const std::uint8_t> data) {
  return sa::request_from(served().hosts.front().base, method, attribute, mask, data);
}

/// One thread; hosts far apart, another pair each time.
void path_records(benchmark::State& state, bool by_gid) {
  const Served& sa = served();
  std::vector<std::uint8_t> data(mad::kSaDataSize);
  const std::uint64_t mask = by_gid ? sa::bit(2) | sa::bit(3) | sa::bit(12) : sa::bit(4) | sa::bit(5);
  const sa::Request request = request_of(mad::Method::get, mad::SaAttr::path_record, mask, data);
  const sa::Context context = sa.context();
  std::size_t i = 0;
  for (auto _ : state) {
    const sa::End& from = sa.hosts[i % sa.hosts.size()];
    const sa::End& to = sa.hosts[(i * 7919 + 4099) % sa.hosts.size()];
    ++i;
    mad::PathRecord asked;
    asked.paths = 1;
    if (by_gid) {
      asked.sgid = {kLinkLocalPrefix, raw(from.guid)};
      asked.dgid = {kLinkLocalPrefix, raw(to.guid)};
    } else {
      asked.slid = from.base;
      asked.dlid = to.base;
    }
    mad::encode_into(std::span<std::uint8_t>(data), asked);
    const sa::Answer answer = sa::answer(request, context);
    if (answer.status != 0) state.SkipWithError("refused");
    benchmark::DoNotOptimize(answer.data.data());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK_CAPTURE(path_records, by_lid, false);
BENCHMARK_CAPTURE(path_records, by_gid, true);

void all_node_records(benchmark::State& state) {
  const std::vector<std::uint8_t> data(mad::kSaDataSize);
  const sa::Request request = request_of(mad::Method::get_table, mad::SaAttr::node_record, 0, data);
  for (auto _ : state) benchmark::DoNotOptimize(sa::answer(request, served().context()).data.data());
}
BENCHMARK(all_node_records)->Unit(benchmark::kMillisecond);

void index_of_a_view(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(sa::Index(served().view).ends().size());
}
BENCHMARK(index_of_a_view)->Unit(benchmark::kMillisecond);

/// What the loop does with a new View beside taking it: care for groups, and look who is registered.
void care_after_a_view(benchmark::State& state) {
  plan::SaState full = served().state;
  plan::McGroup group = *full.groups.find(sa::ipoib_broadcast(Pkey{0xffff}));
  for (const sa::End& end : served().hosts)
    group.members.set(end.guid, {{kLinkLocalPrefix, raw(end.guid)}, 1, false});
  full.groups = full.groups.with(group);
  const sa::Context context{*served().index, full, {}, {}, kLinkLocalPrefix, 0};
  for (auto _ : state) {
    std::vector<sa::Event> events;
    benchmark::DoNotOptimize(sa::as_planned(context, events).has_value());
    benchmark::DoNotOptimize(plan::registered_ports(full).size());
  }
}
BENCHMARK(care_after_a_view)->Unit(benchmark::kMillisecond);

plan::SaState joined(std::size_t count) {
  plan::SaState state = served().state;
  plan::McGroup group = *state.groups.find(sa::ipoib_broadcast(Pkey{0xffff}));
  for (std::size_t i = 0; i < count; ++i)
    group.members.set(served().hosts[i].guid, {{kLinkLocalPrefix, raw(served().hosts[i].guid)}, 1, false});
  state.groups = state.groups.with(group);
  return state;
}

/// The ten-thousandth host joins the broadcast group.
void join_a_big_group(benchmark::State& state) {
  const plan::SaState full = joined(10'000);
  std::vector<std::uint8_t> data(mad::kSaDataSize);
  mad::McMemberRecord asked;
  asked.mgid = sa::ipoib_broadcast(Pkey{0xffff});
  asked.port_gid = {kLinkLocalPrefix, raw(served().hosts[10'001].guid)};
  asked.join_state = 1;
  mad::encode_into(std::span<std::uint8_t>(data), asked);
  const sa::Request request = request_of(mad::Method::set, mad::SaAttr::mc_member_record,
                                         sa::bit(0) | sa::bit(1) | sa::bit(16), data);
  const sa::Context context{*served().index, full, {}, {}, kLinkLocalPrefix, 0};
  for (auto _ : state) {
    const sa::Answer answer = sa::answer(request, context);
    if (!answer.state) state.SkipWithError("refused");
    benchmark::DoNotOptimize(answer.state->groups.size());
  }
}
BENCHMARK(join_a_big_group);

/// Its tree and all tables after one more join; the basis is there.
void tree_of_a_big_group(benchmark::State& state) {
  const auto before = plan::plan_multicast(served().view, joined(10'000), nullptr);
  const plan::SaState after = joined(10'001);
  for (auto _ : state)
    benchmark::DoNotOptimize(plan::plan_multicast(served().view, after, before.get())->trees.size());
}
BENCHMARK(tree_of_a_big_group)->Unit(benchmark::kMillisecond);

}  // namespace
