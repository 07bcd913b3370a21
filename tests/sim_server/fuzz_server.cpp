// Arbitrary control messages and MADs, from clients of both kinds, at the server without its sockets.
#include "tests/sim_server/counter.h"

using namespace weft;
using namespace weft::sim;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Counter counter;
  counter.lab.make_active();
  counter.lab.route_row(3);
  std::vector<Client*> clients{&counter.attach(Client::Kind::stock, "h0"),
                               &counter.attach(Client::Kind::wide, "h1"),
                               &counter.attach(Client::Kind::wide, "s0")};
  counter.set_is_sm(*clients[0], true);
  // Two bytes say who, what and how long; then the message.
  while (size >= 2) {
    const std::uint8_t what = data[0];
    Client& client = *clients[what % clients.size()];
    const std::size_t wanted = std::array<std::size_t, 4>{288, 320, 80, data[1]}[what >> 4 & 3];
    data += 2;
    size -= 2;
    std::vector<std::uint8_t> message(data, data + std::min(size, wanted));
    data += message.size();
    size -= message.size();
    if ((what & 0x80) == 0) message.resize(wanted);  // the rest is zeros
    if ((what & 0x40) != 0 && message.size() >= sizeof(wire::Head)) {
      const wire::Head head;
      std::memcpy(message.data(), &head.magic, sizeof(head.magic));
    }
    switch (what >> 2 & 3) {
      case 0:
        static_cast<void>(counter.desk.answer(client, message));
        break;
      case 1:
        static_cast<void>(counter.desk.describe(message));
        break;
      case 2:
        if (auto more = counter.desk.connect(client.kind(), data_of<wire::Connect>(message));
            more && clients.size() < 8)
          clients.push_back(*more);
        break;
      default:
        counter.desk.take(client, message);
        break;
    }
    counter.settle();
    static_cast<void>(counter.desk.take_dirty());
  }
  counter.pass(std::chrono::seconds(3));
  return 0;
}
