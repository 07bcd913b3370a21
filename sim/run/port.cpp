#include "sim/run/port.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace weft::run {
namespace {

using wire::Envelope;
using Clock = std::chrono::steady_clock;

constexpr Millis kLongestAckWait{2000};
constexpr std::chrono::seconds kWholeMessage{40};
constexpr std::chrono::seconds kRemembered{10};  // finished messages, to acknowledge their last segment again
constexpr std::size_t kMessages = 65'536;        // that wait to be read; more are dropped

/// While it lives the thread is not cancelled.
class NoCancel {
 public:
  NoCancel() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~NoCancel() { pthread_setcancelstate(before_, nullptr); }
  NoCancel(const NoCancel&) = delete;
  NoCancel& operator=(const NoCancel&) = delete;

 private:
  int before_ = 0;
};

Mad mad_in(const std::array<std::uint8_t, wire::kWideSize>& wide) {
  Mad mad;
  std::copy_n(wide.begin() + Envelope::kSize, kMadSize, mad.begin());
  return mad;
}

void write_envelope(std::uint8_t* bytes, const ib_mad_addr_t& to, int agent) {
  std::memcpy(bytes + Envelope::kLid, &to.lid, 2);  // big-endian already, as all else in it
  put_number(bytes, Envelope::kOwnLid, 2, to.path_bits);
  std::memcpy(bytes + Envelope::kQp, &to.qpn, 4);
  put_number(bytes, Envelope::kAgent, 4, static_cast<std::uint64_t>(agent));
  bytes[Envelope::kSl] = to.sl;
  put_number(bytes, Envelope::kPkeyIndex, 2, to.pkey_index);
  put_number(bytes, Envelope::kLength, 8, kMadSize);
  if (to.grh_present == 0) return;
  bytes[Envelope::kGrhPresent] = 1;
  bytes[Envelope::kGidIndex] = to.gid_index;
  bytes[Envelope::kHopLimit] = to.hop_limit;
  bytes[Envelope::kTrafficClass] = to.traffic_class;
  std::memcpy(bytes + Envelope::kFlowLabel, &to.flow_label, 4);
  std::memcpy(bytes + Envelope::kGid, to.gid, 16);
}

ib_mad_addr_t address_in(const std::uint8_t* bytes) {
  ib_mad_addr_t from{};
  std::memcpy(&from.lid, bytes + Envelope::kLid, 2);
  std::memcpy(&from.qpn, bytes + Envelope::kQp, 4);
  from.sl = bytes[Envelope::kSl];
  from.pkey_index = static_cast<std::uint16_t>(number_at(bytes, Envelope::kPkeyIndex, 2));
  if (bytes[Envelope::kGrhPresent] == 0) return from;
  from.grh_present = 1;
  from.gid_index = bytes[Envelope::kGidIndex];
  from.hop_limit = bytes[Envelope::kHopLimit];
  from.traffic_class = bytes[Envelope::kTrafficClass];
  std::memcpy(&from.flow_label, bytes + Envelope::kFlowLabel, 4);
  std::memcpy(from.gid, bytes + Envelope::kGid, 16);
  return from;
}

int milliseconds_until(Time deadline) {
  if (deadline == Time::max()) return -1;
  const auto left = std::chrono::ceil<Millis>(deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<long>(left, 0, 3'600'000));
}

}  // namespace

