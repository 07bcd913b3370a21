#include "transport/run.h"

namespace weft::transport {

bool run_virtual(asio::io_context& loop, VirtualClock& clock, const std::function<bool()>& done) {
  while (true) {
    loop.restart();
    while (!done() && loop.poll_one() > 0) {
    }
    if (done()) return true;
    if (!clock.advance() && loop.poll_one() == 0) return done();
  }
}

}  // namespace weft::transport
