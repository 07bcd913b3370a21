// The Manager among other managers: what it says to them, what they say to it, and what follows.

#include <algorithm>

#include "daemon/api_json.h"
#include "daemon/log.h"
#include "daemon/manager.h"
#include "log/log.h"
#include "mad/port_info.h"

namespace weft::daemon {
namespace {

using mad::SmState;

/// A master that does not know of a better standby is told so often in a row, then now and then.
constexpr int kAnnouncedInARow = 3;
constexpr int kAnnouncedEvery = 10;
/// Anybody can say anything in anybody's name.
constexpr std::size_t kStrangersTold = 100;

constexpr std::uint8_t kSubnetManagement = 4;      // Notice::producer
constexpr std::uint8_t kInformational = 4;         // Notice::type
constexpr std::uint8_t kOtherLocalChanges = 0x01;  // of trap 144
constexpr std::uint8_t kManagerPriority = 0x08;    // of trap 144, which local change

std::string_view name(Word word) {
  switch (word) {
    case Word::hand_over:
      return "HANDOVER";
    case Word::acknowledge:
      return "ACKNOWLEDGE";
    case Word::disable:
      return "DISABLE";
    case Word::standby:
      return "STANDBY";
    case Word::discover:
      return "DISCOVER";
  }
  return "?";
}

/// What each manager gives by itself, so that two may give different ones.
std::vector<std::string> assigned_here(const config::Settings& settings) {
  std::vector<std::string> texts;
  for (const partitions::Partition& one : settings.plan.partitions.partitions)
    if (!one.key)
      texts.push_back(
          fmt::format("partition {} has no key in the configuration: another manager may give it another "
                      "one when it takes over. Write one",
                      one.name));
  for (const qos::Level& one : settings.plan.qos.levels)
    if (!one.sl)
      texts.push_back(
          fmt::format("level {} has no SL in the configuration: another manager may give it another one "
                      "when it takes over. Write one",
                      one.name));
  return texts;
}

/// Trap 144 of a manager whose priority its master should know. Source: IBTA vol. 1, 14.2.5.1, table of trap
/// 144; offsets count from DataDetails.
mad::Mad priority_trap(Lid own, Lid master, std::uint32_t capabilities) {
  mad::Notice notice;
  notice.type = kInformational;
  notice.producer = kSubnetManagement;
  notice.trap = mad::TrapNumber::capability_changed;
  notice.issuer = own;
  put_bits(std::span<std::uint8_t>(notice.details), 16, 16, raw(own));
  notice.details[5] = kOtherLocalChanges;
  put_bits(std::span<std::uint8_t>(notice.details), 48, 32, capabilities);
  notice.details[11] = kManagerPriority;
  mad::Smp smp;
  smp.method = mad::Method::trap;
  smp.attribute = mad::AttrId::notice;
  smp.route.reset();
  smp.address.lid = master;
  smp.data = mad::encode(notice);
  return mad::to_mad(smp);
}

}  // namespace

mad::SmInfo Manager::self() {
  mad::SmInfo info;
  info.guid = election_.own_guid();
  info.sm_key = settings_->manager.sm_key;
  info.act_count = ++act_count_;
  info.priority = election_.priority();
  info.state = election_.state();
  return info;
}

/// For SMInfoRecords.
std::vector<sa::OtherManager> Manager::sa_managers() const {
  std::vector<sa::OtherManager> managers;
  const auto view = sweeper_.view();
  if (!view || !view->plan) return managers;
  for (const discovery::Manager& one : election_.others())
    if (const auto port = view->fabric->find_port(one.info.guid))
      managers.push_back({lids_of(*view, *port).base, one.info});
  return managers;
}

std::optional<bool> Manager::told(Word word, const mad::SmInfo& speaker,
                                  std::optional<mad::DirectedRoute> back) {
  // Whom we handed over to may say so before its answer is here.
  if (word == Word::acknowledge && handing_to_ == speaker.guid) return true;
  const std::optional<Step> step = election_.told(word, speaker);
  if (!step) {
    const bool told_already = std::ranges::find(told_strangers_, speaker.guid) != told_strangers_.end();
    if (!told_already && told_strangers_.size() < kStrangersTold) {
      told_strangers_.push_back(speaker.guid);
      tell("manager_ignored",
           fmt::format("subnet manager {} says {} and is not answered: {}", to_string(speaker.guid),
                       name(word),
                       election_.is_allowed(speaker.guid) ? "its SM_Key is not ours (manager.sm_key)"
                                                          : "it is not in manager.allowed"));
    }
    return std::nullopt;
  }
  if (!step->legal) {
    daemon_log().info("word refused word={} from={} state=\"{}\" its_state=\"{}\"", name(word),
                      to_string(speaker.guid), mad::name(election_.state()), mad::name(speaker.state));
    return false;
  }
  if (word != Word::acknowledge)
    tell("manager_word", fmt::format("subnet manager {} said {}: we are {} now", to_string(speaker.guid),
                                     name(word), mad::name(election_.state())));
  std::optional<discovery::Manager> other;
  if (const discovery::Manager* known = election_.find(speaker.guid))
    other = *known;
  else if (back)
    other = discovery::Manager{speaker, {}, *back};
  if (other) other->info = speaker;
  background_.start(react(*step, std::move(other)));  // our answer goes out first
  return true;
}

asio::awaitable<void> Manager::react(Step step, std::optional<discovery::Manager> other) {
  if (!stopping_) become(step, std::move(other));
  co_return;
}

/// What follows from a step of the election.
void Manager::become(const Step& step, std::optional<discovery::Manager> other) {
  if (election_.is_master()) {
    watch_.stop();
    heart_.start(settings_->manager.poll_interval * settings_->manager.poll_misses / 2);
  } else {
    heart_.stop();
    if (parts_.shared != nullptr) parts_.shared->leave();
    sweeper_.interrupt("we are not master any longer");
  }
  mad::SmInfo as = self();
  switch (step.reaction) {
    case Reaction::none:
    case Reaction::manage:
      break;
    case Reaction::look:
      watch_.stop();
      causes_.add({SweepKind::full, "who is master?"});
      break;
    case Reaction::acknowledge:
      // Also as master already: the other one may have written anything, and clients have told it things.
      sweeper_.interrupt("mastership was handed over to us");
      sweeper_.distrust_all();
      sa_.distrust();
      as.state = SmState::standby;
      if (other) background_.start(say(Word::acknowledge, *other, as));
      causes_.add({SweepKind::full, "mastership was handed over to us"});
      break;
    case Reaction::hand_over:
      if (other && handing_to_ != other->info.guid) background_.start(hand_over_in_passing(*other));
      break;
    case Reaction::yield:
      as.state = SmState::master;
      if (other) background_.start(say(Word::hand_over, *other, as));
      [[fallthrough]];
    case Reaction::wait:
      causes_.add_later(Duration::zero(), {});  // from now on the watch tells when to look
      stop_serving();
      if (other)
        wait_for(*other);
      else
        causes_.add({SweepKind::full, "whom do we wait for?"});
      break;
    case Reaction::rest:
      watch_.stop();
      stop_serving();
      break;
  }
  if (!election_.is_master()) note_standing();
}

/// Set(SMInfo): without the node's GUID, so that a silent manager does not make its node a mute one.
asio::awaitable<Result<mad::AttrData>> Manager::ask_to(Word word, const discovery::Manager& to,
                                                       mad::SmInfo as) {
  transport::Target target;
  target.route = to.route;
  const mad::AttrData data = mad::encode(as);
  Result<mad::AttrData> answer = co_await client_.set(target, mad::AttrId::sm_info, raw(word), data);
  co_return answer;
}

asio::awaitable<void> Manager::say(Word word, discovery::Manager to, mad::SmInfo as) {
  Result<mad::AttrData> answer = co_await ask_to(word, to, as);
  if (!answer && answer.error().code != Errc::cancelled)
    daemon_log().warn("{} not taken manager={} error=\"{}\"", name(word), to_string(to.info.guid),
                      answer.error().what);
}

asio::awaitable<void> Manager::hand_over_in_passing(discovery::Manager to) {
  const mad::SmInfo heir = to.info;
  Result<void> done = co_await give_up_mastership(std::move(to));
  if (done || done.error().code == Errc::cancelled) co_return;
  election_.refused(heir);
  tell("hand_over_failed", done.error().what);
}

/// We stay master until the other one has accepted.
asio::awaitable<Result<void>> Manager::give_up_mastership(discovery::Manager to) {
  handing_to_ = to.info.guid;
  const mad::SmInfo as = self();
  Result<mad::AttrData> answer = co_await ask_to(Word::hand_over, to, as);
  handing_to_.reset();
  if (!answer)
    co_return fail(answer.error().code, "{} did not take over: {}. We stay master",
                   describe_manager(to, sweeper_.fabric()), answer.error().what);
  if (stopping_ || !election_.is_master()) co_return Result<void>{};
  tell("handed_over", "mastership was handed over to " + describe_manager(to, sweeper_.fabric()));
  become(election_.handed_over(), to);
  co_return Result<void>{};
}

Result<std::string> Manager::hand_over(std::optional<Guid> to) {
  if (!election_.is_master())
    return fail(Errc::conflict, "we are {}, not master: there is nothing to hand over",
                mad::name(election_.state()));
  std::optional<discovery::Manager> heir = election_.best_standby();
  if (to) {
    const discovery::Manager* named = election_.find(*to);
    const bool can = named != nullptr && named->info.state == SmState::standby && election_.is_allowed(*to);
    if (!can) return fail(Errc::not_found, "{} is no standby that may be master", to_string(*to));
    heir = *named;
  }
  if (!heir) return fail(Errc::not_found, "no standby that may be master is known");
  background_.start(hand_over_in_passing(*heir));
  return describe_manager(*heir, sweeper_.fabric());
}

/// What a full sweep has decided.
void Manager::follow(const Election::Decision& decision) {
  if (decision.reaction == Reaction::none) return;
  // A standby that was looked for in vain goes on asking at its pace.
  const bool same = watch_.whom() && decision.other && watch_.whom()->info.guid == decision.other->info.guid;
  if (decision.reaction == Reaction::wait && same) return;
  become({election_.state(), decision.reaction}, decision.other);
}

void Manager::wait_for(const discovery::Manager& other) {
  announced_ = 0;
  watch_.start(other, settings_->manager.poll_interval, settings_->manager.poll_misses);
}

void Manager::lost_master(const discovery::Manager& whom, const std::string& why) {
  tell("master_lost",
       fmt::format("{}: {}; we look who manages now", describe_manager(whom, sweeper_.fabric()), why));
  become(election_.lost_master(whom), {});
}

/// A port that was reset has lost IsSM, and with it what tells other managers that we are here.
asio::awaitable<void> Manager::keep_is_sm() {
  const transport::Target ourselves{own_node(), {}};
  Result<mad::AttrData> answer = co_await client_.get(ourselves, mad::AttrId::port_info, 0);
  if (!answer || stopping_ || lost_) co_return;
  if (mad::has(mad::decode<mad::PortInfo>(*answer), mad::PortCap::is_sm)) co_return;
  (void)parts_.transport->set_is_sm(false);
  const Result<void> set = parts_.transport->set_is_sm(true);
  tell("is_sm_lost", set ? std::string("IsSM of our own port was not set any more; it is set again")
                         : fmt::format("IsSM of our own port is not set: {}", set.error().what));
}

/// A master that should have handed over to us is told that we are here.
void Manager::master_is_there(const mad::SmInfo& info) {
  note_standing();
  background_.start(keep_is_sm());
  if (!election_.is_below(info)) return;
  const int times = announced_++;
  if (times < kAnnouncedInARow || times % kAnnouncedEvery == 0) background_.start(announce(kLidNone));
}

/// Two that were cut off from each other may both be master: the lower one has to find out, and to give way.
void Manager::nudge_lower_masters() {
  if (!election_.is_master()) return;
  for (const sa::OtherManager& other : sa_managers())
    if (other.info.state == SmState::master && other.lid != kLidNone) background_.start(announce(other.lid));
}

/// Trap 144 to this LID, or to our port's master.
asio::awaitable<void> Manager::announce(Lid to) {
  const transport::Target ourselves{own_node(), {}};
  Result<mad::AttrData> answer = co_await client_.get(ourselves, mad::AttrId::port_info, 0);
  if (!answer) co_return;
  const auto port = mad::decode<mad::PortInfo>(*answer);
  if (to == kLidNone) to = port.sm_lid;
  if (port.lid == kLidNone || to == kLidNone) co_return;
  const mad::Mad trap = priority_trap(port.lid, to, port.capabilities);
  if (Result<void> sent = parts_.transport->send(trap); !sent)
    daemon_log().debug("trap 144 not sent error=\"{}\"", sent.error().what);
}

void Manager::stood_still(Duration how_long) {
  if (!election_.is_master()) return;
  tell(
      "stood_still",
      fmt::format("this process stood still for {:.1f} s: another manager may have taken over, so the fabric "
                  "is looked at before anything is written",
                  std::chrono::duration<double>(how_long).count()));
  const Step step = election_.cut_off();
  stop_serving();
  become(step, {});
}

/// The second fence: another manager holds the lock on the shared state, whatever SMInfo says.
void Manager::lost_shared(const std::string& why) {
  if (!election_.is_master() || stopping_) return;
  tell("shared_state", fmt::format("{}: nothing more is written before we know who is master", why));
  const Step step = election_.cut_off();
  stop_serving();
  become(step, {});
}

void Manager::stop_serving() {
  // While it is not clear who is master, what clients have registered may still hold.
  if (election_.state() == SmState::discovering)
    sa_.pause();
  else
    sa_.silence();
  multicast_.silence();
  served_generation_ = 0;
}

bool Manager::may_set() {
  heart_.check();
  return election_.is_master();
}

/// State and text of who is not master.
void Manager::note_standing() {
  const std::string_view more = sweeper_.view() ? "Nothing more is written" : "Nothing is written";
  if (election_.state() == SmState::not_active) {
    state_ = State::disabled;
    text_ = fmt::format(
        "another subnet manager has disabled us. {} until one says STANDBY, or weftd starts again", more);
    return;
  }
  if (election_.state() != SmState::standby) {
    state_ = State::discovering;
    text_ = "looking who is master";
    return;
  }
  state_ = State::standby;
  const auto& whom = watch_.whom();
  text_ = fmt::format("{}. {} until it is gone or hands over",
                      whom ? "another manager is master: " + describe_manager(*whom, sweeper_.fabric())
                           : std::string("another manager is master"),
                      more);
}

/// What an administrator would not want of who manages.
std::vector<Problem> Manager::standing_problems() const {
  std::vector<Problem> problems;
  for (const discovery::Manager& one : election_.others())
    if (election_.is_master() && one.info.state == SmState::master)
      problems.push_back(
          {one.node,
           fmt::format(
               "{} is master, too, and does not give way{}", describe_manager(one, sweeper_.fabric()),
               election_.knows_key(one.info) ? "" : ": its SM_Key is another one than manager.sm_key"),
           election_.knows_key(one.info) ? "Stop one of the two."
                                         : "Stop that one, or give both the same manager.sm_key."});
  if (!election_.others().empty() && parts_.shared == nullptr)
    for (std::string& what : assigned_here(*settings_))
      problems.push_back({{}, std::move(what), "When it is written:", "systemctl reload weftd"});
  const auto& whom = watch_.whom();
  if (election_.state() != SmState::standby || !whom) return problems;
  const std::string who = describe_manager(*whom, sweeper_.fabric());
  if (settings_->manager.expected)
    problems.push_back(
        {whom->node,
         fmt::format("this manager is meant to be master (manager.expected), and {} is. Stop that "
                     "one, or let it hand over",
                     who),
         "To let it hand over, on its host:", "weftctl hand-over"});
  if (!election_.is_allowed(whom->info.guid))
    problems.push_back(
        {whom->node,
         fmt::format("{} manages, and manager.allowed does not name it. Stop it, or name it", who),
         "When it is named:", "systemctl reload weftd"});
  return problems;
}

}  // namespace weft::daemon
