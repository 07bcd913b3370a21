#include "daemon/key_care.h"

#include <algorithm>

#include "base/bytes.h"
#include "fabric/path_tree.h"
#include "mad/port_info.h"
#include "transport/target.h"

namespace weft::daemon {
namespace {

constexpr Duration kTellAgain = std::chrono::minutes(1);
constexpr std::size_t kMostTold = 1000;
constexpr std::size_t kDetailsAt = 10;  // of the notice

std::uint64_t field(const mad::Notice& notice, std::size_t at, std::size_t bits) {
  return get_bits(std::span<const std::uint8_t>(notice.details), (at - kDetailsAt) * 8, bits);
}

std::string port_of(const plan::View* view, Lid lid) {
  const auto port = view != nullptr ? plan::end_port_of(*view, lid) : std::nullopt;
  return port ? fmt::format("LID {} ({})", raw(lid), fabric::describe(*view->fabric, *port))
              : fmt::format("LID {}", raw(lid));
}

struct Touch {
  transport::SmpClient* client;
  std::uint64_t* count;
  struct Port {
    transport::Target target;
    std::uint32_t modifier = 0;
  };
  asio::awaitable<void> operator()(const Port& port) const { return run(client, count, port); }
  static asio::awaitable<void> run(transport::SmpClient* client, std::uint64_t* count, Port port) {
    Result<mad::AttrData> answer = co_await client->get(port.target, mad::AttrId::port_info, port.modifier);
    *count += answer.has_value();
  }
};

}  // namespace

mad::Notice without_m_key(mad::Notice notice) {
  if (notice.generic && notice.trap == mad::TrapNumber::bad_m_key)
    put_bits(std::span<std::uint8_t>(notice.details), (24 - kDetailsAt) * 8, 64, 0);
  return notice;
}

std::string describe_violation(const mad::Notice& notice, const plan::View* view) {
  const auto method = static_cast<mad::Method>(field(notice, 16, 8));
  const auto attribute = static_cast<mad::AttrId>(field(notice, 18, 16));
  const bool directed = (field(notice, 33, 8) & 0x80) != 0;
  const auto from = static_cast<Lid>(field(notice, 12, 16));
  std::string who = directed ? std::string("somebody by a directed route") : port_of(view, from);
  if (directed) {
    const std::size_t hops = std::min<std::size_t>(field(notice, 33, 8) & 0x3f, 30);
    for (std::size_t i = 0; i < hops; ++i)
      who += fmt::format("{}{}", i == 0 ? ", whose way back is by ports " : "-", field(notice, 34 + i, 8));
  }
  const std::string asked = method == mad::Method::set   ? "Set"
                            : method == mad::Method::get ? "Get"
                                                         : "method";
  return fmt::format("{}({}) to {} with a wrong M_Key, from {}", asked, mad::name(attribute),
                     port_of(view, notice.issuer), who);
}

void KeyCare::violated(const mad::Notice& notice) {
  std::string text = describe_violation(notice, around_.view().get());
  const Instant now = around_.clock->now();
  if (told_.size() > kMostTold) told_.clear();
  const auto [told, fresh] = told_.try_emplace(text, now);
  if (!fresh && now - told->second < kTellAgain) return;
  told->second = now;
  around_.tell("m_key_violation", std::move(text));
}

void KeyCare::start(std::uint16_t lease) {
  stop();
  if (lease == 0) return;
  interval_ = Duration(std::chrono::seconds(lease)) / 2;
  touch_later();
}

void KeyCare::stop() {
  around_.clock->cancel(timer_);
  timer_ = Clock::TimerId::none;
}

void KeyCare::touch_later() {
  timer_ = around_.clock->after(interval_, [this] {
    touch_later();
    around_.tasks->start(touch_all());
  });
}

asio::awaitable<void> KeyCare::touch_all() {
  const std::shared_ptr<const plan::View> view = around_.view();
  if (!view) co_return;
  const fabric::Fabric& fabric = *view->fabric;
  const fabric::PathTree paths(fabric, view->sm_port);
  std::vector<Touch::Port> ports;
  for (const fabric::PortRef port : fabric.end_ports()) {
    const auto target = transport::target_by(fabric.node(port.node).guid, paths.ports_to(fabric, port));
    if (target) ports.push_back({*target, mad::port_info_modifier(port.port)});
  }
  const Touch touch{around_.client, &touched_};
  const std::span<const Touch::Port> all(ports);
  co_await transport::for_each(all, static_cast<std::size_t>(around_.client->settings().window), touch);
}

}  // namespace weft::daemon
