#pragma once
// FakeTransport: a fabric that is a function. Each request is handed to `reply`, and what that gives is
// delivered; nothing given is silence.

#include <functional>
#include <optional>
#include <vector>

#include "transport/transport.h"

namespace weft::transport::tests {

class FakeTransport final : public Transport {
 public:
  using Reply = std::function<std::optional<mad::Mad>(const mad::Mad& request)>;
  FakeTransport(Clock& clock, Reply answer) : Transport(clock), reply(std::move(answer)) {}
  Result<void> send(const mad::Mad& mad) override {
    requests.push_back(mad);
    if (send_error) return fail(*send_error);
    const std::optional<mad::Mad> answer = reply(mad);
    if (answer) deliver(*answer);
    return {};
  }
  const LocalPort& local_port() const override { return port; }
  Result<void> set_is_sm(bool) override { return {}; }
  void ended(std::uint32_t tid) override { over.push_back(tid); }
  using Transport::deliver;
  using Transport::give_up;
  using Transport::lose;

  Reply reply;
  std::vector<mad::Mad> requests;
  std::vector<std::uint32_t> over;
  std::optional<Error> send_error;
  LocalPort port;
};

/// The request as a GetResp with a status.
inline mad::Mad answered(mad::Mad request, std::uint16_t status = 0) {
  request.bytes[3] = static_cast<std::uint8_t>(mad::Method::get_resp);
  put_bits(request.bytes, 32, 16, 0x8000u | status);
  return request;
}

inline std::optional<mad::Mad> echo(const mad::Mad& request) { return answered(request); }
inline std::optional<mad::Mad> silence(const mad::Mad&) { return std::nullopt; }

/// Runs tasks until there is nothing left to do now; time stands still.
inline void settle(asio::io_context& loop) {
  loop.restart();
  loop.poll();
}

}  // namespace weft::transport::tests
