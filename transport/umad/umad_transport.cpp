#include "transport/umad/umad_transport.h"

#include <atomic>
#include <mutex>
#include <thread>

#include "transport/umad/umad_port.h"

namespace weft::transport {
namespace {

/// How long the thread waits before it looks whether it shall end.
constexpr std::chrono::milliseconds kWait{100};

}  // namespace

/// The open port and the thread that receives from it.
class UmadTransport::Receiver {
 public:
  explicit Receiver(UmadPort port) : port_(std::move(port)) {}
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;
  ~Receiver() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }

  /// `wake` is called on the thread when something came after take() had emptied the box.
  void start(std::function<void()> wake) {
    thread_ = std::thread([this, w = std::move(wake)] { receive_all(w); });
  }
  UmadPort& port() { return port_; }

  struct Box {
    std::vector<UmadPort::Received> received;
    std::optional<Error> failure;
  };
  Box take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(box_, Box{});
  }

 private:
  void receive_all(const std::function<void()>& wake) {
    while (!stop_) {
      Result<std::vector<UmadPort::Received>> received = port_.receive(kWait);
      if (received && received->empty()) continue;
      const bool was_empty = put(received);
      if (was_empty) wake();
      if (!received) return;
    }
  }
  bool put(Result<std::vector<UmadPort::Received>>& received) {
    const std::lock_guard lock(mutex_);
    const bool was_empty = box_.received.empty();
    if (!received)
      box_.failure = received.error();
    else if (was_empty)
      box_.received = std::move(*received);
    else
      box_.received.insert(box_.received.end(), received->begin(), received->end());
    return was_empty;
  }

  UmadPort port_;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;
  Box box_;
  std::thread thread_;
};

Result<std::unique_ptr<UmadTransport>> UmadTransport::open(asio::io_context& loop, Clock& clock,
                                                           const PortEntry& port) {
  Result<UmadPort> opened = UmadPort::open(port.device, port.number);
  if (!opened) return fail(opened.error());
  auto receiver = std::make_unique<Receiver>(std::move(*opened));
  std::unique_ptr<UmadTransport> transport(new UmadTransport(loop, clock, port, std::move(receiver)));
  return Result<std::unique_ptr<UmadTransport>>(std::move(transport));
}

UmadTransport::UmadTransport(asio::io_context& loop, Clock& clock, const PortEntry& port,
                             std::unique_ptr<Receiver> receiver)
    : Transport(clock),
      loop_(loop),
      keeps_loop_(loop.get_executor()),
      local_port_{port.device, port.number, port.guid},
      receiver_(std::move(receiver)) {
  receiver_->start([this, alive = std::weak_ptr<int>(alive_)] {
    asio::post(loop_, [this, alive] {
      if (!alive.expired()) take_all();
    });
  });
}

UmadTransport::~UmadTransport() { UmadTransport::close(); }

Result<void> UmadTransport::send(const mad::Mad& mad) { return hand_over(mad, Duration::zero()); }

Result<void> UmadTransport::submit(const mad::Mad& request, Duration timeout) {
  requests_.push(request, timeout);
  send_ready();
  return {};
}

void UmadTransport::ended(std::uint32_t tid) {
  if (!receiver_) return;
  requests_.ended(tid);
  send_ready();
}

void UmadTransport::send_ready() {
  if (sending_) return;  // a failure below has ended an exchange
  sending_ = true;
  while (requests_.ready() > 0 && !losing_) {
    const RequestQueue::Request& next = requests_.at(0);
    const Result<void> sent = hand_over(next.mad, next.timeout);
    if (sent)
      requests_.left(1);
    else
      give_up(static_cast<std::uint32_t>(mad::tid_of(next.mad)), sent.error().code);
  }
  sending_ = false;
}

Result<void> UmadTransport::hand_over(const mad::Mad& mad, Duration timeout) {
  if (!receiver_) return fail(Errc::cancelled, "the transport is closed");
  Result<void> sent = receiver_->port().send(mad, timeout);
  if (sent || sent.error().code != Errc::unavailable) return sent;
  lose_soon(sent.error());
  return fail(Errc::cancelled, "{}", sent.error().what);
}

void UmadTransport::take_all() {
  if (!receiver_) return;
  const std::weak_ptr<int> alive(alive_);
  const Receiver::Box box = receiver_->take();
  for (const UmadPort::Received& received : box.received) {
    if (!received.undelivered)
      deliver(received.mad);
    else if (!mad::is_response(mad::method_of(received.mad)))
      give_up(static_cast<std::uint32_t>(mad::tid_of(received.mad)), Errc::timeout);
    if (alive.expired() || !receiver_) return;
  }
  if (box.failure) lose(*box.failure);
}

void UmadTransport::lose_soon(const Error& why) {
  if (std::exchange(losing_, true)) return;
  asio::post(loop_, [this, why, alive = std::weak_ptr<int>(alive_)] {
    if (!alive.expired()) lose(why);
  });
}

Result<void> UmadTransport::set_is_sm(bool on) {
  if (!receiver_) return fail(Errc::cancelled, "the transport is closed");
  return receiver_->port().set_is_sm(on);
}

void UmadTransport::close() {
  if (!receiver_) return;
  receiver_.reset();
  keeps_loop_.reset();
  requests_.clear();
  Transport::close();
}

}  // namespace weft::transport
