#include "tests/whole/chaos_access.h"

#include <stdexcept>

#include "config/read.h"

namespace weft::test {

Access::Access(const sim::World& world, const std::vector<sim::NodeIndex>& hosts, std::mt19937_64& random)
    : levels_(random() % 2 == 0) {
  parts_.resize(kParts);
  for (std::vector<Line>& part : parts_)
    for (const sim::NodeIndex host : hosts) {
      const sim::Node& node = world.node(host);
      const std::uint64_t how = random() % 6;
      if (how >= 4) continue;
      part.push_back({.guid = how % 2 == 0 ? node.guid : Guid{}, .name = node.id, .full = how < 3});
    }
}

std::string Access::yaml() const {
  std::string text = "partitions:\n  define:\n    everybody: { key: 0x7fff, members: [ { all: full } ] }\n";
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    text += fmt::format("    part{}: {{ key: {:#x}, members: [", p, kFirstKey + p);
    std::string between;
    for (const Line& line : parts_[p]) {
      const std::string who = raw(line.guid) != 0 ? to_string(line.guid) : fmt::format("\"{}*\"", line.name);
      text += fmt::format("{} {{ {}: {} }}", between, who, line.full ? "full" : "limited");
      between = ",";
    }
    text += " ] }\n";
  }
  if (levels_)
    text +=
        "qos:\n  levels: { rest: { sl: 0 }, own: { sl: 4, weight: 2 } }\n"
        "  rules: [ { level: own, partition: part1 } ]\n";
  return text;
}

config::Settings Access::over(config::Settings settings) const {
  const auto loaded = config::read_text(yaml(), "chaos.yaml");
  if (!loaded) throw std::runtime_error(loaded.error().what + "\n" + yaml());
  settings.plan.partitions = loaded->settings.plan.partitions;
  settings.plan.qos = loaded->settings.plan.qos;
  return settings;
}

config::Settings Access::overflowing(config::Settings settings) const {
  settings = over(std::move(settings));
  for (std::uint16_t i = 0; i < 100; ++i)
    settings.plan.partitions.partitions.push_back(
        {.name = fmt::format("more{}", i),
         .key = static_cast<std::uint16_t>(0x100 + i),
         .default_membership = partitions::Membership::full,
         .members = {{{.kind = fabric::Who::Kind::all}, partitions::Membership::full}}});
  return settings;
}

std::set<Pkey> Access::keys_of(const sim::World& world, sim::NodeIndex host) const {
  std::set<Pkey> keys{Pkey{0xffff}};
  const sim::Node& node = world.node(host);
  for (std::size_t p = 0; p < parts_.size(); ++p)
    for (const Line& line : parts_[p])
      if (means(line, node))
        keys.insert(static_cast<Pkey>((line.full ? 0x8000u : 0u) | (kFirstKey + static_cast<unsigned>(p))));
  return keys;
}

bool Access::is_full_member(const sim::World& world, sim::NodeIndex host, int part) const {
  return keys_of(world, host).contains(full_key(part));
}

}  // namespace weft::test
