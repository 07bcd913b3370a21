#include "daemon/ledger_json.h"

#include <random>

#include <gtest/gtest.h>

#include "plan/registrations_json.h"
#include "tests/daemon/random_sa_state.h"

namespace weft::daemon {
namespace {

plan::Ledger example() {
  plan::LidMap lids{{Guid{0x10}, {Lid{8}, 3}}, {Guid{0x20}, {Lid{1}, 0}}, {Guid{0x30}, {Lid{0xbfff}, 0}}};
  plan::DeviceMap devices{
      {Guid{0x40}, std::make_shared<plan::DeviceRecord>(plan::DeviceRecord{{1, ~0ull}, 0xffffffff})},
      {Guid{0x50}, std::make_shared<plan::DeviceRecord>()}};
  return {std::make_shared<plan::LidMap>(lids), std::make_shared<plan::DeviceMap>(devices)};
}

std::string with_lids(std::string_view lids) {
  return fmt::format(R"({{"format":"weft-state","version":1,"lids":[{}],"devices":[]}})", lids);
}

std::string error_of(std::string_view text) {
  const auto ledger = ledger_from_json(text);
  return ledger ? "" : ledger.error().what;
}

TEST(LedgerJson, ComesBackAsItWent) {
  const auto back = ledger_from_json(to_json(example()));
  ASSERT_TRUE(back.has_value()) << back.error().what;
  EXPECT_EQ(*back->lids, *example().lids);
  ASSERT_EQ(back->devices->size(), 2u);
  EXPECT_EQ(*back->devices->at(Guid{0x40}), *example().devices->at(Guid{0x40}));
}

TEST(LedgerJson, RegistrationsComeBackAsTheyWent) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    plan::SaState state = test::changed({}, seed);
    state.forgotten = {};  // whom to ask is no registration
    std::string text;
    LedgerWriter writer(example(), plan::registrations_json(state, true));
    while (writer.next(text)) {
    }
    const auto back = ledger_from_json(text);
    ASSERT_TRUE(back.has_value()) << back.error().what;
    test::expect_same(back->sa, state);
  }
}

TEST(LedgerJson, KeysOfServicesAreLeftOutUnlessTheyAreAskedFor) {
  plan::SaState state;
  plan::Service service;
  service.key = {0x1122334455667788, 1};
  state.services.set({0, {}, Pkey{}}, std::make_shared<const plan::Service>(service));
  EXPECT_NE(plan::registrations_json(state, true).find("1122334455667788"), std::string::npos);
  EXPECT_EQ(plan::registrations_json(state, false).find("1122334455667788"), std::string::npos);
}

std::string with_registrations(std::string_view registrations) {
  return fmt::format(R"({{"format":"weft-state","version":1,"lids":[],"devices":[],"registrations":{}}})",
                     registrations);
}

TEST(LedgerJson, NamesThePlaceOfWhatIsWrongWithRegistrations) {
  EXPECT_EQ(error_of(with_registrations("null")), "");
  EXPECT_EQ(error_of(with_registrations("7")), "registrations: an object is wanted");
  EXPECT_EQ(error_of(with_registrations("{}")), "registrations.groups: an array is wanted");
  EXPECT_EQ(error_of(with_registrations(R"({"more":[]})")), "registrations: unknown key \"more\"");
  const auto aliases = [](std::string_view list) {
    return error_of(with_registrations(
        fmt::format(R"({{"groups":[],"services":[],"subscriptions":[],"aliases":[{}]}})", list)));
  };
  EXPECT_EQ(aliases(""), "");
  EXPECT_EQ(aliases(R"({"guid":"0x1","port":"0x2"})"), "registrations.aliases[0].index: is missing");
  EXPECT_EQ(aliases(R"({"guid":"0x1","port":"0x2","index":0})"),
            "registrations.aliases[0].index: must be 1 to 2040");
  EXPECT_EQ(aliases(R"({"guid":"x","port":"0x2","index":1})"),
            "registrations.aliases[0].guid: a GUID such as \"0x0002c90300000001\" is wanted");
  EXPECT_EQ(aliases(R"({"guid":"0x1","port":"0x2","index":1,"more":1})"),
            "registrations.aliases[0]: unknown key \"more\"");
  EXPECT_EQ(aliases(R"({"guid":"0x1","port":"0x2","index":1},{"guid":"0x1","port":"0x3","index":1})"),
            "registrations.aliases[1]: alias 0x0000000000000001 stands there twice");
}

