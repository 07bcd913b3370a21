#include "daemon/config_keeper.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "daemon/api_events.h"
#include "daemon/api_json.h"

namespace weft::daemon {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMost = 100;
constexpr std::string_view kHeadline = "# weft configuration ";

std::string file_name(std::uint64_t number) { return fmt::format("{:06}.yaml", number); }

/// "# weft configuration 2026-01-02T03:04:05.678Z confirmed by alice (uid 1000)", and below it the text.
std::string as_file(const KeptConfig& config) {
  return fmt::format("{}{} {} by {}\n{}", kHeadline, time_text(config.time), name(config.state),
                     config.author, config.text);
}

std::optional<KeptConfig> from_file(std::uint64_t number, const std::string& file) {
  const std::size_t end = file.find('\n');
  std::string_view head = std::string_view(file).substr(0, end);
  if (end == file.npos || !head.starts_with(kHeadline)) return std::nullopt;
  head.remove_prefix(kHeadline.size());
  const std::size_t first = head.find(' ');
  const std::size_t second = head.find(" by ", first == head.npos ? 0 : first + 1);
  if (first == head.npos || second == head.npos) return std::nullopt;
  KeptConfig config;
  config.number = number;
  const auto time = time_from(head.substr(0, first), {});
  if (!time) return std::nullopt;
  config.time = *time;
  const std::string_view state = head.substr(first + 1, second - first - 1);
  for (const auto one : {KeptConfig::State::tried, KeptConfig::State::confirmed, KeptConfig::State::reverted})
    if (state == name(one)) config.state = one;
  // What was tried when weftd ended was never confirmed.
  if (config.state == KeptConfig::State::tried) config.state = KeptConfig::State::reverted;
  config.author = std::string(head.substr(second + 4));
  config.text = file.substr(end + 1);
  return config;
}

/// The next one, of now; the oldest beyond the limit goes, with its file.
KeptConfig& add_next(std::vector<KeptConfig>& history, const std::string& directory, std::string text,
                     std::string author, KeptConfig::State state) {
  const std::uint64_t number = history.empty() ? 1 : history.back().number + 1;
  history.push_back({number, std::chrono::system_clock::now(), std::move(author), state, std::move(text)});
  if (history.size() > kMost) {
    std::error_code ignored;
    fs::remove(fs::path(directory) / file_name(history.front().number), ignored);
    history.erase(history.begin());
  }
  return history.back();
}

}  // namespace

std::string_view name(KeptConfig::State state) {
  switch (state) {
    case KeptConfig::State::tried:
      return "tried";
    case KeptConfig::State::confirmed:
      return "confirmed";
    case KeptConfig::State::reverted:
      return "reverted";
  }
  return "?";
}

ConfigKeeper::ConfigKeeper(Surroundings around, std::string in_force) : around_(std::move(around)) {
  load();
  file_was_read(std::move(in_force));
}

ConfigKeeper::~ConfigKeeper() {
  *alive_ = false;
  around_.clock->cancel(timer_);
}

const KeptConfig* ConfigKeeper::last_good() const {
  for (auto one = history_.rbegin(); one != history_.rend(); ++one)
    if (one->state == KeptConfig::State::confirmed) return &*one;
  return nullptr;
}

void ConfigKeeper::apply(std::string text, std::string author, std::optional<Duration> confirm_within,
                         Done done) {
  start(std::move(text), std::move(author), confirm_within, false, std::move(done));
}

void ConfigKeeper::start(std::string text, std::string author, std::optional<Duration> confirm_within,
                         bool back, Done done) {
  if (until_ || reading_)
    return done(
        fail(Errc::conflict, "another configuration is being tried: confirm it or take it back first"));
  reading_ = true;
  auto read = std::make_shared<std::optional<Result<config::Loaded>>>();
  around_.workers->run(
      [read, text, reader = around_.read] { read->emplace(reader(text)); },
      [this, alive = alive_, read, text, author, confirm_within, back, done = std::move(done)]() mutable {
        if (!*alive) return;
        reading_ = false;
        Result<config::Loaded> loaded = std::move(**read);
        if (!loaded) return done(fail(loaded.error()));
        if (std::string why = around_.objection(*loaded, back); !why.empty())
          return done(fail(Errc::conflict, "{}", why));
        const bool tried = confirm_within.has_value();
        take(std::move(*loaded), std::move(text), std::move(author),
             tried ? KeptConfig::State::tried : KeptConfig::State::confirmed);
        if (tried) {
          until_ = std::chrono::system_clock::now() +
                   std::chrono::duration_cast<WallTime::duration>(*confirm_within);
          timer_ = around_.clock->after(*confirm_within, [this] {
            timer_ = Clock::TimerId::none;
            revert("it was not confirmed in time");
          });
        }
        done(history_.back());
      });
}

