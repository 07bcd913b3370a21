#pragma once
// Reading: takes a verb's arguments apart. The first thing wrong is kept and told by error(), so a verb reads
// all it wants and looks once.

#include <optional>
#include <set>
#include <span>

#include "sim/faults/action.h"

namespace weft::sim {

/// What an Action is about: all of these, or so many of them, chosen by the World's seed when it happens.
template <typename T>
struct Selection {
  std::vector<T> all;
  std::size_t pick = 0;  ///< 0: all.

  std::vector<T> chosen(Random& random) const {
    if (pick == 0 || pick >= all.size()) return all;
    std::vector<T> rest = all;
    for (std::size_t i = 0; i < pick; ++i)
      std::swap(rest[i],
                rest[i + static_cast<std::size_t>(random.below(static_cast<std::int64_t>(rest.size() - i)))]);
    rest.resize(pick);
    return rest;
  }
};
using Nodes = Selection<NodeIndex>;
using Ports = Selection<PortIndex>;

/// Longest time that something can be told to wait: sums of such times fit a Duration.
inline constexpr Duration kLongest = std::chrono::hours(366 * 24);

class Reading {
 public:
  Reading(const World& world, std::string_view verb, std::span<const Argument> arguments)
      : world_(world), verb_(verb), arguments_(arguments) {}

  const World& world() const { return world_; }
  bool given(std::string_view name) const;
  std::string text(std::string_view name, std::string_view otherwise = {});
  Duration duration(std::string_view name, Duration otherwise = {});
  std::uint64_t number(std::string_view name, std::uint64_t otherwise, std::uint64_t most);
  /// How often: from 1 on.
  int count(std::string_view name, int otherwise, int most);
  /// "30%" or "0.3".
  double rate(std::string_view name, double otherwise);
  /// One of these words: its place among them.
  std::size_t word(std::string_view name, std::span<const std::string_view> words, std::size_t otherwise);
  std::optional<mad::AttrId> attribute(std::string_view name);
  /// Get or Set.
  mad::Method method(std::string_view name, mad::Method otherwise);

  /// Nodes by id, description or GUID, with * and ?, or "@switches", "@hosts"; `pick` chooses some of them.
  Nodes nodes(std::string_view name = {});
  NodeIndex node(std::string_view name);
  /// One end of each cable: "S1[3]", "L1-*[*]", "S1" for all of the node, "@trunks" for those between
  /// switches.
  Ports cables(std::string_view name = {});
  /// Ports, cabled or not; the same forms.
  Ports ports(std::string_view name = {});
  PortIndex port(std::string_view name);

  void wrong(Errc code, std::string what);
  /// What was wrong first; an argument that nobody has read is.
  std::optional<Error> error();

 private:
  const std::string* find(std::string_view name);
  std::size_t pick(std::size_t of);
  std::vector<NodeIndex> matching(std::string_view pattern);
  std::vector<PortIndex> matching_ports(std::string_view pattern);
  bool is_trunk(PortIndex p) const;
  std::string called(std::string_view name) const;

  const World& world_;
  std::string_view verb_;
  std::span<const Argument> arguments_;
  std::set<std::string, std::less<>> read_;
  std::optional<Error> error_;
};

/// A number by the standard's name of an attribute's field, as "LinearFDBTop" or "PortState"; false when the
/// attribute has no such field. Array elements are named "Ports[3]".
bool set_field(mad::AttrId attribute, mad::AttrData& data, std::string_view field, std::uint64_t value);
/// The largest value that a field takes; nothing for one that the attribute has not.
std::optional<std::uint64_t> largest_value(mad::AttrId attribute, std::string_view field);
/// The field names of an attribute; empty for those that cannot be forged by name.
std::vector<std::string> field_names(mad::AttrId attribute);

}  // namespace weft::sim
