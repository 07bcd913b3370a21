#include "program/port_fields.h"

#include <array>

#include <fmt/format.h>

namespace weft::program {
namespace {

using mad::PortInfo;

constexpr std::string_view kEnforcement = "PartitionEnforcement";
constexpr std::string_view kMKey = "M_Key";

constexpr std::array kFields{
    PortField{"LID", true, [](const PortInfo& p) -> std::uint64_t { return raw(p.lid); }},
    PortField{"LMC", true, [](const PortInfo& p) -> std::uint64_t { return p.lmc; }},
    PortField{"MasterSMLID", true, [](const PortInfo& p) -> std::uint64_t { return raw(p.sm_lid); }},
    PortField{"GidPrefix", false, [](const PortInfo& p) -> std::uint64_t { return p.gid_prefix; }},
    PortField{"MasterSMSL", false, [](const PortInfo& p) -> std::uint64_t { return raw(p.sm_sl); }},
    PortField{"SubnetTimeOut", false, [](const PortInfo& p) -> std::uint64_t { return p.subnet_timeout; }},
    PortField{"NeighborMTU", false, [](const PortInfo& p) -> std::uint64_t { return raw(p.neighbor_mtu); }},
    PortField{"OperationalVLs", false,
              [](const PortInfo& p) -> std::uint64_t { return raw(p.operational_vls); }},
    PortField{"HOQLife", false, [](const PortInfo& p) -> std::uint64_t { return p.hoq_life; }},
    PortField{"VLStallCount", false, [](const PortInfo& p) -> std::uint64_t { return p.vl_stall_count; }},
    PortField{"LocalPhyErrors", false, [](const PortInfo& p) -> std::uint64_t { return p.local_phy_errors; }},
    PortField{"OverrunErrors", false, [](const PortInfo& p) -> std::uint64_t { return p.overrun_errors; }},
    PortField{"VLHighLimit", false, [](const PortInfo& p) -> std::uint64_t { return p.vl_high_limit; }},
    PortField{kEnforcement, false,
              [](const PortInfo& p) -> std::uint64_t {
                return (p.enforce_in ? 1u : 0u) | (p.enforce_out ? 2u : 0u);
              }},
    PortField{kMKey, false, [](const PortInfo& p) -> std::uint64_t { return p.m_key; }},
    PortField{"M_KeyLeasePeriod", false, [](const PortInfo& p) -> std::uint64_t { return p.m_key_lease; }},
    PortField{"M_KeyProtectBits", false, [](const PortInfo& p) -> std::uint64_t { return p.m_key_protect; }},
};

std::uint32_t field_named(std::string_view name) {
  for (std::size_t i = 0; i < kFields.size(); ++i)
    if (kFields[i].name == name) return 1u << i;
  return 0;
}

}  // namespace

std::span<const PortField> port_fields() { return kFields; }

std::uint32_t differing(const PortInfo& a, const PortInfo& b) {
  std::uint32_t mask = 0;
  for (std::size_t i = 0; i < kFields.size(); ++i)
    if (kFields[i].value(a) != kFields[i].value(b)) mask |= 1u << i;
  return mask;
}

std::uint32_t hard_fields() {
  std::uint32_t mask = 0;
  for (std::size_t i = 0; i < kFields.size(); ++i)
    if (kFields[i].hard) mask |= 1u << i;
  return mask;
}

std::uint32_t enforcement_field() { return field_named(kEnforcement); }
std::uint32_t m_key_field() { return field_named(kMKey); }

std::string names_of(std::uint32_t fields) {
  std::string text;
  for (std::size_t i = 0; i < kFields.size(); ++i)
    if (fields & (1u << i))
      fmt::format_to(std::back_inserter(text), "{}{}", text.empty() ? "" : ", ", kFields[i].name);
  return text;
}

PortInfo desired(const PortInfo& held, const plan::PortSettings& settings, bool external_switch_port) {
  PortInfo want = held;
  want.state = PortState::no_change;
  want.phys = PhysState::no_change;
  want.client_reregister = false;
  want.local_phy_errors = settings.local_phy_errors;
  want.overrun_errors = settings.overrun_errors;
  if (settings.end_port) {
    want.lid = settings.lid.base;
    want.lmc = settings.lid.lmc;
    want.sm_lid = settings.sm_lid;
    want.sm_sl = settings.sm_sl;
    want.gid_prefix = settings.prefix;
    want.subnet_timeout = settings.subnet_timeout;
    if (settings.m_key) {
      want.m_key = settings.m_key->key;
      want.m_key_lease = settings.m_key->lease;
      want.m_key_protect = settings.m_key->protect;
    }
  }
  if (settings.bring_up && held.state < PortState::active) {
    want.neighbor_mtu = settings.link.mtu;
    want.operational_vls = settings.link.vls;
  }
  if (settings.bring_up && external_switch_port) {
    want.hoq_life = settings.link.hoq_life;
    want.vl_stall_count = settings.link.vl_stall_count;
  }
  if (settings.bring_up && settings.high_limit) want.vl_high_limit = *settings.high_limit;
  if (settings.bring_up && external_switch_port && settings.enforcement) {
    const auto checks = static_cast<unsigned>(*settings.enforcement);
    want.enforce_in = (checks & 1) != 0;
    want.enforce_out = (checks & 2) != 0;
  }
  return want;
}

}  // namespace weft::program
