#pragma once
// Desk: an SA over a planned fabric of two switches and four HCAs, asked by hand. HCAs A (the manager's) to D
// have one port each; A and B hang on one switch, C and D on the other, two cables between the switches.

#include <memory>
#include <vector>

#include "mad/class_port_info.h"
#include "mad/sa_records.h"
#include "sa/components.h"
#include "sa/group_care.h"
#include "sa/inform.h"
#include "sa/multicast.h"
#include "sa/request.h"
#include "sa/services.h"
#include "tests/plan/addressed.h"
#include "tests/support/fabric_of.h"
#include "topology/topology.h"

namespace weft::sa {

inline topology::Topology two_switches() {
  topology::Topology made;
  const auto add = [&made](NodeType type, std::string id, std::uint8_t ports, std::uint64_t guid) {
    topology::Node node;
    node.type = type;
    node.id = id;
    node.description = id;
    node.guid = Guid{guid};
    node.port_guids = {Guid{guid + (type == NodeType::hca ? 1u : 0u)}};
    node.port_count = ports;
    made.nodes.push_back(node);
  };
  add(NodeType::switch_, "S1", 8, 0x2000);
  add(NodeType::switch_, "S2", 8, 0x2001);
  for (int i = 0; i < 4; ++i)
    add(NodeType::hca, std::string("Hca") + static_cast<char>('A' + i), 1,
        0x1000u + 16u * static_cast<unsigned>(i));
  const auto cable = [&made](std::uint32_t a, int a_port, std::uint32_t b, int b_port, LinkSpeed speed) {
    made.cables.push_back(
        {{a, static_cast<PortNum>(a_port)}, {b, static_cast<PortNum>(b_port)}, LinkWidth::x4, speed});
  };
  cable(0, 7, 1, 7, LinkSpeed::sdr);
  cable(0, 8, 1, 8, LinkSpeed::sdr);
  for (std::uint32_t i = 0; i < 4; ++i) cable(2 + i, 1, i / 2, static_cast<int>(i % 2 + 1), LinkSpeed::sdr);
  return made;
}

struct Desk {
  /// What a test wants otherwise in the plan.
  using Change = std::function<void(const fabric::Fabric&, plan::Plan&)>;
  /// The ports Active and with their LIDs, as they are after programming.
  static std::shared_ptr<const plan::View> as_found(plan::View view, const Change& change) {
    view.fabric = std::make_shared<const fabric::Fabric>(plan::addressed(*view.fabric, view.plan->lids));
    auto plan = std::make_shared<plan::Plan>(*view.plan);
    if (change) change(*view.fabric, *plan);
    view.plan = plan;
    return std::make_shared<const plan::View>(std::move(view));
  }
  explicit Desk(const topology::Topology& topology = two_switches(), const plan::Config& config = {},
                const Change& change = {})
      : published(test::fabric_of(topology), config), view(as_found(published.view, change)), index(view) {
    std::vector<Event> ended;
    if (auto next = with_own_groups(state, options, view->plan->partitions, ended)) state = *next;
    self.guid = guid_of("HcaA");
    self.state = mad::SmState::master;
  }

  Guid guid_of(std::string_view node) const {
    for (const End& end : index.ends())
      if (index.fabric().node(end.port.node).description == node) return end.guid;
    return {};
  }
  Lid lid_of(std::string_view node) const { return index.find(guid_of(node))->base; }
  Gid gid_of(std::string_view node) const { return {kLinkLocalPrefix, raw(guid_of(node))}; }

  Request request(mad::Method method, mad::SaAttr attribute, std::uint64_t mask) const {
    Request made = request_from(lid_of(asker), method, attribute, mask, {});
    made.trusted = trusted;
    return made;
  }
  /// Asks, and keeps what the answer changes.
  template <typename S>
  Answer ask(mad::Method method, mad::SaAttr attribute, std::uint64_t mask, const S& record,
             std::uint32_t modifier = 0) {
    data.assign(200, 0);
    mad::encode_into(std::span<std::uint8_t>(data), record);
    Request made = request(method, attribute, mask);
    made.header.modifier = modifier;
    return ask(made);
  }
  Answer ask(Request made) {
    made.data = data;
    Answer got = answer(made, context());
    if (got.state) state = *got.state;
    events.insert(events.end(), got.events.begin(), got.events.end());
    return got;
  }
  Context context() const {
    Context made{index, state, self, {}, kLinkLocalPrefix, now};
    made.options = options;
    made.devices = &devices;
    made.tables = &tables;
    made.multicast = multicast;
    return made;
  }
  Answer get(mad::SaAttr attribute, std::uint64_t mask = 0) {
    data.assign(200, 0);
    return ask(request(mad::Method::get, attribute, mask));
  }
  Answer table(mad::SaAttr attribute, std::uint64_t mask = 0) {
    data.assign(200, 0);
    return ask(request(mad::Method::get_table, attribute, mask));
  }

  plan::Published published;
  std::shared_ptr<const plan::View> view;
  Index index;
  plan::SaState state;
  mad::SmInfo self;
  std::int64_t now = 1'000'000;
  mad::Blocks devices;
  mad::Blocks tables;
  std::shared_ptr<const plan::MulticastTables> multicast;
  plan::SaOptions options;
  bool trusted = false;
  std::string asker = "HcaB";
  std::vector<std::uint8_t> data = std::vector<std::uint8_t>(200);
  std::vector<Event> events;
};

inline std::size_t count(const Answer& answer) {
  return answer.offset == 0 ? 0 : answer.data.size() / (answer.offset * 8u);
}
template <typename S>
S record(const Answer& answer, std::size_t number = 0) {
  return mad::decode<S>(std::span<const std::uint8_t>(answer.data).subspan(number * answer.offset * 8u));
}
inline std::uint64_t bits(std::initializer_list<int> numbers) {
  std::uint64_t mask = 0;
  for (const int number : numbers) mask |= bit(number);
  return mask;
}

}  // namespace weft::sa