TEST(LedgerJson, WritesAnEmptyLedger) { EXPECT_TRUE(ledger_from_json(to_json(plan::Ledger{})).has_value()); }

TEST(LedgerJson, WritesALargeLedgerInPieces) {
  plan::LidMap lids;
  for (unsigned i = 1; i <= 20'000; ++i) lids.emplace(Guid{i}, plan::LidRange{static_cast<Lid>(i), 0});
  const plan::Ledger large{std::make_shared<plan::LidMap>(lids), std::make_shared<plan::DeviceMap>()};
  LedgerWriter writer(large);
  std::string whole;
  int pieces = 0;
  for (std::string piece; writer.next(piece); piece.clear(), ++pieces) {
    EXPECT_LT(piece.size(), 70'000u);
    whole += piece;
  }
  EXPECT_GT(pieces, 10);
  const auto back = ledger_from_json(whole);
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(*back->lids, lids);
}

TEST(LedgerJson, NamesThePlaceOfWhatIsWrong) {
  EXPECT_EQ(error_of(with_lids(R"({"port":"0x10","lid":0,"lmc":0})")), "lids[0].lid: must be 1 to 49151");
  EXPECT_EQ(error_of(with_lids(R"({"port":"0x10","lid":1.5,"lmc":0})")),
            "lids[0].lid: a whole number is wanted");
  EXPECT_EQ(error_of(with_lids(R"({"port":"0x10","lid":1,"lmc":8})")), "lids[0].lmc: must be 0 to 7");
  EXPECT_EQ(error_of(with_lids(R"({"port":"x","lid":1,"lmc":0})")),
            "lids[0].port: a GUID such as \"0x0002c90300000001\" is wanted");
  EXPECT_EQ(error_of(with_lids(R"({"port":"0x10","lid":1})")), "lids[0]: \"lmc\" is missing");
  EXPECT_EQ(error_of(with_lids(R"({"port":"0x10","lid":1,"lmc":0,"more":1})")),
            "lids[0]: unknown key \"more\"");
  EXPECT_EQ(error_of(with_lids("7")), "lids[0]: an object is wanted");
  EXPECT_EQ(error_of("[]"), "state: an object is wanted");
}

TEST(LedgerJson, RefusesTwoPortsWithOneLid) {
  EXPECT_EQ(error_of(with_lids(R"({"port":"0x10","lid":8,"lmc":2},{"port":"0x20","lid":11,"lmc":0})")),
            "lids[1]: LID 11 belongs to port 0x0000000000000010 already");
  EXPECT_EQ(error_of(with_lids(R"({"port":"0x20","lid":11,"lmc":0},{"port":"0x10","lid":8,"lmc":2})")),
            "lids[1]: LID 11 belongs to port 0x0000000000000020 already");
}

TEST(LedgerJson, RefusesRangesThatAreNotAlignedOrTooHigh) {
  EXPECT_NE(error_of(with_lids(R"({"port":"0x10","lid":9,"lmc":1})")), "");
  EXPECT_NE(error_of(with_lids(R"({"port":"0x10","lid":49151,"lmc":1})")), "");
}

TEST(LedgerJson, RefusesOtherVersionsAndFormats) {
  EXPECT_NE(error_of(R"({"format":"weft-state","version":2,"lids":[],"devices":[]})").find("version"),
            std::string::npos);
  EXPECT_NE(error_of(R"({"format":"other","version":1,"lids":[],"devices":[]})").find("format"),
            std::string::npos);
}

TEST(LedgerJson, NeverThrowsOnDamagedText) {
  const std::string good = to_json(example());
  std::mt19937 random(3);
  for (int round = 0; round < 5000; ++round) {
    std::string bad = good.substr(0, round % 2 == 0 ? good.size() : random() % good.size());
    for (int hit = 0; hit < 3 && !bad.empty(); ++hit)
      bad[random() % bad.size()] = static_cast<char>(random());
    EXPECT_NO_THROW(static_cast<void>(ledger_from_json(bad).has_value())) << bad;
  }
}

}  // namespace
}  // namespace weft::daemon
