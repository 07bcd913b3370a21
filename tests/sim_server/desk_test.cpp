// The server without its sockets: who may attach where, and what becomes of datagrams.
#include "sim/server/desk.h"

#include <cerrno>

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "tests/sim_server/counter.h"

namespace weft::sim {
namespace {

using namespace std::chrono_literals;

TEST(Desk, AttachesByIdDescriptionAndGuid) {
  Counter counter;
  for (const char* name : {"h1", "h1 of the test", "0x100010"}) {
    const Result<Client*> client = counter.desk.connect(Client::Kind::stock, request_for(name));
    ASSERT_TRUE(client.has_value()) << name;
    EXPECT_EQ((*client)->port(), counter.lab.port("h1", 1)) << name;
  }
}

TEST(Desk, AttachesToThePortAskedForAndToASwitchsPortZero) {
  Counter counter;
  wire::Connect second = request_for("h3");
  second.port = 2;
  EXPECT_EQ((*counter.desk.connect(Client::Kind::wide, second))->port(), counter.lab.port("h3", 2));
  EXPECT_EQ((*counter.desk.connect(Client::Kind::stock, request_for("s0")))->port(),
            counter.lab.port("s0", 0));
}

TEST(Desk, RefusesNodesAndPortsThatAreNotThere) {
  Counter counter;
  EXPECT_EQ(counter.desk.connect(Client::Kind::stock, request_for("h9")).error().code, Errc::not_found);
  wire::Connect seventh = request_for("h1");
  seventh.port = 7;
  EXPECT_EQ(counter.desk.connect(Client::Kind::wide, seventh).error().code, Errc::not_found);
  wire::Connect external = request_for("s0");
  external.port = 1;
  EXPECT_EQ(counter.desk.connect(Client::Kind::wide, external).error().code, Errc::not_found);
}

TEST(Desk, TakesTheFirstNodeWhenNoneIsNamed) {
  Counter counter;
  EXPECT_EQ((*counter.desk.connect(Client::Kind::stock, {}))->port(), counter.lab.port("s0", 0));
}

TEST(Desk, AnswersAStockClientAsIbsimDoes) {
  Counter counter;
  Client& client = counter.attach(Client::Kind::stock, "h0");
  counter.desk.take(client, stock_datagram(mad::to_mad(get(mad::AttrId::node_info, 0, {1}))));
  counter.settle();
  const std::vector<Datagram> got = counter.take_all(client);
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].size, 288u);
  EXPECT_EQ(got[0].bytes[32 + 3], 0x81);
  EXPECT_EQ(get_bits(got[0].bytes, 16 * 8, 32), 0u);
  EXPECT_EQ(get_bits(got[0].bytes, 0, 16), 0xffffu);
}

TEST(Desk, TellsAStockClientOfALostRequestAfterItsNominalTimeout) {
  Counter counter;
  Client& client = counter.attach(Client::Kind::stock, "h0");
  counter.lab.world.set_mute(counter.lab.node("s0"), Mute::agent);
  counter.desk.take(client, stock_datagram(mad::to_mad(get(mad::AttrId::node_info, 0, {1}))));
  counter.pass(199ms);
  EXPECT_TRUE(counter.take_all(client).empty());
  counter.pass(2ms);
  const std::vector<Datagram> got = counter.take_all(client);
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].bytes[32 + 3], 0x01);
  EXPECT_EQ(get_bits(got[0].bytes, 16 * 8, 32), 110u);
  EXPECT_EQ(client.stats().returned, 1u);
}

TEST(Desk, TellsNothingOfAnAnsweredRequestLater) {
  Counter counter;
  Client& client = counter.attach(Client::Kind::stock, "h0");
  for (int i = 0; i < 100; ++i) {
    mad::Smp smp = get(mad::AttrId::node_info, 0, {1});
    smp.tid = static_cast<std::uint64_t>(i);
    counter.desk.take(client, stock_datagram(mad::to_mad(smp)));
  }
  counter.pass(10s);
  EXPECT_EQ(counter.take_all(client).size(), 100u);
  EXPECT_EQ(client.stats().returned, 0u);
}

TEST(Desk, LosesSilentlyForClientsWithTimeoutsOfTheirOwn) {
  Counter counter;
  // As our own client of ibsim's protocol says it.
  transport::ibsim::ControlMessage hello = transport::ibsim::connect_message(9, false, "h0");
  transport::ibsim::ask_for_silent_loss(hello);
  wire::Connect silent;
  std::memcpy(static_cast<void*>(&silent), hello.data.data(), sizeof(silent));
  Client& native = **counter.desk.connect(Client::Kind::stock, silent);
  EXPECT_EQ(native.port(), counter.lab.port("h0", 1));
  Client& wide = counter.attach(Client::Kind::wide, "h0");
  counter.lab.world.set_mute(counter.lab.node("s0"), Mute::agent);
  counter.desk.take(native, stock_datagram(mad::to_mad(get(mad::AttrId::node_info, 0, {1}))));
  counter.desk.take(wide, wide_datagram(mad::to_mad(get(mad::AttrId::node_info, 0, {1})), 3));
  counter.pass(10s);
  EXPECT_TRUE(counter.take_all(native).empty());
  EXPECT_TRUE(counter.take_all(wide).empty());
}

