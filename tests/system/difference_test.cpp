// The same fabric on ibsim and on weftsim, asked the same: every attribute that ibsim answers rightly is
// answered alike, field by field, but for the deviations listed here (and in docs/simulator.md).
#include <poll.h>

#include <map>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "mad/node_info.h"
#include "mad/port_info.h"
#include "mad/smp.h"
#include "mad/switch_info.h"
#include "mad/tables.h"
#include "tests/system/simulator.h"
#include "topology/ibsim_file.h"
#include "topology/load.h"
#include "transport/ibsim/endpoint.h"

namespace weft::system_test {
namespace {

namespace ibsim = transport::ibsim;
using mad::AttrId;
using mad::Method;

/// A program at node h00000 that asks one thing at a time.
class Asker {
 public:
  explicit Asker(const std::string& socket) {
    const ibsim::Server server{.name = socket, .host = {}, .port = 0};
    auto opened = ibsim::open_endpoint(server);
    if (!opened) throw std::runtime_error(opened.error().what);
    endpoint_ = std::move(*opened);
    ibsim::send_control(endpoint_.control.get(), ibsim::connect_message(endpoint_.id, false, "h00000"));
    wait(endpoint_.control.get());
    const auto answer = ibsim::receive_control(endpoint_.control.get());
    if (!answer || !ibsim::connect_data(server, endpoint_, ibsim::first_number(*answer)))
      throw std::runtime_error("no answer to CONNECT");
  }
  /// Nothing when it came back undelivered.
  std::optional<mad::Smp> ask(const mad::Smp& smp) {
    const mad::Mad mad = mad::to_mad(smp);
    const mad::Mad* one = &mad;
    ibsim::send_mads(endpoint_.data.get(), std::span(&one, 1));
    wait(endpoint_.data.get());
    const auto got = receiver_.receive(endpoint_.data.get());
    if (!got || got->empty() || ibsim::status_of((*got)[0].envelope) != 0) return std::nullopt;
    return *mad::to_smp((*got)[0].mad);
  }

