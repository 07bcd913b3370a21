#include "plan/registrations_json.h"

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <boost/json/parse.hpp>

#include "plan/registrations.h"

namespace weft::plan {
namespace {

std::string error_of(std::string_view groups, std::string_view services = "",
                     std::string_view subscriptions = "", std::string_view aliases = "") {
  const auto read =
      registrations_from(boost::json::parse(fmt::format(
                             R"({{"groups":[{}],"services":[{}],"subscriptions":[{}],"aliases":[{}]}})",
                             groups, services, subscriptions, aliases)),
                         "r");
  return read ? "" : read.error().what;
}

std::string group(std::string_view mgid, int rate, std::string_view members = "") {
  return fmt::format(
      R"({{"mgid":"{}","mlid":49153,"qkey":0,"pkey":32767,"mtu":4,"rate":{},"lifetime":18,"sl":0,"tclass":0,)"
      R"("flow_label":0,"hop_limit":0,"permanent":0,"members":[{}]}})",
      mgid, rate, members);
}
std::string member(std::string_view port, std::string_view gid) {
  return fmt::format(R"({{"port":"{}","gid":"{}","join_state":1,"proxy":0}})", port, gid);
}
std::string group_of(std::string_view members) { return group("ff12:401b:ffff::1", 3, members); }

TEST(RegistrationsFrom, RefusesGroupsThatNoSaHolds) {
  EXPECT_EQ(error_of(group_of("")), "");
  EXPECT_EQ(error_of(group("fe80::1", 3)), "r.groups[0]: its MGID is none of a group");
  EXPECT_EQ(error_of(group("ff12:401b:ffff::1", 0)), "r.groups[0]: its rate is unknown");
  EXPECT_EQ(error_of(group("ff12:401b:ffff::1", 63)), "r.groups[0]: its rate is unknown");
}

TEST(RegistrationsFrom, RefusesMembersThatAreNobody) {
  EXPECT_EQ(error_of(group_of(member("0x7", "fe80::7"))), "");
  EXPECT_EQ(error_of(group_of(member("0x0", "fe80::"))),
            "r.groups[0].members[0].port: a GUID such as \"0x0002c90300000001\" is wanted");
  EXPECT_EQ(error_of(group_of(member("0x7", "fe80::8"))),
            "r.groups[0].members[0]: its GID is not that of the port");
  EXPECT_EQ(error_of(group_of(member("0x7", "fe80::7") + "," + member("0x7", "fe80::7"))),
            "r.groups[0].members[1]: member 0x0000000000000007 stands there twice");
}

std::string service(std::string_view expires) {
  return fmt::format(
      R"({{"id":"0000000000000005","gid":"fe80::7","pkey":65535,"lease":10,"expires":{},"key":"{:032}",)"
      R"("name":"{:0128}","data":"{:0128}"}})",
      expires, 0, 0, 0);
}

TEST(RegistrationsFrom, RefusesServicesWhoseEndIsNoTimeOfOurs) {
  EXPECT_EQ(error_of("", service("1800000000")), "");
  EXPECT_EQ(error_of("", service("-1")), "r.services[0].expires: must be 0 to 8589934592");
  EXPECT_EQ(error_of("", service("9223372036854775807")), "r.services[0].expires: must be 0 to 8589934592");
  EXPECT_EQ(
      error_of("", service("1") + "," + service("2")),
      "r.services[1]: service 0x0000000000000005 of fe80:0000:0000:0000:0000:0000:0000:0007 stands there "
      "twice");
}

TEST(RegistrationsFrom, RefusesAnAliasOfZero) {
  EXPECT_EQ(error_of("", "", "", R"({"guid":"0x0","port":"0x7","index":1})"),
            "r.aliases[0].guid: a GUID such as \"0x0002c90300000001\" is wanted");
  EXPECT_EQ(error_of("", "", "", R"({"guid":"0x1","port":"0x0","index":1})"),
            "r.aliases[0].port: a GUID such as \"0x0002c90300000001\" is wanted");
}

TEST(RegistrationsFrom, TakesSoManySubscriptionsOfAPort) {
  std::string list;
  const auto add = [&list](int port) {
    list += fmt::format(
        R"({}{{"port":"0x{:x}","subscriber":"fe80::7","lid":23,"qp":1,"sl":0,"gid":"::","lid_begin":65535,)"
        R"("lid_end":0,"generic":1,"type":3,"trap":64,"producer":4,"trusted":0}})",
        list.empty() ? "" : ",", port);
  };
  for (std::size_t i = 0; i < kMostSubscriptionsOfAPort; ++i) add(7);
  add(8);
  EXPECT_EQ(error_of("", "", list), "");
  add(7);
  EXPECT_EQ(error_of("", "", list),
            "r.subscriptions[257]: more than 256 subscriptions of port 0x0000000000000007");
}

}  // namespace
}  // namespace weft::plan
