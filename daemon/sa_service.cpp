#include "daemon/sa_service.h"

#include <algorithm>

#include <boost/asio/co_spawn.hpp>

#include "log/log.h"
#include "mad/sa_records.h"
#include "sa/inform.h"
#include "sa/multicast.h"
#include "sa/services.h"

namespace weft::daemon {
namespace {

constexpr std::size_t kMostReports = 100'000;

spdlog::logger& logger() {
  static const auto log = log::named("sa");
  return *log;
}

std::string text_of(const sa::Request& request) {
  return fmt::format("method=0x{:02x} attribute=0x{:04x} mask=0x{:x} lid={}", raw(request.header.method),
                     raw(request.header.attribute), request.sa.component_mask, raw(request.from.lid));
}

}  // namespace

SaService::SaService(Surroundings around, plan::SaState state, SaSettings settings)
    : around_(std::move(around)),
      settings_(settings),
      state_(std::move(state)),
      rmpp_(*around_.transport, *around_.clock, [this](const mad::Mad& head, std::vector<std::uint8_t> data) {
        data.resize(std::max(data.size(), mad::kSaDataSize));
        decide(head, data);
      }) {}

SaService::~SaService() { *alive_ = false; }

Gid SaService::sm_gid() const {
  const plan::View& view = index_->view();
  return {kLinkLocalPrefix, raw(view.fabric->port(view.sm_port).guid)};
}

void SaService::publish(std::shared_ptr<const plan::View> view) {
  if (!view || !view->plan) return;
  index_ = std::make_unique<const sa::Index>(std::move(view));
  if (auto next = sa::with_own_groups(state_)) change(std::move(*next), {});
  std::set<Guid> present;
  for (const sa::End& end : index_->ends()) present.insert(end.guid);
  std::vector<sa::Event> events;
  std::vector<Guid> gone;
  if (seen_a_view_) {
    for (const Guid guid : present_)
      if (!present.contains(guid)) {
        gone.push_back(guid);
        events.push_back({raw(mad::TrapNumber::gid_out_of_service), {kLinkLocalPrefix, raw(guid)}});
      }
    for (const Guid guid : present)
      if (!present_.contains(guid))
        events.push_back({raw(mad::TrapNumber::gid_in_service), {kLinkLocalPrefix, raw(guid)}});
  }
  present_ = std::move(present);
  seen_a_view_ = true;
  for (const sa::Event& event : events) report(event);
}

void SaService::change(plan::SaState next, std::function<void()> then) {
  state_ = std::move(next);
  if (!around_.keep) {
    if (then) then();
    return;
  }
  around_.keep(state_, [alive = alive_, then = std::move(then)](Result<void> kept) {
    if (!*alive) return;
    // What cannot be kept is not confirmed: the client asks again.
    if (!kept) return logger().error("state not kept error=\"{}\"", kept.error().what);
    if (then) then();
  });
}

void SaService::handle(const mad::Mad& mad) {
  if (!index_) {
    ++counts_.unadmitted;
    return;
  }
  if (rmpp_.handle(mad)) return;
  if (mad::is_response(mad::method_of(mad))) return;
  decide(mad, std::span<const std::uint8_t>(mad.bytes).subspan(mad::kSaDataAt));
}

void SaService::decide(const mad::Mad& mad, std::span<const std::uint8_t> data) {
  ++counts_.requests;
  sa::Request request{mad::header_of(mad), mad::sa_header_of(mad), data, mad.address, false};
  request.trusted = settings_.sm_key != 0 && request.sa.sm_key == settings_.sm_key;
  if (!index_ || (request.sa.sm_key != 0 && !request.trusted)) {
    ++counts_.unadmitted;
    return;
  }
  const std::int64_t now = around_.now();
  if (auto next = sa::without_expired(state_, now)) change(std::move(*next), {});
  const std::vector<sa::OtherManager> others =
      around_.others ? around_.others() : std::vector<sa::OtherManager>();
  const sa::Context context{*index_, state_, around_.self(), others, kLinkLocalPrefix, now};
  sa::Answer answer = sa::answer(request, context);
  if (answer.status != 0) {
    ++counts_.refused;
    logger().debug("refused {} status=0x{:04x}", text_of(request), answer.status);
  }
  if (!answer.state) return reply(mad, answer);
  plan::SaState next = std::move(*answer.state);
  answer.state.reset();
  change(std::move(next), [this, mad, answer = std::move(answer)] {
    reply(mad, answer);
    for (const sa::Event& event : answer.events) report(event);
  });
}

void SaService::reply(const mad::Mad& request, const sa::Answer& answer) {
  mad::Mad head = request;
  mad::Header header = mad::header_of(request);
  header.method = answer.method;
  header.status = answer.status;
  header.attribute = static_cast<mad::AttrId>(answer.attribute);
  encode_into(std::span<std::uint8_t>(head.bytes), header);
  mad::SaHeader sa = mad::sa_header_of(request);
  sa.sm_key = 0;
  sa.attribute_offset = answer.offset;
  if (answer.status == 0 && !answer.table) {
    sa.rmpp_version = 0;
    sa.rmpp_type = mad::RmppType::none;
    sa.rmpp_flags = sa.rmpp_status = sa.response_time = 0;
    sa.segment = sa.payload_length = 0;
  }
  encode_into(std::span<std::uint8_t>(head.bytes), sa);
  if (answer.table) {
    if (rmpp_.send(head, answer.data))
      ++counts_.answered;
    else
      ++counts_.unadmitted;  // the answer is on its way already, or too much is: the client asks again
    return;
  }
  std::fill(head.bytes.begin() + mad::kSaDataAt, head.bytes.end(), std::uint8_t{0});
  std::copy_n(answer.data.begin(), std::min(answer.data.size(), mad::kSaDataSize),
              head.bytes.begin() + mad::kSaDataAt);
  if (Result<void> sent = around_.transport->send(head); !sent)
    logger().debug("answer not sent error=\"{}\"", sent.error().what);
  else
    ++counts_.answered;
}

void SaService::report(const sa::Event& event) {
  if (!index_) return;
  const auto bytes = sa::notice_of(event, index_->view().plan->sm_lid, sm_gid());
  const auto notice = mad::decode<mad::Notice>(std::span<const std::uint8_t>(bytes));
  for (const auto& subscription : *state_.subscriptions)
    if (sa::wants(*subscription, notice, sm_gid())) report(*subscription, bytes);
}

void SaService::forward(const mad::Notice& notice, Lid from) {
  if (!index_) return;
  const sa::End* issuer = index_->find(from);
  if (issuer == nullptr) return;
  const Gid gid{kLinkLocalPrefix, raw(issuer->guid)};
  std::array<std::uint8_t, 80> bytes{};
  encode_into(std::span<std::uint8_t>(bytes), notice);
  put_bits(std::span<std::uint8_t>(bytes), 64 * 8, 64, gid[0]);
  put_bits(std::span<std::uint8_t>(bytes), 72 * 8, 64, gid[1]);
  for (const auto& subscription : *state_.subscriptions)
    if (sa::wants(*subscription, notice, gid)) report(*subscription, bytes);
}

void SaService::report(const plan::Subscription& to, std::span<const std::uint8_t> notice) {
  if (reports_.size() >= kMostReports) {
    ++counts_.unconfirmed;
    return;
  }
  mad::Mad mad;
  mad::Header header;
  header.mgmt_class = mad::MgmtClass::subn_adm;
  header.class_version = mad::kSaVersion;
  header.method = mad::Method::report;
  header.attribute = mad::AttrId::notice;
  encode_into(std::span<std::uint8_t>(mad.bytes), header);
  std::ranges::copy(notice, mad.bytes.begin() + mad::kSaDataAt);
  mad.address = {.lid = to.lid, .qp = to.qp, .sl = to.sl};
  reports_.push_back(mad);
  send_reports();
}

namespace {

/// Until it is confirmed, or often enough.
asio::awaitable<bool> report_until_confirmed(transport::Transport& transport, mad::Mad report,
                                             SaSettings settings) {
  for (int attempt = 0; attempt < settings.report_attempts; ++attempt) {
    const Duration timeout = settings.report_timeout;
    Result<mad::Mad> answer = co_await transport.exchange(report, timeout);
    if (answer) co_return true;
    if (answer.error().code != Errc::timeout) co_return false;
  }
  co_return false;
}

}  // namespace

void SaService::send_reports() {
  while (!reports_.empty() && reports_under_way_ < settings_.report_window) {
    const mad::Mad mad = reports_.front();
    reports_.pop_front();
    ++reports_under_way_;
    ++counts_.reports;
    asio::co_spawn(around_.executor, report_until_confirmed(*around_.transport, mad, settings_),
                   [this, alive = alive_](const std::exception_ptr&, bool confirmed) {
                     if (!*alive) return;
                     --reports_under_way_;
                     counts_.unconfirmed += !confirmed;
                     send_reports();
                   });
  }
}

}  // namespace weft::daemon