Port::Port(Fd link)
    : link_(std::move(link)),
      event_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      wake_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);  // the program's signals are for its own threads
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { work(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Port::~Port() {
  const NoCancel whole;
  {
    const Lock lock(mutex_);
    stopping_ = true;
  }
  const std::uint64_t one = 1;
  static_cast<void>(!::write(wake_.get(), &one, sizeof(one)));
  thread_.join();
}

// Agents.

std::vector<std::uint8_t> Port::ask_server(Lock& lock, std::uint32_t kind, const void* data,
                                           std::size_t size) {
  answered_.wait(lock, [this] { return !asking_ || dead_; });
  if (dead_) return {};
  asking_ = true;
  control_answer_.reset();
  const std::vector<std::uint8_t> message = control_bytes(kind, data, size);
  ::send(link_.get(), message.data(), message.size(), MSG_NOSIGNAL);
  answered_.wait_for(lock, std::chrono::seconds(10), [this] { return control_answer_ || dead_; });
  asking_ = false;
  std::vector<std::uint8_t> answer = control_answer_.value_or(std::vector<std::uint8_t>{});
  answered_.notify_all();
  return answer;
}

int Port::register_agent(const Agent& agent, const wire::Register& filter) {
  const NoCancel whole;
  Lock lock(mutex_);
  int number = 0;
  while (agents_.contains(number)) ++number;
  if (number >= kMaxAgents) return -ENOMEM;
  agents_[number] = agent;
  wire::Register request = filter;
  request.agent = static_cast<std::uint32_t>(number);
  const std::vector<std::uint8_t> answer = ask_server(lock, wire::kRegister, &request, sizeof(request));
  const int error = answer.empty() ? ENODEV : error_in(answer);
  if (error == 0) return number;
  agents_.erase(number);
  return -error;
}

int Port::unregister_agent(int agent) {
  const NoCancel whole;
  Lock lock(mutex_);
  if (agents_.erase(agent) == 0) return -EINVAL;
  for (auto at = sending_.begin(); at != sending_.end();) {
    const Key key = at->first;
    ++at;
    if (key.agent == static_cast<std::uint32_t>(agent)) forget(key);
  }
  std::erase_if(receiving_,
                [agent](const auto& one) { return one.first.agent == static_cast<std::uint32_t>(agent); });
  const auto number = static_cast<std::uint32_t>(agent);
  ask_server(lock, wire::kUnregister, &number, sizeof(number));
  return 0;
}

// Sending.

Port::Key Port::key_of(const Mad& mad, std::uint32_t agent, bool answer) {
  const std::uint64_t tid = tid_of(mad.data());
  return {answer ? tid : tid & 0xffffffff, agent, class_of(mad.data()), answer};
}

void Port::transmit(const Wide& wide) { ::send(link_.get(), wide.data(), wide.size(), MSG_NOSIGNAL); }

void Port::transmit(const Wide& like, const Mad& mad) {
  Wide wide = like;
  std::ranges::copy(mad, wide.begin() + Envelope::kSize);
  transmit(wide);
}

int Port::send(int agent, const ib_user_mad* umad, std::size_t length, int timeout_ms, int retries) {
  const NoCancel whole;
  const Lock lock(mutex_);
  if (dead_) return -EIO;
  const auto found = agents_.find(agent);
  if (found == agents_.end()) return -EINVAL;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(umad->data);
  if (length < 24) return -EINVAL;
  Sending sending;
  std::ranges::fill(sending.first, std::uint8_t{0});
  write_envelope(sending.first.data(), umad->addr, agent);
  std::copy_n(bytes, std::min(length, kMadSize), sending.first.begin() + Envelope::kSize);
  const Mad first = mad_in(sending.first);
  const bool by_rmpp = found->second.rmpp && is_rmpp(first.data());
  if (length > kMadSize && !by_rmpp) return -EINVAL;
  const Key key = key_of(first, static_cast<std::uint32_t>(agent), is_answer(first.data()));
  sending.has_grh = umad->addr.grh_present != 0;
  sending.timeout = Millis(std::max(0, timeout_ms));
  sending.retries = sending.retries_left = std::max(0, retries);
  if (!by_rmpp) {
    transmit(sending.first);
    if (key.answer || sending.timeout == Millis{}) return 0;
    if (sending_.contains(key)) return -EINVAL;
    sending.waits = true;
    const Millis wait = sending.timeout;
    set_deadline(key, sending_.emplace(key, std::move(sending)).first->second, wait);
    return 0;
  }
  if (sending_.contains(key)) return -EINVAL;
  sending.rmpp.emplace(std::vector<std::uint8_t>(bytes, bytes + length));
  advance(key, sending_.emplace(key, std::move(sending)).first->second);
  return 0;
}

/// Sends what may go of a message; from now on silence counts.
void Port::advance(const Key& key, Sending& sending) {
  while (const std::optional<Mad> mad = sending.rmpp->next()) transmit(sending.first, *mad);
  const bool no_time = sending.timeout == Millis{};
  set_deadline(key, sending, no_time ? kLongestAckWait : std::min(kLongestAckWait, sending.timeout));
}

void Port::set_deadline(const Key& key, Sending& sending, Millis wait) {
  deadlines_.erase({sending.deadline, key});
  sending.deadline = Clock::now() + wait;
  deadlines_.insert({sending.deadline, key});
  wake(sending.deadline);
}

void Port::forget(const Key& key) {
  const auto found = sending_.find(key);
  if (found == sending_.end()) return;
  deadlines_.erase({found->second.deadline, key});
  sending_.erase(found);
}

/// The thread sleeps until the first deadline it knew of: it must know of an earlier one.
void Port::wake(Time deadline) {
  if (deadline >= sleeps_until_) return;
  sleeps_until_ = deadline;
  const std::uint64_t one = 1;
  static_cast<void>(!::write(wake_.get(), &one, sizeof(one)));
}

void Port::expire(const Key& key) {
  Sending& sending = sending_.at(key);
  if (sending.retries_left > 0) {
    --sending.retries_left;
    if (!sending.rmpp) {
      transmit(sending.first);
      return set_deadline(key, sending, sending.timeout);
    }
    if (sending.waits)
      sending.rmpp.emplace(std::vector<std::uint8_t>(sending.rmpp->message()));  // all of it once more
    else
      sending.rmpp->rewind();
    sending.waits = false;
    return advance(key, sending);
  }
  give_back(key, sending);
  forget(key);
}

/// To the program, as nobody answered.
void Port::give_back(const Key& key, const Sending& sending) {
  Message message;
  message.agent = key.agent;
  message.status = ETIMEDOUT;
  message.address = address_in(sending.first.data());
  message.bytes.assign(sending.first.begin() + Envelope::kSize, sending.first.end());
  queue(std::move(message));
}

// Receiving.

void Port::queue(Message message) {
  if (messages_.size() >= kMessages) return;
  messages_.push_back(std::move(message));
  if (messages_.size() > 1) return;
  const std::uint64_t one = 1;
  static_cast<void>(!::write(event_.get(), &one, sizeof(one)));
}

void Port::deliver(const Wide& wide, std::uint32_t agent, std::vector<std::uint8_t> bytes) {
  Message message;
  message.agent = agent;
  message.address = address_in(wide.data());
  message.bytes = std::move(bytes);
  queue(std::move(message));
}

/// True when it answers something that waits; that is over then.
bool Port::complete_request(const Wide& wide, const Mad& mad, std::uint32_t agent) {
  const Key key = key_of(mad, agent, false);
  const auto found = sending_.find(key);
  if (found == sending_.end() || found->second.has_grh != (wide[Envelope::kGrhPresent] != 0)) return false;
  forget(key);
  return true;
}

void Port::take(const Wide& wide) {
  const Mad mad = mad_in(wide);
  const auto agent = static_cast<std::uint32_t>(number_at(wide.data(), Envelope::kAgent, 4));
  const auto found = agents_.find(static_cast<int>(agent));
  if (found == agents_.end()) return;
  if (found->second.rmpp && is_rmpp(mad.data())) return take_rmpp(wide, mad, agent);
  if (is_answer(mad.data()) && !complete_request(wide, mad, agent)) return;
  deliver(wide, agent, {mad.begin(), mad.end()});
}

void Port::take_rmpp(const Wide& wide, const Mad& mad, std::uint32_t agent) {
  const RmppHeader header = rmpp_header_of(mad.data());
  if (header.version != 1)
    return transmit(wide, rmpp_control(mad, RmppType::abort, RmppStatus::bad_version, 0, 0));
  switch (header.type) {
    case RmppType::data:
      return take_data(wide, mad, agent);
    case RmppType::ack:
      return take_ack(mad, agent);
    case RmppType::stop:
    case RmppType::abort:
      // Against a message of ours when its R bit is the other way round, else against one on its way in.
      forget(key_of(mad, agent, (method_of(mad.data()) & 0x80) == 0));
      receiving_.erase(key_of(mad, agent, (method_of(mad.data()) & 0x80) != 0));
      return;
    default:
      return transmit(wide, rmpp_control(mad, RmppType::abort, RmppStatus::bad_type, 0, 0));
  }
}

void Port::take_data(const Wide& wide, const Mad& mad, std::uint32_t agent) {
  const bool answer = is_answer(mad.data());
  const Key key = key_of(mad, agent, answer);
  auto found = receiving_.find(key);
  if (found == receiving_.end()) {
    if (rmpp_header_of(mad.data()).segment != 1) return;
    if (answer && !sending_.contains(key_of(mad, agent, false))) return;  // nobody waits for it
    found = receiving_.emplace(key, Receiving{}).first;
    found->second.first = wide;
    found->second.deadline = Clock::now() + kWholeMessage;
    wake(found->second.deadline);
    // The message is on its way: from now on its own time counts.
    if (answer) {
      const Key request = key_of(mad, agent, false);
      set_deadline(request, sending_.at(request), std::chrono::duration_cast<Millis>(kWholeMessage));
    }
  }
  Receiving& receiving = found->second;
  const std::optional<Mad> back = receiving.rmpp.take(mad);
  if (back) {
    Wide to = wide;  // its far end is where the segment came from
    put_number(to.data(), Envelope::kAgent, 4, agent);
    transmit(to, *back);
  }
  if (!receiving.rmpp.complete() || receiving.delivered) return;
  receiving.delivered = true;
  receiving.deadline = Clock::now() + kRemembered;
  if (answer && !complete_request(wide, mad, agent)) return;
  deliver(receiving.first, agent, receiving.rmpp.take_message());
}

void Port::take_ack(const Mad& mad, std::uint32_t agent) {
  const RmppHeader header = rmpp_header_of(mad.data());
  const Key key = key_of(mad, agent, (method_of(mad.data()) & 0x80) == 0);
  const auto found = sending_.find(key);
  if (found == sending_.end() || !found->second.rmpp || found->second.waits) return;
  Sending& sending = found->second;
  if (const std::optional<RmppStatus> wrong = sending.rmpp->acknowledge(header)) {
    Mad abort = rmpp_control(mad, RmppType::abort, *wrong, 0, 0);
    transmit(sending.first, abort);
    return forget(key);
  }
  if (sending.rmpp->progressed()) sending.retries_left = sending.retries;
  if (!sending.rmpp->complete()) return sending.rmpp->progressed() ? advance(key, sending) : void();
  if (key.answer || sending.timeout == Millis{}) return forget(key);
  sending.waits = true;
  // Turns the direction: the answer may come.
  transmit(sending.first, rmpp_control(mad, RmppType::ack, RmppStatus::normal, 0, 1));
  set_deadline(key, sending, sending.timeout);
}

bool Port::take_all() {
  for (int i = 0; i < 256; ++i) {
    std::array<std::uint8_t, 1024> bytes;
    const ssize_t length = ::recv(link_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (length < 0) return errno == EAGAIN || errno == EINTR;
    if (length == 0) return false;
    if (static_cast<std::size_t>(length) != wire::kWideSize) {
      control_answer_.emplace(bytes.begin(), bytes.begin() + length);
      answered_.notify_all();
      continue;
    }
    Wide wide;
    std::copy_n(bytes.begin(), wide.size(), wide.begin());
    take(wide);
  }
  return true;
}

/// Does what is due; returns when the next is.
Time Port::strike(Time now) {
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) expire(Key(deadlines_.begin()->second));
  Time next = deadlines_.empty() ? Time::max() : deadlines_.begin()->first;
  for (auto at = receiving_.begin(); at != receiving_.end();) {
    if (at->second.deadline > now) {
      next = std::min(next, at->second.deadline);
      ++at;
      continue;
    }
    if (!at->second.delivered)
      transmit(at->second.first,
               rmpp_control(mad_in(at->second.first), RmppType::abort, RmppStatus::too_long, 0, 0));
    at = receiving_.erase(at);
  }
  return next;
}

void Port::work() {
  Lock lock(mutex_);
  while (!stopping_) {
    const Time next = strike(Clock::now());
    sleeps_until_ = next;
    lock.unlock();
    std::array<pollfd, 2> waiting{pollfd{dead_ ? -1 : link_.get(), POLLIN, 0},
                                  pollfd{wake_.get(), POLLIN, 0}};
    ::poll(waiting.data(), waiting.size(), milliseconds_until(next));
    lock.lock();
    if (waiting[1].revents != 0) {
      std::uint64_t count = 0;
      static_cast<void>(!::read(wake_.get(), &count, sizeof(count)));
    }
    if (waiting[0].revents == 0 || dead_ || take_all()) continue;
    dead_ = true;  // the server is gone: whoever reads is to learn it
    answered_.notify_all();
    const std::uint64_t one = 1;
    static_cast<void>(!::write(event_.get(), &one, sizeof(one)));
  }
}

int Port::wait(int timeout_ms) {
  pollfd waiting{event_.get(), POLLIN, 0};
  const int ready = ::poll(&waiting, 1, timeout_ms);
  if (ready < 0) return -errno;
  return ready == 0 ? -ETIMEDOUT : 0;
}

int Port::receive(ib_user_mad* umad, int* length, int timeout_ms) {
  const Time until = timeout_ms < 0 ? Time::max() : Clock::now() + Millis(timeout_ms);
  while (true) {
    {
      const NoCancel whole;
      const Lock lock(mutex_);
      if (!messages_.empty()) {
        Message& message = messages_.front();
        const auto size = static_cast<int>(message.bytes.size());
        const bool fits = message.status != 0 || size <= *length;
        std::memset(umad, 0, sizeof(*umad));
        umad->agent_id = message.agent;
        umad->status = message.status;
        umad->length = static_cast<std::uint32_t>(sizeof(*umad)) + static_cast<std::uint32_t>(size);
        umad->addr = message.address;
        std::copy_n(message.bytes.begin(), std::min(size, *length),
                    reinterpret_cast<std::uint8_t*>(umad->data));
        *length = fits ? std::min(size, *length) : size;
        if (!fits) return -ENOSPC;  // it stays, for a larger buffer
        const int agent = static_cast<int>(message.agent);
        messages_.pop_front();
        std::uint64_t count = 0;
        if (messages_.empty() && !dead_) static_cast<void>(!::read(event_.get(), &count, sizeof(count)));
        return agent;
      }
    }
    if (dead_) {
      // Who asks again and again is slowed.
      const int left = milliseconds_until(until);
      ::poll(nullptr, 0, left < 0 ? 100 : std::min(left, 100));
      *length = 0;
      return -EIO;
    }
    if (timeout_ms == 0) return -EWOULDBLOCK;
    if (const int ready = wait(milliseconds_until(until)); ready != 0) return ready;
  }
}

}  // namespace weft::run
