#include "daemon/sa_service.h"

#include <algorithm>

#include "daemon/log.h"
#include "mad/sa_records.h"
#include "sa/inform.h"
#include "sa/multicast.h"
#include "sa/services.h"

namespace weft::daemon {
namespace {

/// Requests decided at a time, before the loop does other things.
constexpr int kBatch = 64;
/// Blocks read for one request; who wants more of a big fabric has to ask by LID.
constexpr std::size_t kMostBlocks = 4096;
/// Refused joins of one port are told once in this time.
constexpr Duration kTellRefusals = std::chrono::minutes(10);
constexpr std::size_t kMostTold = 10'000;
constexpr std::size_t kMostOfAPort = 10;

std::string text_of(const sa::Request& request) {
  return fmt::format("method=0x{:02x} attribute=0x{:04x} mask=0x{:x} lid={}", raw(request.header.method),
                     raw(request.header.attribute), request.sa.component_mask, raw(request.from.lid));
}

bool changes(mad::Method method) { return method == mad::Method::set || method == mad::Method::delete_; }

}  // namespace

SaService::SaService(Surroundings around, plan::SaState state, SaSettings settings)
    : around_(std::move(around)),
      settings_(std::move(settings)),
      state_(std::move(state)),
      rmpp_(*around_.transport, *around_.clock,
            [this](const mad::Mad& head, std::vector<std::uint8_t> data) {
              data.resize(std::max(data.size(), mad::kSaDataSize));
              ++counts_.requests;
              ++counts_of(head).requests;
              decide({head, std::move(data), around_.clock->now()});
            }),
      tables_(*around_.client, *around_.tasks, paths_),
      reports_(*around_.transport, *around_.tasks, settings_.reports, counts_),
      writer_(*around_.client, *around_.tasks, paths_, around_.devices),
      stale_(state_.groups.size() == 0) {
  leases_.follow({}, state_);
  arm_expiry();
}

SaService::~SaService() {
  *alive_ = false;
  for (const Clock::TimerId timer : {absent_timer_, expiry_timer_, tell_timer_}) around_.clock->cancel(timer);
}

Gid SaService::sm_gid() const {
  const plan::View& view = index_->view();
  return {settings_.prefix, raw(view.fabric->port(view.sm_port).guid)};
}

SaAttributeCounts& SaService::counts_of(const mad::Mad& mad) {
  const auto attribute = static_cast<mad::SaAttr>(mad::header_of(mad).attribute);
  return counts_.by_attribute[sa::is_known(attribute) ? raw(attribute) : std::uint16_t{0}];
}

// --- requests

void SaService::handle(const mad::Mad& mad) {
  if (!index_) {
    ++counts_.unadmitted;
    return;
  }
  if (rmpp_.handle(mad)) return;
  if (mad::is_response(mad::method_of(mad))) return;
  ++counts_.requests;
  SaAttributeCounts& counts = counts_of(mad);
  ++counts.requests;
  const SaQueue::Put put = queue_.put(mad, around_.clock->now(), static_cast<std::size_t>(settings_.quota),
                                      static_cast<std::size_t>(settings_.queue));
  if (put == SaQueue::Put::queued) return wake();
  ++counts.dropped;
  if (put == SaQueue::Put::duplicate) {
    ++counts_.duplicates;
    return;
  }
  ++counts_.over_quota;
  const Asked asked{mad, {}, around_.clock->now()};
  if (settings_.busy) reply(asked, sa::refusal(request_of(asked), raw(mad::Status::busy)));
}

void SaService::wake() {
  if (std::exchange(awake_, true)) return;
  asio::post(around_.executor, [this, alive = alive_] {
    if (*alive) pump();
  });
}

void SaService::pump() {
  awake_ = false;
  for (int i = 0; i < kBatch; ++i) {
    std::optional<SaQueue::Waiting> next = queue_.take();
    if (!next) return;
    decide({next->mad, {}, next->since});
  }
  if (queue_.size() > 0) wake();
}

sa::Request SaService::request_of(const Asked& asked) const {
  sa::Request request{mad::header_of(asked.mad), mad::sa_header_of(asked.mad), asked.body(),
                      asked.mad.address, false};
  request.trusted = settings_.sm_key != 0 && request.sa.sm_key == settings_.sm_key;
  return request;
}

sa::Context SaService::context(std::span<const sa::OtherManager> others) const {
  sa::Context context{*index_, state_, around_.self(), others, settings_.prefix, around_.now()};
  context.options = settings_.options;
  context.devices = around_.devices;
  context.tables = &tables_.held();
  if (around_.multicast) context.multicast = around_.multicast();
  return context;
}

std::optional<sa::Answer> SaService::ask(const sa::Request& request) const {
  if (!index_) return std::nullopt;
  return sa::answer(request, context({}));
}

void SaService::decide(Asked asked, int reads_left) {
  const sa::Request request = request_of(asked);
  if (!index_ || (request.sa.sm_key != 0 && !request.trusted)) {
    ++counts_.unadmitted;
    return;
  }
  const std::vector<sa::OtherManager> others =
      around_.others ? around_.others() : std::vector<sa::OtherManager>();
  const sa::Context known = context(others);
  if (read_tables(asked, request, known, reads_left)) return;
  sa::Answer answer = sa::answer(request, known);
  if (answer.status != 0) note_refusal(request, answer);
  // A repeated Set changes nothing, but what it repeats must be safe before it is confirmed.
  const bool unsafe = saves_under_way_ > 0 || save_failed_;
  if (!answer.state && !(unsafe && answer.status == 0 && changes(request.header.method)))
    return finish(asked, answer);
  plan::SaState next = answer.state ? std::move(*answer.state) : state_;
  answer.state.reset();
  change(std::move(next),
         [this, asked = std::move(asked), answer = std::move(answer)] { finish(asked, answer); });
}

/// True when tables must be read first: then the request is decided anew when they are.
bool SaService::read_tables(const Asked& asked, const sa::Request& request, const sa::Context& known,
                            int reads_left) {
  std::vector<sa::TableBlock> missing = sa::missing_tables(request, known, kMostBlocks);
  if (missing.empty() || reads_left == 0) return false;
  if (missing.size() > kMostBlocks) {
    reply(asked, sa::refusal(request, mad::sa_status::kNoResources));
    return true;
  }
  tables_.read(index_->shared_view(), std::move(missing),
               [this, asked, reads_left] { decide(asked, reads_left - 1); });
  return true;
}

void SaService::finish(const Asked& asked, const sa::Answer& answer) {
  reply(asked, answer);
  for (const sa::Event& event : answer.events) report(event);
  if (answer.new_guids) write_aliases(*answer.new_guids);
}

/// Joins that are refused keep a host off the network: its administrator must find out why. The same is told
/// once in a while, and of one port a few things only.
void SaService::note_refusal(const sa::Request& request, const sa::Answer& answer) {
  sa_log().debug("refused {} status=0x{:04x} why=\"{}\"", text_of(request), answer.status, answer.why);
  if (answer.why.empty()) return;
  const Instant now = around_.clock->now();
  if (refusals_told_.size() > kMostTold) refusals_told_.clear();
  const auto asked = mad::decode<mad::McMemberRecord>(request.data);
  const std::string what = fmt::format("join group {}: {}", to_string(asked.mgid), answer.why);
  RefusalsTold& told = refusals_told_[request.from.lid];
  if (now - told.since >= kTellRefusals) told = {now, {}};
  if (told.texts.size() >= kMostOfAPort || std::ranges::find(told.texts, what) != told.texts.end()) return;
  told.texts.push_back(what);
  const sa::End* end = index_->find(request.from.lid);
  const std::string who = end == nullptr ? fmt::format("LID {}", raw(request.from.lid))
                                         : fabric::describe(index_->fabric(), end->port);
  const std::string_view more =
      told.texts.size() == kMostOfAPort ? "; what else is refused to this port is not told for a while" : "";
  sa_log().warn("join refused port=\"{}\" what=\"{}\"", who, what);
  if (around_.tell) around_.tell("join_refused", fmt::format("{} may not {}{}", who, what, more));
}

void SaService::reply(const Asked& asked, const sa::Answer& answer) {
  mad::Mad head = asked.mad;
  mad::Header header = mad::header_of(asked.mad);
  header.method = answer.method;
  header.status = answer.status;
  header.attribute = static_cast<mad::AttrId>(answer.attribute);
  encode_into(std::span<std::uint8_t>(head.bytes), header);
  mad::SaHeader sa = mad::sa_header_of(asked.mad);
  sa.sm_key = 0;
  sa.attribute_offset = answer.offset;
  if (answer.status == 0 && !answer.table) {
    sa.rmpp_version = 0;
    sa.rmpp_type = mad::RmppType::none;
    sa.rmpp_flags = sa.rmpp_status = sa.response_time = 0;
    sa.segment = sa.payload_length = 0;
  }
  encode_into(std::span<std::uint8_t>(head.bytes), sa);
  bool sent = false;
  if (answer.table) {
    // False: it is on its way already, or too much is: the client asks again.
    sent = rmpp_.send(head, answer.data);
  } else {
    rmpp_.drop(head);
    std::fill(head.bytes.begin() + mad::kSaDataAt, head.bytes.end(), std::uint8_t{0});
    std::copy_n(answer.data.begin(), std::min(answer.data.size(), mad::kSaDataSize),
                head.bytes.begin() + mad::kSaDataAt);
    const Result<void> done = around_.transport->send(head);
    sent = done.has_value();
    if (!sent) sa_log().debug("answer not sent error=\"{}\"", done.error().what);
  }
  SaAttributeCounts& counts = counts_of(asked.mad);
  counts_.answered += sent;
  counts_.unadmitted += !sent;
  counts.answered += sent;
  counts.dropped += !sent;
  if (!sent) return;
  counts_.refused += answer.status != 0;
  counts.refused += answer.status != 0;
  const Duration took = around_.clock->now() - asked.since;
  ++counts.took[histogram_place(took)];
  counts.took_in_all += took;
}

void SaService::report(const sa::Event& event) {
  if (!index_) return;
  const Gid issuer = sm_gid();
  reports_.send(*index_, state_, sa::notice_of(event, index_->view().plan->sm_lid, issuer), issuer,
                event.keys);
}

void SaService::forward(const mad::Notice& notice, Lid from) {
  if (!index_) return;
  const sa::End* issuer = index_->find(from);
  if (issuer == nullptr) return;
  const Gid gid{settings_.prefix, raw(issuer->guid)};
  std::array<std::uint8_t, 80> bytes{};
  encode_into(std::span<std::uint8_t>(bytes), notice);
  put_bits(std::span<std::uint8_t>(bytes), 64 * 8, 64, gid[0]);
  put_bits(std::span<std::uint8_t>(bytes), 72 * 8, 64, gid[1]);
  reports_.send(*index_, state_, bytes, gid, issuer->keys);
}

void SaService::change(plan::SaState next, std::function<void()> then) {
  const bool groups = !(next.groups == state_.groups);
  const bool services = !(next.services == state_.services);
  if (services) leases_.follow(state_, next);
  state_ = std::move(next);
  if (services) arm_expiry();
  if (groups && around_.groups_changed) around_.groups_changed();
  if (!around_.keep) {
    if (then) then();
    return;
  }
  ++saves_under_way_;
  around_.keep(state_, [this, alive = alive_, then = std::move(then)](Result<void> kept) {
    if (!*alive) return;
    --saves_under_way_;
    save_failed_ = !kept;
    // What cannot be kept is not confirmed: the client asks again.
    if (!kept) return sa_log().error("state not kept error=\"{}\"", kept.error().what);
    if (then) then();
  });
}

}  // namespace weft::daemon
