#include "base/link.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace weft::inline base {
namespace {

constexpr std::array<std::string_view, 10> kSpeedNames{"none", "SDR", "DDR", "QDR", "FDR10",
                                                       "FDR",  "EDR", "HDR", "NDR", "XDR"};

}  // namespace

std::string_view name(NodeType type) {
  switch (type) {
    case NodeType::hca:
      return "hca";
    case NodeType::switch_:
      return "switch";
    case NodeType::router:
      return "router";
  }
  return "?";
}

std::string_view name(PortState state) {
  constexpr std::array<std::string_view, 5> kNames{"no change", "down", "init", "armed", "active"};
  const auto at = static_cast<std::size_t>(state);
  return at < kNames.size() ? kNames[at] : "?";
}

std::string_view name(PhysState state) {
  constexpr std::array<std::string_view, 8> kNames{"no change", "sleep",   "polling",  "disabled",
                                                   "training",  "link up", "recovery", "phy test"};
  const auto at = static_cast<std::size_t>(state);
  return at < kNames.size() ? kNames[at] : "?";
}

std::string_view name(LinkSpeed speed) {
  const auto at = static_cast<std::size_t>(speed);
  return at < kSpeedNames.size() ? kSpeedNames[at] : "?";
}

std::string_view name(LinkWidth width) {
  switch (width) {
    case LinkWidth::none:
      return "none";
    case LinkWidth::x1:
      return "1x";
    case LinkWidth::x2:
      return "2x";
    case LinkWidth::x4:
      return "4x";
    case LinkWidth::x8:
      return "8x";
    case LinkWidth::x12:
      return "12x";
  }
  return "?";
}

std::optional<LinkSpeed> link_speed_from(std::string_view text) {
  std::string upper(text);
  std::ranges::transform(upper, upper.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  for (std::size_t i = 1; i < kSpeedNames.size(); ++i)
    if (kSpeedNames[i] == upper) return static_cast<LinkSpeed>(i);
  return std::nullopt;
}

std::optional<LinkWidth> link_width_from(std::string_view text) {
  for (const LinkWidth width : {LinkWidth::x1, LinkWidth::x2, LinkWidth::x4, LinkWidth::x8, LinkWidth::x12})
    if (name(width) == text || (text.ends_with('X') && name(width).substr(0, name(width).size() - 1) ==
                                                           text.substr(0, text.size() - 1)))
      return width;
  return std::nullopt;
}

std::optional<Mtu> mtu_from_bytes(int bytes_) {
  for (const Mtu mtu : {Mtu::mtu256, Mtu::mtu512, Mtu::mtu1024, Mtu::mtu2048, Mtu::mtu4096})
    if (bytes(mtu) == bytes_) return mtu;
  return std::nullopt;
}

}  // namespace weft::inline base