void ConfigKeeper::take(config::Loaded loaded, std::string text, std::string author,
                        KeptConfig::State state) {
  add_next(history_, around_.directory, std::move(text), std::move(author), state);
  keep(history_.back());
  around_.tell(
      Severity::info, "config_applied",
      fmt::format("configuration {} is in force{}: asked for by {}", history_.back().number,
                  state == KeptConfig::State::tried ? " until it is confirmed or its time is over" : "",
                  history_.back().author));
  around_.use(std::move(loaded));
}

Result<KeptConfig> ConfigKeeper::confirm(const std::string& author) {
  if (!until_) return fail(Errc::not_found, "no configuration waits to be confirmed");
  around_.clock->cancel(std::exchange(timer_, Clock::TimerId::none));
  until_.reset();
  history_.back().state = KeptConfig::State::confirmed;
  keep(history_.back());
  around_.tell(Severity::info, "config_confirmed",
               fmt::format("configuration {} is confirmed by {}", history_.back().number, author));
  return history_.back();
}

/// Back to what was in force before the one that is tried. That was read once and can be read again.
void ConfigKeeper::revert(const std::string& why) {
  around_.clock->cancel(std::exchange(timer_, Clock::TimerId::none));
  until_.reset();
  history_.back().state = KeptConfig::State::reverted;
  keep(history_.back());
  const KeptConfig* const before = last_good();
  Result<config::Loaded> loaded = before != nullptr
                                      ? around_.read(before->text)
                                      : Result<config::Loaded>(fail(Errc::not_found, "there is none"));
  if (!loaded) {
    around_.tell(Severity::error, "config_refused",
                 fmt::format("configuration {} stays in force although {}: the one before cannot be read: {}",
                             history_.back().number, why, loaded.error().what));
    return;
  }
  around_.tell(Severity::warning, "config_reverted",
               fmt::format("configuration {} is taken back, since {}: {} is in force again",
                           history_.back().number, why, before->number));
  around_.use(std::move(*loaded));
}

void ConfigKeeper::undo(std::string author, Done done) {
  if (until_) {
    revert("it was taken back by " + author);
    const KeptConfig* const before = last_good();
    return done(before != nullptr ? Result<KeptConfig>(*before)
                                  : Result<KeptConfig>(fail(Errc::not_found, "there is none before it")));
  }
  const KeptConfig* const now = last_good();
  const KeptConfig* before = nullptr;
  for (const KeptConfig& one : history_)
    if (&one != now && one.state == KeptConfig::State::confirmed && (now == nullptr || one.text != now->text))
      before = &one;
  if (before == nullptr) return done(fail(Errc::not_found, "there is no configuration before this one"));
  start(before->text, fmt::format("{}, back to {}", author, before->number), std::nullopt, true,
        std::move(done));
}

void ConfigKeeper::file_was_read(std::string text) {
  around_.clock->cancel(std::exchange(timer_, Clock::TimerId::none));
  if (until_) {
    until_.reset();
    history_.back().state = KeptConfig::State::reverted;
    keep(history_.back());
  }
  const KeptConfig* const now = last_good();
  if (now != nullptr && now->text == text) return;
  keep(add_next(history_, around_.directory, std::move(text), "whoever wrote the file",
                KeptConfig::State::confirmed));
}

/// What cannot be read is left where it is, and not told of: it is history, not what is in force.
void ConfigKeeper::load() {
  std::error_code error;
  std::vector<std::uint64_t> numbers;
  for (fs::directory_iterator at(around_.directory, error), end; !error && at != end; at.increment(error)) {
    const std::string file = at->path().filename().string();
    std::uint64_t number = 0;
    const auto [stop, bad] = std::from_chars(file.data(), file.data() + file.size(), number);
    if (bad == std::errc() && file == file_name(number)) numbers.push_back(number);
  }
  std::ranges::sort(numbers);
  for (const std::uint64_t number : numbers) {
    std::ifstream in(fs::path(around_.directory) / file_name(number));
    std::stringstream text;
    text << in.rdbuf();
    if (auto config = from_file(number, text.str())) history_.push_back(std::move(*config));
  }
}

/// On the workers: the loop does not wait for a disk. Written whole, then given its name.
void ConfigKeeper::keep(const KeptConfig& config) {
  const auto why = std::make_shared<std::string>();
  around_.workers->run(
      [directory = around_.directory, config, why] {
        std::error_code error;
        fs::create_directories(directory, error);
        fs::permissions(directory, fs::perms::owner_all, error);
        const fs::path path = fs::path(directory) / file_name(config.number);
        const fs::path fresh = path.string() + ".new";
        std::ofstream out(fresh, std::ios::trunc);
        fs::permissions(fresh, fs::perms::owner_read | fs::perms::owner_write, error);
        out << as_file(config);
        out.close();
        if (out) fs::rename(fresh, path, error);
        if (!out || error) *why = path.string() + (error ? ": " + error.message() : ": it cannot be written");
      },
      [this, alive = alive_, why] {
        if (*alive && !why->empty())
          around_.tell(Severity::error, "config_not_kept",
                       "a configuration is in force, but not kept: " + *why);
      });
}

}  // namespace weft::daemon