TEST(Desk, SendsAnAnswerToTheAgentThatAsked) {
  Counter counter;
  Client& client = counter.attach(Client::Kind::wide, "h0");
  counter.desk.take(client, wide_datagram(mad::to_mad(get(mad::AttrId::node_info, 0, {1})), 17));
  counter.settle();
  const std::vector<Datagram> got = counter.take_all(client);
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].size, wire::kWideSize);
  EXPECT_EQ(get_bits(got[0].bytes, wire::Envelope::kAgent * 8, 32), 17u);
}

TEST(Desk, GivesAnAnswerAGlobalHeaderExactlyIfTheRequestHadOne) {
  Counter counter;
  counter.lab.make_active();
  counter.lab.route_row(3);
  Client& client = counter.attach(Client::Kind::wide, "h0");
  const mad::Mad mad = mad::to_mad(to_lid(get(mad::AttrId::node_info, 0), counter.lab.lid_of("h2")));
  std::vector<std::uint8_t> with = wide_datagram(mad, 1);
  with[wire::Envelope::kGrhPresent] = 1;
  with[wire::Envelope::kGid + 15] = 0x77;
  counter.desk.take(client, with);
  counter.desk.take(client, wide_datagram(mad, 2));
  counter.settle();
  const std::vector<Datagram> got = counter.take_all(client);
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[0].bytes[wire::Envelope::kGrhPresent], 1);
  EXPECT_EQ(got[0].bytes[wire::Envelope::kGid + 15], 0x77);
  EXPECT_EQ(got[1].bytes[wire::Envelope::kGrhPresent], 0);
}

TEST(Desk, HandsRequestsToTheAgentThatRegisteredForThem) {
  Counter counter;
  counter.lab.make_active();
  counter.lab.route_row(3);
  Client& asker = counter.attach(Client::Kind::wide, "h0");
  Client& server = counter.attach(Client::Kind::wide, "h2");
  Client& other = counter.attach(Client::Kind::wide, "h2");
  EXPECT_EQ(counter.register_agent(server, 5, 0x03, 2, {0x12}), 0);
  EXPECT_EQ(counter.register_agent(other, 6, 0x03, 2, {0x01}), 0);
  mad::Mad table = gmp(0x03, 2, 0x12);
  table.address.lid = counter.lab.lid_of("h2");
  counter.desk.take(asker, wide_datagram(table, 1));
  mad::Mad ping = gmp(0x32, 1, 0x01);
  ping.address.lid = counter.lab.lid_of("h2");
  counter.desk.take(asker, wide_datagram(ping, 1));
  counter.settle();
  const std::vector<Datagram> got = counter.take_all(server);
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(get_bits(got[0].bytes, wire::Envelope::kAgent * 8, 32), 5u);
  EXPECT_EQ(get_bits(got[0].bytes, wire::Envelope::kLid * 8, 16), raw(counter.lab.lid_of("h0")));
  EXPECT_TRUE(counter.take_all(other).empty());
}

TEST(Desk, RefusesASecondAgentForTheSameMethodAtAPort) {
  Counter counter;
  Client& first = counter.attach(Client::Kind::wide, "h0");
  Client& second = counter.attach(Client::Kind::wide, "h0");
  Client& elsewhere = counter.attach(Client::Kind::wide, "h1");
  EXPECT_EQ(counter.register_agent(first, 0, 0x03, 2, {1, 2}), 0);
  EXPECT_EQ(counter.register_agent(second, 0, 0x03, 2, {2}), EINVAL);
  EXPECT_EQ(counter.register_agent(second, 0, 0x03, 2, {}), 0);
  EXPECT_EQ(counter.register_agent(elsewhere, 0, 0x03, 2, {2}), 0);
}

TEST(Desk, GivesStockClientsNoClassThatWouldEndThem) {
  Counter counter;
  counter.lab.make_active();
  counter.lab.route_row(3);
  Client& asker = counter.attach(Client::Kind::wide, "h0");
  Client& manager = counter.attach(Client::Kind::stock, "h2");
  counter.set_is_sm(manager, true);
  for (const std::uint8_t mgmt_class : {0x32, 0x21, 0x03}) {
    mad::Mad mad = gmp(mgmt_class, 2, 0x01);
    mad.address.lid = counter.lab.lid_of("h2");
    counter.desk.take(asker, wide_datagram(mad, 1));
  }
  counter.settle();
  const std::vector<Datagram> got = counter.take_all(manager);
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].bytes[32 + 1], 0x03);
}

