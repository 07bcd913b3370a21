#include "daemon/sa_reports.h"

#include <algorithm>

#include "mad/sa.h"
#include "sa/inform.h"
#include "sa/sight.h"

namespace weft::daemon {
namespace {

constexpr std::size_t kMostReports = 100'000;

}  // namespace

void SaReports::send(const sa::Index& index, const plan::SaState& state, std::span<const std::uint8_t> bytes,
                     const Gid& issuer, std::span<const Pkey> keys) {
  const auto notice = mad::decode<mad::Notice>(bytes);
  sa::each_subscription(state, [&](const plan::Subscription& subscription) {
    if (sa::wants(subscription, notice, issuer) && sa::may_hear(index, subscription, keys))
      queue(subscription, bytes);
  });
  pump();
}

void SaReports::queue(const plan::Subscription& to, std::span<const std::uint8_t> notice) {
  if (waiting_.size() >= kMostReports) {
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
  waiting_.push_back(mad);
}

asio::awaitable<void> SaReports::deliver(SaReports& self, mad::Mad report) {
  bool confirmed = false;
  for (int attempt = 0; attempt < self.settings_.attempts && !confirmed; ++attempt) {
    const Duration timeout = self.settings_.timeout;
    Result<mad::Mad> answer = co_await self.transport_.exchange(report, timeout);
    confirmed = answer.has_value();
    if (!answer && answer.error().code != Errc::timeout) break;
  }
  --self.under_way_;
  self.counts_.unconfirmed += !confirmed;
  self.pump();
}

void SaReports::pump() {
  while (!waiting_.empty() && under_way_ < settings_.window) {
    const mad::Mad mad = waiting_.front();
    waiting_.pop_front();
    ++under_way_;
    ++counts_.reports;
    tasks_.start(deliver(*this, mad));
  }
}

}  // namespace weft::daemon