 private:
  static void wait(int fd) {
    pollfd waiting{fd, POLLIN, 0};
    ::poll(&waiting, 1, 5000);
  }
  ibsim::Endpoint endpoint_;
  ibsim::Receiver receiver_;
};

template <typename S>
std::string text_of(const mad::AttrData& data) {
  return mad::dump(mad::decode<S>(data));
}

constexpr std::uint32_t kExtended = 0x80000000;  // ibsim does not look at it

struct Question {
  std::string name;
  AttrId attribute{};
  std::uint32_t modifier = 0;
  std::string (*text)(const mad::AttrData&);
};

const std::vector<Question>& questions() {
  static const std::vector<Question> kAll{
      {"NodeInfo", AttrId::node_info, 0, text_of<mad::NodeInfo>},
      {"NodeDescription", AttrId::node_description, 0, text_of<mad::NodeDescription>},
      {"SwitchInfo", AttrId::switch_info, 0, text_of<mad::SwitchInfo>},
      {"PortInfo", AttrId::port_info, kExtended | 1, text_of<mad::PortInfo>},
      {"GUIDInfo", AttrId::guid_info, 0, text_of<mad::GuidInfo>},
      {"P_KeyTable", AttrId::pkey_table, 0, text_of<mad::PkeyTable>},
      {"VLArbitration", AttrId::vl_arbitration, 1u << 16 | 1, text_of<mad::VlArbitrationTable>},
      {"LinearForwarding", AttrId::linear_forwarding, 0, text_of<mad::LinearForwardingTable>},
  };
  return kAll;
}

/// The fields of an answer, "PortInfo.MTUCap" to what it says.
std::map<std::string, std::string> fields_of(const Question& question,
                                             const std::optional<mad::Smp>& answer) {
  std::map<std::string, std::string> fields;
  fields[question.name + ".status"] = answer ? std::to_string(answer->status) : "undelivered";
  if (!answer || answer->status != 0) return fields;
  std::istringstream lines(question.text(answer->data));
  for (std::string line; std::getline(lines, line);)
    fields[question.name + "." + line.substr(0, line.find(':'))] = line;
  return fields;
}

/// What may differ: what devices of another make have otherwise, and what ibsim's templates leave out.
const std::set<std::string>& deviations() {
  static const std::set<std::string> kKnown{
      "NodeInfo.Revision",
      // Capabilities and defaults of the device.
      "PortInfo.CapabilityMask", "PortInfo.CapabilityMask2", "PortInfo.GUIDCap", "PortInfo.HOQLife",
      "PortInfo.LinkSpeedExtEnabled", "PortInfo.LinkSpeedExtSupported", "PortInfo.LinkWidthSupported",
      "PortInfo.LocalPhyErrors", "PortInfo.MTUCap", "PortInfo.NeighborMTU", "PortInfo.M_KeyLeasePeriod",
      "PortInfo.OverrunErrors", "PortInfo.RespTimeValue", "PortInfo.SubnetTimeOut", "PortInfo.VLArbHighCap",
      "PortInfo.VLArbLowCap", "PortInfo.VLHighLimit", "PortInfo.VLStallCount", "PortInfo.MaxCreditHint",
      "SwitchInfo.DefaultMulticastNotPrimaryPort", "SwitchInfo.DefaultMulticastPrimaryPort",
      "SwitchInfo.DefaultPort", "SwitchInfo.InboundEnforcementCap", "SwitchInfo.OutboundEnforcementCap",
      "SwitchInfo.OptimizedSLtoVLMappingProgramming", "SwitchInfo.MulticastFDBTop",
      "SwitchInfo.PartitionEnforcementCap",
      // Links of weftsim are up before anybody watches.
      "SwitchInfo.PortStateChange"};
  return kKnown;
}
bool may_differ(const std::string& field) {
  // Arbitration starts empty, as the standard leaves it; ibsim's starts filled.
  return deviations().contains(field) || field.starts_with("VLArbitration.");
}

TEST(Difference, IsOnlyInTheFieldsThatAreListed) {
  const topology::Topology topology = *topology::load("fat-tree:radix=4");
  tests::IbsimProcess theirs({.net = topology::write_ibsim(topology), .net_file = {}, .socket_name = {}});
  const tests::TempDir directory;
  write_file(directory.path() / "fabric.net", topology::write_ibsim(topology));
  Simulator ours((directory.path() / "fabric.net").string());
  Asker at_theirs(theirs.socket_name());
  Asker at_ours(ours.socket());
  std::string examples;
  std::size_t same = 0;
  for (const std::vector<PortNum>& path :
       {std::vector<PortNum>{}, std::vector<PortNum>{PortNum{1}},
        std::vector<PortNum>{PortNum{1}, PortNum{2}}, std::vector<PortNum>{PortNum{1}, PortNum{3}},
        std::vector<PortNum>{PortNum{1}, PortNum{3}, PortNum{2}}}) {
    for (const Question& question : questions()) {
      mad::Smp smp;
      smp.attribute = question.attribute;
      smp.modifier = question.modifier;
      smp.route = mad::DirectedRoute(path);
      const auto theirs_said = fields_of(question, at_theirs.ask(smp));
      const auto ours_said = fields_of(question, at_ours.ask(smp));
      if (theirs_said.at(question.name + ".status") != "0") continue;  // ibsim does not answer it rightly
      for (const auto& [field, text] : theirs_said) {
        const auto found = ours_said.find(field);
        if (found != ours_said.end() && found->second == text) {
          ++same;
          continue;
        }
        if (may_differ(field)) continue;
        examples += field + ": " + text + " / " + (found == ours_said.end() ? "none" : found->second) + "\n";
      }
    }
  }
  EXPECT_EQ(examples, "") << "ibsim / weftsim";
  EXPECT_GT(same, 500u);
}

}  // namespace
}  // namespace weft::system_test