TEST(Desk, LetsOneProgramAPortBeSmAndClearsIsSmWhenItGoes) {
  Counter counter;
  Client& first = counter.attach(Client::Kind::wide, "h0");
  Client& second = counter.attach(Client::Kind::wide, "h0");
  EXPECT_EQ(counter.set_is_sm(first, true), 0);
  EXPECT_EQ(counter.set_is_sm(second, true), EBUSY);
  const auto is_sm = [&] { return (counter.lab.info("h0", 1).capabilities & raw(mad::PortCap::is_sm)) != 0; };
  EXPECT_TRUE(is_sm());
  counter.desk.disconnect(first);
  EXPECT_FALSE(is_sm());
  EXPECT_EQ(counter.set_is_sm(second, true), 0);
  EXPECT_TRUE(is_sm());
}

TEST(Desk, GrantsIsSmToOneStockClientOfAPort) {
  Counter counter;
  Client& first = counter.attach(Client::Kind::stock, "h0");
  Client& second = counter.attach(Client::Kind::stock, "h0");
  EXPECT_EQ(counter.set_is_sm(first, true), 0);
  EXPECT_EQ(counter.set_is_sm(first, true), 0) << "it has it already";
  EXPECT_EQ(counter.set_is_sm(second, true), EBUSY);
  EXPECT_EQ(counter.set_is_sm(second, false), 0);
  EXPECT_TRUE((counter.lab.info("h0", 1).capabilities & raw(mad::PortCap::is_sm)) != 0);
  wire::Connect claim = request_for("h0");
  claim.is_sm = 1;
  EXPECT_EQ(counter.desk.connect(Client::Kind::stock, claim).error().code, Errc::conflict);
  counter.desk.disconnect(first);
  EXPECT_TRUE(counter.desk.connect(Client::Kind::stock, claim).has_value());
}

TEST(Desk, DropsAndCountsWhatAClientDoesNotRead) {
  Counter counter;
  Client& client = counter.attach(Client::Kind::wide, "h0");
  for (std::size_t i = 0; i < Client::kQueue + 100; ++i) {
    mad::Smp smp = get(mad::AttrId::node_info, 0);
    smp.tid = i;
    counter.desk.take(client, wide_datagram(mad::to_mad(smp), 1));
    if (i % 1000 == 0) counter.settle();
  }
  counter.settle();
  EXPECT_EQ(client.outgoing().size(), Client::kQueue);
  EXPECT_EQ(client.stats().dropped, 100u);
}

TEST(Desk, ServesAHundredClientsAtOnce) {
  Counter counter;
  std::vector<Client*> clients;
  for (int i = 0; i < 100; ++i)
    clients.push_back(
        &counter.attach(i % 2 == 0 ? Client::Kind::wide : Client::Kind::stock, i % 3 == 0 ? "h0" : "h1"));
  const mad::Mad question = mad::to_mad(get(mad::AttrId::node_info, 0, {1}));
  for (Client* client : clients)
    counter.desk.take(*client, client->kind() == Client::Kind::wide ? wide_datagram(question, 9)
                                                                    : stock_datagram(question));
  counter.settle();
  for (Client* client : clients) EXPECT_EQ(counter.take_all(*client).size(), 1u);
}

TEST(Desk, DescribesPortsToWhoeverAsks) {
  Counter counter;
  wire::Describe asked;
  std::copy_n("h3", 2, asked.node.begin());
  asked.port = 2;
  const std::vector<std::uint8_t> answer = counter.desk.describe(control_of(wire::kDescribe, asked));
  ASSERT_EQ(answer.size(), sizeof(wire::Head) + sizeof(wire::Description));
  const auto told = data_of<wire::Description>(answer);
  EXPECT_EQ(told.port, 2u);
  EXPECT_EQ(told.port_count, 2u);
  EXPECT_EQ(told.node_info[2], 1);
  EXPECT_EQ(told.pkeys[0], 0xff);
  asked.port = 3;
  EXPECT_EQ(head_of(counter.desk.describe(control_of(wire::kDescribe, asked)))->kind, wire::kError);
}

TEST(Desk, CountsWhatIsNoMad) {
  Counter counter;
  Client& client = counter.attach(Client::Kind::wide, "h0");
  for (const std::size_t size : {0u, 1u, 287u, 289u, 319u, 512u})
    counter.desk.take(client, std::vector<std::uint8_t>(size));
  EXPECT_EQ(client.stats().malformed, 6u);
  EXPECT_TRUE(counter.desk.answer(client, std::vector<std::uint8_t>(15)).empty());
}

}  // namespace
}  // namespace weft::sim
